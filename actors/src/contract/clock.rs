//! The test clock: all that an advance brings about is one write.

use super::changes::Changes;
use super::room::{Change, Context, ContractRoom, Decision};
use super::{Contracts, InvoiceCounts, LifecycleCounts};
use crate::domain::billing::test_clock::{Advance, Moment, TestClock, advance};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::time::Timestamp;
use crate::kernel::AskError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvanceAnswer {
    /// The clock afterwards; absent while the contract has none.
    pub clock: Option<TestClock>,
    pub advanced: bool,
    pub lifecycle: LifecycleCounts,
    pub invoices: InvoiceCounts,
}

impl Contracts {
    /// Advances the test clock of a contract: its subscriptions do what is due by then, its
    /// invoices fall overdue, and the invoice of the oldest due terms is issued.
    pub async fn advance_clock(
        &self,
        seller: SellerId,
        contract: ContractId,
        to: Timestamp,
    ) -> Result<AdvanceAnswer, AskError> {
        let move_clock = move |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            let mut changes = Changes::begin(room, cx)?;
            let clock = match advance(room.clock.as_ref(), to, cx.now())? {
                Advance::Moves(clock) => clock,
                Advance::Stays => {
                    return Ok(Decision::unchanged(AdvanceAnswer {
                        clock: room.clock.clone(),
                        advanced: false,
                        lifecycle: LifecycleCounts::default(),
                        invoices: InvoiceCounts::default(),
                    }));
                }
            };
            changes.moment = Moment::of(Some(&clock), cx.now());
            changes.effects.change(Change::Clock(clock.clone()));
            let lifecycle = changes.run_lifecycle();
            changes.run_overdue()?;
            let invoices = changes.issue_recurring();
            let answer = AdvanceAnswer { clock: Some(clock), advanced: true, lifecycle, invoices };
            Ok(changes.finish().answer(answer))
        };
        self.rooms.command((seller, contract), move_clock).await
    }
}
