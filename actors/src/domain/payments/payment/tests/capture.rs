//! Capture by the seller's calls, and by itself.

use super::fixtures::{
    CANCEL, WHOLE, answer, at, authorized, capture, code, completed, failed, held,
};
use super::fixtures::{events, of_invoice, of_order, paid, plan, refund, refunded, start, started};
use super::fixtures::{unknown, windows};
use super::*;
use crate::domain::ids::{CustomerId, SavedCardId};
use crate::domain::payments::failure::Retry;
use crate::secrets::{Place, SecretBox};

fn taken(payment: &Payment, minor: i64, second: i64) -> Payment {
    let asked = payment.capture(capture(Some(minor), false), at(second)).expect("allowed");
    answer(&asked.payment, ProviderOutcome::Captured, at(second)).payment
}

#[test]
fn what_is_held_is_taken_in_parts_each_under_a_key_of_its_own() {
    let held = held();
    assert_eq!(held.next_timer(), Some((at(1 + 7 * 24 * 3600), PaymentTimer::Release)));
    let first = held.capture(capture(Some(1_00), false), at(10)).expect("allowed").payment;
    assert_eq!(first.asking().map(|call| call.key.as_str()), Some("k-capture-1"));
    assert_eq!((first.status, first.captured()), (PaymentStatus::Authorized, 0));
    let over = first.capture(capture(Some(1_00), false), at(10));
    assert_eq!(over, Err(PaymentRefusal::InFlight));
    let change = answer(&first, ProviderOutcome::Captured, at(10));
    assert_eq!(events(&change), [("PaymentCompleted", "provider_completed")]);
    let part = change.payment;
    assert_eq!((part.captured(), part.capturable()), (1_00, WHOLE - 1_00));
    assert_eq!(part.next_timer(), Some((at(15), PaymentTimer::Settle)));

    let second = part.capture(capture(Some(2_00), false), at(13)).expect("allowed").payment;
    assert_eq!(second.asking().map(|call| call.key.as_str()), Some("k-capture-2"));
    assert_eq!(second.next_timer(), Some((at(73), PaymentTimer::AskAgain)), "it settles later");
    let change = answer(&second, ProviderOutcome::Captured, at(14));
    assert!(change.events.is_empty(), "the status is the same");
    assert_eq!(change.payment.next_timer(), Some((at(19), PaymentTimer::Settle)), "anew");
    let rest = change.payment.capture(capture(None, false), at(15)).expect("allowed").payment;
    assert_eq!(rest.asking().and_then(|call| call.minor), Some(WHOLE - 3_00));
    let whole = answer(&rest, ProviderOutcome::Captured, at(15)).payment;
    assert_eq!((whole.captured(), whole.capturable()), (WHOLE, 0));
    assert_eq!(whole.capture(capture(None, false), at(16)), Err(PaymentRefusal::AboveAuthorized));
}

#[test]
fn the_last_capture_lets_the_rest_go() {
    let asked = held().capture(capture(Some(4_00), true), at(10)).expect("allowed").payment;
    assert!(asked.asking().is_some_and(|call| call.last));
    let part = answer(&asked, ProviderOutcome::Captured, at(10)).payment;
    assert_eq!((part.captured(), part.capturable()), (4_00, 0));
    let more = part.capture(capture(Some(1), false), at(11));
    assert_eq!(more, Err(PaymentRefusal::AboveAuthorized));
}

#[test]
fn no_capture_takes_more_than_is_held() {
    let part = taken(&held(), 12_00, 10);
    assert_eq!(
        part.capture(capture(Some(51), false), at(11)),
        Err(PaymentRefusal::AboveAuthorized)
    );
    assert!(part.capture(capture(Some(50), false), at(11)).is_ok());
}

#[test]
fn what_settled_is_captured_no_more() {
    let letting_go = taken(&held(), 4_00, 10).run_timer(at(15)).expect("due").payment;
    let settled = answer(&letting_go, ProviderOutcome::Captured, at(15)).payment;
    assert_eq!(settled.capturable(), 0);
    let refused = settled.capture(capture(None, false), at(16)).expect_err("settled");
    assert_eq!(refused.to_string(), "invalid status transition from settled to capture");
}

