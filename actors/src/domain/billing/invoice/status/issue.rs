//! A composed document gets its number.

use crate::domain::billing::credit::{CreditDrawn, credit_applied, credit_depleted};
use crate::domain::billing::invoice::status::overdue::by_due_date;
use crate::domain::billing::invoice::status::send::go_out;
use crate::domain::billing::invoice::{Change, Composed, InvoiceStatus, PaidVia, PaymentLink};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::platform::event::EventType;

impl Composed {
    /// Whether nothing is left to collect of it.
    pub fn is_paid_at_once(&self) -> bool {
        self.invoice.collectible_minor == 0 && !self.invoice.is_credit_note()
    }

    /// Whether its due date, which is held against the wall clock, has passed by the contract's.
    pub fn is_overdue_at_once(&self) -> bool {
        let due = self.invoice.due_date.filter(|_| self.invoice.outstanding_minor > 0);
        due.is_some_and(|due| due < self.moment.today())
    }

    /// How many events [`issue`] tells: their places in the seller's sequence are drawn with the
    /// number.
    pub fn events_when_issued(&self) -> usize {
        let of_credit = self.credit.as_ref().map_or(0, |drawn| 1 + drawn.depleted.len());
        let by_link = self.send && !self.invoice.is_credit_note();
        let moved_on = usize::from(self.is_paid_at_once() || self.send);
        1 + of_credit + moved_on + usize::from(by_link) + usize::from(self.is_overdue_at_once())
    }
}

/// Issues the document under the number drawn for it, counted from 1, and sends it when it is to
/// be sent, which takes the `link` it is paid by; a credit note has none. A document with nothing
/// to collect is paid at once, and one whose due date has passed is overdue at once.
pub fn issue(composed: Composed, order: u64, link: Option<PaymentLink>) -> Change {
    let paid = composed.is_paid_at_once();
    let Composed { mut invoice, series, send, credit, moment, reminder_days, .. } = composed;
    invoice.number = Some(series.number(order));
    invoice.status = InvoiceStatus::Issued;
    let kind = match invoice.is_credit_note() {
        true => TimelineKind::CreditNoteIssued,
        false => TimelineKind::InvoiceIssued,
    };
    let mut change = Change::of(invoice);
    change.tell(EventType::InvoiceIssued, moment);
    let total = change.invoice.totals.grand_total_minor;
    change.enter(kind, total, moment);
    if let Some(drawn) = &credit {
        tell_of_credit(&mut change, drawn, moment);
    }
    if paid {
        let invoice = &mut change.invoice;
        invoice.status = InvoiceStatus::Paid;
        invoice.paid_at = Some(moment.wall);
        invoice.paid_via = (invoice.credit_applied_minor > 0).then_some(PaidVia::StoredCredit);
        change.tell(EventType::InvoicePaid, moment);
        change.enter(TimelineKind::InvoicePaid, 0, moment);
    } else if send {
        go_out(&mut change, link, &reminder_days, moment);
    }
    by_due_date(&mut change, moment);
    change
}

fn tell_of_credit(change: &mut Change, drawn: &CreditDrawn, moment: Moment) {
    let (id, contract) = (change.invoice.id, change.invoice.contract);
    let (currency, applied) = (change.invoice.currency, change.invoice.credit_applied_minor);
    let amounts = (applied, drawn.balance_minor);
    change.events.push(credit_applied(contract, id, amounts, currency, moment.wall));
    for kind in &drawn.depleted {
        change.events.push(credit_depleted(contract, *kind, currency, moment.wall));
    }
    change.enter(TimelineKind::CreditApplied, applied, moment);
}
