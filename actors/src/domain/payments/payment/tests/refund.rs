//! Money on its way back.

use super::fixtures::{WHOLE, answer, at, failed, held, of_invoice, of_order, paid, plan, refund};
use super::fixtures::{capture, events, refunded, started, unknown};
use super::*;
use crate::domain::ids::RefundId;
use crate::domain::messages::{ContractMessage, Message};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::wallet::OWN;

fn asked(payment: &Payment, id: u64, minor: Option<i64>) -> Payment {
    payment.refund(refund(id, minor), at(20)).expect("allowed").payment
}

/// The refund's row as the change that begins it writes it.
fn row(payment: &Payment, id: u64, minor: Option<i64>) -> Refund {
    payment.refund(refund(id, minor), at(20)).expect("allowed").refund.expect("a row")
}

#[test]
fn a_refund_is_written_down_before_it_is_asked_for() {
    let change = paid(of_order()).refund(refund(3, Some(2_50)), at(20)).expect("allowed");
    let row = change.refund.clone().expect("a row");
    assert_eq!((row.id, row.amount.minor, row.status), (RefundId(3), 2_50, RefundStatus::Pending));
    let going = &change.payment;
    assert_eq!((going.status, going.refunds.open), (PaymentStatus::RefundPending, Some(row.id)));
    assert_eq!(going.refundable(), WHOLE - 2_50, "what is under way is not there any more");
    let call = going.asking().expect("a call");
    assert_eq!(
        (call.key.as_str(), call.kind, call.minor),
        ("k-refund-3", CallKind::Refund, Some(2_50))
    );
    assert!(change.events.is_empty() && change.shares.is_empty());
}

#[test]
fn a_payment_was_paid_when_it_was_taken_or_held_whatever_follows() {
    let taken = paid(of_order());
    let first = taken.paid_at.expect("the time that it was taken");
    let back = answer(&asked(&taken, 1, None), refunded(), at(21)).payment;
    assert_eq!((back.paid_on(), back.updated_at), (first, at(21)));
    let held = held();
    let asked_for = held.capture(capture(None, false), at(30)).expect("allowed").payment;
    let whole = answer(&asked_for, ProviderOutcome::Captured, at(31)).payment;
    assert_eq!((whole.captured(), whole.paid_at), (WHOLE, held.paid_at));
    let of_before = Payment { paid_at: None, ..taken };
    let back = answer(&asked(&of_before, 1, None), refunded(), at(21)).payment;
    assert_eq!(back.paid_at, None, "nobody knows it any more");
}

#[test]
fn parts_go_back_one_after_the_other_until_nothing_is_left() {
    let first = answer(&asked(&paid(of_order()), 1, Some(2_50)), refunded(), at(21));
    assert_eq!(events(&first), [("PaymentRefunded", "provider_completed")]);
    let payload = &first.events[0].payload;
    assert_eq!((&payload["refundedAmountMinor"], &payload["partial"]), (&250.into(), &true.into()));
    let moved = first.refund_moved.clone().expect("the row moves");
    assert_eq!((moved.id, moved.status), (RefundId(1), RefundStatus::Succeeded));
    assert_eq!(moved.token.as_deref(), Some("r"));
    let part = first.payment;
    assert_eq!((part.refunds.refunded_minor, part.refunds.open), (2_50, None));

    let above = part.refund(refund(2, Some(10_01)), at(22));
    assert_eq!(above, Err(PaymentRefusal::AboveRefundable));
    let rest = asked(&part, 2, None);
    assert_eq!(rest.refunds.open_minor, 10_00, "all that is left");
    let last = answer(&rest, refunded(), at(23));
    assert_eq!(last.payment.status, PaymentStatus::Refunded);
    assert_eq!(last.events[0].payload["totalRefundedAmountMinor"], 1250);
    assert_eq!(last.events[0].payload["partial"], true, "it is smaller than what was captured");
    let more = last.payment.refund(refund(3, Some(1)), at(24)).expect_err("nothing is left");
    assert_eq!(more.to_string(), "payment is already refunded");
}