#[test]
fn what_is_left_of_a_hold_is_let_go_when_nothing_more_can_be_captured() {
    let settled = |part: Payment| part.run_timer(at(15)).expect("due").payment;
    let refunded_in = |part: Payment, minor| {
        let going = part.refund(refund(1, minor), at(11)).expect("allowed").payment;
        answer(&going, refunded(), at(12)).payment
    };
    let not_refunded = |part: Payment| {
        let going = part.refund(refund(1, None), at(11)).expect("allowed").payment;
        answer(&going, failed(FailureCode::RefundTooEarly), at(12)).payment
    };
    let part = || taken(&held(), 4_00, 10);
    for (asking, status) in [
        (settled(part()), PaymentStatus::Settled),
        (refunded_in(part(), Some(1_00)), PaymentStatus::ProviderCompleted),
        (refunded_in(part(), None), PaymentStatus::Refunded),
        (not_refunded(part()), PaymentStatus::RefundFailed),
    ] {
        assert_eq!(asking.status, status);
        let call = asking.asking().expect("the rest is let go");
        assert_eq!((call.key.as_str(), call.minor, call.last), ("k-capture-2", Some(0), true));
        assert_eq!(asking.capturable(), 0);
        let lost = answer(&asking, unknown(), at(16)).payment;
        let again = lost.run_timer(at(21)).expect("due").payment;
        assert_eq!((again.status, again.asking().is_some()), (status, true));
        for outcome in [ProviderOutcome::Captured, failed(FailureCode::CaptureFailed)] {
            let change = answer(&again, outcome, at(22));
            assert!(change.events.is_empty() && change.shares.is_empty());
            let over = change.payment;
            assert_eq!((over.status, over.captured(), over.failure), (status, 4_00, None));
            assert!(!over.awaits_provider());
            assert_eq!(over.settle_at, asking.settle_at, "its settlement does not begin anew");
        }
    }
    let whole = taken(&part(), WHOLE - 4_00, 11).run_timer(at(16)).expect("due").payment;
    assert_eq!(whole.asking(), None, "nothing is left");
}

#[test]
fn what_settles_beside_a_refund_lets_go_of_the_rest_after_it() {
    let part = taken(&held(), 4_00, 10);
    let going = part.refund(refund(1, Some(1_00)), at(11)).expect("allowed").payment;
    let settled = going.run_timer(at(15)).expect("due").payment;
    assert_eq!(settled.asking().map(|call| call.kind), Some(CallKind::Refund));
    let back = answer(&settled, refunded(), at(16)).payment;
    assert_eq!(back.status, PaymentStatus::Settled);
    assert!(back.asking().is_some_and(ProviderCall::releases));
}

#[test]
fn a_refund_does_not_wait_until_it_is_known_that_the_rest_is_let_go() {
    let settled = taken(&held(), 4_00, 10).run_timer(at(15)).expect("due").payment;
    let during = settled.refund(refund(1, None), at(15));
    assert_eq!(during, Err(PaymentRefusal::InFlight), "it is known at once");
    let lost = answer(&settled, unknown(), at(16)).payment;
    let going = lost.refund(refund(1, None), at(17)).expect("allowed").payment;
    assert_eq!(going.asking().map(|call| call.kind), Some(CallKind::Refund));
    let back = answer(&going, refunded(), at(18)).payment;
    let call = back.asking().expect("the rest is let go");
    assert_eq!((call.key.as_str(), call.releases()), ("k-capture-3", true));
    assert_eq!(back.status, PaymentStatus::Refunded);
}

#[test]
fn a_live_payment_settles_while_what_is_left_is_let_go() {
    let held = started(NewPayment { demo: false, ..fixtures::by_hand() }, authorized());
    let going = taken(&held, 4_00, 10).refund(refund(1, Some(1_00)), at(11)).expect("allowed");
    let asking = answer(&going.payment, refunded(), at(12)).payment;
    assert!(asking.asking().is_some_and(ProviderCall::releases));
    let settled = asking.settle(at(13)).expect("allowed").payment;
    assert_eq!(settled.status, PaymentStatus::Settled);
    assert!(!answer(&settled, ProviderOutcome::Captured, at(14)).payment.awaits_provider());
}

