//! What payments, and refunds of them, do to a contract's invoices: durable messages, each taken
//! once.

use super::Contracts;
use super::agenda::Due;
use super::changes::Changes;
use super::credit::Given;
use super::room::{Context, ContractRoom, Decision};
use crate::domain::billing::credit::failed_at_settlement;
use crate::domain::billing::invoice::{
    Change, Invoice, InvoiceRefusal, PaidVia, PaymentReceived, Refunded, pay, refund, reopen,
    returned, take_back,
};
use crate::domain::ids::{ContractId, InvoiceId, MessageId, SellerId};
use crate::domain::messages::{
    Addressee, ContractMessage, Envelope, PaymentMessage, PaymentNotice,
};
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;
use crate::tables::{OUTBOX, PAYMENTS};

impl Contracts {
    /// Hands a durable message to a contract; it is taken once however often it comes.
    pub async fn receive(
        &self,
        seller: SellerId,
        contract: ContractId,
        message: MessageId,
        content: ContractMessage,
    ) -> Result<(), AskError> {
        let row = Addressee::Contract(seller, contract).row(message);
        let mut last = None;
        loop {
            let content = content.clone();
            let take = move |room: &ContractRoom, cx: &Context| {
                if !cx.contains(OUTBOX, &row)? {
                    return Ok(Decision::unchanged(None));
                }
                let mut changes = Changes::begin(room, cx)?;
                let last = changes.hear(&content, last)?;
                if last.is_none() {
                    changes.effects.delete(OUTBOX, &row);
                }
                Ok(changes.finish().answer(last))
            };
            last = self.rooms.command_in_passing((seller, contract), take).await?;
            if last.is_none() {
                return Ok(());
            }
        }
    }
}

impl Changes<'_> {
    /// Does what a message says; one that was heard before does nothing. Where there is more of it
    /// than one command takes, says how far it came: then it is to be heard again, from behind
    /// there on.
    pub(super) fn hear(
        &mut self,
        message: &ContractMessage,
        last: Option<Due>,
    ) -> Result<Option<Due>, Refusal> {
        match message {
            ContractMessage::PaymentSucceeded(notice) => {
                let Some(invoice) = self.invoice_now(notice.invoice)? else { return Ok(None) };
                self.count(&invoice, notice)?;
                self.charge_ended(notice)?;
            }
            ContractMessage::PaymentReversed(notice) => {
                let Some(invoice) = self.invoice_now(notice.invoice)? else { return Ok(None) };
                self.count_out(&invoice, notice)?;
                if notice.attempt.is_some() {
                    self.charge_taken_back(notice.invoice)?;
                }
                self.pack_taken_back(notice)?;
            }
            ContractMessage::PaymentRefunded(notice) => self.count_refunds(notice.invoice)?,
            ContractMessage::ChargeFailed(notice) => self.charge_failed(notice)?,
            ContractMessage::CardSaved(notice) => return self.card_saved(notice, last),
            ContractMessage::WentLive => self.let_clock_go(),
        }
        Ok(None)
    }

    /// Counts a payment. What is more than outstanding is the payer's, as stored credit; one that
    /// the invoice does not ask for at all goes back.
    fn count(&mut self, invoice: &Invoice, notice: &PaymentNotice) -> Result<(), Refusal> {
        let received = received(notice);
        match pay(invoice, received.clone(), self.moment) {
            Ok(None) => Ok(()),
            Ok(Some(mut paid)) => {
                let why = Given::Surplus(notice.payment);
                self.give_money_back(&mut paid.change, paid.surplus_minor, why);
                self.invoice(invoice, paid.change)
            }
            Err(refusal) => {
                self.hand_back(invoice, &received, &refusal);
                Ok(())
            }
        }
    }

    /// Most often it was paid in another way while this payment was under way.
    fn hand_back(
        &mut self,
        invoice: &Invoice,
        received: &PaymentReceived,
        refusal: &InvoiceRefusal,
    ) {
        let (contract, id, payment) = (invoice.contract.0, invoice.id.0, received.payment);
        tracing::info!(contract, invoice = id, payment = payment.0, %refusal, "a payment goes back");
        let Some(number) = invoice.number else { return };
        let message = PaymentMessage::NotNeeded(number);
        self.effects.send(Envelope::to_payment(self.room.seller, payment, message));
        self.timeline.push(returned(invoice, received, self.moment));
    }

    /// Takes a payment back that had been counted, with the credit that was made of it.
    fn count_out(&mut self, invoice: &Invoice, notice: &PaymentNotice) -> Result<(), Refusal> {
        let credit = &self.room.credit;
        let taken = take_back(invoice, notice.payment, |lot| credit.left_of(lot));
        let Some(mut change) = reopen(&taken.invoice, notice.payment, notice.at, self.moment)
        else {
            return Ok(());
        };
        change.owe_less(taken.not_owed_minor, self.moment);
        if taken.lost_minor > 0 {
            change.lose(taken.lost_minor, self.moment);
        }
        self.reverse_credit(invoice, &failed_at_settlement(&notice.reference), &taken.credit);
        self.invoice(invoice, change)
    }

    /// Takes note of what was refunded of the payments of an invoice.
    pub(super) fn count_refunds(&mut self, invoice: InvoiceId) -> Result<(), Refusal> {
        let Some(before) = self.invoice_now(invoice)? else { return Ok(()) };
        let now = self.with_refunds(&before)?;
        if now.invoice == before {
            return Ok(());
        }
        let mut change = Change::of(now.invoice);
        change.owe_less(now.not_owed_minor, self.moment);
        self.reduce_pack(&before, &change.invoice)?;
        self.invoice(&before, change)
    }

    /// An invoice with all that was refunded until now, without the credit that was made of it.
    pub(super) fn with_refunds(&mut self, invoice: &Invoice) -> Result<Refunded, Refusal> {
        let mut refunds = Vec::new();
        for known in &invoice.payments {
            let row = (self.room.seller, known.payment);
            let payment = self.cx.read(self.cx.store().get(PAYMENTS, &row))?;
            let refunded = payment.map_or(0, |payment| payment.refunds.refunded_minor);
            refunds.push((known.payment, refunded));
        }
        let credit = self.credit_now();
        let refunded = refund(invoice, &refunds, |lot| credit.left_of(lot));
        drop(credit);
        if !refunded.credit.is_empty() {
            let number = invoice.number_text();
            let why = format!("a payment of {number} was refunded");
            self.reverse_credit(invoice, &why, &refunded.credit);
        }
        Ok(refunded)
    }
}

pub(super) fn received(notice: &PaymentNotice) -> PaymentReceived {
    PaymentReceived {
        payment: notice.payment,
        reference: notice.reference.clone(),
        amount_minor: notice.amount.minor,
        via: match notice.attempt {
            Some(_) => PaidVia::SavedCard,
            None => PaidVia::PaymentLink,
        },
        at: notice.at,
        reversed_at: None,
        refunded_minor: 0,
        surplus_refunded_minor: 0,
    }
}