#[test]
fn a_full_refund_is_no_partial_one_and_leaves_nothing_to_wait_for() {
    let over = answer(&asked(&paid(of_invoice()), 1, None), refunded(), at(3));
    assert_eq!(over.payment.status, PaymentStatus::Refunded);
    assert_eq!(over.events[0].payload["partial"], false);
    let told = over.message.map(|envelope| envelope.message);
    let is_refund = matches!(told, Some(Message::Contract(ContractMessage::PaymentRefunded(_))));
    assert!(is_refund, "a refund reopens no invoice: {told:?}");
    assert_eq!(over.payment.next_timer(), None, "nothing is left to settle");
}

#[test]
fn one_refund_at_a_time() {
    let going = asked(&paid(of_order()), 1, Some(1));
    let second = going.refund(refund(2, Some(1)), at(21));
    assert_eq!(second, Err(PaymentRefusal::InFlight), "the first may be over at once");
    let working = answer(&going, ProviderOutcome::Pending { token: None }, at(21)).payment;
    let second = working.refund(refund(2, Some(1)), at(21)).expect_err("one is under way");
    assert_eq!(second.to_string(), "refund is already in progress");
}

#[test]
fn what_was_not_captured_is_not_given_back() {
    for payment in [started(of_order(), fixtures::challenged()), held()] {
        let refused = payment.refund(refund(1, None), at(20)).expect_err("nothing was taken");
        assert!(matches!(refused, PaymentRefusal::NotRefundable { .. }));
        assert!(refused.to_string().contains(payment.status.name()), "{refused}");
    }
}

#[test]
fn a_refund_that_fails_or_is_called_off_leaves_all_of_it_to_the_next() {
    let ends = [
        (failed(FailureCode::Declined), PaymentStatus::RefundFailed, RefundStatus::Failed),
        (ProviderOutcome::RefundCancelled, PaymentStatus::RefundCancelled, RefundStatus::Cancelled),
    ];
    for (outcome, status, row_status) in ends {
        let kept = answer(&asked(&paid(of_order()), 1, Some(2_50)), outcome, at(21));
        assert_eq!(kept.payment.status, status);
        assert!(kept.events.is_empty() && kept.shares.is_empty(), "it emits nothing");
        assert_eq!(kept.refund_moved.map(|moved| moved.status), Some(row_status));
        assert_eq!(kept.payment.refundable(), WHOLE);
        assert_eq!(kept.payment.failure, None, "the payment has not failed");
        let next = answer(&asked(&kept.payment, 2, Some(2_50)), refunded(), at(22)).payment;
        assert_eq!(next.status, PaymentStatus::ProviderCompleted);
    }
}

#[test]
fn what_came_too_early_is_tried_again_under_its_own_id() {
    let payment = paid(of_order());
    let begun = row(&payment, 1, Some(2_50));
    let going = asked(&payment, 1, Some(2_50));
    let early = answer(&going, failed(FailureCode::RefundTooEarly), at(21));
    let moved = early.refund_moved.clone().expect("the row moves");
    assert_eq!(moved.failure, Some(FailureCode::RefundTooEarly));
    let row = Refund { status: moved.status, failure: moved.failure, ..begun.clone() };
    let again = early.payment.refund_again(&row, None, at(30)).expect("allowed");
    let same = again.refund.as_ref().map(|row| (row.id, row.status, row.failure));
    assert_eq!(same, Some((row.id, RefundStatus::Pending, None)));
    let call = again.payment.asking().expect("a call");
    assert_eq!((call.key.as_str(), call.asked), ("k-refund-1-2", 1));
    let done = answer(&again.payment, refunded(), at(31)).payment;
    assert_eq!(done.refunds.refunded_minor, 2_50);

    let other = Refund { failure: Some(FailureCode::Declined), ..row.clone() };
    let fresh = Refund { status: RefundStatus::Succeeded, ..row.clone() };
    for wrong in [other, fresh, begun] {
        assert_eq!(early.payment.refund_again(&wrong, None, at(30)), Err(PaymentRefusal::NotDue));
    }
    let asking = asked(&early.payment, 2, Some(1));
    let busy = asking.refund_again(&row, None, at(31));
    assert_eq!(busy, Err(PaymentRefusal::InFlight), "the other may be over at once");
    let pending = ProviderOutcome::Pending { token: None };
    let busy = answer(&asking, pending, at(31)).payment.refund_again(&row, None, at(31));
    assert_eq!(busy, Err(PaymentRefusal::RefundUnderWay));
    let less = answer(&asked(&early.payment, 3, Some(11_00)), refunded(), at(32)).payment;
    assert_eq!(less.refund_again(&row, None, at(33)), Err(PaymentRefusal::AboveRefundable));
}

