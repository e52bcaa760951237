//! The buyer of an invoice is reminded of it.

use crate::domain::billing::invoice::{Change, Invoice, asks_for_money};
use crate::domain::billing::mail::MailKind;
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::platform::event::EventType;
use crate::domain::time::Date;

/// What the days of the seller's reminders make of an invoice.
#[derive(Clone, Debug, PartialEq)]
pub struct Reminded {
    pub change: Change,
    /// Absent where no reminder falls on the days since the last look.
    pub mail: Option<MailKind>,
}

/// The next day, of the contract's clock, on which the buyer is reminded; none before the document
/// was sent.
pub fn remind_at(invoice: &Invoice) -> Option<Date> {
    invoice.remind_on.filter(|_| invoice.sent_at.is_some() && asks_for_money(invoice))
}

/// The first reminder behind a day; `days` are counted from the due date, the earliest first.
pub(in crate::domain::billing::invoice) fn next_reminder(
    due: Option<Date>,
    days: &[i32],
    behind: Date,
) -> Option<Date> {
    let due = due?;
    days.iter().map(|day| due.plus_days(i64::from(*day))).find(|day| *day > behind)
}

/// Reminds the buyer where that is due: of several days that a clock has jumped over by the latest
/// one alone. The seller's `days` are those of now.
pub fn remind(invoice: &Invoice, days: &[i32], moment: Moment) -> Option<Reminded> {
    let today = moment.today();
    let since = remind_at(invoice).filter(|day| *day <= today)?;
    let due = invoice.due_date?;
    let fell = |day: &&i32| (since..=today).contains(&due.plus_days(i64::from(**day)));
    let told = days.iter().rfind(fell).copied();
    let mut change = Change::of(invoice.clone());
    change.invoice.remind_on = next_reminder(Some(due), days, today);
    if let Some(day) = told {
        change.tell(EventType::InvoiceReminderSent, moment);
        if let Some(event) = change.events.last_mut() {
            event.payload["reminderDay"] = day.into();
        }
        change.enter(TimelineKind::ReminderSent, invoice.outstanding_minor, moment);
    }
    let kind = if today > due { MailKind::OverdueReminder } else { MailKind::Reminder };
    Some(Reminded { change, mail: told.map(|_| kind) })
}
