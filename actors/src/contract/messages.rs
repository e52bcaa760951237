//! What payments do to a contract's invoices: durable messages, each taken once.

use super::Contracts;
use super::changes::Changes;
use super::room::{Context, ContractRoom, Decision};
use crate::domain::billing::invoice::{Invoice, PaidVia, PaymentReceived, pay, reopen};
use crate::domain::ids::{ContractId, MessageId, SellerId};
use crate::domain::messages::{Addressee, ContractMessage, PaymentNotice};
use crate::kernel::AskError;
use crate::tables::OUTBOX;

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
        let take = move |room: &ContractRoom, cx: &Context| {
            if !cx.contains(OUTBOX, &row)? {
                return Ok(Decision::unchanged(()));
            }
            let mut changes = Changes::begin(room, cx)?;
            let (ContractMessage::PaymentSucceeded(notice)
            | ContractMessage::PaymentReversed(notice)) = &content;
            let invoice = room.invoice(cx, notice.invoice)?;
            if let Some(invoice) = &invoice {
                match &content {
                    ContractMessage::PaymentSucceeded(_) => changes.count(invoice, notice),
                    ContractMessage::PaymentReversed(_) => changes.count_out(invoice, notice),
                }
            }
            changes.effects.delete(OUTBOX, &row);
            Ok(changes.finish().answer(()))
        };
        self.rooms.command_in_passing((seller, contract), take).await
    }
}

impl Changes<'_> {
    /// Counts a payment. What is more than outstanding is the payer's, as stored credit.
    fn count(&mut self, invoice: &Invoice, notice: &PaymentNotice) {
        let received = PaymentReceived {
            payment: notice.payment,
            reference: notice.reference.clone(),
            amount_minor: notice.amount.minor,
            via: PaidVia::PaymentLink,
            at: notice.at,
            reversed_at: None,
        };
        match pay(invoice, received, self.moment) {
            Ok(None) => {}
            Ok(Some(mut paid)) => {
                self.give_money_back(&mut paid.change, paid.surplus_minor, "surplus of");
                self.invoice(invoice, paid.change);
            }
            Err(refusal) => {
                // Only a document that is closed otherwise refuses money; the payment stays to be
                // read, and is given back by hand.
                let (contract, invoice) = (invoice.contract.0, invoice.id.0);
                let payment = notice.payment.0;
                tracing::error!(contract, invoice, payment, %refusal, "a payment met a closed invoice");
            }
        }
    }

    fn count_out(&mut self, invoice: &Invoice, notice: &PaymentNotice) {
        if let Some(change) = reopen(invoice, notice.payment, notice.at, self.moment) {
            self.invoice(invoice, change);
        }
    }
}
