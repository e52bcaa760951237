//! Past due by the collection of an invoice, and back.

use std::collections::BTreeSet;

use super::*;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::platform::event::EventType;

const ONE: InvoiceId = InvoiceId(1);
const OTHER: InvoiceId = InvoiceId(2);

fn running() -> Subscription {
    try_create(monthly("2026-11-01"), at("2026-11-01")).expect("made").subscription
}

#[test]
fn it_is_past_due_once_and_told_of_once() {
    let change = fall_past_due(&running(), ONE, at("2026-11-08"));
    assert_eq!(change.subscription.status, SubscriptionStatus::PastDue);
    let kinds: Vec<_> = change.events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventType::BillingSubscriptionPastDue]);
    assert_eq!(change.timeline[0].kind, TimelineKind::SubscriptionPastDue);
    let again = fall_past_due(&change.subscription, ONE, at("2026-11-09"));
    assert!(again.is_empty());
    let more = fall_past_due(&change.subscription, OTHER, at("2026-11-09"));
    assert_eq!(more.subscription.past_due_for, [ONE, OTHER]);
    assert!(more.events.is_empty(), "it was past due before");
}

#[test]
fn it_recovers_when_nothing_is_left_that_it_is_past_due_for() {
    let day = |day| at(day);
    let late = fall_past_due(&running(), ONE, day("2026-11-08")).subscription;
    let later = fall_past_due(&late, OTHER, day("2026-12-08")).subscription;
    let one = recover(&later, ONE, day("2026-12-09"));
    assert_eq!(one.subscription.status, SubscriptionStatus::PastDue);
    assert!(one.events.is_empty());
    let both = recover(&one.subscription, OTHER, day("2026-12-10"));
    assert_eq!(both.subscription.status, SubscriptionStatus::Active);
    let kinds: Vec<_> = both.events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventType::BillingSubscriptionRecovered]);
    assert_eq!(both.timeline[0].kind, TimelineKind::SubscriptionRecovered);
    assert!(recover(&both.subscription, OTHER, day("2026-12-11")).is_empty());
}

#[test]
fn it_stays_past_due_when_what_it_is_so_for_is_written_off() {
    let late = fall_past_due(&running(), ONE, at("2026-11-08")).subscription;
    let change = written_off(&late, ONE, at("2026-11-20"));
    let after = &change.subscription;
    assert_eq!((after.status, after.past_due_for.len()), (SubscriptionStatus::PastDue, 0));
    assert!(change.events.is_empty());
    let paid = recover(after, OTHER, at("2026-12-01"));
    assert_eq!(paid.subscription.status, SubscriptionStatus::Active);
}

#[test]
fn once_one_of_its_invoices_is_paid_it_is_past_due_only_for_what_is_owed() {
    let one = fall_past_due(&running(), ONE, at("2026-11-08")).subscription;
    let both = fall_past_due(&one, OTHER, at("2026-11-09")).subscription;
    let day = at("2026-12-01");
    let owed = BTreeSet::from([ONE, InvoiceId(3)]);
    let still = recover_by_any(&both, &owed, day);
    let after = (still.subscription.status, &*still.subscription.past_due_for);
    assert_eq!(after, (SubscriptionStatus::PastDue, &[ONE][..]));
    assert!(still.events.is_empty());
    assert!(recover_by_any(&one, &owed, day).is_empty());
    let settled = recover_by_any(&both, &BTreeSet::new(), day);
    assert_eq!(settled.subscription.status, SubscriptionStatus::Active);
    let kinds: Vec<_> = settled.events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventType::BillingSubscriptionRecovered]);
    assert!(recover_by_any(&running(), &BTreeSet::new(), day).is_empty());
}

#[test]
fn what_is_given_up_while_it_is_paused_makes_it_past_due_as_it_goes_on() {
    let paused = pause(&running(), Pause::default(), at("2026-11-04")).expect("paused");
    let given_up = fall_past_due(&paused.subscription, ONE, at("2026-11-08"));
    assert_eq!(given_up.subscription.status, SubscriptionStatus::Paused);
    assert!(given_up.events.is_empty());
    let resumed = resume(&given_up.subscription, at("2026-11-10")).expect("resumed");
    assert_eq!(resumed.subscription.status, SubscriptionStatus::PastDue);
    let told: Vec<_> =
        resumed.events.iter().map(|event| (event.kind, &event.payload["status"])).collect();
    assert_eq!(told[0], (EventType::BillingSubscriptionResumed, &"active".into()));
    assert_eq!(told[1], (EventType::BillingSubscriptionPastDue, &"past_due".into()));
    let paid = recover(&resumed.subscription, ONE, at("2026-11-11"));
    assert_eq!(paid.subscription.status, SubscriptionStatus::Active);
    // One that is settled before it goes on is owed no more.
    let settled = recover(&given_up.subscription, ONE, at("2026-11-09"));
    assert!(settled.events.is_empty());
    let resumed = resume(&settled.subscription, at("2026-11-10")).expect("resumed");
    assert_eq!(resumed.subscription.status, SubscriptionStatus::Active);
}

#[test]
fn what_does_not_run_falls_past_due_for_nothing() {
    for status in [
        SubscriptionStatus::Scheduled,
        SubscriptionStatus::Trialing,
        SubscriptionStatus::Canceled,
        SubscriptionStatus::Expired,
    ] {
        let other = Subscription { status, ..running() };
        assert!(fall_past_due(&other, ONE, at("2026-11-08")).is_empty(), "{status}");
        let canceled = Subscription { past_due_for: vec![ONE], ..other };
        let settled = recover(&canceled, ONE, at("2026-11-09"));
        assert_eq!(settled.subscription.status, status);
        assert!(settled.events.is_empty());
    }
}
