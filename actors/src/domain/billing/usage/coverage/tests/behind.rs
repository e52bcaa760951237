//! Coverage where the lifecycle is behind: it is switched off, or the clock that it goes by stands.
//! What is done to a subscription then leaves out no day that usage may have come for.

use super::*;

const FIRST: &str = "2026-01-01";

fn begun() -> Subscription {
    made(1, new(FIRST, Frequency::Monthly), day(FIRST))
}

/// Noon of a day by the wall clock; the contract's clock is the same, or stands at another.
fn moment(wall: &str, stands: Option<&str>) -> Moment {
    let engine = noon(day(stands.unwrap_or(wall))).engine;
    Moment { engine, ..noon(day(wall)) }
}

fn at_once() -> Cancel {
    Cancel { mode: CancelMode::Immediately, ..Cancel::default() }
}

fn on(at: &str) -> Cancel {
    Cancel { mode: CancelMode::AtDate, at: Some(day(at)), ..Cancel::default() }
}

#[test]
fn a_pause_finishes_the_term_of_the_day_on_which_it_begins() {
    let [january, february, march, april] = [
        "1: 2026-01-01..2026-02-01",
        "1: 2026-02-01..2026-03-01",
        "1: 2026-03-01..2026-04-01",
        "1: 2026-04-01..2026-05-01",
    ];
    for stands in [None, Some("2026-01-10")] {
        let at = |wall| moment(wall, stands);
        let paused = pause(&begun(), Pause::default(), at("2026-03-20")).expect("paused");
        let paused = paused.subscription;
        let whole = [january, february, march];
        assert_eq!(until(std::slice::from_ref(&paused), "2027-01-01"), whole, "{stands:?}");
        let resumed = |wall| resume(&paused, at(wall)).expect("resumed").subscription;
        let within = [january, february, march, april];
        assert_eq!(until(&[resumed("2026-03-25")], "2026-05-01"), within, "{stands:?}");
        let rest = "1: 2026-04-11..2026-05-01 of 2026-04-01..2026-05-01";
        let behind = [january, february, march, rest];
        assert_eq!(until(&[resumed("2026-04-11")], "2026-05-01"), behind, "{stands:?}");
        let canceled = |wall| cancel(&paused, &at_once(), &FACTS, at(wall)).expect("canceled");
        let cut = "1: 2026-03-01..2026-03-26 of 2026-03-01..2026-04-01 cut last";
        let within = [january, february, cut];
        let now = canceled("2026-03-25").subscription;
        assert_eq!(until(&[now], "2027-01-01"), within, "{stands:?}");
        let later = canceled("2026-04-25").subscription;
        assert_eq!(until(&[later], "2027-01-01"), whole, "{stands:?}");
    }
}

#[test]
fn a_pause_that_was_over_by_its_date_has_served_since_then() {
    let dated = Pause { resumes_at: Some(day("2026-03-11")) };
    let paused = pause(&begun(), dated, noon(day("2026-01-10"))).expect("paused").subscription;
    let served = [
        "1: 2026-01-01..2026-02-01",
        "1: 2026-03-11..2026-04-01 of 2026-03-01..2026-04-01",
        "1: 2026-04-01..2026-05-01",
    ];
    let resumed = resume(&paused, noon(day("2026-05-05"))).expect("resumed").subscription;
    assert_eq!(until(&[resumed], "2026-05-01"), served);
    let canceled = cancel(&paused, &at_once(), &FACTS, noon(day("2026-05-05")));
    let canceled = until(&[canceled.expect("canceled").subscription], "2027-01-01");
    assert_eq!(canceled[..3], served);
    assert_eq!(canceled[3..], ["1: 2026-05-01..2026-05-06 of 2026-05-01..2026-06-01 cut last"]);
}

#[test]
fn what_was_to_begin_has_been_served_when_it_is_canceled() {
    let first = "2026-01-05";
    let trial = NewSubscription { trial_days: Some(14), ..new(first, Frequency::Monthly) };
    let paid = [
        "1: 2026-01-05..2026-02-05",
        "1: 2026-02-05..2026-02-11 of 2026-02-05..2026-03-05 cut last",
    ];
    let tried = [
        "1: 2026-01-05..2026-01-19 trial",
        "1: 2026-01-19..2026-02-11 of 2026-01-19..2026-02-19 cut last",
    ];
    for (new, created, served) in [
        (new(first, Frequency::Monthly), "2026-01-01", paid),
        (trial.clone(), "2026-01-01", tried),
        (trial.clone(), first, tried),
    ] {
        let known = made(1, new, day(created));
        let canceled = |on: &str| {
            let canceled = cancel(&known, &at_once(), &FACTS, noon(day(on)));
            until(&[canceled.expect("canceled").subscription], "2027-01-01")
        };
        assert_eq!(canceled("2026-02-10"), served);
        if created != first {
            assert_eq!(canceled("2026-01-04"), [""; 0], "before it was to begin");
        }
    }
    let in_trial = cancel(&made(1, trial, day(first)), &at_once(), &FACTS, noon(day("2026-01-10")));
    let served = ["1: 2026-01-05..2026-01-11 of 2026-01-05..2026-01-19 trial cut last"];
    assert_eq!(until(&[in_trial.expect("canceled").subscription], "2027-01-01"), served);
}

