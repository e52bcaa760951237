//! The moves of an invoice from status to status. Each gives
//! what is to be written, or `None` where the move was made before.

mod collect;
mod correct;
mod issue;
mod overdue;
mod pay;
mod refund;
mod remind;
mod send;
mod take_back;
mod void;
mod write_off;

use crate::domain::billing::invoice::event::link_event;
use crate::domain::billing::invoice::{Invoice, PaymentReceived, invoice_event};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::platform::event::{EventType, NewEvent};

pub(super) use collect::collection_of;
pub use collect::{charge_begun, charge_failed, charge_reversed, charged, collect, collect_at};
pub use correct::{Corrected, correct};
pub use issue::issue;
pub use overdue::{fall_overdue, overdue_at};
pub use pay::{Paid, asks_for_money, deposit, pay, reopen};
pub use refund::{Refunded, refund};
pub(super) use remind::next_reminder;
pub use remind::{Reminded, remind, remind_at};
pub use send::send;
pub use take_back::{TakenBack, take_back};
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
    pub fn of(invoice: Invoice) -> Self {
        Self { invoice, events: Vec::new(), timeline: Vec::new() }
    }

    fn tell(&mut self, kind: EventType, moment: Moment) {
        self.events.push(invoice_event(kind, &self.invoice, moment.wall));
    }

    fn tell_of_link(&mut self, kind: EventType, moment: Moment) {
        self.events.extend(link_event(kind, &self.invoice, moment.wall));
    }

    fn enter(&mut self, kind: TimelineKind, amount_minor: i64, moment: Moment) {
        self.enter_why(kind, amount_minor, "", moment);
    }

    /// Takes note that money is owed back, while credits are off.
    pub fn owe_back(&mut self, amount_minor: i64, moment: Moment) {
        self.enter(TimelineKind::RefundDue, amount_minor, moment);
    }

    /// Takes note that of what was owed back so much is not.
    pub fn owe_less(&mut self, amount_minor: i64, moment: Moment) {
        if amount_minor > 0 {
            self.owe_back(-amount_minor, moment);
        }
    }

    /// Takes note that credit was spent that no money stands behind any more.
    pub fn lose(&mut self, amount_minor: i64, moment: Moment) {
        self.enter(TimelineKind::CreditNotRecovered, amount_minor, moment);
    }

    fn enter_why(&mut self, kind: TimelineKind, amount_minor: i64, why: &str, moment: Moment) {
        self.timeline.push(entry(&self.invoice, kind, amount_minor, why, moment));
    }
}

/// That a payment came which an invoice does not ask for, and goes back to the buyer.
pub fn returned(invoice: &Invoice, payment: &PaymentReceived, moment: Moment) -> TimelineEntry {
    let (kind, minor) = (TimelineKind::PaymentReturned, payment.amount_minor);
    entry(invoice, kind, minor, &payment.reference, moment)
}

fn entry(
    invoice: &Invoice,
    kind: TimelineKind,
    amount_minor: i64,
    why: &str,
    moment: Moment,
) -> TimelineEntry {
    let number = invoice.number.map(|number| number.to_string());
    let detail = if why.is_empty() { number } else { number.map(|of| format!("{of}: {why}")) };
    TimelineEntry {
        kind,
        occurred_at: moment.engine,
        subscription: None,
        invoice: Some(invoice.id),
        amount_minor: Some(amount_minor),
        currency: Some(invoice.currency),
        detail,
    }
}
