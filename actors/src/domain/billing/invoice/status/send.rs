//! An invoice goes to its customer.

use super::collect::collection_of;
use super::remind::next_reminder;
use crate::domain::billing::invoice::{
    Change, CollectionMethod, Invoice, InvoiceRefusal, InvoiceStatus, PaymentLink,
};
use crate::domain::billing::test_clock::Moment;
use crate::domain::platform::event::EventType;

/// Sends an invoice with `link` to pay it by, and its buyer is reminded on the days from its due
/// date that are still ahead; a credit note goes without a link. One that was sent before keeps its
/// link and its `sentAt`: that is `None`, and all there is to do is to mail the link again.
pub fn send(
    invoice: &Invoice,
    link: PaymentLink,
    reminder_days: &[i32],
    moment: Moment,
) -> Result<Option<Change>, InvoiceRefusal> {
    if invoice.collection_method == CollectionMethod::BankTransfer {
        return Err(InvoiceRefusal::SendOfBankTransfer);
    }
    if !super::pay::is_open(invoice) {
        return Err(InvoiceRefusal::SendOf(invoice.status));
    }
    if invoice.sent_at.is_some() {
        return Ok(None);
    }
    let mut change = Change::of(invoice.clone());
    go_out(&mut change, Some(link), reminder_days, moment);
    Ok(Some(change))
}

/// An overdue invoice stays overdue when it goes out at last. One that is charged already goes on
/// with its attempts.
pub(super) fn go_out(
    change: &mut Change,
    link: Option<PaymentLink>,
    reminder_days: &[i32],
    moment: Moment,
) {
    let invoice = &mut change.invoice;
    invoice.link = link.filter(|_| !invoice.is_credit_note());
    invoice.sent_at = Some(moment.wall);
    invoice.collection = invoice.collection.take().or_else(|| collection_of(invoice, moment));
    invoice.remind_on = next_reminder(invoice.due_date, reminder_days, moment.today());
    if invoice.status == InvoiceStatus::Issued {
        invoice.status = InvoiceStatus::Sent;
    }
    change.tell_of_link(EventType::PaymentLinkCreated, moment);
    change.tell(EventType::InvoiceSent, moment);
}
