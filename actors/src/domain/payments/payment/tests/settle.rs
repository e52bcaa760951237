//! Settlement, its failure, and settlement beside a refund.

use super::fixtures::{
    WHOLE, answer, asks, at, code, completed, failed, local, of_invoice, of_order,
};
use super::fixtures::{events, paid, plan, refund, refunded, started};
use super::*;
use crate::domain::ids::{ContractId, InvoiceId};
use crate::domain::messages::{Addressee, ContractMessage, Envelope, Message};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::wallet::OWN;
use crate::domain::platform::event::EventType;

/// A payment paid at second 1 with a refund under way.
fn going_back(new: NewPayment, minor: i64) -> Payment {
    paid(new).refund(refund(1, Some(minor)), at(3)).expect("allowed").payment
}

fn deposit() -> Payment {
    let voucher = Ask::Voucher { entity: "21800".to_owned(), reference: "123456789".to_owned() };
    let waiting = started(local(Method::Multibanco), asks(voucher));
    let acted = waiting.buyer_answered(BuyerAnswer::Approve, at(2)).expect("taken").payment;
    answer(&acted, completed(), at(2)).payment
}

#[test]
fn completion_notifies_seller_and_contract_and_settles_later() {
    let change = answer(&fixtures::start(of_invoice()).payment, completed(), at(2));
    assert_eq!(change.payment.processor_token.as_deref(), Some("t"));
    assert_eq!(change.events[0].kind, EventType::PaymentCompleted);
    assert_eq!(change.events[0].payload["amountMinor"], 1250);
    assert_eq!(change.events[0].payload["failureCode"], 0);
    let Some(Envelope { to, message: Message::Contract(message) }) = &change.message else {
        panic!("the contract gets no message");
    };
    let ContractMessage::PaymentSucceeded(notice) = message else { panic!("{message:?}") };
    let contract = Addressee::Contract(change.payment.seller, ContractId(4));
    assert_eq!((*to, notice.invoice), (contract, InvoiceId(5)));

    let paid = change.payment;
    assert_eq!(paid.next_timer(), Some((at(7), PaymentTimer::Settle)));
    assert_eq!(paid.run_timer(at(6)), Err(PaymentRefusal::NotDue));
    let settled = paid.run_timer(at(7)).expect("due");
    assert_eq!(events(&settled), [("PaymentCompleted", "settled")]);
    assert_eq!(settled.payment.settled_at, Some(at(7)));
    assert_eq!((settled.message.is_none(), settled.payment.next_timer()), (true, None));
    assert_eq!(settled.payment.settle(at(8)), Err(PaymentRefusal::NotDue));
}

#[test]
fn a_live_payment_settles_when_its_provider_says_so() {
    let live = paid(NewPayment { demo: false, ..of_order() });
    assert_eq!(live.next_timer(), None);
    let waiting = live.funds_pending(at(4_000)).expect("asked").payment;
    let settled = waiting.settle(at(90_000)).expect("allowed").payment;
    assert_eq!(settled.status, PaymentStatus::Settled);
    let open = |payment: &Payment| payment.is_open_at(TerminalId(1));
    assert_eq!([&live, &waiting, &settled].map(open), [true, true, false]);
}

#[test]
fn a_settled_payment_is_open_at_its_processor_while_it_waits_to_go_back_there() {
    let live = paid(NewPayment { demo: false, ..of_order() });
    let going = live.give_back(refund(1, None), at(2)).expect("allowed").payment;
    let early = answer(&going, failed(FailureCode::RefundTooEarly), at(3)).payment;
    let settled = early.settle(at(4)).expect("allowed").payment;
    let again = settled.run_timer(at(603)).expect("due").payment;
    let back = answer(&again, refunded(), at(604)).payment;
    let open = |payment: &Payment| payment.is_open_at(TerminalId(1));
    assert_eq!([&settled, &again, &back].map(open), [true, true, false]);
}

#[test]
fn only_a_deposit_ends_as_one() {
    let confirmed = deposit().run_timer(at(7)).expect("due");
    assert_eq!(events(&confirmed), [("PaymentCompleted", "deposit_confirmed")]);
    let back = confirmed.payment.refund(refund(1, Some(1)), at(8)).expect("allowed").payment;
    let part = answer(&back, refunded(), at(9));
    assert_eq!(part.payment.status, PaymentStatus::DepositConfirmed);
    assert_eq!(events(&part), [("PaymentRefunded", "deposit_confirmed")]);
}

#[test]
fn settlement_beside_a_refund_leaves_the_status_and_is_what_it_falls_back_to() {
    let ends = [
        (refunded(), PaymentStatus::Settled, 2),
        (failed(FailureCode::Declined), PaymentStatus::RefundFailed, 0),
        (ProviderOutcome::RefundCancelled, PaymentStatus::RefundCancelled, 0),
    ];
    for (outcome, status, told) in ends {
        let going = going_back(of_order(), 2_50);
        assert_eq!(going.next_timer(), Some((at(6), PaymentTimer::Settle)));
        let beside = going.run_timer(at(6)).expect("due");
        assert_eq!(beside.payment.status, PaymentStatus::RefundPending);
        assert_eq!(beside.payment.settled_at, Some(at(6)));
        assert!(beside.events.is_empty(), "no status was entered");
        assert_eq!(beside.shares, [(OWN, ShareMove::Settled, WHOLE)]);
        let change = answer(&beside.payment, outcome, at(9));
        let ended = change.payment;
        assert_eq!((ended.status, ended.next_timer()), (status, None));
        assert_eq!(change.events.len(), told);
    }
}

