//! When buyers are reminded.

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::mail::MailKind;
use crate::domain::platform::event::EventType;

const USUAL: [i32; 4] = [-3, 3, 7, 14];

fn days(reminded: Option<&Reminded>) -> Option<i64> {
    let event = reminded?.change.events.first()?;
    assert_eq!(event.kind, EventType::InvoiceReminderSent);
    event.payload["reminderDay"].as_i64()
}

#[test]
fn a_buyer_is_reminded_on_each_day_once() {
    // Issued and sent on 2026-11-21, due on 2026-12-05.
    let mut invoice = sent();
    assert_eq!(remind_at(&invoice), Some(day("2026-12-02")));
    for (today, told, kind, next) in [
        ("2026-12-01", None, None, "2026-12-02"),
        ("2026-12-02", Some(-3), Some(MailKind::Reminder), "2026-12-08"),
        ("2026-12-02", None, None, "2026-12-08"),
        ("2026-12-08", Some(3), Some(MailKind::OverdueReminder), "2026-12-12"),
        ("2026-12-12", Some(7), Some(MailKind::OverdueReminder), "2026-12-19"),
    ] {
        let reminded = remind(&invoice, &USUAL, on(today));
        assert_eq!(days(reminded.as_ref()), told, "{today}");
        assert_eq!(reminded.as_ref().and_then(|reminded| reminded.mail), kind);
        invoice = reminded.map_or(invoice, |reminded| reminded.change.invoice);
        assert_eq!(remind_at(&invoice), Some(day(next)), "{today}");
    }
    let last = remind(&invoice, &USUAL, on("2026-12-19")).expect("the last one");
    assert_eq!((days(Some(&last)), remind_at(&last.change.invoice)), (Some(14), None));
}

#[test]
fn a_clock_that_jumps_sends_the_latest_one_only() {
    let reminded = remind(&sent(), &USUAL, on("2026-12-13")).expect("a reminder");
    assert_eq!((days(Some(&reminded)), reminded.change.events.len()), (Some(7), 1));
    assert_eq!(remind_at(&reminded.change.invoice), Some(day("2026-12-19")));
}

#[test]
fn what_was_never_sent_or_asks_for_nothing_gets_none() {
    let unsent = issued(CollectionMethod::PaymentLink);
    assert_eq!(remind_at(&unsent), None);
    let late = send(&unsent, link(), &USUAL, on("2026-12-09")).expect("sent").expect("a change");
    assert_eq!(remind_at(&late.invoice), Some(day("2026-12-12")), "the days behind are over");
    for status in [InvoiceStatus::Paid, InvoiceStatus::Voided, InvoiceStatus::WrittenOff] {
        let over = Invoice { status, ..sent() };
        assert_eq!((remind_at(&over), remind(&over, &USUAL, on("2026-12-02"))), (None, None));
    }
    let overdue = Invoice { status: InvoiceStatus::Overdue, ..sent() };
    assert!(remind(&overdue, &USUAL, on("2026-12-08")).is_some());
}

#[test]
fn the_sellers_days_of_now_count() {
    let none = remind(&sent(), &[], on("2026-12-02")).expect("looked at");
    assert_eq!((none.mail, none.change.events.len()), (None, 0));
    assert_eq!(remind_at(&none.change.invoice), None);
    let other = remind(&sent(), &[-1, 10], on("2026-12-02")).expect("looked at");
    assert_eq!((other.mail, remind_at(&other.change.invoice)), (None, Some(day("2026-12-04"))));
}
