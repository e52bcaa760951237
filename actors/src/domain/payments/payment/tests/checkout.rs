//! Attempts at a hosted session.

use super::fixtures::{
    GOOD, answer, asks, at, card, challenged, code, completed, failed, good_card,
};
use super::fixtures::{events, of_order, of_session, paid, refund, unknown, windows};
use super::*;
use crate::domain::payments::source::Source;

fn session() -> Payment {
    Payment::start(of_session(), None, &windows(), at(0)).payment
}

fn with_card() -> NewAttempt {
    NewAttempt {
        method: Method::Card,
        source: good_card(),
        phone: None,
        country: None,
        route: Some((TerminalId(2), Connector::Simulator)),
        consent: None,
    }
}

fn with_local(method: Method) -> NewAttempt {
    NewAttempt { method, source: Source::Local, ..with_card() }
}

fn tried(payment: &Payment, attempt: &NewAttempt, second: i64) -> Payment {
    payment.attempt(attempt, &windows(), at(second)).expect("allowed").payment
}

fn attempts(payment: &Payment) -> Vec<(Method, Option<u16>)> {
    let checkout = payment.checkout.as_ref().expect("a session");
    let outcome = |one: &Attempt| (one.method, one.failure.map(FailureCode::code));
    checkout.attempts.iter().map(outcome).collect()
}

#[test]
fn an_attempt_pays_the_session() {
    let trying = tried(&session(), &with_card(), 10);
    let call = trying.asking().expect("a call");
    assert_eq!((call.key.as_str(), call.kind), ("k-create-1", CallKind::Create));
    assert_eq!((trying.terminal, trying.expires_at), (Some(TerminalId(2)), Some(at(910))));
    let paid = answer(&trying, completed(), at(11));
    assert_eq!(events(&paid), [("PaymentCompleted", "provider_completed")]);
    let over = paid.payment.attempt(&with_card(), &windows(), at(12)).expect_err("paid");
    assert!(matches!(over, PaymentRefusal::Move { .. }));
    assert!(paid.payment.refund(refund(1, None), at(13)).is_ok());
}

#[test]
fn a_decline_is_an_attempt_and_leaves_the_session_open() {
    let change =
        answer(&tried(&session(), &with_card(), 10), failed(FailureCode::Declined), at(11));
    let payment = &change.payment;
    assert!(change.events.is_empty(), "the payment has not ended");
    assert_eq!((payment.status, payment.failure), (PaymentStatus::ProviderPending, None));
    assert_eq!(attempts(payment), [(Method::Card, Some(2001))]);
    assert_eq!(payment.next_timer(), Some((at(SESSION_SECONDS), PaymentTimer::Expire)));
    assert_eq!(payment.processor_token, None);
    let second = tried(payment, &with_card(), 20);
    assert_eq!(second.asking().map(|call| call.key.as_str()), Some("k-create-2"));
}

#[test]
fn what_is_refused_before_a_provider_is_asked_is_an_attempt_that_asks_nobody() {
    let expired = NewAttempt { source: card(GOOD, 10, 2026), ..with_card() };
    let unserved = NewAttempt { route: None, ..with_local(Method::Wero) };
    for (attempt, failure) in [(expired, 1007), (unserved, 1003)] {
        let change = session().attempt(&attempt, &windows(), at(10)).expect("allowed");
        assert_eq!(attempts(&change.payment), [(attempt.method, Some(failure))]);
        assert_eq!(change.payment.asking(), None);
        assert!(!change.payment.awaits_provider());
        let next = change.payment.attempt(&with_card(), &windows(), at(11));
        assert_eq!(next.err(), None, "another may be made at once");
    }
}

#[test]
fn one_attempt_at_a_time() {
    let trying = tried(&session(), &with_card(), 10);
    let under_way = Err(PaymentRefusal::AttemptUnderWay);
    assert_eq!(trying.attempt(&with_card(), &windows(), at(11)), under_way);
    let lost = answer(&trying, unknown(), at(11)).payment;
    assert_eq!(lost.attempt(&with_card(), &windows(), at(12)), under_way);
    let waiting = answer(&trying, challenged(), at(11)).payment;
    assert_eq!(waiting.attempt(&with_card(), &windows(), at(12)), under_way);
    let elsewhere = paid(of_order()).attempt(&with_card(), &windows(), at(12));
    assert_eq!(elsewhere, Err(PaymentRefusal::NoSession));
}

