//! Answers that did not come.

use super::fixtures::{CREATE, WHOLE, answer, asks, at, authorized, capture, challenged, code};
use super::fixtures::{completed, failed, held, of_order, paid, refund, refunded, start, started};
use super::fixtures::{unknown, windows};
use super::*;

#[test]
fn an_unknown_outcome_is_asked_about_for_a_day() {
    let lost = answer(&start(of_order()).payment, unknown(), at(1));
    assert!(lost.events.is_empty(), "nothing is reported before something is known");
    let mut payment = lost.payment;
    assert_eq!(
        payment.call.as_ref().and_then(|call| call.doubt),
        Some(FailureCode::ProviderTimeout)
    );
    let mut asked = 1;
    while let Some((when, timer)) = payment.next_timer() {
        assert_eq!(timer, PaymentTimer::AskAgain);
        assert_eq!(payment.failure, None);
        payment = payment.run_timer(when).expect("due").payment;
        asked += 1;
        assert_eq!(payment.asking().expect("a call").key, CREATE);
        payment = answer(&payment, unknown(), when).payment;
    }
    let call = payment.call.clone().expect("a call");
    assert_eq!(call.state, CallState::Manual);
    assert!((100..200).contains(&asked), "asked {asked} times");
    assert!(payment.updated_at >= at(24 * 3600));
    assert_eq!(payment.status, PaymentStatus::ProviderPending);
    assert_eq!(payment.ask_again(at(99_000)), Err(PaymentRefusal::NotDue));
    assert_eq!(payment.cancel(at(99_000)), Err(PaymentRefusal::InFlight));
    let late = payment.resolved(completed(), &windows(), at(90_000)).expect("a person's answer");
    assert_eq!(late.payment.status, PaymentStatus::ProviderCompleted);
}

#[test]
fn a_call_that_was_under_way_when_the_process_ended_is_made_again() {
    let again = start(of_order()).payment.run_timer(at(60)).expect("due").payment;
    let call = again.asking().expect("a call");
    assert_eq!((call.asked, call.first_asked_at, call.asked_at), (2, at(0), at(60)));
}

#[test]
fn a_call_was_asked_long_ago_once_the_provider_may_have_forgotten_its_key() {
    let call = start(of_order()).payment.call.expect("a call");
    assert_eq!(call.asked_long_ago(at(23 * 3600 - 1)), None);
    assert_eq!(call.asked_long_ago(at(23 * 3600)), Some(at(0)));
}

#[test]
fn what_never_reached_the_provider_was_interrupted() {
    let absent = answer(&start(of_order()).payment, ProviderOutcome::Absent, at(1)).payment;
    assert_eq!(code(&absent), Some(1006));
    assert!(absent.is_retryable());
}

/// A payment with an open call of each kind, and what the call's success makes of it.
fn open_calls() -> Vec<(Payment, ProviderOutcome, PaymentStatus)> {
    let opened = ProviderOutcome::Opened { token: "t".to_owned() };
    let approved = started(of_order(), challenged())
        .buyer_answered(BuyerAnswer::Approve, at(2))
        .expect("taken")
        .payment;
    let confirming = approved.finalize(None, None, at(3)).expect("allowed").expect("to do").payment;
    let capturing = held().capture(capture(None, false), at(3)).expect("allowed").payment;
    let cancelling = held().cancel(at(3)).expect("allowed").payment;
    let refunding = paid(of_order()).refund(refund(1, None), at(3)).expect("allowed").payment;
    vec![
        (start(of_order()).payment, completed(), PaymentStatus::ProviderCompleted),
        (started(of_order(), opened), completed(), PaymentStatus::ProviderCompleted),
        (confirming, completed(), PaymentStatus::ProviderCompleted),
        (capturing, ProviderOutcome::Captured, PaymentStatus::ProviderCompleted),
        (cancelling, ProviderOutcome::Cancelled, PaymentStatus::Cancelled),
        (refunding, refunded(), PaymentStatus::Refunded),
    ]
}

#[test]
fn every_kind_of_call_survives_a_lost_answer_and_ends_as_its_answer_says() {
    let mut kinds = Vec::new();
    for (payment, success, status) in open_calls() {
        let kind = payment.asking().expect("a call").kind;
        kinds.push(kind);
        let lost = answer(&payment, unknown(), at(4));
        assert_eq!(lost.payment.status, payment.status, "{kind:?}: nothing is known");
        assert!(lost.events.is_empty() && lost.shares.is_empty() && lost.message.is_none());
        assert!(lost.freed.is_none() && lost.refund_moved.is_none(), "{kind:?}");
        let again = lost.payment.ask_again(at(9)).expect("asked again").payment;
        let (first, second) = (payment.asking(), again.asking());
        assert_eq!(first.map(|call| &call.key), second.map(|call| &call.key), "{kind:?}");
        let known = answer(&again, success.clone(), at(10)).payment;
        assert_eq!((known.status, known.awaits_provider()), (status, false), "{kind:?}");
        let by_hand = lost.payment.resolved(success, &windows(), at(10)).expect("resolved");
        assert_eq!(by_hand.payment.status, status, "{kind:?}");
    }
    let every = [
        CallKind::Create,
        CallKind::Charge,
        CallKind::Confirm,
        CallKind::Capture,
        CallKind::Cancel,
        CallKind::Refund,
    ];
    assert_eq!(kinds, every);
}

#[test]
fn an_answer_that_does_not_fit_the_question_says_nothing() {
    for (payment, success, _) in open_calls() {
        let kind = payment.asking().expect("a call").kind;
        let strange = match success {
            ProviderOutcome::Refunded { .. } => ProviderOutcome::Captured,
            _ => refunded(),
        };
        let change = answer(&payment, strange, at(4));
        assert_eq!(change.payment.status, payment.status, "{kind:?}");
        let state = change.payment.call.as_ref().map(|call| call.state);
        assert_eq!(state, Some(CallState::Unknown), "{kind:?}");
        assert!(change.shares.is_empty(), "{kind:?}");
    }
}

