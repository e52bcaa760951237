//! What becomes of a payment whose buyer does nothing.

use super::fixtures::{answer, asks, at, code, completed, events, local, of_invoice, of_order};
use super::fixtures::{outside, started};
use super::*;

/// Rings the timer when it is due and lets the provider confirm that the payment is off.
fn forgotten(waiting: &Payment) -> (i64, Change) {
    let (when, timer) = waiting.next_timer().expect("it waits");
    assert_eq!(timer, PaymentTimer::Expire);
    let early = waiting.run_timer(when.plus_seconds(-1));
    assert_eq!(early, Err(PaymentRefusal::NotDue));
    let asking = waiting.run_timer(when).expect("due").payment;
    assert_eq!(asking.asking().map(|call| call.kind), Some(CallKind::Cancel));
    assert_eq!(asking.status, PaymentStatus::ProviderPending);
    let over = answer(&asking, ProviderOutcome::Cancelled, when);
    let seconds = when.unix_seconds() - at(0).unix_seconds();
    (seconds, over)
}

#[test]
fn each_method_ends_in_its_own_way_after_its_own_time() {
    let voucher = || Ask::Voucher { entity: "21800".to_owned(), reference: "123456789".to_owned() };
    let ends = [
        (Method::Card, Ask::Challenge, 900, PaymentStatus::Cancelled, None),
        (Method::Bancontact, Ask::Redirect, 900, PaymentStatus::Cancelled, None),
        (Method::Wero, Ask::Redirect, 900, PaymentStatus::Cancelled, None),
        (Method::Swish, Ask::Redirect, 900, PaymentStatus::Cancelled, None),
        (Method::MbWay, Ask::Push, 240, PaymentStatus::Failed, Some(2001)),
        (Method::Multibanco, voucher(), 259_200, PaymentStatus::Failed, Some(5001)),
    ];
    for (method, ask, seconds, status, failure) in ends {
        let (after, over) = forgotten(&started(local(method), asks(ask)));
        assert_eq!((after, over.payment.status), (seconds, status), "{method}");
        assert_eq!(code(&over.payment), failure, "{method}");
        assert_eq!(events(&over), [("PaymentCompleted", status.name())], "{method}");
        assert_eq!(over.payment.next_timer(), None, "{method}");
    }
}

#[test]
fn an_app_that_was_not_answered_failed_at_the_authorization() {
    let (_, over) = forgotten(&started(local(Method::MbWay), asks(Ask::Push)));
    assert_eq!(over.events[0].payload["failureStage"], "authorization");
    let late = over.payment.buyer_answered(BuyerAnswer::Approve, at(300));
    let refused = PaymentRefusal::Move { from: PaymentStatus::Failed, trigger: Trigger::Approve };
    assert_eq!(late, Err(refused));
}

#[test]
fn a_deposit_that_is_forced_to_fail_does_so_when_its_time_is_over() {
    let new = NewPayment { forced: Some(FailureCode::DepositUnconfirmed), ..of_order() };
    let over = fixtures::start(new).payment.run_timer(at(900)).expect("due");
    assert_eq!((over.payment.status, code(&over.payment)), (PaymentStatus::Failed, Some(5001)));
    assert_eq!(over.events[0].payload["failureStage"], "deposit");
    let new =
        NewPayment { forced: Some(FailureCode::DepositUnconfirmed), ..local(Method::Multibanco) };
    let waiting = started(new, asks(Ask::Redirect));
    let paid = waiting.buyer_answered(BuyerAnswer::Approve, at(9)).expect("taken").payment;
    assert_eq!(paid, waiting, "whatever its buyer does");
    let (_, over) = forgotten(&paid);
    assert_eq!(code(&over.payment), Some(5001));
}

#[test]
fn given_up_before_its_time_is_cancelled_whatever_the_method() {
    for method in [Method::MbWay, Method::Multibanco, Method::Card] {
        let waiting = started(local(method), asks(Ask::Redirect));
        let asking = waiting.cancel(at(9)).expect("allowed").payment;
        let over = answer(&asking, ProviderOutcome::Cancelled, at(9)).payment;
        assert_eq!((over.status, over.failure), (PaymentStatus::Cancelled, None), "{method}");
    }
}

#[test]
fn what_the_provider_never_knew_ends_without_asking_it() {
    let session = Payment::start(fixtures::of_session(), None, &fixtures::windows(), at(0)).payment;
    let over = session.run_timer(at(SESSION_SECONDS)).expect("due");
    assert_eq!((over.payment.status, over.payment.failure), (PaymentStatus::Cancelled, None));
    assert_eq!(over.payment.asking(), None);
}

#[test]
fn a_cancel_that_the_provider_does_not_know_of_is_done() {
    let asking = started(of_order(), asks(Ask::Challenge)).cancel(at(9)).expect("allowed").payment;
    let over = answer(&asking, ProviderOutcome::Absent, at(9)).payment;
    assert_eq!(over.status, PaymentStatus::Cancelled);
}

/// The seconds at which the processor is asked whether the buyer has acted, who never does.
fn looks(new: NewPayment) -> Vec<i64> {
    let mut payment = started(outside(new), asks(Ask::Redirect));
    let mut seconds = Vec::new();
    while let Some((when, PaymentTimer::Look)) = payment.next_timer() {
        seconds.push(when.unix_seconds() - at(0).unix_seconds());
        payment = payment.run_timer(when).expect("due").payment;
        assert!(payment.requires_action() && payment.asking().is_none(), "nothing has changed");
    }
    assert_eq!(payment.next_timer().map(|(_, timer)| timer), Some(PaymentTimer::Expire));
    seconds
}

#[test]
fn a_processor_outside_is_asked_after_the_buyer_with_growing_pauses() {
    assert_eq!(looks(local(Method::MbWay)), [6, 13, 23, 38, 60, 93, 142, 202]);
    for new in [local(Method::Bancontact), of_invoice()] {
        assert_eq!(looks(new), [61, 151, 286, 488, 791]);
    }
    let voucher = looks(local(Method::Multibanco));
    assert!((70..90).contains(&voucher.len()), "{voucher:?}");
    assert!(voucher.windows(2).all(|two| two[1] - two[0] <= 3_600), "{voucher:?}");
}

#[test]
fn nobody_is_looked_after_who_is_to_come_back_or_whose_payment_is_to_be_finalized() {
    let card = started(outside(of_order()), asks(Ask::Challenge));
    let simulated = started(local(Method::MbWay), asks(Ask::Push));
    for payment in [card, simulated] {
        assert_eq!(payment.next_timer().map(|(_, timer)| timer), Some(PaymentTimer::Expire));
    }
}

#[test]
fn a_buyer_who_was_seen_to_act_has_paid_as_if_they_had_come_back() {
    let waiting = started(outside(local(Method::MbWay)), asks(Ask::Push));
    assert_eq!(waiting.seen_acting("another try", at(6)), Err(PaymentRefusal::NotDue));
    let asking = waiting.seen_acting("t", at(6)).expect("taken").payment;
    assert_eq!(asking.asking().map(|call| call.kind), Some(CallKind::Confirm));
    assert_eq!(asking.seen_acting("t", at(6)), Err(PaymentRefusal::ChallengeOver));
    let paid = answer(&asking, completed(), at(7)).payment;
    assert_eq!((paid.status, paid.next_timer()), (PaymentStatus::ProviderCompleted, None));
    let not_yet = answer(&asking, asks(Ask::Push), at(7)).payment;
    assert_eq!(not_yet.next_timer(), Some((at(12), PaymentTimer::Look)));
}
