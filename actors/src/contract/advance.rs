//! The test clock: one request, one write (billing 4.7, decisions 4, 12).

use super::handle::Answer;
use super::lifecycle::LifecycleCounts;
use super::room::ContractRoom;
use super::write::{Write, unexpected};
use crate::domain::billing::test_clock::{Advance, TestClock, advance};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::room::Desk;
use crate::tables::CLOCKS;

/// What the recurring pass did to a contract (billing 2.11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InvoiceCounts {
    /// Invoices issued.
    pub issued: u64,
    /// Of these, invoices sent.
    pub sent: u64,
    /// 1 when nothing was issued, for whatever reason.
    pub skipped: u64,
    /// Documents that could not be composed.
    pub failed: u64,
    /// Whether the pass is switched off; then nothing was done.
    pub pass_disabled: bool,
}

/// What an advance did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvanceAnswer {
    /// The clock afterwards; absent while the contract has none.
    pub clock: Option<TestClock>,
    /// Whether it moved.
    pub advanced: bool,
    /// What happened to the subscriptions.
    pub lifecycle: LifecycleCounts,
    /// What was invoiced.
    pub invoices: InvoiceCounts,
}

impl ContractRoom {
    pub(super) fn advance(
        &mut self,
        desk: &Desk<Self>,
        to: Timestamp,
        reply: Answer<AdvanceAnswer>,
    ) {
        if self.contract.is_none() {
            return reply.send(Err(Refusal::missing()));
        }
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let clock = match advance(self.clock.as_ref(), to, write.now) {
            Ok(Advance::Moves(clock)) => clock,
            Ok(Advance::Stays) => {
                return reply.send(Ok(AdvanceAnswer {
                    clock: self.clock.clone(),
                    advanced: false,
                    lifecycle: LifecycleCounts::default(),
                    invoices: InvoiceCounts::default(),
                }));
            }
            Err(refusal) => return reply.send(Err(refusal)),
        };
        write.batch.put(CLOCKS, &(self.seller, self.id), &clock);
        self.clock = Some(clock.clone());
        let lifecycle = self.live(&mut write, desk);
        let overdue = self.fall_due(&mut write, desk);
        let invoices = self.bill_due(&mut write, desk);
        if let Err(refusal) = overdue {
            // The memory has moved on already; a successor starts from the disk.
            desk.retire();
            return reply.send(Err(refusal));
        }
        let answer = AdvanceAnswer { clock: Some(clock), advanced: true, lifecycle, invoices };
        write.finish(self, desk, reply, move |result| result.map(|_| answer).map_err(unexpected));
    }
}
