//! A credit note lowers the invoice that it corrects.

use crate::domain::billing::invoice::status::pay::is_open;
use crate::domain::billing::invoice::{Change, Invoice, InvoiceRefusal, InvoiceStatus, PaidVia};
use crate::domain::billing::tax::{TaxSubtotal, added};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::platform::event::EventType;

/// A corrected invoice, and what comes back of it in minor units.
#[derive(Clone, Debug, PartialEq)]
pub struct Corrected {
    pub change: Change,
    /// Of the money that had come for it.
    pub given_back_minor: i64,
    /// Of the stored credit that it had drawn.
    pub credit_returned_minor: i64,
}

/// Takes a credit note, by its tax summary as it is kept, off an invoice: first off what nobody has paid, then off the
/// money that came, which is given back, and at last off the stored credit that it had drawn.
pub fn correct(
    invoice: &Invoice,
    note: &[TaxSubtotal],
    moment: Moment,
) -> Result<Corrected, InvoiceRefusal> {
    let note: Vec<_> = note.iter().map(TaxSubtotal::negated).collect();
    let note_minor: i64 = note.iter().map(|of| of.taxable_minor + of.tax_minor).sum();
    let left_minor = invoice.creditable_minor();
    if note_minor > left_minor {
        return Err(InvoiceRefusal::CreditNoteTooLarge { left_minor });
    }
    let settled = note_minor.min(invoice.receivable_minor().max(0));
    let money = invoice.received_minor() - invoice.given_back_minor;
    let given_back_minor = (note_minor - settled).min(money.max(0));
    let credit_returned_minor = note_minor - settled - given_back_minor;
    let mut change = Change::of(Invoice {
        credited_minor: invoice.credited_minor + note_minor,
        given_back_minor: invoice.given_back_minor + given_back_minor,
        credit_returned_minor: invoice.credit_returned_minor + credit_returned_minor,
        credited_taxes: added(&invoice.credited_taxes, &note)?,
        ..invoice.clone()
    });
    if is_open(invoice) {
        change.invoice.outstanding_minor = change.invoice.receivable_minor();
        if change.invoice.outstanding_minor == 0 {
            change.invoice.status = InvoiceStatus::Paid;
            change.invoice.paid_at = Some(moment.wall);
            change.invoice.paid_via = Some(PaidVia::CreditNote);
            change.tell(EventType::InvoicePaid, moment);
            let received = change.invoice.received_minor();
            change.enter(TimelineKind::InvoicePaid, received, moment);
        }
    }
    Ok(Corrected { change, given_back_minor, credit_returned_minor })
}