#[test]
fn what_settled_beside_a_refund_is_told_of_once_the_status_says_so() {
    let beside = going_back(of_order(), 2_50).run_timer(at(6)).expect("due").payment;
    let settled = answer(&beside, refunded(), at(9));
    let told = [("PaymentCompleted", "settled"), ("PaymentRefunded", "settled")];
    assert_eq!(events(&settled), told);
    let again = settled.payment.refund(refund(2, Some(1)), at(10)).expect("allowed").payment;
    let fallen = answer(&again, refunded(), at(11));
    assert_eq!(events(&fallen), [("PaymentRefunded", "settled")], "it was told before");

    let kept = answer(&beside, failed(FailureCode::Declined), at(9)).payment;
    let again = kept.refund(refund(2, Some(1)), at(10)).expect("allowed").payment;
    assert_eq!(events(&answer(&again, refunded(), at(11))), told);
}

#[test]
fn a_payment_whose_refund_failed_settles_all_the_same() {
    let kept = answer(&going_back(of_order(), 2_50), failed(FailureCode::Declined), at(4)).payment;
    assert_eq!(kept.next_timer(), Some((at(6), PaymentTimer::Settle)));
    let settled = kept.run_timer(at(6)).expect("due");
    assert_eq!(settled.payment.status, PaymentStatus::RefundFailed);
    assert_eq!(settled.shares, [(OWN, ShareMove::Settled, WHOLE)]);
    let again = settled.payment.refund(refund(2, Some(1)), at(7)).expect("allowed").payment;
    assert_eq!(answer(&again, refunded(), at(7)).payment.status, PaymentStatus::Settled);
}

#[test]
fn a_part_given_back_before_settlement_falls_back_to_completed_and_settles() {
    let part = answer(&going_back(of_order(), 2_50), refunded(), at(4)).payment;
    assert_eq!(part.status, PaymentStatus::ProviderCompleted);
    let settled = part.run_timer(at(6)).expect("due");
    assert_eq!(settled.payment.status, PaymentStatus::Settled);
}

#[test]
fn failed_settlement_opens_the_invoice_again() {
    let failing = paid(NewPayment { forced: Some(FailureCode::SettlementFailed), ..of_invoice() });
    let change = failing.run_timer(at(6)).expect("due");
    assert_eq!(code(&change.payment), Some(4001));
    assert_eq!(change.payment.next_timer(), None);
    let message = change.message.as_ref().map(|envelope| &envelope.message);
    assert!(matches!(message, Some(Message::Contract(ContractMessage::PaymentReversed(_)))));
    assert_eq!(change.events[0].payload["failureStage"], "settlement");
    let settled = paid(of_invoice()).settle(at(9)).expect("allowed").payment;
    let refused =
        PaymentRefusal::Move { from: PaymentStatus::Settled, trigger: Trigger::FailSettlement };
    assert_eq!(settled.fail_settlement(at(10)), Err(refused));
}

#[test]
fn a_settlement_that_fails_does_not_pass_beside_a_refund() {
    let forced = Some(FailureCode::SettlementFailed);
    let failing = || going_back(NewPayment { forced, ..of_invoice() }, 2_50);
    let waits = |timer: PaymentTimer| timer == PaymentTimer::AskAgain;
    assert!(failing().next_timer().is_some_and(|(_, timer)| waits(timer)));
    let ends = [refunded(), failed(FailureCode::Declined), ProviderOutcome::RefundCancelled];
    for outcome in ends {
        let ended = answer(&failing(), outcome, at(9)).payment;
        let change = ended.run_timer(at(9)).expect("due");
        assert_eq!(change.payment.status, PaymentStatus::Failed);
        assert_eq!((code(&change.payment), change.payment.next_timer()), (Some(4001), None));
        let message = change.message.as_ref().map(|envelope| &envelope.message);
        assert!(matches!(message, Some(Message::Contract(ContractMessage::PaymentReversed(_)))));
        assert_eq!(events(&change), [("PaymentCompleted", "failed")]);
    }
}

#[test]
fn failed_settlement_takes_every_share_back_but_what_went_back_before() {
    let failing = NewPayment {
        split: Some(plan(5_00, 2_50)),
        forced: Some(FailureCode::SettlementFailed),
        ..of_order()
    };
    let part = answer(&going_back(failing, 5_00), refunded(), at(4)).payment;
    let change = part.run_timer(at(6)).expect("due");
    assert_eq!(code(&change.payment), Some(4001));
    let shares: Vec<_> = change.shares.iter().map(|(who, _, minor)| (who.0, *minor)).collect();
    assert_eq!(shares, [(7, 3_00), (8, 1_50), (OWN.0, 3_00)]);
}

#[test]
fn settled_shares_are_reported_to_all_that_have_one() {
    let settled = paid(NewPayment { split: Some(plan(12_50, 0)), ..of_order() });
    let change = settled.settle(at(9)).expect("allowed");
    let who: Vec<_> = change.shares.iter().map(|(who, what, _)| (who.0, *what)).collect();
    assert_eq!(who, [(7, ShareMove::Settled)], "nothing is left to the seller");
}

#[test]
fn refusals_name_status_and_trigger() {
    let refused = paid(of_order()).cancel(at(3)).expect_err("paid");
    assert_eq!(refused.to_string(), "invalid status transition from provider_completed to cancel");
}
