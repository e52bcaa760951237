mod behind;

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::billing::subscription::{
    self, Cancel, CancelMode, Change, ChangeTiming, Facts, Frequency, NewSubscription, Pause,
    PlanChange, Prorations, SubscriptionRefusal, SubscriptionStatus, TrialEndBehavior, advance,
    change_plan, create, end_trial, pause,
};
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::{ContractId, CustomerId};
use crate::domain::testing::{FACTS, day, noon};

fn new(start: &str, frequency: Frequency) -> NewSubscription {
    NewSubscription { frequency, ..NewSubscription::monthly(start, 1_000) }
}

fn cancel(
    sub: &Subscription,
    request: &Cancel,
    facts: &Facts,
    moment: Moment,
) -> Result<Change, SubscriptionRefusal> {
    subscription::cancel(sub, request, &Prorations::new(), facts, moment)
}

fn resume(sub: &Subscription, moment: Moment) -> Result<Change, SubscriptionRefusal> {
    subscription::resume(sub, &Prorations::new(), moment)
}

fn made(id: u64, new: NewSubscription, on: Date) -> Subscription {
    let id = SubscriptionId(id);
    let made = create(id, ContractId(1), CustomerId(1), new, &FACTS, noon(on));
    made.expect("a subscription").subscription
}

fn passed(sub: &Subscription, until: &str) -> Subscription {
    advance(sub, noon(day(until)), &FACTS).change.subscription
}

/// A period as text: whose, its days, and its marks.
fn shown(period: UsagePeriod) -> String {
    let UsagePeriod { subscription, span, term, trial, cut, last } = period;
    let mut text = format!("{subscription}: {}..{}", span.start, span.end);
    if span != term {
        text += &format!(" of {}..{}", term.start, term.end);
    }
    for (mark, word) in [(trial, " trial"), (cut, " cut"), (last, " last")] {
        text += if mark { word } else { "" };
    }
    text
}

fn until(subs: &[Subscription], end: &str) -> Vec<String> {
    let end = day(end);
    let covered = Coverage::of(subs.iter());
    covered.periods().take_while(|period| period.span.end <= end).map(shown).collect()
}

#[test]
fn terms_are_periods_however_far_the_lifecycle_is() {
    let begun = made(1, new("2026-01-31", Frequency::Monthly), day("2026-01-31"));
    let expected = ["1: 2026-01-31..2026-02-28", "1: 2026-02-28..2026-03-31"];
    assert_eq!(until(std::slice::from_ref(&begun), "2026-04-01"), expected);
    assert_eq!(until(&[passed(&begun, "2026-06-01")], "2026-04-01"), expected);
    let ahead = made(1, new("2026-01-31", Frequency::Monthly), day("2026-01-01"));
    assert_eq!(ahead.status, SubscriptionStatus::Scheduled);
    assert_eq!(until(&[ahead], "2026-04-01"), expected);
}

#[test]
fn a_trial_is_a_period_of_its_own() {
    let trial = NewSubscription { trial_days: Some(14), ..new("2026-03-01", Frequency::Monthly) };
    let begun = made(1, trial.clone(), day("2026-03-01"));
    let expected = ["1: 2026-03-01..2026-03-15 trial", "1: 2026-03-15..2026-04-15"];
    assert_eq!(until(std::slice::from_ref(&begun), "2026-04-15"), expected);
    let ended = end_trial(&begun, &FACTS, noon(day("2026-03-05"))).expect("ended").subscription;
    let expected = ["1: 2026-03-01..2026-03-05 trial", "1: 2026-03-05..2026-04-05"];
    assert_eq!(until(&[ended], "2026-04-15"), expected);
    let late = made(1, trial.clone(), day("2026-04-20"));
    let expected = ["1: 2026-03-01..2026-03-15 trial", "1: 2026-03-15..2026-04-15"];
    assert_eq!(until(&[late], "2026-04-15"), expected);
    let ends = Some(TrialEndBehavior::Cancel);
    let ends = made(1, NewSubscription { trial_end_behavior: ends, ..trial }, day("2026-03-01"));
    let expected = ["1: 2026-03-01..2026-03-15 trial last"];
    assert_eq!(until(std::slice::from_ref(&ends), "2026-09-01"), expected);
    assert_eq!(until(&[passed(&ends, "2026-09-01")], "2026-09-01"), expected);
}

