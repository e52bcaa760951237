//! What charges of saved cards make of invoices and of the subscriptions on them.

use std::collections::BTreeSet;

use crate::contract::changes::Changes;
use crate::contract::messages::received;
use crate::contract::room::Change;
use crate::domain::billing::collection::Collection;
use crate::domain::billing::invoice::{
    Invoice, InvoiceStatus, charge_begun, charge_failed, charge_reversed, charged, pay,
};
use crate::domain::billing::subscription::{self, fall_past_due, written_off};
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::ids::{InvoiceId, SubscriptionId};
use crate::domain::messages::{CardNotice, ChargeNotice, ContractMessage, PaymentNotice};
use crate::domain::payments::payment::Payment;
use crate::domain::refusal::Refusal;
use crate::query;

impl Changes<'_> {
    /// Hears of a charge as it stands; how many subscriptions are past due by it.
    pub(super) fn charge_made(&mut self, payment: &Payment) -> Result<u64, Refusal> {
        match payment.told() {
            Some(message) if self.counts(&message)? => self.hear(&message)?,
            // The payment's own message, which is taken once, gives the money back.
            Some(_) => {}
            None => self.charge_begun(payment)?,
        }
        // The payment's own message may have been first.
        let Some((_, invoice)) = payment.pays_for.invoice() else { return Ok(0) };
        let known = self.room.agenda.past_due.iter().chain(self.subscriptions.keys());
        let known: BTreeSet<_> = known.copied().collect();
        let by_it = known.into_iter().filter_map(|id| self.subscription_now(id));
        let by_it = by_it.filter(|sub| sub.past_due_for.contains(&invoice));
        Ok(by_it.count() as u64)
    }

    /// Whether the invoice takes the money of a charge that has paid.
    fn counts(&self, message: &ContractMessage) -> Result<bool, Refusal> {
        let ContractMessage::PaymentSucceeded(notice) = message else { return Ok(true) };
        let invoice = self.invoice_now(notice.invoice)?;
        Ok(invoice.is_some_and(|invoice| pay(&invoice, received(notice), self.moment).is_ok()))
    }

    fn charge_begun(&mut self, payment: &Payment) -> Result<(), Refusal> {
        let of = payment.pays_for.invoice().zip(payment.saved_charge);
        let Some(((_, invoice), charge)) = of else { return Ok(()) };
        let Some(invoice) = self.invoice_now(invoice)? else { return Ok(()) };
        if let Some(change) = charge_begun(&invoice, charge, payment.id) {
            self.invoice(&invoice, change);
        }
        self.pack_is_charged(invoice.id);
        Ok(())
    }

    /// A charge has paid; its money was counted before.
    pub(in crate::contract) fn charge_ended(
        &mut self,
        notice: &PaymentNotice,
    ) -> Result<(), Refusal> {
        let Some(attempt) = notice.attempt else { return Ok(()) };
        let Some(invoice) = self.invoice_now(notice.invoice)? else { return Ok(()) };
        if let Some(change) = charged(&invoice, attempt, notice.amount.minor, self.moment) {
            self.invoice(&invoice, change);
        }
        Ok(())
    }

    pub(in crate::contract) fn charge_failed(
        &mut self,
        notice: &ChargeNotice,
    ) -> Result<(), Refusal> {
        let Some(invoice) = self.invoice_now(notice.invoice)? else { return Ok(()) };
        let change = charge_failed(&invoice, notice.charge, notice.failure, self.moment);
        let Some(change) = change else { return Ok(()) };
        let after = change.invoice.clone();
        self.invoice(&invoice, change);
        if after.collection.as_ref().is_some_and(|collection| collection.gave_up) {
            self.fall_past_due(&after)?;
        }
        let why = notice.failure.map_or_else(|| "given up".into(), |code| code.code().to_string());
        self.pack_failed(&after, &why);
        Ok(())
    }

    /// A charge that had paid was taken back: the invoice is collected no more.
    pub(in crate::contract) fn charge_taken_back(
        &mut self,
        invoice: InvoiceId,
    ) -> Result<(), Refusal> {
        let Some(invoice) = self.invoice_now(invoice)? else { return Ok(()) };
        if let Some(change) = charge_reversed(&invoice) {
            let after = change.invoice.clone();
            self.invoice(&invoice, change);
            self.fall_past_due(&after)?;
        }
        Ok(())
    }

    /// Ends the collection of an invoice in vain; how many subscriptions are past due by it.
    pub(super) fn give_up(&mut self, invoice: &Invoice) -> Result<u64, Refusal> {
        self.step(invoice, Collection::given_up);
        self.fall_past_due(invoice)
    }

    fn fall_past_due(&mut self, invoice: &Invoice) -> Result<u64, Refusal> {
        let cx = self.cx;
        let lines = cx.read(query::invoice_lines(cx.store(), self.room.seller, invoice.id))?;
        let on_it: BTreeSet<SubscriptionId> =
            lines.iter().filter_map(|line| line.subscription).collect();
        let mut fallen = 0;
        for id in on_it {
            let Some(known) = self.subscription_now(id) else { continue };
            let change = fall_past_due(known, invoice.id, self.moment);
            if !change.is_empty() {
                fallen += 1;
                self.subscription(change);
            }
        }
        Ok(fallen)
    }

    /// Once an invoice is settled, what was past due for it is active again: those of its
    /// subscriptions that are so for nothing else. One that is written off counts no more.
    pub(in crate::contract) fn recover(&mut self, before: &Invoice, after: &Invoice) {
        use InvoiceStatus::{Paid, Voided, WrittenOff};
        let ends = |status| matches!(status, Paid | Voided | WrittenOff);
        if before.status == after.status || !ends(after.status) {
            return;
        }
        let room = self.room;
        let changed = self.subscriptions.values().map(|sub| sub.id).collect::<BTreeSet<_>>();
        for id in room.agenda.past_due.union(&changed) {
            let Some(known) = self.subscription_now(*id) else { continue };
            let billed = || known.terms.iter().any(|term| term.billed_by == Some(after.id));
            // A trial that ended without its card is past due for the term that began then, and one
            // whose invoice was written off for whichever is paid next.
            let of_any = after.status == Paid && known.past_due_for.is_empty();
            let concerned = known.past_due_for.contains(&after.id) || (of_any && billed());
            if !concerned {
                continue;
            }
            let end = if after.status == WrittenOff { written_off } else { subscription::recover };
            let change = end(known, after.id, self.moment);
            if !change.is_empty() {
                self.subscription(change);
            }
        }
    }

    pub(in crate::contract) fn card_saved(&mut self, notice: &CardNotice) -> Result<(), Refusal> {
        self.timeline.push(TimelineEntry {
            kind: TimelineKind::CardSaved,
            occurred_at: self.moment.engine,
            subscription: None,
            invoice: None,
            amount_minor: None,
            currency: None,
            detail: Some(notice.title.clone()),
        });
        if !self.room.card_on_file {
            self.effects.change(Change::CardOnFile(true));
        }
        self.buy_with_card();
        let (room, today) = (self.room, self.moment.today());
        for id in room.agenda.collections.all() {
            if self.is_full() {
                break;
            }
            let Some(invoice) = self.invoice_now(id)? else { continue };
            let waits = invoice.collection.as_ref().is_some_and(Collection::waits_for_another);
            if waits {
                self.step(&invoice, |before| Collection { next_on: Some(today), ..before });
            }
        }
        Ok(())
    }
}
