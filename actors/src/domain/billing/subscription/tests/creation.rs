//! Which creates are refused, and what the others begin.

use super::*;
use crate::domain::refusal::{RefusalKind, Refuse};

const TODAY: &str = "2026-11-21";

#[test]
fn every_refused_create_names_its_field() {
    type Spoil = fn(&mut NewSubscription);
    let table: &[(&str, Spoil)] = &[
        ("priceMinor", |new| new.price_minor = -1),
        ("priceMinor", |new| new.price_minor = 1_000_000_000_001),
        ("quantity", |new| {
            new.price_minor = 1_000_000_000_000;
            new.quantity = Quantity::parse("1001");
        }),
        ("description", |new| new.description = Some("é".repeat(257))),
        ("trialDays", |new| new.trial_days = Some(0)),
        ("trialDays", |new| new.trial_days = Some(731)),
        ("trialEnd", |new| {
            new.trial_days = Some(3);
            new.trial_end = Some(new.start_date.plus_days(3));
        }),
        ("trialEnd", |new| new.trial_end = Some(new.start_date)),
        ("trialEnd", |new| new.trial_end = Some(new.start_date.plus_months(120).plus_days(1))),
        ("endDate", |new| new.end_date = Some(new.start_date.plus_days(-1))),
        ("endDate", |new| {
            new.trial_days = Some(10);
            new.end_date = Some(new.start_date.plus_days(9));
        }),
        ("endDate", |new| {
            new.start_date = new.start_date.plus_days(-30);
            new.end_date = Some(new.start_date.plus_days(29));
        }),
        ("currency", |new| new.currency = Currency::parse("USD").expect("a currency")),
        ("startDate", |new| new.start_date = day("2025-11-20")),
        ("startDate", |new| new.start_date = day("2036-11-22")),
    ];
    for (row, (field, spoil)) in table.iter().enumerate() {
        let mut new = monthly(TODAY);
        spoil(&mut new);
        let refusal = try_create(new, at(TODAY)).expect_err("a refusal");
        assert!(refusal.to_string().contains(field), "row {row}: {refusal}");
        assert_eq!(refusal.kind(), RefusalKind::Invalid, "row {row}");
    }
}

#[test]
fn the_limits_themselves_are_allowed() {
    type Stretch = fn(&mut NewSubscription);
    let table: &[Stretch] = &[
        |new| new.price_minor = 0,
        |new| {
            new.price_minor = 1_000_000_000_000;
            new.quantity = Quantity::parse("1000");
        },
        |new| new.description = Some("é".repeat(256)),
        |new| new.trial_days = Some(730),
        |new| new.end_date = Some(new.start_date),
        |new| new.start_date = day("2025-11-21"),
        |new| new.start_date = day("2036-11-21"),
        |new| {
            new.trial_days = Some(10);
            new.end_date = Some(new.start_date.plus_days(10));
        },
    ];
    for (row, stretch) in table.iter().enumerate() {
        let mut new = monthly(TODAY);
        stretch(&mut new);
        assert_eq!(try_create(new, at(TODAY)).err(), None, "row {row}");
    }
}

#[test]
fn a_closed_contract_takes_no_subscription() {
    let closed = Facts { contract_closed: true, ..FACTS };
    let (id, contract, customer) = (SubscriptionId(7), ContractId(3), CustomerId(5));
    let refusal = create(id, contract, customer, monthly(TODAY), &closed, at(TODAY));
    assert_eq!(refusal, Err(SubscriptionRefusal::ContractClosed));
}

#[test]
fn a_start_today_is_active_at_once() {
    let change = try_create(monthly(TODAY), at(TODAY)).expect("a change");
    let sub = &change.subscription;
    assert_eq!(sub.status, SubscriptionStatus::Active);
    assert_eq!(sub.current_period_start, Some(day(TODAY)));
    assert_eq!(sub.current_period_end, Some(day("2026-12-21")));
    assert_eq!(names(&change.events), ["Created", "Activated"]);
    assert_eq!(
        change.events[0].payload.to_string(),
        r#"{"contractId":3,"currency":"EUR","currentPeriodEnd":"2026-12-21","currentPeriodStart":"2026-11-21","priceMinor":3100,"sellerCustomerId":5,"status":"active","subscriptionId":7}"#
    );
    assert!(change.timeline.iter().all(|entry| entry.occurred_at == at(TODAY).engine));
}

#[test]
fn a_start_in_the_past_begins_every_term_up_to_today() {
    let change = try_create(monthly("2026-08-31"), at(TODAY)).expect("a change");
    let due: Vec<_> = change.subscription.due_terms(day(TODAY)).map(|t| t.start).collect();
    assert_eq!(due, ["2026-08-31", "2026-09-30", "2026-10-31"].map(day));
    assert_eq!(names(&change.events), ["Created", "Activated", "Renewed", "Renewed"]);
    assert_eq!(change.subscription.next_unbilled_due(), Some(day("2026-08-31")));
}

#[test]
fn a_start_ahead_waits_without_a_period() {
    let change = try_create(monthly("2026-12-01"), at(TODAY)).expect("a change");
    assert_eq!(change.subscription.status, SubscriptionStatus::Scheduled);
    assert_eq!(change.subscription.current_period_start, None);
    assert_eq!(names(&change.events), ["Created"]);
    assert_eq!(change.events[0].payload.get("currentPeriodStart"), None);
    assert_eq!(next_wakeup(&change.subscription), Some(day("2026-12-01").start()));
}

#[test]
fn a_trial_that_is_over_is_paid_from_its_end() {
    let new = NewSubscription {
        trial_days: Some(14),
        trial_end_behavior: Some(TrialEndBehavior::Cancel),
        require_payment_method: true,
        ..monthly("2026-11-01")
    };
    let sub = try_create(new, at(TODAY)).expect("a change").subscription;
    assert_eq!(sub.status, SubscriptionStatus::Active);
    assert_eq!(sub.anchor(), Some(day("2026-11-15")));
    assert_eq!(sub.trial_start, Some(day("2026-11-01")));
    assert_eq!(sub.current_period_end, Some(day("2026-12-15")));
}

#[test]
fn a_running_trial_is_the_period() {
    let new = NewSubscription { trial_days: Some(30), ..monthly("2026-11-01") };
    let change = try_create(new, at(TODAY)).expect("a change");
    let sub = &change.subscription;
    assert_eq!(sub.status, SubscriptionStatus::Trialing);
    assert_eq!(sub.current_period_start, Some(day("2026-11-01")));
    assert_eq!(sub.current_period_end, Some(day("2026-12-01")));
    assert_eq!(sub.due_terms(day(TODAY)).count(), 0);
    assert_eq!(names(&change.events), ["Created"]);
    assert_eq!(next_wakeup(sub), Some(day("2026-11-30").start()));
}

#[test]
fn a_trial_with_a_day_left_gives_its_notice_at_creation() {
    let new =
        NewSubscription { trial_days: Some(1), quantity: Quantity::parse("2.5"), ..monthly(TODAY) };
    let change = try_create(new, at(TODAY)).expect("a change");
    assert_eq!(names(&change.events), ["Created", "SubscriptionTrialWillEnd"]);
    assert_eq!(
        change.events[1].payload.to_string(),
        r#"{"amountMinor":7750,"contractId":3,"currency":"EUR","source":"billing","subscriptionId":7,"trialEnd":"2026-11-22"}"#
    );
    let later = advance(&change.subscription, at("2026-11-22"), &FACTS);
    assert_eq!(names(&later.change.events), ["Activated"]);
}