#[test]
fn what_ends_a_subscription_cuts_its_period() {
    let begun = made(1, new("2026-01-01", Frequency::Monthly), day("2026-01-01"));
    let now = Cancel { mode: CancelMode::Immediately, ..Cancel::default() };
    let canceled = cancel(&begun, &now, &FACTS, noon(day("2026-01-20"))).expect("canceled");
    // The day of a cancel at once is served to its end, whatever was used before it.
    let expected = ["1: 2026-01-01..2026-01-21 of 2026-01-01..2026-02-01 cut last"];
    assert_eq!(until(&[canceled.subscription], "2026-09-01"), expected);
    let first = cancel(&begun, &now, &FACTS, noon(day("2026-01-01"))).expect("canceled");
    let expected = ["1: 2026-01-01..2026-01-02 of 2026-01-01..2026-02-01 cut last"];
    assert_eq!(until(&[first.subscription], "2026-09-01"), expected);
    let dated =
        Cancel { mode: CancelMode::AtDate, at: Some(day("2026-01-20")), ..Cancel::default() };
    let planned = cancel(&begun, &dated, &FACTS, noon(day("2026-01-10"))).expect("planned");
    let expected = ["1: 2026-01-01..2026-01-20 of 2026-01-01..2026-02-01 cut last"];
    assert_eq!(until(&[passed(&planned.subscription, "2026-03-01")], "2026-09-01"), expected);
    assert_eq!(until(&[planned.subscription], "2026-09-01"), expected);
    let last =
        cancel(&begun, &Cancel::default(), &FACTS, noon(day("2026-01-20"))).expect("canceled");
    let expected = ["1: 2026-01-01..2026-02-01 last"];
    assert_eq!(until(&[last.subscription], "2026-09-01"), expected);
    let ends = NewSubscription {
        end_date: Some(day("2026-02-10")),
        ..new("2026-01-01", Frequency::Monthly)
    };
    let ends = made(1, ends, day("2026-01-01"));
    let expected = [
        "1: 2026-01-01..2026-02-01",
        "1: 2026-02-01..2026-02-11 of 2026-02-01..2026-03-01 cut last",
    ];
    assert_eq!(until(std::slice::from_ref(&ends), "2026-09-01"), expected);
    assert_eq!(until(&[passed(&ends, "2026-09-01")], "2026-09-01"), expected);
}

#[test]
fn a_pause_leaves_a_gap_after_its_term() {
    let begun = made(1, new("2026-01-01", Frequency::Monthly), day("2026-01-01"));
    let paused = pause(&begun, Pause::default(), noon(day("2026-01-10"))).expect("paused");
    let paused = paused.subscription;
    assert_eq!(until(std::slice::from_ref(&paused), "2027-01-01"), ["1: 2026-01-01..2026-02-01"]);
    let resumed = resume(&paused, noon(day("2026-03-11"))).expect("resumed").subscription;
    let expected = [
        "1: 2026-01-01..2026-02-01",
        "1: 2026-03-11..2026-04-01 of 2026-03-01..2026-04-01",
        "1: 2026-04-01..2026-05-01",
    ];
    assert_eq!(until(&[resumed], "2026-05-01"), expected);
    let until_then = Pause { resumes_at: Some(day("2026-03-11")) };
    let dated = pause(&begun, until_then, noon(day("2026-01-10"))).expect("paused").subscription;
    assert_eq!(until(&[dated], "2026-05-01"), expected);
    let now = Cancel { mode: CancelMode::Immediately, ..Cancel::default() };
    for on in ["2026-02-01", "2026-03-20"] {
        let canceled = cancel(&paused, &now, &FACTS, noon(day(on))).expect("canceled");
        assert_eq!(until(&[canceled.subscription], "2027-01-01"), ["1: 2026-01-01..2026-02-01"]);
    }
}

#[test]
fn a_prorated_cancel_at_once_serves_its_day_also_in_a_pause() {
    let begun = made(1, new("2026-01-01", Frequency::Monthly), day("2026-01-01"));
    let paused = pause(&begun, Pause::default(), noon(day("2026-01-10"))).expect("paused");
    let now = Cancel { mode: CancelMode::Immediately, prorate: true, ..Cancel::default() };
    let canceled = cancel(&paused.subscription, &now, &FACTS, noon(day("2026-01-20")));
    let expected = ["1: 2026-01-01..2026-01-21 of 2026-01-01..2026-02-01 cut last"];
    assert_eq!(until(&[canceled.expect("canceled").subscription], "2027-01-01"), expected);
}

#[test]
fn the_oldest_subscription_meters() {
    let old = NewSubscription {
        end_date: Some(day("2026-02-14")),
        ..new("2026-01-15", Frequency::Monthly)
    };
    let subs = [
        made(4, old, day("2026-01-01")),
        made(9, new("2026-01-01", Frequency::Weekly), day("2026-01-01")),
    ];
    let expected = [
        "9: 2026-01-01..2026-01-08",
        "9: 2026-01-08..2026-01-15",
        "4: 2026-01-15..2026-02-15 last",
        "9: 2026-02-15..2026-02-19 of 2026-02-12..2026-02-19",
        "9: 2026-02-19..2026-02-26",
    ];
    assert_eq!(until(&subs, "2026-02-28"), expected);
}

