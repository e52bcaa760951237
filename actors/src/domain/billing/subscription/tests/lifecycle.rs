//! What the passing of time does, case by case.

use super::*;

fn run_to(sub: &Subscription, until: &str) -> (Subscription, Counts, Vec<&'static str>) {
    let done = advance(sub, at(until), &FACTS);
    let events = names(&done.change.events);
    (done.change.subscription, done.counts, events)
}

#[test]
fn a_year_renews_every_month_and_keeps_the_anchor() {
    let (sub, counts, events) = run_to(&begun(monthly("2026-01-31")), "2027-01-31");
    assert_eq!(counts, Counts { renewed: 12, ..Counts::default() });
    assert_eq!(events, ["Renewed"; 12]);
    let starts: Vec<_> = sub.terms.iter().map(|term| term.start.to_string()).collect();
    assert_eq!(starts[..4], ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"]);
    assert_eq!(sub.current_period_end, Some(day("2027-02-28")));
    assert!(sub.terms.iter().all(|term| term.amount() == Ok(3_100)));
}

#[test]
fn nothing_to_do_is_skipped_and_writes_nothing() {
    let done = advance(&begun(monthly("2026-01-01")), at("2026-01-31"), &FACTS);
    assert!(done.change.is_empty());
    assert_eq!(done.counts, Counts { skipped: 1, ..Counts::default() });
}

#[test]
fn a_scheduled_start_is_not_counted() {
    let sub = try_create(monthly("2026-02-01"), at("2026-01-01")).expect("one").subscription;
    let (sub, counts, events) = run_to(&sub, "2026-02-01");
    assert_eq!(sub.status, SubscriptionStatus::Active);
    assert_eq!((counts, events), (Counts::default(), vec!["Activated"]));
}

#[test]
fn trials_end_as_they_were_asked_to() {
    let trial = NewSubscription { trial_days: Some(10), ..monthly("2026-01-01") };
    let cases = [
        (trial.clone(), "active", "Activated", Counts { trials_activated: 1, ..Counts::default() }),
        (
            NewSubscription { trial_end_behavior: Some(TrialEndBehavior::Cancel), ..trial.clone() },
            "canceled",
            "Canceled",
            Counts { trials_canceled: 1, ..Counts::default() },
        ),
        (
            NewSubscription { require_payment_method: true, ..trial },
            "past_due",
            "PastDue",
            Counts { trials_past_due: 1, ..Counts::default() },
        ),
    ];
    for (new, status, event, expected) in cases {
        let (sub, counts, events) = run_to(&begun(new), "2026-01-11");
        assert_eq!(sub.status.name(), status);
        assert_eq!(counts, expected);
        // Only of a trial after which a charge begins it is told that it ends.
        let converts = status != "canceled";
        let notice = converts.then_some("SubscriptionTrialWillEnd");
        assert_eq!(events, notice.into_iter().chain([event]).collect::<Vec<_>>());
        let terms = usize::from(converts);
        assert_eq!(sub.due_terms(day("2026-01-11")).count(), terms);
    }
}

#[test]
fn it_is_told_of_a_trial_that_ends_what_its_first_term_charges() {
    let trial = NewSubscription { trial_days: Some(31), ..monthly("2026-01-01") };
    let at_date = Some(day("2026-02-11"));
    let cancel_at = |prorate| {
        let request =
            Cancel { mode: CancelMode::AtDate, at: at_date, prorate, ..Cancel::default() };
        let planned = cancel(&begun(trial.clone()), &request, &FACTS, at("2026-01-05"));
        planned.expect("a change").subscription
    };
    let ends = NewSubscription { end_date: Some(day("2026-02-10")), ..trial.clone() };
    // Ten of 28 days of 31.00 where the term is cut.
    for (sub, amount) in [
        (begun(trial.clone()), 3_100),
        (begun(ends), 1_107),
        (cancel_at(true), 1_107),
        (cancel_at(false), 3_100),
    ] {
        let told = advance(&sub, at("2026-01-31"), &FACTS).change;
        assert_eq!(names(&told.events), ["SubscriptionTrialWillEnd"]);
        assert_eq!(told.events[0].payload["trialEnd"], "2026-02-01");
        assert_eq!(told.events[0].payload["amountMinor"], amount);
        let (paid, ..) = run_to(&told.subscription, "2026-02-01");
        assert_eq!(paid.terms[0].amount(), Ok(amount));
    }
}

#[test]
fn a_period_end_cancel_in_a_trial_counts_with_the_trials() {
    let trial = begun(NewSubscription { trial_days: Some(10), ..monthly("2026-01-01") });
    let sub = cancel(&trial, &Cancel::default(), &FACTS, at("2026-01-05")).expect("a change");
    assert_eq!(sub.subscription.cancel_at(), Some(day("2026-01-11")));
    // Taken back on the trial's last day, the notice still goes out.
    let taken_back = resume(&sub.subscription, at("2026-01-10")).expect("a change").subscription;
    assert_eq!(run_to(&taken_back, "2026-01-10").2, ["SubscriptionTrialWillEnd"]);
    let (sub, counts, events) = run_to(&sub.subscription, "2026-03-01");
    assert_eq!(events, ["Canceled"]);
    assert_eq!(sub.status, SubscriptionStatus::Canceled);
    assert_eq!(sub.canceled_at, Some(day("2026-01-11").start()));
    assert_eq!(counts, Counts { trials_canceled: 1, ..Counts::default() });

    let earlier =
        Cancel { mode: CancelMode::AtDate, at: Some(day("2026-01-08")), ..Cancel::default() };
    let sub = cancel(&trial, &earlier, &FACTS, at("2026-01-05")).expect("a change").subscription;
    let (_, counts, _) = run_to(&sub, "2026-03-01");
    assert_eq!(counts, Counts { canceled: 1, ..Counts::default() });
}

#[test]
fn the_last_day_cuts_its_term_and_expires_the_day_after() {
    let new = NewSubscription { end_date: Some(day("2026-02-14")), ..monthly("2026-01-01") };
    let (sub, counts, _) = run_to(&begun(new.clone()), "2026-02-14");
    assert_eq!(counts, Counts { renewed: 1, ..Counts::default() });
    assert_eq!(sub.current_period_end, Some(day("2026-02-15")));
    let last = sub.terms.last().expect("a term");
    // 14 of 28 days of 31.00.
    assert_eq!(last.amount(), Ok(1_550));
    let line = last.line(None).expect("a line");
    assert_eq!(line.description, "Subscription (14 of 28 days)");
    assert_eq!(line.unit_price_minor, Some(1_550));
    assert_eq!(line.cut, Some((14, 28, CutReason::EndDate)));
    let (sub, counts, events) = run_to(&sub, "2026-02-15");
    assert_eq!(sub.status, SubscriptionStatus::Expired);
    assert_eq!((counts.expired, events), (1, vec!["Expired"]));
    assert_eq!(next_wakeup(&sub), None);

    let paused = pause(&begun(new), Pause::default(), at("2026-01-02")).expect("a change");
    let (sub, counts, _) = run_to(&paused.subscription, "2026-05-01");
    assert_eq!(sub.status, SubscriptionStatus::Expired);
    assert_eq!(counts, Counts { expired: 1, ..Counts::default() });
    assert_eq!(sub.terms.len(), 1);
}

#[test]
fn past_due_goes_on_renewing() {
    let status = SubscriptionStatus::PastDue;
    let sub = Subscription { status, ..begun(monthly("2026-01-01")) };
    let (sub, counts, _) = run_to(&sub, "2026-03-01");
    assert_eq!(sub.status, SubscriptionStatus::PastDue);
    assert_eq!(counts.renewed, 2);
    assert_eq!(sub.due_terms(day("2026-03-01")).count(), 3);
}

#[test]
fn a_pause_finishes_the_term_and_begins_none() {
    let sub = begun(monthly("2026-01-01"));
    let waiting = Pause { resumes_at: Some(day("2026-04-11")) };
    let sub = pause(&sub, waiting, at("2026-01-10")).expect("a change").subscription;
    let (still, counts, _) = run_to(&sub, "2026-04-10");
    assert_eq!((still, counts.skipped), (sub.clone(), 1));
    let (sub, counts, events) = run_to(&sub, "2026-04-11");
    assert_eq!((counts, events), (Counts { resumed: 1, ..Counts::default() }, vec!["Resumed"]));
    assert_eq!(sub.status, SubscriptionStatus::Active);
    assert_eq!(sub.gaps, [Span { start: day("2026-02-01"), end: day("2026-04-11") }]);
    // The term keeps its first day; 20 of its 30 days are charged.
    assert_eq!(sub.current_period_start, Some(day("2026-04-01")));
    let term = sub.terms.last().expect("a term");
    assert_eq!(term.amount(), Ok(2_067));
    assert_eq!(term.line(None).expect("a line").cut, Some((20, 30, CutReason::Resume)));
    let due: Vec<_> = sub.due_terms(day("2026-04-11")).map(|term| term.start).collect();
    assert_eq!(due, ["2026-01-01", "2026-04-01"].map(day));
}

#[test]
fn a_resume_on_a_first_day_charges_the_whole_term() {
    let sub = begun(monthly("2026-01-01"));
    let sub = pause(&sub, Pause::default(), at("2026-01-10")).expect("a change").subscription;
    let sub = resume(&sub, at("2026-03-01")).expect("a change").subscription;
    assert_eq!(sub.terms.last().expect("a term").charge, Charge::Whole);
}

#[test]
fn a_resume_within_the_running_term_begins_nothing() {
    let sub = begun(monthly("2026-01-01"));
    let paused = pause(&sub, Pause::default(), at("2026-01-10")).expect("a change").subscription;
    let change = resume(&paused, at("2026-01-20")).expect("a change");
    assert_eq!(change.subscription, sub);
    assert_eq!(names(&change.events), ["Resumed"]);
}

#[test]
fn a_resume_after_the_last_day_is_refused() {
    let new = NewSubscription { end_date: Some(day("2026-02-14")), ..monthly("2026-01-01") };
    let paused = pause(&begun(new), Pause::default(), at("2026-01-02")).expect("a change");
    let refused = resume(&paused.subscription, at("2026-02-15"));
    assert_eq!(refused, Err(SubscriptionRefusal::EndDatePassed(day("2026-02-14"))));
    assert!(resume(&paused.subscription, at("2026-02-14")).is_ok());
}

#[test]
fn renewals_are_reported_with_their_own_period_and_instant() {
    let done = advance(&begun(monthly("2026-01-01")), at("2026-03-15"), &FACTS);
    let instants: Vec<_> = done.change.timeline.iter().map(|e| e.occurred_at).collect();
    assert_eq!(instants, [day("2026-02-01").start(), day("2026-03-01").start()]);
    assert_eq!(done.change.timeline[0].amount_minor, Some(3_100));
    let periods: Vec<_> =
        done.change.events.iter().map(|e| e.payload["currentPeriodStart"].clone()).collect();
    assert_eq!(periods, ["2026-02-01", "2026-03-01"]);
    assert!(done.change.events.iter().all(|e| e.occurred_at == at("2026-03-15").wall));
}
