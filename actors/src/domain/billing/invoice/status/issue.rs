//! A composed document gets its number.

use crate::domain::billing::invoice::status::send::go_out;
use crate::domain::billing::invoice::{Change, Composed, InvoiceStatus, PaidVia, PaymentLink};
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::platform::event::EventType;

impl Composed {
    /// How many events [`issue`] tells: their places in the seller's sequence are drawn with the
    /// number.
    pub fn events_when_issued(&self) -> usize {
        1 + usize::from(self.invoice.collectible_minor == 0 || self.send)
    }
}

/// Issues the document under the number drawn for it, counted from 1, and sends it when it is to
/// be sent, which takes the `link` it is paid by. A document with nothing to collect is paid at
/// once.
pub fn issue(composed: Composed, order: u64, link: Option<PaymentLink>) -> Change {
    let Composed { mut invoice, series, send, moment, reminder_days, .. } = composed;
    invoice.number = Some(series.number(order));
    invoice.status = InvoiceStatus::Issued;
    let mut change = Change::of(invoice);
    change.tell(EventType::InvoiceIssued, moment);
    let total = change.invoice.totals.grand_total_minor;
    change.enter(TimelineKind::InvoiceIssued, total, moment);
    if change.invoice.collectible_minor == 0 {
        let invoice = &mut change.invoice;
        invoice.status = InvoiceStatus::Paid;
        invoice.paid_at = Some(moment.wall);
        invoice.paid_via = (invoice.credit_applied_minor > 0).then_some(PaidVia::StoredCredit);
        change.tell(EventType::InvoicePaid, moment);
        change.enter(TimelineKind::InvoicePaid, 0, moment);
    } else if let Some(link) = link.filter(|_| send) {
        go_out(&mut change, link, &reminder_days, moment);
    }
    change
}
