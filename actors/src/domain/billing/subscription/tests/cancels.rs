//! Cancels, what they give back and how they are taken back.

use super::*;
use crate::domain::billing::subscription::term::Ends;

fn with_credits() -> Facts {
    Facts { credits_on: true, ..FACTS }
}

fn prorated(mode: CancelMode, at: Option<&str>) -> Cancel {
    Cancel { mode, at: at.map(day), reason: None, prorate: true }
}

#[test]
fn a_begun_term_stays_due_in_full() {
    let sub = begun(monthly("2026-01-01"));
    let at_once = Cancel { mode: CancelMode::Immediately, ..Cancel::default() };
    let sub = cancel(&sub, &at_once, &FACTS, at("2026-01-11")).expect("a change").subscription;
    assert_eq!(sub.due_terms(day("2026-01-11")).next().expect("due").amount(), Ok(3_100));
    assert_eq!(sub.canceled_at, Some(at("2026-01-11").engine));
    assert_eq!(sub.cancel_at(), None);
}

#[test]
fn a_prorated_cancel_cuts_a_term_that_is_not_billed() {
    let sub = begun(monthly("2026-01-01"));
    let now = prorated(CancelMode::Immediately, None);
    let change = cancel(&sub, &now, &FACTS, at("2026-01-11")).expect("a change");
    let term = change.subscription.terms.last().expect("a term");
    assert_eq!(term.amount(), Ok(1_000));
    assert_eq!(term.line(None).expect("a line").cut, Some((10, 31, CutReason::Cancel)));
    assert_eq!((change.prorations.len(), change.proration_lot), (0, None));

    let first_day = cancel(&sub, &now, &FACTS, at("2026-01-01")).expect("a change");
    assert_eq!(first_day.subscription.terms, []);
}

#[test]
fn a_prorated_cancel_of_a_billed_term_makes_a_lot() {
    let sub = billed(begun(monthly("2026-01-01")));
    let now = prorated(CancelMode::Immediately, None);
    let refused = cancel(&sub, &now, &FACTS, at("2026-01-11"));
    assert_eq!(refused, Err(SubscriptionRefusal::CreditsOff));
    let change = cancel(&sub, &now, &with_credits(), at("2026-01-11")).expect("a change");
    let lot = change.proration_lot.expect("a lot");
    assert_eq!((lot.net_minor, lot.tax_rate), (2_100, Some(rate())));
    assert_eq!(lot.gross_minor(rate()), 2_541);
    assert_eq!((lot.days_left, lot.days_in_term), (21, 31));
    assert_eq!(change.prorations, []);
}

proptest::proptest! {
    #[test]
    fn all_of_a_term_that_is_given_back_comes_to_what_it_was_billed_with_its_tax(
        price in 1_i64..10_000_000,
        hundredths in 0_u32..=10_000,
    ) {
        let rate = TaxRate::parse(&format!("{}.{:02}", hundredths / 100, hundredths % 100));
        let rate = rate.expect("a rate");
        let new = NewSubscription { price_minor: price, ..monthly("2026-01-01") };
        let mut sub = begun(new);
        sub.mark_billed(day("2026-01-01"), InvoiceId(1), price, TaxTreatment::of_rate(rate)).expect("a term");
        let now = prorated(CancelMode::Immediately, None);
        let change = cancel(&sub, &now, &with_credits(), at("2026-01-01")).expect("a change");
        let lot = change.proration_lot.expect("a lot");
        let tax = crate::domain::billing::tax::tax_by_line(&[(price, rate)]).expect("a tax");
        proptest::prop_assert_eq!((lot.net_minor, lot.tax_rate), (price, Some(rate)));
        proptest::prop_assert_eq!(lot.gross_minor(rate), price + tax[0]);
    }
}

#[test]
fn an_earlier_upgrade_is_given_back_with_the_cut() {
    let sub = begun(monthly("2026-01-01"));
    let up = PlanChange { price_minor: Some(6_200), ..PlanChange::default() };
    let sub = change_plan(&sub, &up, at("2026-01-11")).expect("a change").subscription;
    let now = prorated(CancelMode::Immediately, None);
    let change = cancel(&sub, &now, &FACTS, at("2026-01-21")).expect("a change");
    // Ten days at 1.00, ten at 2.00: the upgrade's 21.00 for 21 days less 11.00 for 11 of them.
    assert_eq!(change.subscription.terms.last().expect("a term").amount(), Ok(2_000));
    let back = &change.prorations[0];
    assert_eq!((back.kind, back.amount_minor), (ProrationKind::Credit, 1_100));
    assert_eq!((back.credit_minor, back.charge_minor), (2_200, 1_100));
}

