//! The test clock: one request, one write (billing 4.7, decisions 4, 12).

use super::answers::{AdvanceAnswer, InvoiceCounts, LifecycleCounts};
use super::command::Answer;
use super::room::ContractRoom;
use super::write::{Write, unexpected};
use crate::domain::billing::test_clock::{Advance, advance};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::room::Desk;
use crate::tables::CLOCKS;

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
