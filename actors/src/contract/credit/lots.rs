//! What a contract room remembers of stored credit: the lots of which something is left, in the
//! order in which they are drawn, and the balances.

use std::collections::{BTreeMap, BTreeSet};

use storage::{Batch, Found, ReadError, Reads, Scan, Wanted};

use crate::contract::room::ContractKey;
use crate::domain::billing::credit::{CreditBalances, CreditEntry, CreditType, Lot, LotOrder};
use crate::domain::chain::Link;
use crate::domain::ids::CreditEntryId;
use crate::domain::money::Currency;
use crate::domain::time::Timestamp;
use crate::tables::{CREDIT_BALANCES, CREDIT_TOTALS, OPEN_LOTS};

#[derive(Clone, Debug, Default)]
pub(in crate::contract) struct CreditLots {
    lots: BTreeMap<CreditEntryId, Lot>,
    order: BTreeSet<LotOrder>,
    /// None before the first lot.
    balances: Option<CreditBalances>,
}

/// What is asked for of it.
pub(in crate::contract) struct Asked {
    balances: Wanted<Option<CreditBalances>>,
    lots: Wanted<Vec<Lot>>,
}

impl Asked {
    pub(in crate::contract) fn take(self, found: &mut Found) -> Result<CreditLots, ReadError> {
        let balances = found.take(self.balances)?;
        let mut loaded = CreditLots { balances, ..CreditLots::default() };
        found.take(self.lots)?.into_iter().for_each(|lot| loaded.keep(lot));
        Ok(loaded)
    }
}

impl CreditLots {
    pub(in crate::contract) fn ask(reads: &mut Reads, key: ContractKey) -> Asked {
        let balances = reads.get(CREDIT_BALANCES, &key);
        Asked { balances, lots: reads.values(OPEN_LOTS, Scan::prefix(&key)) }
    }

    /// Takes movements into the lots, their balances and the totals of the seller. Their own rows
    /// are put by who decides them.
    pub(in crate::contract) fn apply(
        &mut self,
        (seller, contract): ContractKey,
        entries: &[CreditEntry],
        rows: &mut Batch,
    ) {
        for entry in entries {
            let id = entry.lot.unwrap_or(entry.id);
            let row = (seller, contract, id);
            let lot = match self.lots.remove(&id) {
                None => Lot::of(entry),
                Some(known) => {
                    self.order.remove(&known.order());
                    Lot { left_minor: known.left_minor + entry.signed_delta_minor, ..known }
                }
            };
            if lot.left_minor > 0 {
                rows.put(OPEN_LOTS, &row, &lot);
                self.keep(lot);
            } else {
                rows.delete(OPEN_LOTS, &row);
            }
            let total = (seller, entry.currency, entry.credit_type);
            rows.add(CREDIT_TOTALS, &total, entry.signed_delta_minor);
            let none = || CreditBalances::none(entry.currency);
            self.balances.get_or_insert_with(none).take(entry);
        }
        if let Some(balances) = &self.balances {
            rows.put(CREDIT_BALANCES, &(seller, contract), balances);
        }
    }

    fn keep(&mut self, lot: Lot) {
        self.order.insert(lot.order());
        self.lots.insert(lot.id, lot);
    }

    pub(in crate::contract) fn balances(&self) -> Option<&CreditBalances> {
        self.balances.as_ref()
    }

    /// The link of the last entry.
    pub(in crate::contract) fn last_link(&self) -> Option<Link> {
        self.balances.as_ref().and_then(|balances| balances.last_link)
    }

    pub(super) fn get(&self, lot: CreditEntryId) -> Option<&Lot> {
        self.lots.get(&lot)
    }

    /// What is left of a lot, minor units.
    pub(in crate::contract) fn left_of(&self, lot: CreditEntryId) -> i64 {
        self.get(lot).map_or(0, |lot| lot.left_minor)
    }

    pub(super) fn len(&self) -> usize {
        self.lots.len()
    }

    pub(super) fn in_order(&self) -> impl Iterator<Item = &Lot> {
        self.order.iter().filter_map(|order| self.lots.get(&order.lot))
    }

    /// The lots that have expired and are not forfeited yet, soonest first.
    pub(super) fn expired(&self, now: Timestamp) -> impl Iterator<Item = &Lot> {
        self.in_order().take_while(move |lot| lot.is_expired(now))
    }

    /// Whether something of this type has expired and is not forfeited yet. That nothing is left of
    /// the type is told once, with what is forfeited.
    pub(super) fn is_to_forfeit(&self, kind: CreditType, now: Timestamp) -> bool {
        self.expired(now).any(|lot| lot.credit_type == kind)
    }

    /// What can be drawn: balances never count what has expired.
    pub(in crate::contract) fn available(
        &self,
        currency: Currency,
        now: Timestamp,
    ) -> CreditBalances {
        let known = self.balances.clone();
        let mut available = known.unwrap_or_else(|| CreditBalances::none(currency));
        for lot in self.expired(now) {
            available.add(lot.credit_type, -lot.left_minor);
        }
        available
    }

    /// When the next lot expires.
    pub(in crate::contract) fn next_expiry(&self) -> Option<Timestamp> {
        self.in_order().next().and_then(|lot| lot.expires_at)
    }
}