#[test]
fn a_buyer_gives_up_the_attempt_and_not_the_session() {
    let waiting = answer(&tried(&session(), &with_card(), 10), challenged(), at(11)).payment;
    let asking = waiting.buyer_answered(BuyerAnswer::Cancel, at(12)).expect("taken").payment;
    assert_eq!(asking.asking().map(|call| call.key.as_str()), Some("k-cancel-1"));
    let change = answer(&asking, ProviderOutcome::Cancelled, at(13));
    assert!(change.events.is_empty());
    assert_eq!(attempts(&change.payment), [(Method::Card, None)]);
    assert!(!change.payment.requires_action());
    let second = answer(&tried(&change.payment, &with_card(), 14), completed(), at(15)).payment;
    assert_eq!(second.status, PaymentStatus::ProviderCompleted);
}

#[test]
fn a_seller_calls_off_the_session_and_not_the_attempt_alone() {
    let fresh = session();
    let declined =
        answer(&tried(&fresh, &with_card(), 1), failed(FailureCode::Declined), at(2)).payment;
    for session in [fresh, declined] {
        let waiting = answer(&tried(&session, &with_card(), 10), challenged(), at(11)).payment;
        let asking = waiting.call_off(None, at(12)).expect("allowed").payment;
        assert_eq!(asking.asking().map(|call| call.kind), Some(CallKind::Cancel));
        let lost = answer(&asking, unknown(), at(13)).payment;
        let change = answer(&lost, ProviderOutcome::Cancelled, at(14));
        assert_eq!(events(&change), [("PaymentCompleted", "cancelled")]);
        assert_eq!(code(&change.payment), None);
        let given_up = attempts(&change.payment).last().copied();
        assert_eq!(given_up, Some((Method::Card, None)));
        assert!(!change.payment.requires_action());
        let refused =
            PaymentRefusal::Move { from: PaymentStatus::Cancelled, trigger: Trigger::Attempt };
        assert_eq!(change.payment.attempt(&with_card(), &windows(), at(15)), Err(refused));
    }
}

#[test]
fn the_tenth_attempt_that_fails_is_the_payments_own_failure() {
    let mut payment = session();
    for nth in 1..=10 {
        assert_eq!(payment.status, PaymentStatus::ProviderPending);
        let trying = tried(&payment, &with_card(), nth);
        payment = answer(&trying, failed(FailureCode::AddressMismatch), at(nth)).payment;
        assert_eq!(attempts(&payment).len(), usize::try_from(nth).expect("small"));
    }
    assert_eq!((payment.status, code(&payment)), (PaymentStatus::Failed, Some(2005)));
    assert_eq!(payment.next_timer(), None);
    let refused = PaymentRefusal::Move { from: PaymentStatus::Failed, trigger: Trigger::Attempt };
    assert_eq!(payment.attempt(&with_card(), &windows(), at(11)), Err(refused));
}

#[test]
fn ten_attempts_are_all_whether_they_failed_or_were_given_up() {
    for (first, status, failure) in [
        (failed(FailureCode::Declined), PaymentStatus::Failed, Some(2001)),
        (ProviderOutcome::Cancelled, PaymentStatus::Cancelled, None),
    ] {
        let mut payment = answer(&tried(&session(), &with_card(), 1), first, at(1)).payment;
        for nth in 2..=10 {
            assert_eq!(payment.status, PaymentStatus::ProviderPending);
            let trying = tried(&payment, &with_card(), nth);
            payment = answer(&trying, ProviderOutcome::Cancelled, at(nth)).payment;
        }
        assert_eq!((payment.status, code(&payment)), (status, failure));
        assert_eq!(attempts(&payment).len(), ATTEMPTS);
    }
}

