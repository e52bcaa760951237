//! An invoice's due date passes.

use crate::domain::billing::invoice::{Change, Invoice, InvoiceStatus};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::platform::event::EventType;
use crate::domain::time::Date;

/// The first day, of the contract's clock, on which an invoice is overdue; `None` for one that
/// is so already, or that nothing is expected for by a day.
pub fn overdue_at(invoice: &Invoice) -> Option<Date> {
    let waits = matches!(invoice.status, InvoiceStatus::Issued | InvoiceStatus::Sent);
    let due = invoice.due_date.filter(|_| waits && invoice.outstanding_minor > 0)?;
    Some(due.plus_days(1))
}

pub fn fall_overdue(invoice: &Invoice, moment: Moment) -> Option<Change> {
    overdue_at(invoice).filter(|day| *day <= moment.today())?;
    let mut change = Change::of(invoice.clone());
    by_due_date(&mut change, moment);
    Some(change)
}

/// Sets the status by the due date. It is told once in an invoice's life, also when the invoice
/// was paid and reopened in between.
pub(super) fn by_due_date(change: &mut Change, moment: Moment) {
    if overdue_at(&change.invoice).is_none_or(|day| day > moment.today()) {
        return;
    }
    change.invoice.status = InvoiceStatus::Overdue;
    if change.invoice.overdue_told_at.is_none() {
        change.invoice.overdue_told_at = Some(moment.wall);
        change.tell(EventType::InvoiceOverdue, moment);
        let outstanding = change.invoice.outstanding_minor;
        change.enter(TimelineKind::InvoiceOverdue, outstanding, moment);
    }
}