#[test]
fn a_cancel_ends_what_is_ahead_of_the_day_on_which_it_is_asked_for() {
    let at = |wall| moment(wall, Some("2026-01-10"));
    let served = |last| ["1: 2026-01-01..2026-02-01", "1: 2026-02-01..2026-03-01", last];
    let cut = "1: 2026-03-01..2026-03-21 of 2026-03-01..2026-04-01 cut last";
    for request in [at_once(), on("2026-01-20"), Cancel::default()] {
        let canceled = cancel(&begun(), &request, &FACTS, at("2026-03-20")).expect("canceled");
        let canceled = canceled.subscription;
        assert_eq!(until(std::slice::from_ref(&canceled), "2027-01-01"), served(cut));
        // Once the clock has come to it, as before.
        let ended = advance(&canceled, moment("2026-05-05", Some("2026-02-10")), &FACTS);
        let ended = ended.change.subscription;
        assert_eq!(ended.status, SubscriptionStatus::Canceled);
        assert_eq!(until(&[ended], "2027-01-01"), served(cut));
        if request != at_once() {
            let back = resume(&canceled, at("2026-03-25")).expect("taken back").subscription;
            let whole = served("1: 2026-03-01..2026-04-01");
            assert_eq!(until(&[back], "2026-04-01"), whole);
        }
    }
    let ahead = cancel(&begun(), &on("2026-03-31"), &FACTS, at("2026-03-20")).expect("planned");
    let cut = "1: 2026-03-01..2026-03-31 of 2026-03-01..2026-04-01 cut last";
    assert_eq!(until(&[ahead.subscription], "2027-01-01"), served(cut));
}

#[test]
fn a_new_frequency_that_was_to_take_effect_has_when_it_is_canceled() {
    let weekly = PlanChange {
        frequency: Some(Frequency::Weekly),
        effective: ChangeTiming::PeriodEnd,
        ..PlanChange::default()
    };
    let planned = change_plan(&begun(), &weekly, noon(day("2026-01-10"))).expect("planned");
    let canceled = cancel(&planned.subscription, &at_once(), &FACTS, noon(day("2026-02-10")));
    let served = [
        "1: 2026-01-01..2026-02-01",
        "1: 2026-02-01..2026-02-08",
        "1: 2026-02-08..2026-02-11 of 2026-02-08..2026-02-15 cut last",
    ];
    assert_eq!(until(&[canceled.expect("canceled").subscription], "2027-01-01"), served);
}

#[test]
fn a_pause_of_a_row_from_before_its_days_were_kept_begins_with_the_end_of_its_term() {
    let paused = pause(&begun(), Pause::default(), noon(day("2026-01-10"))).expect("paused");
    let paused = Subscription { paused_from: None, ..paused.subscription };
    let january = "1: 2026-01-01..2026-02-01";
    assert_eq!(until(std::slice::from_ref(&paused), "2027-01-01"), [january]);
    let resumed = resume(&paused, noon(day("2026-03-11"))).expect("resumed").subscription;
    let rest = "1: 2026-03-11..2026-04-01 of 2026-03-01..2026-04-01";
    assert_eq!(until(&[resumed], "2026-04-01"), [january, rest]);
    let now = Cancel { prorate: true, ..at_once() };
    let canceled = cancel(&paused, &now, &FACTS, noon(day("2026-01-20"))).expect("canceled");
    let cut = "1: 2026-01-01..2026-01-21 of 2026-01-01..2026-02-01 cut last";
    assert_eq!(until(&[canceled.subscription], "2027-01-01"), [cut]);
}

/// A deed, the days that have gone by the wall and by the contract's clock since the one before,
/// and whether the lifecycle comes first.
type Step = (i64, i64, bool, Deed);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((0..60_i64, 0..60_i64, any::<bool>(), deeds()), 1..8)
}

proptest! {
    #[test]
    fn nothing_that_is_done_uncovers_a_day_that_usage_may_have_come_for(
        frequency in frequencies(),
        (first, end) in (-40..40_i64, proptest::option::of(60..400_i64)),
        trial in proptest::option::of((1..60_i64, any::<bool>())),
        steps in steps(),
    ) {
        let start = day("2026-01-15");
        let first = start.plus_days(first);
        let new = NewSubscription {
            start_date: first,
            end_date: end.map(|days| first.plus_days(days)),
            trial_days: trial.map(|(days, _)| days),
            trial_end_behavior: trial.map(|(_, goes_on)| match goes_on {
                true => TrialEndBehavior::Activate,
                false => TrialEndBehavior::Cancel,
            }),
            ..new(FIRST, frequency)
        };
        let mut sub = made(1, new, start);
        let (mut wall, mut engine) = (start, start);
        for (by_wall, by_engine, lives, deed) in steps {
            (wall, engine) = (wall.plus_days(by_wall), engine.plus_days(by_engine));
            let moment = Moment { engine: noon(engine).engine, ..noon(wall) };
            let mut before = Coverage::of([&sub].into_iter());
            let mut lost_by = |after: &Subscription| {
                let after = Coverage::of([after].into_iter());
                let mut days = (0..=wall.days_since(first)).map(|days| first.plus_days(days));
                let served = |coverage: &Coverage, day| coverage.period_of(day).is_some();
                let lost = days.find(|day| served(&before, *day) && !served(&after, *day));
                before = after;
                lost
            };
            if lives {
                sub = advance(&sub, moment, &FACTS).change.subscription;
                prop_assert_eq!(lost_by(&sub), None, "by the lifecycle at {:?}", moment);
            }
            sub = do_at(&sub, deed, moment);
            prop_assert_eq!(lost_by(&sub), None, "by {:?} at {:?}", deed, moment);
        }
    }
}