#[test]
fn a_capture_that_failed_is_told_of_until_nothing_can_be_captured() {
    let asked = taken(&held(), 4_00, 10).capture(capture(Some(4_00), false), at(11));
    let missed =
        answer(&asked.expect("allowed").payment, failed(FailureCode::CaptureFailed), at(12));
    let missed = missed.payment;
    assert_eq!((missed.status, code(&missed)), (PaymentStatus::ProviderCompleted, Some(3001)));
    let settled = missed.settle(at(16)).expect("allowed");
    assert_eq!(settled.events[0].payload["failureCode"], 0);
    assert_eq!((settled.payment.failure, settled.payment.retry_advice()), (None, None));
    let going = missed.refund(refund(1, None), at(13)).expect("allowed").payment;
    assert_eq!((going.failure, going.failure_category()), (None, None));
}

#[test]
fn funds_that_were_asked_for_before_a_capture_settle_nothing_of_it() {
    let live = started(NewPayment { demo: false, ..fixtures::by_hand() }, authorized());
    let part = taken(&live, 4_00, 10);
    let more = taken(&part, 3_00, 11);
    let early = more.funds_available(part.captured(), at(12)).expect("nothing to do");
    assert_eq!((&early.payment, early.shares.len()), (&more, 0));
    let settled = more.funds_available(more.captured(), at(13)).expect("allowed").payment;
    assert_eq!(settled.status, PaymentStatus::Settled);
}

#[test]
fn what_is_being_captured_settles_afterwards() {
    let asked =
        taken(&held(), 4_00, 10).capture(capture(Some(1), false), at(11)).expect("allowed").payment;
    assert_eq!(asked.settle(at(12)), Err(PaymentRefusal::InFlight));
    assert_eq!(asked.fail_settlement(at(12)), Err(PaymentRefusal::InFlight));
    let taken = answer(&asked, ProviderOutcome::Captured, at(13)).payment;
    assert!(taken.settle(at(14)).is_ok());
}

#[test]
fn a_capture_that_fails_changes_nothing_and_gives_its_key_back() {
    let key = SpentKey { endpoint: "/capture".to_owned(), key: "one".to_owned() };
    let order = CaptureOrder { spent: Some(key.clone()), ..capture(Some(3_00), false) };
    let asked = held().capture(order, at(10)).expect("allowed").payment;
    let missed = answer(&asked, failed(FailureCode::CaptureFailed), at(11));
    assert_eq!(missed.freed, Some(key));
    assert!(missed.events.is_empty() && missed.shares.is_empty());
    let payment = missed.payment;
    assert_eq!((payment.status, code(&payment)), (PaymentStatus::Authorized, Some(3001)));
    assert_eq!((payment.captured(), payment.asking()), (0, None));
    assert_eq!(payment.next_timer(), Some((at(1 + 7 * 24 * 3600), PaymentTimer::Release)));

    let again = payment.capture(capture(Some(3_00), false), at(12)).expect("allowed").payment;
    assert_eq!(again.failure, None, "shown until the next attempt");
    assert_eq!(again.asking().map(|call| call.key.as_str()), Some("k-capture-2"));
    let done = answer(&again, ProviderOutcome::Captured, at(12));
    assert_eq!((done.payment.captured(), done.freed), (3_00, None));
}

#[test]
fn a_second_capture_that_fails_keeps_what_the_first_took() {
    let part = taken(&held(), 4_00, 10);
    let asked = part.capture(capture(Some(4_00), true), at(11)).expect("allowed").payment;
    let missed = answer(&asked, failed(FailureCode::CaptureFailed), at(11)).payment;
    assert_eq!(missed.status, PaymentStatus::ProviderCompleted);
    assert_eq!((missed.captured(), missed.capturable()), (4_00, WHOLE - 4_00));
    assert_eq!(missed.next_timer(), Some((at(15), PaymentTimer::Settle)));
}