#[test]
fn period_end_means_the_running_term_or_at_once() {
    let active = begun(monthly("2026-01-01"));
    let later = cancel(&active, &Cancel::default(), &FACTS, at("2026-01-11")).expect("a change");
    assert_eq!(later.subscription.cancel_at(), Some(day("2026-02-01")));
    assert_eq!(names(&later.events), [""; 0]);
    let done = advance(&later.subscription, at("2026-02-01"), &FACTS);
    assert_eq!(done.counts, Counts { canceled: 1, ..Counts::default() });
    assert_eq!(done.change.subscription.terms.len(), 1);

    let paused = pause(&active, Pause::default(), at("2026-01-10")).expect("a change").subscription;
    let between = cancel(&paused, &Cancel::default(), &FACTS, at("2026-02-01"));
    assert_eq!(between.expect("a change").subscription.status, SubscriptionStatus::Canceled);
}

#[test]
fn a_taken_back_cancel_leaves_no_trace() {
    let up = PlanChange { price_minor: Some(6_200), ..PlanChange::default() };
    let plain = begun(monthly("2026-01-01"));
    let changed = change_plan(&plain, &up, at("2026-01-05")).expect("a change").subscription;
    for sub in [plain, changed] {
        let ahead = prorated(CancelMode::AtDate, Some("2026-01-21"));
        let scheduled = cancel(&sub, &ahead, &FACTS, at("2026-01-11")).expect("a change");
        assert_eq!(scheduled.subscription.current_period_end, Some(day("2026-01-21")));
        let back = resume(&scheduled.subscription, at("2026-01-12")).expect("a change");
        assert_eq!(back.subscription.terms.last().expect("a term").charge, Charge::Whole);
        assert_eq!(back.subscription.current_period_end, sub.current_period_end);
        assert_eq!(back.subscription.cancel_at(), None);
        let net = |change: &Change| -> i64 {
            change.prorations.iter().map(|p| p.charge_minor - p.credit_minor).sum()
        };
        assert_eq!(net(&scheduled) + net(&back), 0);
        assert_eq!(scheduled.prorations.len(), back.prorations.len());
    }
}

#[test]
fn a_lot_that_was_given_is_charged_again_when_the_cancel_is_taken_back() {
    let sub = billed(begun(monthly("2026-01-01")));
    let ahead = prorated(CancelMode::AtDate, Some("2026-01-21"));
    let scheduled = cancel(&sub, &ahead, &with_credits(), at("2026-01-11")).expect("a change");
    assert_eq!(scheduled.proration_lot.expect("a lot").net_minor, 1_100);
    let back = resume(&scheduled.subscription, at("2026-01-12")).expect("a change");
    let anew = &back.prorations[0];
    assert_eq!((anew.kind, anew.amount_minor), (ProrationKind::Charge, 1_100));
    assert_eq!(anew.days, Span { start: day("2026-01-21"), end: day("2026-02-01") });
}

#[test]
fn days_given_back_before_a_void_are_neither_charged_nor_given_twice() {
    let begun = begun(monthly("2026-01-01"));
    let claimed = begun.terms[0].clone();
    let ahead = prorated(CancelMode::AtDate, Some("2026-01-21"));
    let scheduled = cancel(&billed(begun), &ahead, &with_credits(), at("2026-01-11"));
    let scheduled = scheduled.expect("a change");
    assert_eq!(scheduled.proration_lot.expect("a lot").net_minor, 1_100);
    let mut voided = scheduled.subscription;
    voided.release_term(InvoiceId(1), &claimed);
    assert_eq!(voided.terms[0].amount(), Ok(3_100));

    let up = PlanChange { price_minor: Some(6_200), ..PlanChange::default() };
    let raised = change_plan(&voided, &up, at("2026-01-11")).expect("a change");
    assert_eq!((raised.prorations[0].days_left, raised.prorations[0].amount_minor), (10, 1_000));

    let back = resume(&voided, at("2026-01-12")).expect("a change");
    let anew = &back.prorations[0];
    assert_eq!((anew.kind, anew.amount_minor), (ProrationKind::Charge, 1_100));
    assert_eq!(back.subscription.current_period_end, Some(day("2026-02-01")));

    let now = prorated(CancelMode::Immediately, None);
    let ended = cancel(&voided, &now, &FACTS, at("2026-01-11")).expect("a change");
    let served = ended.subscription.terms[0].amount().expect("an amount");
    let anew: i64 = ended.prorations.iter().map(|one| one.charge_minor - one.credit_minor).sum();
    // Ten days are served, and the lot stays.
    assert_eq!((served, anew, ended.proration_lot), (1_000, 1_100, None));
}