#[test]
fn nothing_else_is_asked_while_an_answer_is_missing() {
    for (payment, ..) in open_calls() {
        let lost = answer(&payment, unknown(), at(4)).payment;
        let from = lost.status;
        let (capturing, refunding, cancelling) = match from {
            PaymentStatus::ProviderPending => (
                PaymentRefusal::ManualCapture,
                PaymentRefusal::NotRefundable { from },
                PaymentRefusal::InFlight,
            ),
            PaymentStatus::Authorized => (
                PaymentRefusal::InFlight,
                PaymentRefusal::NotRefundable { from },
                PaymentRefusal::InFlight,
            ),
            _ => (
                PaymentRefusal::ManualCapture,
                PaymentRefusal::RefundUnderWay,
                PaymentRefusal::Move { from, trigger: Trigger::Cancel },
            ),
        };
        assert_eq!(lost.capture(capture(None, false), at(5)), Err(capturing));
        assert_eq!(lost.refund(refund(2, None), at(5)), Err(refunding));
        assert_eq!(lost.cancel(at(5)), Err(cancelling));
        assert!(
            lost.finalize(None, None, at(5)).is_err()
                || lost.status != PaymentStatus::ProviderPending
        );
        let retrying = PaymentRefusal::Move { from, trigger: Trigger::Retry };
        assert_eq!(lost.retry(&windows(), at(5)), Err(retrying));
    }
}

#[test]
fn a_call_that_the_provider_works_on_is_never_left_to_a_person() {
    let working = ProviderOutcome::Pending { token: Some("pi".to_owned()) };
    let payment = answer(&start(of_order()).payment, working, at(1)).payment;
    assert_eq!(payment.processor_token.as_deref(), Some("pi"), "its name is known from now on");
    assert_eq!(payment.next_timer(), Some((at(6 - 1), PaymentTimer::AskAgain)));
    let again = payment.run_timer(at(9 * 24 * 3600)).expect("due").payment;
    assert_eq!(again.asking().map(|call| call.asked), Some(2));
}

fn working() -> ProviderOutcome {
    ProviderOutcome::Pending { token: None }
}

#[test]
fn a_day_without_an_answer_begins_when_the_provider_falls_silent() {
    let hour = |hours: i64| at(hours * 3600);
    let state = |payment: &Payment| payment.call.as_ref().map(|call| call.state);
    let known = answer(&start(of_order()).payment, working(), at(1)).payment;
    let looked = known.run_timer(hour(30)).expect("due").payment;
    let mut lost = answer(&looked, unknown(), hour(30)).payment;
    for hours in [31, 53] {
        assert_eq!(state(&lost), Some(CallState::Unknown));
        let again = lost.run_timer(hour(hours)).expect("due").payment;
        assert!(again.asking().is_some(), "{hours} hours: it may be known by now");
        lost = answer(&again, unknown(), hour(hours)).payment;
    }
    let again = lost.run_timer(hour(54)).expect("due").payment;
    let left = answer(&again, unknown(), hour(54)).payment;
    assert_eq!((state(&left), left.next_timer()), (Some(CallState::Manual), None));
    let heard = answer(&again, working(), hour(54)).payment;
    let looked = heard.run_timer(hour(60)).expect("due").payment;
    let lost = answer(&looked, unknown(), hour(60)).payment;
    assert_eq!(state(&lost), Some(CallState::Unknown), "the doubt begins anew");
}

#[test]
fn what_was_lost_with_a_process_is_asked_about_however_long_that_was_away() {
    let again = start(of_order()).payment.run_timer(at(3 * 24 * 3600)).expect("due").payment;
    assert!(again.asking().is_some());
    let paid = answer(&again, completed(), at(3 * 24 * 3600)).payment;
    assert_eq!(paid.status, PaymentStatus::ProviderCompleted);
}

#[test]
fn what_the_provider_works_on_is_in_no_doubt_while_nobody_asks() {
    let known = answer(&start(of_order()).payment, working(), at(1)).payment;
    let later = known.ask_later(at(9)).expect("later").payment;
    assert_eq!(later.call.as_ref().map(|call| call.state), Some(CallState::Working));
    assert_eq!(later.next_timer(), Some((at(19), PaymentTimer::AskAgain)));
}

#[test]
fn a_person_settles_what_nobody_knew() {
    let lost = answer(&start(of_order()).payment, unknown(), at(1)).payment;
    let over = lost.resolved(failed(FailureCode::Declined), &windows(), at(2)).expect("taken");
    assert_eq!(code(&over.payment), Some(2001));
    let twice = over.payment.resolved(completed(), &windows(), at(3));
    assert_eq!(twice, Err(PaymentRefusal::NotAsked));
    let unasked =
        started(of_order(), asks(Ask::Challenge)).resolved(completed(), &windows(), at(3));
    assert_eq!(unasked, Err(PaymentRefusal::NotAsked));
    let manual = held().capture(capture(Some(1), false), at(3)).expect("allowed").payment;
    let lost = answer(&manual, unknown(), at(4)).payment;
    let taken = lost.resolved(ProviderOutcome::Captured, &windows(), at(5)).expect("taken").payment;
    assert_eq!((taken.captured(), taken.capturable()), (1, WHOLE - 1));
    let held_late = answer(&start(fixtures::by_hand()).payment, authorized(), at(9)).payment;
    assert_eq!(held_late.hold_ends_at, Some(at(9 + 7 * 24 * 3600)), "from when it is held");
}