#[test]
fn at_its_end_a_session_fails_by_its_last_failure_or_is_cancelled() {
    let unused = session().run_timer(at(SESSION_SECONDS)).expect("due").payment;
    assert_eq!((unused.status, code(&unused)), (PaymentStatus::Cancelled, None));
    let declined =
        answer(&tried(&session(), &with_card(), 9), failed(FailureCode::Declined), at(9)).payment;
    let over = declined.run_timer(at(SESSION_SECONDS)).expect("due");
    assert_eq!((over.payment.status, code(&over.payment)), (PaymentStatus::Failed, Some(2001)));
    assert_eq!(events(&over), [("PaymentCompleted", "failed")]);
    let given_up = declined.cancel(at(20)).expect("allowed").payment;
    assert_eq!((given_up.status, code(&given_up)), (PaymentStatus::Cancelled, None));
}

#[test]
fn a_voucher_outlives_the_session() {
    let late = SESSION_SECONDS - 60;
    let voucher = Ask::Voucher { entity: "21800".to_owned(), reference: "123456789".to_owned() };
    let trying = tried(&session(), &with_local(Method::Multibanco), late);
    let waiting = answer(&trying, asks(voucher), at(late)).payment;
    let end = late + windows().voucher;
    assert_eq!(waiting.next_timer(), Some((at(end), PaymentTimer::Expire)));
    assert_eq!(waiting.run_timer(at(SESSION_SECONDS)), Err(PaymentRefusal::NotDue));
    let acted = waiting.buyer_answered(BuyerAnswer::Approve, at(SESSION_SECONDS + 9));
    let paid = answer(&acted.expect("taken").payment, completed(), at(SESSION_SECONDS + 9));
    assert_eq!(paid.payment.status, PaymentStatus::ProviderCompleted);
    let asking = waiting.run_timer(at(end)).expect("due").payment;
    let over = answer(&asking, ProviderOutcome::Cancelled, at(end)).payment;
    assert_eq!((over.status, code(&over)), (PaymentStatus::Failed, Some(5001)));
}

#[test]
fn an_app_that_is_not_answered_ends_the_attempt_alone() {
    let push = NewAttempt { phone: Some("+351911111111".to_owned()), ..with_local(Method::MbWay) };
    let waiting = answer(&tried(&session(), &push, 10), asks(Ask::Push), at(11)).payment;
    let phone = "+351911111111".to_owned();
    assert_eq!(waiting.instructions, Some(Instructions::App { phone }));
    let asking = waiting.run_timer(at(10 + 240)).expect("due").payment;
    let over = answer(&asking, ProviderOutcome::Cancelled, at(250)).payment;
    assert_eq!(over.status, PaymentStatus::ProviderPending);
    assert_eq!(attempts(&over), [(Method::MbWay, Some(2001))]);
    assert_eq!((over.instructions.clone(), over.expires_at), (None, Some(at(SESSION_SECONDS))));
}

#[test]
fn an_approval_of_an_earlier_attempt_finalizes_nothing() {
    let waiting = answer(&tried(&session(), &with_card(), 10), challenged(), at(11)).payment;
    let confirming = waiting.buyer_answered(BuyerAnswer::Approve, at(12)).expect("taken").payment;
    let declined = answer(&confirming, failed(FailureCode::Declined), at(13)).payment;
    assert_eq!(attempts(&declined), [(Method::Card, Some(2001))]);
    assert_eq!(declined.finalize(None, None, at(14)), Err(PaymentRefusal::NotApproved));
}

#[test]
fn an_attempt_under_way_at_the_sessions_end_is_its_last() {
    let late = SESSION_SECONDS - 60;
    let waiting = answer(&tried(&session(), &with_card(), late), challenged(), at(late)).payment;
    let confirming =
        waiting.buyer_answered(BuyerAnswer::Approve, at(SESSION_SECONDS + 5)).expect("taken");
    let over =
        answer(&confirming.payment, failed(FailureCode::Declined), at(SESSION_SECONDS + 6)).payment;
    assert_eq!((over.status, code(&over)), (PaymentStatus::Failed, Some(2001)));
}
