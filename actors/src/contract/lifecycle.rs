//! What time does to a contract's subscriptions and invoices.

use super::answers::{InvoiceCounts, LifecycleCounts};
use super::command::Answer;
use super::room::ContractRoom;
use super::write::{Write, unexpected};
use crate::domain::billing::invoice::fall_overdue;
use crate::domain::billing::subscription::advance;
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::room::Desk;

impl ContractRoom {
    /// Lets every subscription do what is due by the contract's clock.
    pub(super) fn live(&mut self, write: &mut Write, desk: &Desk<Self>) -> LifecycleCounts {
        let mut counts = LifecycleCounts::default();
        let Some(contract) = &self.contract else { return counts };
        if !write.snapshot.switch(Switch::LifecycleCron) {
            return LifecycleCounts { cron_disabled: true, ..counts };
        }
        let facts = Self::facts(contract, write.snapshot.seller.default_tax_rate);
        let moment = self.subscription_moment(write.now);
        let awake = self.agenda.awake_by(moment.engine);
        counts.skipped = (self.subscriptions.len() - awake.len()) as u64;
        for id in awake {
            let Some(subscription) = self.subscriptions.get(&id) else { continue };
            let advanced = advance(subscription, moment, &facts);
            counts.trials_activated += u64::from(advanced.counts.trials_activated);
            counts.trials_canceled += u64::from(advanced.counts.trials_canceled);
            counts.trials_past_due += u64::from(advanced.counts.trials_past_due);
            counts.renewed += u64::from(advanced.counts.renewed);
            counts.resumed += u64::from(advanced.counts.resumed);
            counts.canceled += u64::from(advanced.counts.canceled);
            counts.expired += u64::from(advanced.counts.expired);
            counts.skipped += u64::from(advanced.counts.skipped);
            if !advanced.change.is_empty() {
                write.subscription(self, desk, advanced.change);
            }
        }
        counts
    }

    /// Issues the invoice of the oldest due terms, if there is one to go on from.
    pub(super) fn bill_due(&mut self, write: &mut Write, desk: &Desk<Self>) -> InvoiceCounts {
        if !write.snapshot.switch(Switch::RecurringInvoicePass) {
            return InvoiceCounts { pass_disabled: true, ..InvoiceCounts::default() };
        }
        let moment = self.moment(write.now);
        match self.compose_next(write, desk, moment) {
            Ok(None) => InvoiceCounts { skipped: 1, ..InvoiceCounts::default() },
            Ok(Some(document)) => {
                let sent = u64::from(document.composed.send);
                self.put_document(write, desk, document);
                InvoiceCounts { issued: 1, sent, ..InvoiceCounts::default() }
            }
            Err(refusal) => {
                tracing::warn!(contract = self.id.0, %refusal, "a due term could not be billed");
                InvoiceCounts { skipped: 1, failed: 1, ..InvoiceCounts::default() }
            }
        }
    }

    /// Moves every invoice whose due date has passed by the contract's clock.
    pub(super) fn fall_due(
        &mut self,
        write: &mut Write,
        desk: &Desk<Self>,
    ) -> Result<u64, Refusal> {
        let moment = self.moment(write.now);
        let mut moved = 0;
        for id in self.agenda.overdue_by(moment.engine_date()) {
            let invoice = self.invoice(desk, id).map_err(|error| {
                tracing::error!(%error, "a contract room cannot read an invoice");
                Refusal::fault()
            })?;
            // One that is being issued just now is not on disk yet; the next run finds it.
            let Some(invoice) = invoice else { continue };
            if let Some(change) = fall_overdue(&invoice, moment) {
                write.invoice(self, desk, change);
                moved += 1;
            }
        }
        Ok(moved)
    }

    pub(super) fn run_lifecycle(&mut self, desk: &Desk<Self>, reply: Answer<LifecycleCounts>) {
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let counts = self.live(&mut write, desk);
        write.finish(self, desk, reply, move |result| result.map(|_| counts).map_err(unexpected));
    }

    pub(super) fn run_recurring(&mut self, desk: &Desk<Self>, reply: Answer<InvoiceCounts>) {
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let counts = self.bill_due(&mut write, desk);
        write.finish(self, desk, reply, move |result| result.map(|_| counts).map_err(unexpected));
    }

    pub(super) fn run_overdue(&mut self, desk: &Desk<Self>, reply: Answer<u64>) {
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let moved = match self.fall_due(&mut write, desk) {
            Ok(moved) => moved,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        write.finish(self, desk, reply, move |result| result.map(|_| moved).map_err(unexpected));
    }
}
