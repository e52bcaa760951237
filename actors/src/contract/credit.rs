//! Stored credit of a contract: granted by hand, drawn by documents, given back, expired.

mod auto_topup;
mod lots;
mod moves;
mod packs;
mod totals;

use std::collections::BTreeSet;

use super::Contracts;
use super::changes::Changes;
use super::room::{Context, ContractRoom, Decision};
use super::strides::{Decided, Stride};
use crate::domain::billing::credit::{
    CreditEntry, CreditKey, NewTopup, credit_depleted, expired, top_up,
};
use crate::domain::ids::{ContractId, CreditEntryId, SellerId};
use crate::kernel::{AskError, Once};
use crate::tables::{CREDIT_KEYS, ids};

pub(super) use lots::CreditLots;
pub(super) use moves::Given;
pub(crate) use totals::count_once;

/// How many lots one batch forfeits.
const AT_ONCE: usize = 400;

impl Contracts {
    /// Grants credit, once for each key.
    pub async fn top_up_credit(
        &self,
        seller: SellerId,
        contract: ContractId,
        new: NewTopup,
        key: String,
    ) -> Result<Once<CreditEntry>, AskError> {
        let grant = move |room: &ContractRoom, cx: &Context| {
            let of = room.contract()?;
            let row = (seller, key.clone());
            cx.once(CREDIT_KEYS, &row)?;
            let mut changes = Changes::begin(room, cx)?;
            let id = CreditEntryId(cx.id(ids::CREDIT_ENTRY));
            let balance = room.credit.available(of.currency, cx.now()).total();
            let made = top_up(id, of, &new, (room.credit.len(), balance), cx.now())?;
            changes.effects.claim(CREDIT_KEYS, &row, &CreditKey { contract, entry: id });
            changes.move_credit(vec![made.clone()], None);
            Ok(changes.finish().answer(made))
        };
        self.rooms.once((seller, contract), grant).await
    }

    /// Forfeits the lots that have expired by the wall clock; says how many.
    pub async fn run_credit_expiry(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<u64, AskError> {
        self.in_strides((seller, contract), ContractRoom::expire_credit).await
    }
}

impl ContractRoom {
    pub(super) fn expire_credit(&self, cx: &Context) -> Decided<u64> {
        let of = self.contract()?;
        if self.credit.expired(cx.now()).next().is_none() {
            return Ok(Decision::unchanged(Stride { done: 0, more: false }));
        }
        let mut changes = Changes::begin(self, cx)?;
        let now = changes.moment.wall;
        let moment = changes.credit_moment(of.currency);
        let mut lots = self.credit.expired(now);
        let entries: Vec<_> = (&mut lots)
            .take(AT_ONCE)
            .map(|lot| expired(lot, CreditEntryId(cx.id(ids::CREDIT_ENTRY)), moment))
            .collect();
        let more = lots.next().is_some();
        let after = self.credit.available(of.currency, now);
        let kinds: BTreeSet<_> = entries.iter().map(|entry| entry.credit_type).collect();
        for kind in kinds.into_iter().filter(|kind| !more && after.of(*kind) == 0) {
            changes.events.push(credit_depleted(self.id, kind, of.currency, now));
        }
        let done = entries.len() as u64;
        changes.move_credit(entries, None);
        Ok(changes.finish().answer(Stride { done, more }))
    }
}