#[test]
fn an_automatic_capture_that_fails_voids_the_hold_and_fails_the_payment() {
    let asked = started(of_order(), authorized());
    let call = asked.asking().expect("by itself");
    assert_eq!((call.kind, call.minor, call.last), (CallKind::Capture, Some(WHOLE), true));
    assert_eq!(asked.status, PaymentStatus::Authorized);
    let missed = answer(&asked, failed(FailureCode::CaptureFailed), at(2));
    assert!(missed.events.is_empty(), "the hold is still there");
    let call = missed.payment.asking().expect("the hold is voided");
    assert_eq!((call.key.as_str(), call.kind), (CANCEL, CallKind::Cancel));
    let over = answer(&missed.payment, ProviderOutcome::Cancelled, at(3));
    assert_eq!((over.payment.status, code(&over.payment)), (PaymentStatus::Failed, Some(3001)));
    assert_eq!(over.events[0].payload["failureStage"], "capture");
    assert_eq!(over.payment.next_timer(), None);
}

#[test]
fn a_capture_that_went_through_after_all_is_no_failure() {
    let asked = started(of_order(), authorized());
    let voiding = answer(&asked, failed(FailureCode::CaptureFailed), at(2)).payment;
    let paid = answer(&voiding, completed(), at(3)).payment;
    assert_eq!((paid.status, paid.failure), (PaymentStatus::ProviderCompleted, None));
    assert_eq!(paid.captured(), WHOLE);
}

#[test]
fn an_automatic_payment_takes_no_capture_call() {
    let refused = paid(of_order()).capture(capture(None, false), at(9)).expect_err("automatic");
    assert_eq!(refused.to_string(), "manual settlement required");
}

#[test]
fn a_processor_that_captures_once_takes_a_part_as_the_last_one_alone() {
    let once = |minor, last| CaptureOrder { in_parts: false, ..capture(minor, last) };
    let part = held().capture(once(Some(4_00), false), at(10));
    assert_eq!(part, Err(PaymentRefusal::CapturesOnce));
    for (minor, last) in [(Some(4_00), true), (Some(WHOLE), false), (None, false)] {
        let taken = held().capture(once(minor, last), at(10)).expect("allowed").payment;
        assert_eq!(taken.asking().map(|call| call.last), Some(true));
    }
}

#[test]
fn what_a_processor_refuses_for_certain_is_not_to_be_sent_again_as_it_is() {
    let asked = held().capture(capture(Some(4_00), true), at(10)).expect("allowed").payment;
    for (is_final, advice) in [(false, Retry::FixFirst), (true, Retry::Never)] {
        let refusal = ProcessorRefusal::new(400, Some("amount_too_large"), None, is_final);
        let code = FailureCode::CaptureFailed;
        let outcome = ProviderOutcome::Refused { code, token: None, refusal: refusal.clone() };
        let missed = answer(&asked, outcome, at(11)).payment;
        assert_eq!((missed.status, missed.failure), (PaymentStatus::Authorized, Some(code.into())));
        assert_eq!(
            (missed.retry_advice(), missed.refusal.as_ref()),
            (Some(advice), Some(&refusal))
        );
        let again = missed.capture(capture(Some(3_00), true), at(12)).expect("allowed").payment;
        assert_eq!((again.retry_advice(), again.refusal), (None, None));
    }
    let gone = answer(&asked, ProviderOutcome::Cancelled, at(11)).payment;
    assert_eq!(gone.retry_advice(), Some(Retry::Never));
    let unknown = answer(&asked, failed(FailureCode::CaptureFailed), at(11)).payment;
    assert_eq!(unknown.retry_advice(), Some(Retry::Safe));
}

