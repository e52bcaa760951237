//! What payments do to a contract's invoices: durable messages, each taken once.

use super::Contracts;
use super::changes::Changes;
use super::room::{Context, ContractRoom, Decision};
use crate::domain::billing::invoice::{Change, Invoice, PaidVia, PaymentReceived, pay, reopen};
use crate::domain::billing::test_clock::Moment;
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
            let change = invoice.as_ref().and_then(|invoice| match &content {
                ContractMessage::PaymentSucceeded(_) => paid(invoice, notice, changes.moment),
                ContractMessage::PaymentReversed(_) => {
                    reopen(invoice, notice.payment, notice.at, changes.moment)
                }
            });
            if let Some((before, change)) = invoice.as_ref().zip(change) {
                changes.invoice(before, change);
            }
            changes.effects.delete(OUTBOX, &row);
            Ok(changes.finish().answer(()))
        };
        self.rooms.command_in_passing((seller, contract), take).await
    }
}

fn paid(invoice: &Invoice, notice: &PaymentNotice, moment: Moment) -> Option<Change> {
    let received = PaymentReceived {
        payment: notice.payment,
        reference: notice.reference.clone(),
        amount_minor: notice.amount.minor,
        via: PaidVia::PaymentLink,
        at: notice.at,
        reversed_at: None,
    };
    pay(invoice, received, moment).unwrap_or_else(|refusal| {
        // Only a document that is closed otherwise refuses money; the payment stays to be read,
        // and is given back by hand.
        let (contract, invoice, payment) = (invoice.contract.0, invoice.id.0, notice.payment.0);
        tracing::error!(contract, invoice, payment, %refusal, "a payment met a closed invoice");
        None
    })
}
