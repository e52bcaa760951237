//! Stored credit: every ledger replays to its lots and balances, balances add up to what their
//! seller has, and deductions are what invoices have drawn.

use std::collections::BTreeMap;

use storage::{ReadError, Scan};

use super::numbers::hex;
use super::reading::Reading;
use super::run::{Found, Run};
use crate::domain::billing::credit::{CreditBalances, CreditEntry, CreditKind, CreditType, Lot};
use crate::domain::chain::Link;
use crate::domain::ids::{ContractId, CreditEntryId, InvoiceId, SellerId};
use crate::tables::{
    CONTRACTS, CREDIT_BALANCES, CREDIT_COUNTED, CREDIT_ENTRIES, CREDIT_TOTALS, DRAWN_CREDIT,
    INVOICES, OPEN_LOTS,
};

type Key = (SellerId, ContractId);

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(CREDIT_BALANCES, all(), ledger)?;
    totals(run, seller)?;
    run.no_others(CREDIT_ENTRIES, all(), |reading, (seller, contract, _), _| {
        reading.contains(CREDIT_BALANCES, &(*seller, *contract))
    })?;
    run.no_others(OPEN_LOTS, all(), |reading, (seller, contract, lot), _| {
        let replayed = Replayed::read(reading, &(*seller, *contract), |_| Ok(()))?;
        Ok(replayed.lots.contains_key(lot))
    })?;
    run.no_others(DRAWN_CREDIT, all(), |reading, (seller, invoice, lot), _| {
        is_drawn(reading, *seller, *invoice, *lot)
    })
}

/// A ledger as it comes out.
#[derive(Default)]
struct Replayed {
    entries: u64,
    lots: BTreeMap<CreditEntryId, Lot>,
    balances: BTreeMap<CreditType, i128>,
    /// Entries that fit no ledger.
    wrong: Vec<CreditEntryId>,
    /// Those that are not linked to the ones before them.
    unlinked: Vec<CreditEntryId>,
    last_link: Option<Link>,
}

impl Replayed {
    fn read(
        reading: &Reading,
        key: &Key,
        mut deduction: impl FnMut(&CreditEntry) -> Result<(), ReadError>,
    ) -> Result<Self, ReadError> {
        let mut replayed = Self::default();
        for row in reading.scan(CREDIT_ENTRIES, Scan::prefix(key)) {
            let ((_, _, id), entry) = row?;
            if entry.link != Some(entry.link(replayed.last_link.as_ref())) {
                replayed.unlinked.push(id);
            }
            replayed.last_link = entry.link;
            if id != entry.id || !replayed.take(&entry) {
                replayed.wrong.push(id);
            }
            if entry.kind == CreditKind::Deduction {
                deduction(&entry)?;
            }
        }
        Ok(replayed)
    }

    /// Whether an entry says what it may after all that came before.
    fn take(&mut self, entry: &CreditEntry) -> bool {
        self.entries += 1;
        let delta = entry.signed_delta_minor;
        *self.balances.entry(entry.credit_type).or_default() += i128::from(delta);
        let Some(lot) = entry.lot else {
            let grants = entry.kind == CreditKind::Topup && delta > 0 && entry.invoice.is_none();
            self.lots.insert(entry.id, Lot::of(entry));
            return grants;
        };
        let pays = entry.kind == CreditKind::Deduction && entry.invoice.is_some();
        let expires = entry.kind == CreditKind::Expiry && entry.expires_at.is_some();
        let reverses = entry.kind == CreditKind::Reversal && entry.invoice.is_none();
        let Some(known) = self.lots.get_mut(&lot) else { return false };
        known.left_minor += delta;
        let fits = delta < 0 && known.left_minor >= 0 && known.credit_type == entry.credit_type;
        if known.left_minor == 0 {
            self.lots.remove(&lot);
        }
        fits && (pays || expires || reverses)
    }
}

fn ledger(
    reading: &Reading,
    key: &Key,
    kept: &CreditBalances,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    found.names(reading, CONTRACTS, key)?;
    let replayed = Replayed::read(reading, key, |entry| drawn(reading, key.0, entry, found))?;
    found.has(CREDIT_ENTRIES, replayed.entries);
    found.same("entries of a credit ledger that fit", Vec::new(), replayed.wrong);
    found.same("chain of a credit ledger", Vec::new(), replayed.unlinked);
    let head = kept.last_link.map(hex);
    found.same("end of the chain of a credit ledger", head, replayed.last_link.map(hex));
    let balances = kept.by_type.iter().map(|(kind, minor)| (*kind, i128::from(*minor)));
    found.same("credit ledger that replays to its balances", replayed.balances, balances.collect());
    let negative = kept.by_type.values().any(|minor| *minor < 0);
    found.holds("credit balances that are not negative", !negative, &kept.by_type);
    for (lot, row) in &replayed.lots {
        found.wants(reading, OPEN_LOTS, &(key.0, key.1, *lot), row)?;
    }
    Ok(())
}

/// What the balances of a seller's contracts add up to is what is kept, which a store from before
/// that was kept does not have until it is started.
fn totals(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    if !run.reading.contains(CREDIT_COUNTED, &0)? {
        return Ok(());
    }
    let rows = run.reading.scan(CREDIT_TOTALS, Scan::prefix(&(seller,))).count();
    run.count(CREDIT_TOTALS.name(), rows as u64);
    let place = format!("{} {seller:?}", CREDIT_TOTALS.name());
    run.settle(&place, |reading, found, _| {
        let kept = kept_totals(reading, seller)?;
        let mut sums = BTreeMap::new();
        for row in reading.scan(CREDIT_BALANCES, Scan::prefix(&(seller,))) {
            // One that cannot be read is told of already.
            let Ok((_, balances)) = row else { return Ok(()) };
            for (kind, minor) in balances.by_type {
                *sums.entry((balances.currency.code(), kind)).or_default() += i128::from(minor);
            }
        }
        found.same("credit of all contracts of an account", sums, kept);
        Ok(())
    })
}

fn kept_totals(
    reading: &Reading,
    seller: SellerId,
) -> Result<BTreeMap<(&'static str, CreditType), i128>, ReadError> {
    let kept = reading.scan(CREDIT_TOTALS, Scan::prefix(&(seller,)));
    kept.map(|row| row.map(|((_, currency, kind), sum)| ((currency.code(), kind), sum.value())))
        .collect()
}

/// What an invoice has drawn from a lot is what the ledger says.
fn drawn(
    reading: &Reading,
    seller: SellerId,
    entry: &CreditEntry,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let Some((invoice, lot)) = entry.invoice.zip(entry.lot) else { return Ok(()) };
    let minor = -entry.signed_delta_minor;
    let says = found.says(reading, DRAWN_CREDIT, &(seller, invoice, lot), &minor, |drawn| {
        drawn.amount_minor == minor && (0..=minor).contains(&drawn.returned_minor)
    })?;
    if says {
        found.has(DRAWN_CREDIT, 1);
    }
    Ok(())
}

/// Whether the ledger of an invoice's contract has a deduction from this lot.
fn is_drawn(
    reading: &Reading,
    seller: SellerId,
    invoice: InvoiceId,
    lot: CreditEntryId,
) -> Result<bool, ReadError> {
    let Some(known) = reading.get(INVOICES, &(seller, invoice))? else { return Ok(false) };
    let mut there = false;
    Replayed::read(reading, &(seller, known.contract), |entry| {
        there |= entry.invoice == Some(invoice) && entry.lot == Some(lot);
        Ok(())
    })?;
    Ok(there)
}