#[test]
fn what_a_request_forced_on_a_refund_is_over_when_it_is_tried_again() {
    let early = Some(ForcedRefund::Fails(FailureCode::RefundTooEarly));
    let failed_of = |payment: &Payment| {
        let begun = payment.refund(NewRefund { forced: early, ..refund(1, None) }, at(20));
        let begun = begun.expect("allowed");
        let row = begun.refund.expect("a row");
        let change = answer(&begun.payment, failed(FailureCode::RefundTooEarly), at(21));
        let moved = change.refund_moved.expect("the row moves");
        (change.payment, Refund { status: moved.status, failure: moved.failure, ..row })
    };
    let forced_again = |payment: &Payment, row: &Refund, forced| {
        let again = payment.refund_again(row, forced, at(30)).expect("allowed");
        again.refund.expect("the row").forced
    };
    let (payment, row) = failed_of(&paid(of_order()));
    assert_eq!(forced_again(&payment, &row, None), None);
    assert_eq!(forced_again(&payment, &row, early), early);
    let made_to = NewPayment { forced: Some(FailureCode::RefundTooEarly), ..of_order() };
    let (payment, row) = failed_of(&paid(made_to));
    assert_eq!(forced_again(&payment, &row, None), early);
}

#[test]
fn a_payment_made_to_refuse_early_refunds_does_so_each_time() {
    let payment = paid(NewPayment { forced: Some(FailureCode::RefundTooEarly), ..of_order() });
    let forced = Some(ForcedRefund::Fails(FailureCode::RefundTooEarly));
    assert_eq!(row(&payment, 1, None).forced, forced);
    let own = NewRefund { forced: Some(ForcedRefund::Cancelled), ..refund(2, None) };
    let change = payment.refund(own, at(20)).expect("allowed");
    assert_eq!(change.refund.and_then(|row| row.forced), Some(ForcedRefund::Cancelled));
}

#[test]
fn a_refund_that_is_worked_on_is_asked_about_until_it_arrives() {
    let pending = ProviderOutcome::Pending { token: Some("re_1".to_owned()) };
    let worked = answer(&asked(&paid(of_order()), 1, None), pending, at(20));
    let moved = worked.refund_moved.clone().expect("its name is noted");
    assert_eq!((moved.status, moved.token.as_deref()), (RefundStatus::Pending, Some("re_1")));
    let payment = worked.payment;
    assert_eq!(payment.processor_token.as_deref(), Some("t"), "the payment keeps its own name");
    assert_eq!(payment.refund(refund(2, None), at(21)), Err(PaymentRefusal::RefundUnderWay));
    let settled = payment.run_timer(at(6)).expect("settlement comes first").payment;
    assert_eq!(settled.next_timer(), Some((at(22), PaymentTimer::AskAgain)));
    let again = settled.run_timer(at(22)).expect("due").payment;
    assert_eq!(answer(&again, refunded(), at(22)).payment.status, PaymentStatus::Refunded);
}

#[test]
fn a_refund_of_unknown_outcome_stays_on_its_way() {
    let lost = answer(&asked(&paid(of_order()), 1, Some(1)), unknown(), at(21));
    assert_eq!(lost.payment.status, PaymentStatus::RefundPending);
    assert!(lost.refund_moved.is_none() && lost.shares.is_empty());
    assert_eq!(lost.payment.refunds.open_minor, 1);
}

