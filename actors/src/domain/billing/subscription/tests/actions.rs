//! Every action on every status.

use super::*;

const TODAY: &str = "2026-01-16";

/// A subscription of each status, on [`TODAY`].
fn standing(status: SubscriptionStatus) -> Subscription {
    let paid = begun(monthly("2026-01-01"));
    match status {
        SubscriptionStatus::Scheduled => {
            try_create(monthly("2026-02-01"), at(TODAY)).expect("a change").subscription
        }
        SubscriptionStatus::Trialing => {
            begun(NewSubscription { trial_days: Some(30), ..monthly("2026-01-01") })
        }
        SubscriptionStatus::Active => paid,
        SubscriptionStatus::PastDue => Subscription { status, ..paid },
        SubscriptionStatus::Paused => {
            pause(&paid, Pause::default(), at("2026-01-10")).expect("a change").subscription
        }
        SubscriptionStatus::Canceled => {
            let at_once = Cancel { mode: CancelMode::Immediately, ..Cancel::default() };
            cancel(&paid, &at_once, &FACTS, at("2026-01-10")).expect("a change").subscription
        }
        SubscriptionStatus::Expired => {
            let short =
                NewSubscription { end_date: Some(day("2026-01-10")), ..monthly("2026-01-01") };
            passed(&begun(short), TODAY)
        }
    }
}

type Act = fn(&Subscription) -> Result<Change, SubscriptionRefusal>;

const ACTIONS: [(&str, Act); 7] = [
    ("cancel", |s| cancel(s, &Cancel::default(), &FACTS, at(TODAY))),
    ("cancel immediately", |s| {
        let request = Cancel { mode: CancelMode::Immediately, ..Cancel::default() };
        cancel(s, &request, &FACTS, at(TODAY))
    }),
    ("pause", |s| pause(s, Pause::default(), at(TODAY))),
    ("resume", |s| resume(s, at(TODAY))),
    ("end-trial", |s| end_trial(s, &FACTS, at(TODAY))),
    ("change-plan", |s| {
        change_plan(s, &PlanChange { price_minor: Some(1), ..PlanChange::default() }, at(TODAY))
    }),
    ("change frequency", |s| {
        let frequency = Some(Frequency::Annual);
        change_plan(s, &PlanChange { frequency, ..PlanChange::default() }, at(TODAY))
    }),
];

/// One line a status: the status after each of [`ACTIONS`], and the events; `-` is a refusal.
const EXPECTED: [(SubscriptionStatus, [&str; 7]); 7] = [
    (
        SubscriptionStatus::Scheduled,
        [
            "canceled Canceled",
            "canceled Canceled",
            "-",
            "-",
            "-",
            "scheduled PlanChanged",
            "scheduled PlanChanged",
        ],
    ),
    (
        SubscriptionStatus::Trialing,
        [
            "trialing",
            "canceled Canceled",
            "-",
            "-",
            "active Activated",
            "trialing PlanChanged",
            "trialing PlanChanged",
        ],
    ),
    (
        SubscriptionStatus::Active,
        ["active", "canceled Canceled", "paused Paused", "-", "-", "active PlanChanged", "-"],
    ),
    (
        SubscriptionStatus::PastDue,
        ["past_due", "canceled Canceled", "-", "-", "-", "past_due PlanChanged", "-"],
    ),
    (
        SubscriptionStatus::Paused,
        ["paused", "canceled Canceled", "-", "active Resumed", "-", "paused", "-"],
    ),
    (SubscriptionStatus::Canceled, ["-", "-", "-", "-", "-", "-", "-"]),
    (SubscriptionStatus::Expired, ["-", "-", "-", "-", "-", "-", "-"]),
];

#[test]
fn each_action_applies_where_the_table_says() {
    assert_eq!(EXPECTED.map(|(status, _)| status), *SubscriptionStatus::ALL);
    for (status, outcomes) in EXPECTED {
        let sub = standing(status);
        assert_eq!(sub.status, status);
        for ((action, act), expected) in ACTIONS.iter().zip(outcomes) {
            let outcome = match act(&sub) {
                Err(_) => "-".to_owned(),
                Ok(change) => std::iter::once(change.subscription.status.name())
                    .chain(names(&change.events))
                    .collect::<Vec<_>>()
                    .join(" "),
            };
            assert_eq!(outcome, expected, "{action} on {}", status.name());
        }
    }
}

#[test]
fn a_cancel_scheduled_twice_writes_nothing() {
    let active = standing(SubscriptionStatus::Active);
    let once = cancel(&active, &Cancel::default(), &FACTS, at(TODAY)).expect("a change");
    assert!(!once.is_empty());
    let again = cancel(&once.subscription, &Cancel::default(), &FACTS, at("2026-01-17"));
    assert!(again.expect("an answer").is_empty());
}

#[test]
fn a_trial_that_needs_a_card_does_not_end_early_without_one() {
    let trial = NewSubscription {
        trial_days: Some(30),
        require_payment_method: true,
        ..monthly("2026-01-01")
    };
    let sub = begun(trial);
    let refused = end_trial(&sub, &FACTS, at(TODAY));
    assert_eq!(refused, Err(SubscriptionRefusal::PaymentMethodRequired));
    let with_card = Facts { card_saved: true, ..FACTS };
    let active = end_trial(&sub, &with_card, at(TODAY)).expect("a change").subscription;
    assert_eq!(active.anchor(), Some(day(TODAY)));
    assert_eq!(active.trial_end, Some(day(TODAY)));
    assert_eq!(active.current_period_end, Some(day("2026-02-16")));
}

#[test]
fn dates_before_the_contracts_day_are_refused() {
    let active = standing(SubscriptionStatus::Active);
    let yesterday = Some(day("2026-01-15"));
    let early = Cancel { mode: CancelMode::AtDate, at: yesterday, ..Cancel::default() };
    let refused = cancel(&active, &early, &FACTS, at(TODAY));
    assert_eq!(refused, Err(SubscriptionRefusal::AtInThePast(day(TODAY))));
    for resumes_at in [yesterday, Some(day(TODAY))] {
        let refused = pause(&active, Pause { resumes_at }, at(TODAY));
        assert_eq!(refused, Err(SubscriptionRefusal::ResumesTooEarly(day(TODAY))));
    }
    let without = Cancel { mode: CancelMode::AtDate, ..Cancel::default() };
    assert_eq!(without.check(), Err(SubscriptionRefusal::AtRequired));
    let misplaced = Cancel { at: yesterday, ..Cancel::default() };
    assert_eq!(misplaced.check(), Err(SubscriptionRefusal::AtNotAllowed));
}