#[test]
fn a_younger_subscription_changes_no_day_while_the_oldest_serves_on() {
    let old = made(4, new("2026-01-15", Frequency::Monthly), day("2026-01-15"));
    let young = made(9, new("2026-01-20", Frequency::Weekly), day("2026-01-20"));
    let mut coverage = Coverage::of([&old].into_iter());
    assert!(!coverage.update(&young));
    assert_eq!(coverage, Coverage::of([&old, &young].into_iter()));
    let ends = cancel(&old, &Cancel::default(), &FACTS, noon(day("2026-01-22"))).expect("ends");
    assert!(coverage.update(&ends.subscription));
    let paused = pause(&young, Pause::default(), noon(day("2026-01-23"))).expect("paused");
    assert!(coverage.update(&paused.subscription), "it meters what comes after the oldest");
    let both = [&ends.subscription, &paused.subscription];
    assert_eq!(coverage, Coverage::of(both.into_iter()));
    let paused = pause(&old, Pause::default(), noon(day("2026-01-22"))).expect("paused");
    let mut coverage = Coverage::of([&paused.subscription].into_iter());
    assert!(coverage.update(&young), "it meters while the oldest is paused without end");
    let earlier = made(11, new("2026-01-01", Frequency::Weekly), day("2026-01-15"));
    let mut coverage = Coverage::of([&old].into_iter());
    assert!(coverage.update(&earlier), "it meters the days before the oldest");
}

#[test]
fn a_new_frequency_leaves_a_last_term_as_it_is_that_the_end_cuts_short() {
    let first = day("2026-01-05");
    let new = NewSubscription {
        end_date: Some(day("2026-06-29")),
        ..new("2026-01-05", Frequency::Quarterly)
    };
    let mut sub = made(1, new, first);
    sub = advance(&sub, noon(day("2026-04-05")), &FACTS).change.subscription;
    let before = until(std::slice::from_ref(&sub), "2026-12-31");
    for deed in [Deed::Pause(None), Deed::Frequency(Frequency::Weekly)] {
        sub = do_at(&sub, deed, noon(day("2026-04-05")));
    }
    assert_eq!(until(&[sub], "2026-12-31"), before);
}

#[test]
fn a_new_frequency_begins_with_a_term() {
    let begun = made(1, new("2026-01-31", Frequency::Monthly), day("2026-01-31"));
    let weekly = PlanChange {
        frequency: Some(Frequency::Weekly),
        effective: ChangeTiming::PeriodEnd,
        ..PlanChange::default()
    };
    let planned = change_plan(&begun, &weekly, noon(day("2026-02-10"))).expect("planned");
    let expected = ["1: 2026-01-31..2026-02-28", "1: 2026-02-28..2026-03-07"];
    assert_eq!(until(std::slice::from_ref(&planned.subscription), "2026-03-10"), expected);
    assert_eq!(until(&[passed(&planned.subscription, "2026-08-01")], "2026-03-10"), expected);
}

/// What is done to a subscription on a day.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Cancel(CancelMode, i64),
    Pause(Option<i64>),
    Resume,
    EndTrial,
    Frequency(Frequency),
}

fn do_at(sub: &Subscription, deed: Deed, moment: Moment) -> Subscription {
    let day = moment.today();
    let change = match deed {
        Deed::Cancel(mode, days) => {
            let at = (mode == CancelMode::AtDate).then(|| day.plus_days(days));
            cancel(sub, &Cancel { mode, at, ..Cancel::default() }, &FACTS, moment)
        }
        Deed::Pause(days) => {
            pause(sub, Pause { resumes_at: days.map(|days| day.plus_days(days)) }, moment)
        }
        Deed::Resume => resume(sub, moment),
        Deed::EndTrial => end_trial(sub, &FACTS, moment),
        Deed::Frequency(frequency) => {
            let change = PlanChange {
                frequency: Some(frequency),
                effective: ChangeTiming::PeriodEnd,
                ..PlanChange::default()
            };
            change_plan(sub, &change, moment)
        }
    };
    change.map_or_else(|_| sub.clone(), |change| change.subscription)
}

