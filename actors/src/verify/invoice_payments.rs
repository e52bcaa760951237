//! Invoices and the payments that pay them: each tells of the other's money, or is told of it by a
//! message that is on its way.

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::Found;
use crate::domain::billing::invoice::{Invoice, PaymentReceived};
use crate::domain::ids::{ContractId, InvoiceId, PaymentId, SellerId};
use crate::domain::messages::{Addressee, ContractMessage, Message, PaymentNotice};
use crate::domain::payments::payment::{Payment, Refund, RefundStatus};
use crate::tables::{OUTBOX, PAYMENTS, REFUNDS, SAVED_CHARGES};

/// A payment that counts towards the invoice is one of it, has its money, and gave back what the
/// invoice knows of, unless the news that it has lost it, or gave back more, are on their way.
pub(super) fn paid(
    reading: &Reading,
    (seller, id): &(SellerId, InvoiceId),
    invoice: &Invoice,
    received: &PaymentReceived,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let Some(payment) = reading.get(PAYMENTS, &(*seller, received.payment))? else {
        found.wrong("payment of an invoice", &format!("{:?}", received.payment), "no payment");
        return Ok(());
    };
    let of = Some((invoice.contract, *id));
    found.same("invoice that a payment pays", of, payment.pays_for.invoice());
    let covered = i128::from(received.amount_minor) <= i128::from(payment.captured());
    let sums = (received.amount_minor, payment.captured());
    found.holds("money of a payment that counts", covered, &sums);
    let told = |of: fn(&ContractMessage) -> Option<&PaymentNotice>| {
        is_told(reading, *seller, invoice.contract, received.payment, of)
    };
    let sums = (received.refunded_minor, payment.refunds.refunded_minor);
    let known = sums.0 == sums.1 || sums.0 < sums.1 && told(refunded)?;
    found.holds("refunds that an invoice knows of", known, &sums);
    if payment.status.is_lost() && !told(reversed)? {
        found.wrong("payment that counts", "one that has not failed", payment.status.name());
    }
    Ok(())
}

/// Every attempt at charging a saved card has its payment, but for one that was only just ordered;
/// and together they have taken no more than there was to collect.
pub(super) fn collected(
    reading: &Reading,
    (seller, id): &(SellerId, InvoiceId),
    invoice: &Invoice,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let Some(collection) = &invoice.collection else { return Ok(()) };
    let (mut made, mut taken) = (0, 0_i128);
    for row in reading.scan(SAVED_CHARGES, Scan::prefix(&(*seller, *id))) {
        let ((_, _, attempt), payment) = row?;
        let known = reading.get(PAYMENTS, &(*seller, payment))?;
        let counts = known.filter(|payment| !payment.status.is_lost());
        taken += counts
            .map_or(0, |payment| i128::from(payment.captured() - payment.refunds.refunded_minor));
        found.holds("attempt that its invoice counts", attempt <= collection.attempts, &attempt);
        made += 1;
    }
    let ordered = u32::from(collection.under_way.is_some() && collection.payment.is_none());
    let whole = made == collection.attempts || made + ordered == collection.attempts;
    found.holds("payment of every attempt", whole, &(made, collection.attempts));
    let within = taken <= i128::from(invoice.collectible_minor);
    found.holds("charged within what is to be collected", within, &taken);
    Ok(())
}

/// What a payment brought is counted by its invoice, is on its way to be, or goes back. One that
/// could not go back has told the seller so.
pub(super) fn counted(
    reading: &Reading,
    payment: &Payment,
    invoice: &Invoice,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let paid = payment.captured() > 0 && !payment.status.is_lost();
    let counts = |one: &PaymentReceived| one.payment == payment.id && one.reversed_at.is_none();
    if !paid || payment.refundable() == 0 || invoice.payments.iter().any(counts) {
        return Ok(());
    }
    let (seller, id) = (payment.seller, payment.id);
    let to_it = Scan::prefix(&Addressee::Payment(seller, id).key());
    let on_its_way = reading.scan(OUTBOX, to_it).next().is_some()
        || is_told(reading, seller, invoice.contract, id, succeeded)?;
    let refunds = reading.scan(REFUNDS, Scan::prefix(&(seller, id))).values()?;
    let failed =
        |one: &Refund| matches!(one.status, RefundStatus::Failed | RefundStatus::Cancelled);
    if !on_its_way && !refunds.iter().any(failed) {
        let sums = (payment.captured(), payment.refundable());
        found.holds("payment of an invoice that is counted or goes back", false, &sums);
    }
    Ok(())
}

/// Whether a message that tells such a thing of a payment is on its way to its contract.
fn is_told(
    reading: &Reading,
    seller: SellerId,
    contract: ContractId,
    payment: PaymentId,
    of: fn(&ContractMessage) -> Option<&PaymentNotice>,
) -> Result<bool, ReadError> {
    for row in reading.scan(OUTBOX, Scan::prefix(&Addressee::Contract(seller, contract).key())) {
        let (_, message) = row?;
        if let Message::Contract(message) = &message
            && of(message).is_some_and(|notice| notice.payment == payment)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn succeeded(message: &ContractMessage) -> Option<&PaymentNotice> {
    if let ContractMessage::PaymentSucceeded(notice) = message { Some(notice) } else { None }
}

fn reversed(message: &ContractMessage) -> Option<&PaymentNotice> {
    if let ContractMessage::PaymentReversed(notice) = message { Some(notice) } else { None }
}

fn refunded(message: &ContractMessage) -> Option<&PaymentNotice> {
    if let ContractMessage::PaymentRefunded(notice) = message { Some(notice) } else { None }
}