#[test]
fn refunds_end_the_capturing() {
    let part = taken(&held(), 4_00, 10);
    let going = part.refund(refund(1, Some(1_00)), at(11)).expect("allowed").payment;
    let during = |payment: &Payment| payment.capture(capture(None, false), at(11));
    assert_eq!(during(&going), Err(PaymentRefusal::InFlight), "it may be over at once");
    let working = answer(&going, ProviderOutcome::Pending { token: None }, at(11)).payment;
    assert_eq!(during(&working), Err(PaymentRefusal::CaptureDuringRefund));
    let back = answer(&going, refunded(), at(12)).payment;
    assert_eq!(back.status, PaymentStatus::ProviderCompleted);
    assert_eq!(during(&back), Err(PaymentRefusal::InFlight), "the rest is being let go");
    let back = answer(&back, ProviderOutcome::Captured, at(12)).payment;
    let after = back.capture(capture(None, false), at(12));
    assert_eq!(after, Err(PaymentRefusal::CaptureAfterRefund));
}

#[test]
fn a_hold_lapses_after_seven_days() {
    let week = 1 + 7 * 24 * 3600;
    assert_eq!(held().run_timer(at(week - 1)), Err(PaymentRefusal::NotDue));
    let asked = held().run_timer(at(week)).expect("due").payment;
    assert_eq!(asked.asking().map(|call| call.kind), Some(CallKind::Cancel));
    assert_eq!(asked.status, PaymentStatus::Authorized);
    let over = answer(&asked, ProviderOutcome::Cancelled, at(week));
    assert_eq!((over.payment.status, over.payment.failure), (PaymentStatus::Cancelled, None));
    assert_eq!(events(&over), [("PaymentCompleted", "cancelled")]);
}

#[test]
fn a_hold_that_could_not_be_captured_is_cancelled_without_a_failure() {
    let asked = held().capture(capture(None, false), at(10)).expect("allowed").payment;
    let missed = answer(&asked, failed(FailureCode::CaptureFailed), at(11)).payment;
    let voiding = missed.cancel(at(12)).expect("allowed").payment;
    let over = answer(&voiding, ProviderOutcome::Cancelled, at(12)).payment;
    assert_eq!((over.status, over.failure), (PaymentStatus::Cancelled, None));
}

#[test]
fn shares_follow_what_is_captured() {
    let split = NewPayment { split: Some(plan(5_00, 2_50)), ..fixtures::by_hand() };
    let held = answer(&start(split).payment, authorized(), at(1)).payment;
    let asked = held.capture(capture(Some(5_00), false), at(2)).expect("allowed").payment;
    let change = answer(&asked, ProviderOutcome::Captured, at(2));
    let shares: Vec<_> = change.shares.iter().map(|(who, _, minor)| (who.0, *minor)).collect();
    let own = crate::domain::payments::wallet::OWN.0;
    assert_eq!(shares, [(7, 2_00), (8, 1_00), (own, 2_00)]);
}

#[test]
fn a_contract_is_notified_once_of_what_was_held_first() {
    let asked = started(of_invoice(), authorized());
    let lost = answer(&asked, unknown(), at(2));
    assert!(lost.message.is_none());
    let key = lost.payment.call.clone().expect("a call").key;
    let late = lost.payment.answered(&key, ProviderOutcome::Captured, &windows(), at(9));
    assert!(late.expect("taken").message.is_some());
}

#[test]
fn a_card_that_is_kept_with_a_hold_is_unwanted_once_that_is_let_go() {
    let (customer, card) = (Some(CustomerId(3)), SavedCardId(4));
    let consent = Some(CardConsent { customer, card, token: None });
    let place = Place::SavedCard(SellerId(1), card);
    let name = SecretBox::new(&[7; 32]).seal(place, b"token", [1; 24]);
    let held = Payment { consent, ..held() }.keeping(Some(name));
    let cancelling = held.cancel(at(3)).expect("allowed").payment;
    let cancelled = answer(&cancelling, ProviderOutcome::Cancelled, at(4));
    assert_eq!(cancelled.unwanted.map(|card| card.id), Some(card));
    let capturing = held.capture(capture(None, true), at(3)).expect("allowed").payment;
    let captured = answer(&capturing, ProviderOutcome::Captured, at(4));
    assert_eq!(captured.unwanted, None);
    assert_eq!(captured.saved.map(|card| card.id), Some(card));
}
