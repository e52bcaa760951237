//! An invoice is given up: nobody waits for its money any more.

use crate::domain::billing::invoice::status::pay::is_open;
use crate::domain::billing::invoice::{Change, Invoice, InvoiceRefusal, InvoiceStatus};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::platform::event::EventType;

/// What it billed stays billed. Money that comes all the same is counted.
pub fn write_off(
    invoice: &Invoice,
    reason: &str,
    moment: Moment,
) -> Result<Change, InvoiceRefusal> {
    if invoice.is_credit_note() {
        return Err(InvoiceRefusal::WriteOffOfNote);
    }
    if !is_open(invoice) {
        return Err(InvoiceRefusal::WriteOffOf(invoice.status));
    }
    let given_up = invoice.outstanding_minor;
    let mut change = Change::of(Invoice {
        status: InvoiceStatus::WrittenOff,
        outstanding_minor: 0,
        ..invoice.clone()
    });
    change.tell(EventType::InvoiceWrittenOff, moment);
    change.tell_of_link(EventType::PaymentLinkCancelled, moment);
    change.enter_why(TimelineKind::InvoiceWrittenOff, given_up, reason, moment);
    Ok(change)
}