#[test]
fn shares_go_back_in_proportion() {
    let payment = paid(NewPayment { split: Some(plan(5_00, 2_50)), ..of_order() });
    let change = answer(&asked(&payment, 1, Some(5_00)), refunded(), at(21));
    let back = [(7, 2_00), (8, 1_00), (OWN.0, 2_00)];
    let shares: Vec<_> = change.shares.iter().map(|(who, _, minor)| (who.0, *minor)).collect();
    assert_eq!(shares, back);
    assert!(change.shares.iter().all(|(_, what, _)| *what == ShareMove::TakenBack));
}

#[test]
fn what_nobody_wants_is_given_back_again_while_it_is_too_early() {
    let live = paid(NewPayment { demo: false, ..of_invoice() });
    let mut going = live.give_back(refund(1, None), at(10)).expect("allowed").payment;
    let mut pauses = Vec::new();
    let mut now = at(10);
    for key in ["k-refund-1", "k-refund-1-2", "k-refund-1-3", "k-refund-1-4"] {
        let call = going.asking().expect("a call");
        assert_eq!((call.key.as_str(), call.minor), (key, Some(WHOLE)));
        let early = answer(&going, failed(FailureCode::RefundTooEarly), now).payment;
        assert_eq!(early.status, PaymentStatus::RefundFailed);
        let (when, timer) = early.next_timer().expect("it is tried again");
        assert_eq!(timer, PaymentTimer::GiveBack);
        pauses.push(when.unix_seconds() - now.unix_seconds());
        now = when;
        let again = early.run_timer(now).expect("due");
        let moved = again.refund_moved.expect("the row moves");
        assert_eq!((moved.id, moved.status), (RefundId(1), RefundStatus::Pending));
        going = again.payment;
    }
    assert_eq!(pauses, [600, 1_200, 2_400, 4_800]);
    let lost = answer(&going, unknown(), now).payment;
    let back = answer(&lost, refunded(), now).payment;
    assert_eq!((back.status, back.next_timer()), (PaymentStatus::Refunded, None));
    assert_eq!(back.auto_refund, None);
}

#[test]
fn what_is_refused_for_another_reason_or_called_off_stays_with_the_seller() {
    let live = paid(NewPayment { demo: false, ..of_invoice() });
    let going = live.give_back(refund(1, None), at(10)).expect("allowed").payment;
    for refusal in [failed(FailureCode::Declined), ProviderOutcome::RefundCancelled] {
        let kept = answer(&going, refusal, at(11)).payment;
        assert_eq!(kept.next_timer(), None);
        assert!(kept.stays_since(&going), "{}", kept.status);
    }
    for other in [failed(FailureCode::RefundTooEarly), unknown(), refunded()] {
        let after = answer(&going, other, at(11)).payment;
        assert!(!after.stays_since(&going), "{}", after.status);
    }
}

#[test]
fn what_nobody_wants_goes_back_unless_the_seller_has_refunded_some_of_it() {
    let live = paid(NewPayment { demo: false, ..of_invoice() });
    let going = live.give_back(refund(1, None), at(10)).expect("allowed").payment;
    let early = answer(&going, failed(FailureCode::RefundTooEarly), at(11)).payment;
    let due = Some((at(611), PaymentTimer::GiveBack));
    let by_hand = asked(&early, 2, Some(1_00));
    for in_vain in [
        failed(FailureCode::RefundTooEarly),
        failed(FailureCode::Declined),
        ProviderOutcome::RefundCancelled,
    ] {
        let kept = answer(&by_hand, in_vain, at(21)).payment;
        assert_eq!(kept.next_timer(), due, "{}", kept.status);
        let again = kept.run_timer(at(611)).expect("due").payment;
        let call = again.asking().expect("a call");
        assert_eq!((call.key.as_str(), call.minor), ("k-refund-1-2", Some(WHOLE)));
        let back = answer(&again, refunded(), at(612)).payment;
        assert_eq!((back.status, back.auto_refund), (PaymentStatus::Refunded, None));
    }
    let part = answer(&by_hand, refunded(), at(21)).payment;
    assert_eq!((part.next_timer(), part.auto_refund), (None, None), "it is the seller's now");
}