/// Whether a subscription that was brought to a day covers it, and since when its term runs:
/// read off its status, as time left it.
fn covers(sub: &Subscription, day: Date) -> Option<Date> {
    let covered = match sub.status {
        SubscriptionStatus::Trialing | SubscriptionStatus::Active | SubscriptionStatus::PastDue => {
            true
        }
        SubscriptionStatus::Paused => sub.current_period_end.is_some_and(|end| day < end),
        _ => false,
    };
    sub.current_period_start.filter(|_| covered)
}

fn frequencies() -> impl Strategy<Value = Frequency> {
    prop_oneof![
        Just(Frequency::Weekly),
        Just(Frequency::Monthly),
        Just(Frequency::Monthly),
        Just(Frequency::Quarterly),
    ]
}

fn deeds() -> impl Strategy<Value = Deed> {
    let modes = prop_oneof![
        Just(CancelMode::PeriodEnd),
        Just(CancelMode::Immediately),
        Just(CancelMode::AtDate)
    ];
    prop_oneof![
        1 => (modes, 0..60_i64).prop_map(|(mode, days)| Deed::Cancel(mode, days)),
        3 => proptest::option::of(0..90_i64).prop_map(Deed::Pause),
        4 => Just(Deed::Resume),
        1 => Just(Deed::EndTrial),
        2 => frequencies().prop_map(Deed::Frequency),
    ]
}

/// A subscription to be: its first day, trial, end, and what is done to it.
type Life = (i64, Frequency, Option<(i64, bool)>, Option<i64>, Vec<(i64, Deed)>);

fn lives() -> impl Strategy<Value = Life> {
    (
        0..60_i64,
        frequencies(),
        proptest::option::of((1..40_i64, any::<bool>())),
        proptest::option::of(60..200_i64),
        proptest::collection::vec((0..200_i64, deeds()), 0..6),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Lives through the days one by one, and has every day's coverage foretold by what was known
    /// on the last day on which anything was done.
    #[test]
    fn coverage_is_what_the_lifecycle_lives_through(lives in proptest::collection::vec(lives(), 1..4)) {
        let start = day("2025-12-20");
        let mut subs = Vec::new();
        for (number, (first, frequency, trial, end, _)) in lives.iter().enumerate() {
            let first = start.plus_days(*first);
            let new = NewSubscription {
                start_date: first,
                end_date: end.map(|days| first.plus_days(days)),
                trial_days: trial.map(|(days, _)| days),
                trial_end_behavior: trial.map(|(_, goes_on)| match goes_on {
                    true => TrialEndBehavior::Activate,
                    false => TrialEndBehavior::Cancel,
                }),
                ..new("2026-01-01", *frequency)
            };
            subs.push(made(number as u64 + 1, new, start));
        }
        let last_deed = lives.iter().flat_map(|life| &life.4).map(|(on, _)| *on).max().unwrap_or(0);
        let mut foretold = Coverage::of(subs.iter());
        let mut lived = BTreeMap::new();
        for number in 0..300 {
            let today = start.plus_days(number);
            let mut metering = None;
            for (sub, (_, _, _, _, deeds)) in subs.iter_mut().zip(&lives) {
                *sub = advance(sub, noon(today), &FACTS).change.subscription;
                let mut covered = covers(sub, today);
                for (_, deed) in deeds.iter().filter(|(on, _)| *on == number) {
                    let before = sub.status;
                    *sub = do_at(sub, *deed, noon(today));
                    // What ends at once has served the day before it.
                    let ended = sub.status == SubscriptionStatus::Canceled && before != sub.status;
                    covered = if ended { covered } else { covers(sub, today).or(covered.filter(|_| sub.status.is_final())) };
                }
                metering = metering.or(covered.map(|since| (sub.id, since)));
            }
            if number == last_deed {
                foretold = Coverage::of(subs.iter());
            }
            lived.insert(today, metering);
        }
        let kept = Coverage::of(subs.iter());
        for coverage in [&foretold, &kept] {
            let mut counted = 0;
            let mut before = None;
            let end = start.plus_days(300);
            for period in coverage.periods().take_while(|period| period.span.start < end) {
                prop_assert!(period.span.start < period.span.end);
                prop_assert!(before.is_none_or(|before| before <= period.span.start));
                before = Some(period.span.end);
                counted += period.span.end.min(end).days_since(period.span.start);
            }
            prop_assert_eq!(counted, lived.values().flatten().count() as i64);
        }
        for (today, metering) in lived {
            for coverage in [&foretold, &kept] {
                let period = coverage.period_of(today);
                let shown = period.map(|period| (period.subscription, period.term.start));
                prop_assert_eq!(shown, metering, "{}", today);
                prop_assert!(period.is_none_or(|period| period.span.contains(today)));
            }
        }
    }
}
