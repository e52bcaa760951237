//! What time does to a contract's subscriptions and invoices.

use super::changes::Changes;
use super::room::{Context, ContractRoom};
use super::{Contracts, LifecycleCounts};
use crate::domain::billing::invoice::fall_overdue;
use crate::domain::billing::subscription::advance;
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;

impl Contracts {
    pub async fn run_lifecycle(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<LifecycleCounts, AskError> {
        let run = |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            let counts = changes.run_lifecycle();
            Ok(changes.finish().answer(counts))
        };
        self.rooms.command((seller, contract), run).await
    }

    pub async fn run_overdue(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<u64, AskError> {
        let run = |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            let moved = changes.run_overdue()?;
            Ok(changes.finish().answer(moved))
        };
        self.rooms.command((seller, contract), run).await
    }
}

impl Changes<'_> {
    pub(super) fn run_lifecycle(&mut self) -> LifecycleCounts {
        let mut counts = LifecycleCounts::default();
        let room = self.room;
        let Some(contract) = &room.contract else { return counts };
        if !self.seller.switch(Switch::LifecycleCron) {
            return LifecycleCounts { cron_disabled: true, ..counts };
        }
        let (facts, moment) = self.facts(contract);
        let awake = room.agenda.awake_by(moment.engine);
        counts.skipped = (room.subscriptions.len() - awake.len()) as u64;
        for subscription in awake.iter().filter_map(|id| room.subscriptions.get(id)) {
            let advanced = advance(subscription, moment, &facts);
            counts += advanced.counts;
            if !advanced.change.is_empty() {
                self.subscription(advanced.change);
            }
        }
        counts
    }

    /// Moves every invoice whose due date has passed by the contract's clock; says how many.
    pub(super) fn run_overdue(&mut self) -> Result<u64, Refusal> {
        let mut moved = 0;
        for id in self.room.agenda.overdue_by(self.moment.engine_date()) {
            // One that is being issued just now is not there yet; the next run finds it.
            let Some(invoice) = self.room.invoice(self.cx, id)? else { continue };
            if let Some(change) = fall_overdue(&invoice, self.moment) {
                self.invoice(change);
                moved += 1;
            }
        }
        Ok(moved)
    }
}
