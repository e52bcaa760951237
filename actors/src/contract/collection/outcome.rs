//! What charges of saved cards make of invoices and of the subscriptions on them.

use std::collections::BTreeSet;

use super::LOOKED_AT;
use crate::contract::agenda::Due;
use crate::contract::changes::Changes;
use crate::contract::messages::received;
use crate::contract::room::Change;
use crate::domain::billing::collection::Collection;
use crate::domain::billing::invoice::{
    Invoice, InvoiceLine, InvoiceStatus, asks_for_money, charge_begun, charge_failed,
    charge_reversed, charged, pay,
};
use crate::domain::billing::subscription::{
    self, Subscription, fall_past_due, recover_by_any, written_off,
};
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::ids::{InvoiceId, SubscriptionId};
use crate::domain::messages::{CardNotice, ChargeNotice, ContractMessage, PaymentNotice};
use crate::domain::payments::payment::Payment;
use crate::domain::refusal::Refusal;
use crate::query;

impl Changes<'_> {
    /// Hears of a charge as it stands; how many subscriptions are past due by it.
    pub(super) fn charge_made(&mut self, payment: &Payment) -> Result<u64, Refusal> {
        match payment.message() {
            Some(message) if self.counts(&message)? => {
                self.hear(&message, None)?;
            }
            // The payment's own message, which is taken once, gives the money back.
            Some(_) => {}
            None => self.charge_begun(payment)?,
        }
        // The payment's own message may have been first.
        let Some((_, invoice)) = payment.pays_for.invoice() else { return Ok(0) };
        let known = self.known_past_due();
        let by_it = known.into_iter().filter_map(|id| self.subscription_now(id));
        let by_it = by_it.filter(|sub| sub.is_past_due_for(invoice));
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
            self.invoice(&invoice, change)?;
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
            self.invoice(&invoice, change)?;
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
        self.invoice(&invoice, change)?;
        if after.collection.as_ref().is_some_and(Collection::was_interrupted) {
            self.pack_is_charged_anew(after.id);
            return Ok(());
        }
        if after.collection.as_ref().is_some_and(|collection| collection.gave_up) {
            self.fall_past_due(&after)?;
        }
        let why = notice.failure.map_or_else(|| "given up".into(), |code| code.code().to_string());
        self.pack_failed(&after, &why)
    }

    /// A charge that had paid was taken back: the invoice is collected no more.
    pub(in crate::contract) fn charge_taken_back(
        &mut self,
        invoice: InvoiceId,
    ) -> Result<(), Refusal> {
        let Some(invoice) = self.invoice_now(invoice)? else { return Ok(()) };
        if let Some(change) = charge_reversed(&invoice) {
            let after = change.invoice.clone();
            self.invoice(&invoice, change)?;
            self.fall_past_due(&after)?;
        }
        Ok(())
    }

    /// Ends the collection of an invoice in vain; how many subscriptions are past due by it.
    pub(super) fn give_up(&mut self, invoice: &Invoice) -> Result<u64, Refusal> {
        self.step(invoice, Collection::given_up)?;
        self.fall_past_due(invoice)
    }

    /// An invoice that asks for no money any more, settled or given up by hand, makes nothing past
    /// due: its payment would never come to end that.
    fn fall_past_due(&mut self, invoice: &Invoice) -> Result<u64, Refusal> {
        if !asks_for_money(invoice) {
            return Ok(0);
        }
        let cx = self.cx;
        let lines = cx.read(query::invoice_lines(cx.store(), self.room.seller, invoice.id))?;
        let mut fallen = 0;
        for id in subscriptions_on(&lines) {
            let Some(known) = self.subscription_now(id) else { continue };
            let change = fall_past_due(known, invoice.id, self.moment);
            if !change.is_empty() {
                fallen += u64::from(change.subscription.is_past_due_for(invoice.id));
                self.subscription(change);
            }
        }
        Ok(fallen)
    }

    /// Once an invoice is settled, what was past due for it is active again: those of its
    /// subscriptions that are so for nothing else. One that is written off counts no more.
    pub(in crate::contract) fn recover(
        &mut self,
        before: &Invoice,
        after: &Invoice,
    ) -> Result<(), Refusal> {
        use InvoiceStatus::{Paid, Voided, WrittenOff};
        let ends = |status| matches!(status, Paid | Voided | WrittenOff);
        if before.status == after.status || !ends(after.status) {
            return Ok(());
        }
        let end = if after.status == WrittenOff { written_off } else { subscription::recover };
        let known = self.known_past_due();
        for id in &known {
            let Some(known) = self.subscription_now(*id) else { continue };
            if known.past_due_for.contains(&after.id) {
                let change = end(known, after.id, self.moment);
                self.subscription(change);
            }
        }
        let is_behind =
            |id: &SubscriptionId| self.subscription_now(*id).is_some_and(Subscription::is_behind);
        if after.status == Paid && known.iter().any(is_behind) {
            let cx = self.cx;
            let lines = cx.read(query::invoice_lines(cx.store(), self.room.seller, after.id))?;
            self.recover_by_any(&lines);
        }
        Ok(())
    }

    /// An invoice with these lines is paid: of its subscriptions those are active again that wait
    /// for any such one. So do those that are past due only for invoices that ask for no money any
    /// more, as once came about where one was settled while its charge was declined.
    pub(in crate::contract) fn recover_by_any(&mut self, lines: &[InvoiceLine]) {
        let on_it = subscriptions_on(lines);
        let known = on_it.into_iter().filter_map(|id| self.subscription_now(id));
        let behind: Vec<_> = known.filter(|sub| sub.is_behind()).collect();
        let invoices: BTreeSet<_> = behind.iter().flat_map(|sub| &sub.past_due_for).collect();
        let invoices = invoices.into_iter().copied();
        let owed: BTreeSet<_> = invoices.filter(|id| self.is_owed(*id)).collect();
        let recovered = behind.iter().map(|sub| recover_by_any(sub, &owed, self.moment));
        let recovered: Vec<_> = recovered.filter(|change| !change.is_empty()).collect();
        for change in recovered {
            self.subscription(change);
        }
    }

    /// Whether an invoice asks for money, or may do so: it cannot be read.
    fn is_owed(&self, id: InvoiceId) -> bool {
        let asks = |invoice: Option<Invoice>| invoice.is_some_and(|one| asks_for_money(&one));
        self.invoice_now(id).map_or(true, asks)
    }

    /// The subscriptions that are past due, or will be once they go on, and whichever have changed.
    fn known_past_due(&self) -> BTreeSet<SubscriptionId> {
        self.room.agenda.past_due.iter().chain(self.subscriptions.keys()).copied().collect()
    }

    /// What waits for another card is charged today, of the invoices behind the `last` that was
    /// looked at. Says which that is where one command was too short for all of them: the card is
    /// told of with the last.
    pub(in crate::contract) fn card_saved(
        &mut self,
        notice: &CardNotice,
        mut last: Option<Due>,
    ) -> Result<Option<Due>, Refusal> {
        let (room, today) = (self.room, self.moment.today());
        for (looked_at, due) in room.agenda.collections.behind(today, last).enumerate() {
            // However full it is when it begins, each looks at one.
            if looked_at > 0 && (self.is_full() || looked_at >= LOOKED_AT) {
                return Ok(last);
            }
            last = Some(due);
            let (_, id) = due;
            let Some(invoice) = self.invoice_now(id)? else { continue };
            let waits = invoice.collection.as_ref().is_some_and(Collection::waits_for_another);
            if waits {
                self.step(&invoice, |before| Collection { next_on: Some(today), ..before })?;
            }
        }
        self.timeline.push(TimelineEntry {
            kind: TimelineKind::CardSaved,
            occurred_at: self.moment.engine,
            subscription: None,
            invoice: None,
            amount_minor: None,
            currency: None,
            detail: Some(notice.title.clone()),
        });
        if !room.card_on_file {
            self.effects.change(Change::CardOnFile(true));
        }
        self.buy_with_card();
        Ok(None)
    }
}

fn subscriptions_on(lines: &[InvoiceLine]) -> BTreeSet<SubscriptionId> {
    lines.iter().filter_map(|line| line.subscription).collect()
}
