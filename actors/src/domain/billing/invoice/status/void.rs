//! An invoice is voided: it never was, but stays to be read.

use crate::domain::billing::invoice::status::pay::is_open;
use crate::domain::billing::invoice::{Change, Invoice, InvoiceRefusal, InvoiceStatus};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::platform::event::EventType;

/// A voided invoice, and what comes back of it in minor units.
#[derive(Clone, Debug, PartialEq)]
pub struct Voided {
    pub change: Change,
    /// The money that had come for it.
    pub given_back_minor: i64,
    /// The stored credit that it had drawn.
    pub credit_returned_minor: i64,
}

/// Voids what is not paid. A document that a credit note corrects stands.
pub fn void(invoice: &Invoice, reason: &str, moment: Moment) -> Result<Voided, InvoiceRefusal> {
    if invoice.is_credit_note() {
        return Err(InvoiceRefusal::VoidOfNote);
    }
    if !is_open(invoice) {
        return Err(InvoiceRefusal::VoidOf(invoice.status));
    }
    if invoice.credited_minor > 0 {
        return Err(InvoiceRefusal::VoidOfCredited);
    }
    let given_back_minor = invoice.received_minor();
    let credit_returned_minor = invoice.credit_applied_minor;
    let mut change = Change::of(Invoice {
        status: InvoiceStatus::Voided,
        voided_at: Some(moment.wall),
        outstanding_minor: 0,
        given_back_minor,
        credit_returned_minor,
        ..invoice.clone()
    });
    change.tell(EventType::InvoiceVoided, moment);
    change.tell_of_link(EventType::PaymentLinkCancelled, moment);
    let total = invoice.totals.grand_total_minor;
    change.enter_why(TimelineKind::InvoiceVoided, total, reason, moment);
    Ok(Voided { change, given_back_minor, credit_returned_minor })
}
