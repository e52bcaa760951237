//! Lots expire, by the wall clock.

use std::collections::BTreeSet;

use crate::contract::Contracts;
use crate::contract::changes::Changes;
use crate::contract::room::{Context, ContractRoom, Decision};
use crate::contract::strides::{Decided, Stride};
use crate::domain::billing::credit::{credit_depleted, expired};
use crate::domain::ids::{ContractId, CreditEntryId, SellerId};
use crate::kernel::AskError;
use crate::tables::ids;

/// How many lots one batch forfeits.
const AT_ONCE: usize = 400;

impl Contracts {
    /// Forfeits the lots that have expired; says how many.
    pub async fn run_credit_expiry(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<u64, AskError> {
        self.in_strides((seller, contract), ContractRoom::expire_credit).await
    }
}

impl ContractRoom {
    pub(in crate::contract) fn expire_credit(&self, cx: &Context) -> Decided<u64> {
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
