//! The moves of an invoice from status to status. Each gives
//! what is to be written, or `None` where the move was made before.

mod correct;
mod issue;
mod overdue;
mod pay;
mod remind;
mod send;
mod void;
mod write_off;

use crate::domain::billing::invoice::{Invoice, invoice_event};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::platform::event::{EventType, NewEvent};

pub use correct::{Corrected, correct};
pub use issue::issue;
pub use overdue::{fall_overdue, overdue_at};
pub use pay::{Paid, asks_for_money, deposit, pay, reopen};
pub(super) use remind::next_reminder;
pub use remind::{Reminded, remind, remind_at};
pub use send::send;
pub use void::{Voided, void};
pub use write_off::write_off;

#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub invoice: Invoice,
    /// What webhooks are told, in order.
    pub events: Vec<NewEvent>,
    /// What the contract's timeline gets, in order.
    pub timeline: Vec<TimelineEntry>,
}

impl Change {
    fn of(invoice: Invoice) -> Self {
        Self { invoice, events: Vec::new(), timeline: Vec::new() }
    }

    fn tell(&mut self, kind: EventType, moment: Moment) {
        self.events.push(invoice_event(kind, &self.invoice, moment.wall));
    }

    fn enter(&mut self, kind: TimelineKind, amount_minor: i64, moment: Moment) {
        self.enter_why(kind, amount_minor, "", moment);
    }

    /// Takes note that money is owed back, while credits are off.
    pub fn owe_back(&mut self, amount_minor: i64, moment: Moment) {
        self.enter(TimelineKind::RefundDue, amount_minor, moment);
    }

    fn enter_why(&mut self, kind: TimelineKind, amount_minor: i64, why: &str, moment: Moment) {
        let number = self.invoice.number.map(|number| number.to_string());
        let detail = if why.is_empty() { number } else { number.map(|of| format!("{of}: {why}")) };
        self.timeline.push(TimelineEntry {
            kind,
            occurred_at: moment.engine,
            subscription: None,
            invoice: Some(self.invoice.id),
            amount_minor: Some(amount_minor),
            currency: Some(self.invoice.currency),
            detail,
        });
    }
}