#[test]
fn a_term_that_begins_before_a_prorated_cancel_is_cut_from_the_start() {
    let sub = begun(monthly("2026-01-01"));
    let ahead = prorated(CancelMode::AtDate, Some("2026-02-15"));
    let sub = cancel(&sub, &ahead, &FACTS, at("2026-01-11")).expect("a change").subscription;
    let sub = passed(&sub, "2026-02-01");
    assert_eq!(sub.terms.last().expect("a term").amount(), Ok(1_550));
    let taken_back = resume(&sub, at("2026-02-02")).expect("a change").subscription;
    assert_eq!(taken_back.terms.last().expect("a term").amount(), Ok(3_100));
    let ended = passed(&sub, "2026-03-01");
    assert_eq!(ended.status, SubscriptionStatus::Canceled);
    assert_eq!(ended.canceled_at, Some(day("2026-02-15").start()));
    assert_eq!(ended.terms.len(), 2);
}

#[test]
fn an_ended_trial_moves_its_period_end_cancel() {
    let trial = begun(NewSubscription { trial_days: Some(10), ..monthly("2026-01-01") });
    let sub = cancel(&trial, &prorated(CancelMode::PeriodEnd, None), &FACTS, at("2026-01-02"));
    let sub = end_trial(&sub.expect("a change").subscription, &FACTS, at("2026-01-05"));
    let sub = sub.expect("a change").subscription;
    assert_eq!(sub.cancel_at(), Some(day("2026-02-05")));
    assert_eq!(sub.terms.last().expect("a term").charge, Charge::Whole);
}

#[test]
fn a_cancel_before_the_start_never_begins_a_term() {
    let sub = try_create(monthly("2026-02-01"), at("2026-01-01")).expect("one").subscription;
    let ahead =
        Cancel { mode: CancelMode::AtDate, at: Some(day("2026-02-01")), ..Cancel::default() };
    let sub = cancel(&sub, &ahead, &FACTS, at("2026-01-02")).expect("a change").subscription;
    let done = advance(&sub, at("2026-06-01"), &FACTS);
    assert_eq!(done.change.subscription.terms, []);
    assert_eq!(done.counts, Counts { canceled: 1, ..Counts::default() });
}

#[test]
fn no_term_begins_behind_a_cancel_that_the_lifecycle_has_not_come_to() {
    let ahead = prorated(CancelMode::AtDate, Some("2026-04-10"));
    let sub = billed(begun(monthly("2026-04-01")));
    let sub = cancel(&sub, &ahead, &with_credits(), at("2026-04-05")).expect("a change");
    let sub = pause(&sub.subscription, Pause::default(), at("2026-04-06")).expect("a change");
    let trial = begun(NewSubscription { trial_days: Some(14), ..monthly("2026-04-01") });
    let trial = cancel(&trial, &ahead, &FACTS, at("2026-04-05")).expect("a change").subscription;
    let passed = SubscriptionRefusal::CancelPassed(day("2026-04-10"));
    for on in ["2026-04-10", "2026-04-20"] {
        assert_eq!(resume(&sub.subscription, at(on)), Err(passed), "on {on}");
        assert_eq!(end_trial(&trial, &FACTS, at(on)), Err(passed), "on {on}");
    }
    assert!(resume(&sub.subscription, at("2026-04-09")).is_ok());
    assert!(end_trial(&trial, &FACTS, at("2026-04-09")).is_ok());

    // Nor does a cut from before a term is charged leave less than nothing of it.
    let april = Span { start: day("2026-04-01"), end: day("2026-05-01") };
    let ends = Ends { served: None, settled: Some(day("2026-04-10")) };
    for (from, amount) in [("2026-04-01", 930), ("2026-04-10", 2_170), ("2026-04-20", 1_137)] {
        let term = Term::begin(april, day(from), ends, trial.price());
        assert_eq!(term.amount(), Ok(amount), "from {from}");
    }
}

#[test]
fn a_repeated_cancel_keeps_its_reason_unless_it_states_another() {
    let sub = begun(monthly("2026-01-01"));
    let why =
        |reason: Option<&str>| Cancel { reason: reason.map(str::to_owned), ..Cancel::default() };
    let now = at("2026-01-11");
    let canceled = cancel(&sub, &why(Some("too dear")), &FACTS, now).expect("a change");
    let repeated = cancel(&canceled.subscription, &why(None), &FACTS, now).expect("nothing");
    assert!(repeated.is_empty());
    assert_eq!(repeated.subscription.cancel_reason.as_deref(), Some("too dear"));
    let other = cancel(&canceled.subscription, &why(Some("moved")), &FACTS, now);
    let other = other.expect("a change").subscription;
    assert_eq!(other.cancel_reason.as_deref(), Some("moved"));
    // One that takes its place says why by itself.
    let later = Cancel { mode: CancelMode::AtDate, at: Some(day("2026-01-20")), ..why(None) };
    let later = cancel(&other, &later, &FACTS, now).expect("a change").subscription;
    assert_eq!(later.cancel_reason, None);
}
