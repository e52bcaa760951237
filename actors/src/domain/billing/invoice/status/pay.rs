//! Money comes for an invoice, and may be taken back.

use crate::domain::billing::invoice::status::overdue::by_due_date;
use crate::domain::billing::invoice::{
    Change, Invoice, InvoiceRefusal, InvoiceStatus, PaymentReceived,
};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::ids::PaymentId;
use crate::domain::platform::event::EventType;
use crate::domain::time::Timestamp;

/// The most payments that an invoice keeps. Those that were taken back make room for others.
const MAX_PAYMENTS: usize = 64;

/// Counts a payment towards an invoice; once nothing is outstanding it is paid. A payment that
/// was counted before, even one taken back since, is `None`; a second success for a paid invoice is
/// refused, and the payer's to get back.
pub fn pay(
    invoice: &Invoice,
    received: PaymentReceived,
    moment: Moment,
) -> Result<Option<Change>, InvoiceRefusal> {
    if invoice.payments.iter().any(|known| known.payment == received.payment) {
        return Ok(None);
    }
    if received.amount_minor <= 0 {
        return Err(InvoiceRefusal::PaymentOfNothing);
    }
    if !is_open(invoice) {
        return Err(InvoiceRefusal::PaymentOf(invoice.status));
    }
    let mut change = Change::of(invoice.clone());
    let invoice = &mut change.invoice;
    if invoice.payments.len() >= MAX_PAYMENTS {
        let reversed = invoice.payments.iter().position(|known| known.reversed_at.is_some());
        invoice.payments.remove(reversed.ok_or(InvoiceRefusal::TooManyPayments(MAX_PAYMENTS))?);
    }
    let amount_minor = received.amount_minor.min(invoice.outstanding_minor);
    let (via, at) = (received.via, received.at);
    invoice.outstanding_minor -= amount_minor;
    invoice.payments.push(PaymentReceived { amount_minor, ..received });
    if invoice.outstanding_minor == 0 {
        invoice.status = InvoiceStatus::Paid;
        invoice.paid_at = Some(at);
        invoice.paid_via = Some(via);
        change.tell(EventType::InvoicePaid, moment);
        let collected = change.invoice.collectible_minor;
        change.enter(TimelineKind::InvoicePaid, collected, moment);
    }
    Ok(Some(change))
}

/// Takes back a payment that had succeeded and failed at settlement (code 4001): what it paid is
/// outstanding again, and a paid invoice is sent or overdue again, by its due date. `None` when
/// the payment does not count towards this invoice.
pub fn reopen(
    invoice: &Invoice,
    payment: PaymentId,
    at: Timestamp,
    moment: Moment,
) -> Option<Change> {
    if !is_open(invoice) && invoice.status != InvoiceStatus::Paid {
        return None;
    }
    let counts = |known: &PaymentReceived| known.payment == payment && known.reversed_at.is_none();
    let index = invoice.payments.iter().position(counts)?;
    let mut change = Change::of(invoice.clone());
    let invoice = &mut change.invoice;
    invoice.payments[index].reversed_at = Some(at);
    invoice.outstanding_minor += invoice.payments[index].amount_minor;
    if invoice.status == InvoiceStatus::Paid {
        let sent = invoice.sent_at.is_some();
        invoice.status = if sent { InvoiceStatus::Sent } else { InvoiceStatus::Issued };
        invoice.paid_at = None;
        invoice.paid_via = None;
        by_due_date(&mut change, moment);
    }
    Some(change)
}

/// Whether an invoice still asks its buyer for money.
pub fn asks_for_money(invoice: &Invoice) -> bool {
    is_open(invoice) && invoice.outstanding_minor > 0
}

pub(super) fn is_open(invoice: &Invoice) -> bool {
    matches!(invoice.status, InvoiceStatus::Issued | InvoiceStatus::Sent | InvoiceStatus::Overdue)
}
