//! The same request with the same key, after a failure that passes.

use super::fixtures::{CREATE, answer, at, authorized, code, completed, failed, local, of_invoice};
use super::fixtures::{of_order, paid, start, started, windows};
use super::*;

fn no_retry(from: PaymentStatus) -> PaymentRefusal {
    PaymentRefusal::Move { from, trigger: Trigger::Retry }
}

#[test]
fn only_what_is_safe_is_tried_again() {
    for failure in FailureCode::ALL {
        let over = started(of_order(), failed(*failure));
        assert_eq!(over.status, PaymentStatus::Failed);
        let safe = [1006, 2002, 2003].contains(&failure.code());
        assert_eq!(over.retry(&windows(), at(9)).is_ok(), safe, "{failure:?}");
    }
    let page = started(of_invoice(), failed(FailureCode::ProviderError));
    assert_eq!(
        page.retry(&windows(), at(9)),
        Err(no_retry(page.status)),
        "pages have no request to repeat"
    );
    let paid = paid(of_order());
    assert_eq!(paid.retry(&windows(), at(9)), Err(no_retry(paid.status)));
}

#[test]
fn the_record_moves_on_from_there_and_a_card_under_the_same_provider_key() {
    for (method, key) in [(Method::Card, CREATE), (Method::MbWay, "k-create-1")] {
        let over = started(local(method), failed(FailureCode::ProviderTimeout));
        assert_eq!((code(&over), over.next_timer()), (Some(2003), None));
        let again = over.retry(&windows(), at(60)).expect("allowed");
        assert!(again.events.is_empty());
        let payment = again.payment;
        let call = payment.asking().expect("a call");
        assert_eq!((call.key.as_str(), call.kind, call.asked), (key, CallKind::Create, 1));
        assert_eq!((payment.status, payment.failure), (PaymentStatus::ProviderPending, None));
        let window = if method == Method::Card { 900 } else { 240 };
        assert_eq!(payment.expires_at, Some(at(60 + window)));
        assert_eq!(
            payment.retry(&windows(), at(61)),
            Err(no_retry(payment.status)),
            "once at a time"
        );
        let done = answer(&payment, completed(), at(61));
        assert_eq!(done.payment.status, PaymentStatus::ProviderCompleted);
        assert_eq!(done.events.len(), 1);
    }
}

#[test]
fn a_forced_failure_happens_once() {
    let forced = Some(FailureCode::Interrupted);
    let over = start(NewPayment { forced, ..of_order() }).payment;
    assert_eq!(code(&over), Some(1006));
    let again = over.retry(&windows(), at(9)).expect("allowed").payment;
    assert_eq!((again.forced, again.asking().is_some()), (None, true));
}

#[test]
fn an_order_that_no_terminal_takes_is_not_interrupted_on_the_way_to_one() {
    let forced = Some(FailureCode::Interrupted);
    let over = start(NewPayment { forced, route: None, ..of_order() }).payment;
    assert_eq!((code(&over), over.is_retryable()), (Some(1003), false));
}

#[test]
fn what_is_begun_anew_is_not_looked_for_under_the_name_of_the_try_before() {
    for (method, name) in [(Method::MbWay, None), (Method::Card, Some("t"))] {
        let over = started(local(method), failed(FailureCode::ProviderError));
        assert_eq!(over.processor_token.as_deref(), Some("t"));
        let again = over.retry(&windows(), at(9)).expect("allowed").payment;
        assert_eq!(again.processor_token.as_deref(), name, "{method}");
    }
}

#[test]
fn what_fails_again_is_tried_again() {
    let mut payment = started(of_order(), failed(FailureCode::ProviderError));
    for second in 10..14 {
        let again = payment.retry(&windows(), at(second)).expect("allowed").payment;
        let over = answer(&again, failed(FailureCode::ProviderError), at(second));
        assert_eq!(over.events.len(), 1, "it entered failed once more");
        payment = over.payment;
    }
    let again = payment.retry(&windows(), at(20)).expect("allowed").payment;
    let declined = answer(&again, failed(FailureCode::Declined), at(21)).payment;
    assert_eq!(
        declined.retry(&windows(), at(22)),
        Err(no_retry(declined.status)),
        "now it is a decision"
    );
}

#[test]
fn a_payment_that_never_reached_the_provider_is_begun_again() {
    let over = answer(&start(of_order()).payment, ProviderOutcome::Absent, at(1)).payment;
    let again = over.retry(&windows(), at(2)).expect("allowed").payment;
    assert_eq!(again.asking().map(|call| call.kind), Some(CallKind::Create));
}

#[test]
fn what_was_opened_before_is_opened_again_and_charged() {
    let opened = || ProviderOutcome::Opened { token: "pi".to_owned() };
    let charging = started(of_order(), opened());
    let over = answer(&charging, ProviderOutcome::Absent, at(2)).payment;
    assert_eq!(code(&over), Some(1006));
    let again = over.retry(&windows(), at(3)).expect("allowed").payment;
    assert_eq!(again.asking().map(|call| call.key.as_str()), Some(CREATE));
    let charging = answer(&again, opened(), at(4)).payment;
    assert_eq!(charging.asking().map(|call| call.kind), Some(CallKind::Charge));
    assert_eq!(charging.asking().map(|call| call.key.as_str()), Some("k-charge"));
    assert_eq!(answer(&charging, completed(), at(5)).payment.captured(), fixtures::WHOLE);

    let other = ProviderOutcome::Opened { token: "pi_2".to_owned() };
    let charging = answer(&again, other, at(4)).payment;
    let key = charging.asking().map(|call| call.key.as_str());
    assert_eq!(key, Some("k-charge-pi_2"), "the first was called off, with its key");
}

#[test]
fn a_hold_that_was_voided_is_not_made_anew() {
    let asked = started(of_order(), authorized());
    let voiding = answer(&asked, failed(FailureCode::CaptureFailed), at(2)).payment;
    let over = answer(&voiding, ProviderOutcome::Cancelled, at(3)).payment;
    assert_eq!((over.status, code(&over)), (PaymentStatus::Failed, Some(3001)));
    assert_eq!(over.retry(&windows(), at(4)), Err(no_retry(over.status)));
}

#[test]
fn what_was_forced_happens_once() {
    let forced = Some(FailureCode::ProviderTimeout);
    let new = NewPayment { forced, ..of_order() };
    let over = started(new, failed(FailureCode::ProviderTimeout));
    assert_eq!(over.forced, forced);
    assert_eq!(over.retry(&windows(), at(9)).expect("allowed").payment.forced, None);
    let later = Some(FailureCode::SettlementFailed);
    let over =
        started(NewPayment { forced: later, ..of_order() }, failed(FailureCode::ProviderTimeout));
    assert_eq!(over.retry(&windows(), at(9)).expect("allowed").payment.forced, later);
}
