//! The buyer's answer, the seller's finalize, and giving up.

use super::fixtures::windows;
use super::fixtures::{CANCEL, CONFIRM, WHOLE, answer, asks, at, authorized, by_hand, challenged};
use super::fixtures::{
    code, completed, events, failed, local, of_invoice, of_order, started, unknown,
};
use super::*;

fn waiting(new: NewPayment) -> Payment {
    started(new, challenged())
}

fn approved(new: NewPayment) -> Payment {
    waiting(new).buyer_answered(BuyerAnswer::Approve, at(60)).expect("taken").payment
}

#[test]
fn on_a_page_an_approval_is_enough() {
    let waiting = waiting(of_invoice());
    assert!(waiting.requires_action());
    assert_eq!(waiting.next_timer(), Some((at(900), PaymentTimer::Expire)));
    let approved = waiting.buyer_answered(BuyerAnswer::Approve, at(60)).expect("taken").payment;
    let call = approved.asking().expect("a call");
    assert_eq!((call.key.as_str(), call.kind), (CONFIRM, CallKind::Confirm));
    assert!(!approved.requires_action());
    let again = approved.buyer_answered(BuyerAnswer::Approve, at(61));
    assert_eq!(again, Err(PaymentRefusal::ChallengeOver));
    assert_eq!(approved.cancel(at(61)), Err(PaymentRefusal::InFlight));
    let paid = answer(&approved, completed(), at(62)).payment;
    assert_eq!((paid.status, paid.expires_at), (PaymentStatus::ProviderCompleted, None));
}

#[test]
fn local_methods_are_paid_once_the_buyer_has_acted() {
    let reference = ("21800".to_owned(), "123456789".to_owned());
    let voucher = Ask::Voucher { entity: reference.0.clone(), reference: reference.1.clone() };
    let methods = [
        (Method::Bancontact, Ask::Redirect),
        (Method::Wero, Ask::Redirect),
        (Method::Swish, Ask::Redirect),
        (Method::MbWay, Ask::Push),
        (Method::Multibanco, voucher),
    ];
    for (method, ask) in methods {
        let mut new = local(method);
        new.order =
            Some(OrderTerms { phone: Some("+351911111111".to_owned()), ..fixtures::terms() });
        let waiting = started(new, asks(ask));
        assert!(waiting.requires_action(), "{method}");
        let shown = match method {
            Method::MbWay => Some(Instructions::App { phone: "+351911111111".to_owned() }),
            Method::Multibanco => Some(Instructions::Reference {
                entity: reference.0.clone(),
                reference: reference.1.clone(),
            }),
            _ => None,
        };
        assert_eq!(waiting.instructions, shown, "{method}");
        let refused = waiting.finalize(None, None, at(2)).expect_err("no card");
        assert!(matches!(refused, PaymentRefusal::Move { .. }), "{method}");
        let acted = waiting.buyer_answered(BuyerAnswer::Approve, at(60)).expect("taken").payment;
        let paid = answer(&acted, completed(), at(61)).payment;
        assert_eq!(paid.status, PaymentStatus::ProviderCompleted, "{method}");
        assert_eq!(paid.captured(), WHOLE);
    }
}

#[test]
fn a_sellers_own_card_payment_waits_for_finalize() {
    let waiting = waiting(of_order());
    assert_eq!(waiting.finalize(None, None, at(2)), Err(PaymentRefusal::NotApproved));
    assert_eq!(waiting.status, PaymentStatus::ProviderPending);
    let approved = waiting.buyer_answered(BuyerAnswer::Approve, at(60)).expect("taken").payment;
    assert_eq!((approved.asking(), approved.requires_action()), (None, false));
    let change = approved.finalize(None, None, at(70)).expect("allowed").expect("something to do");
    let call = change.payment.asking().expect("a call");
    assert_eq!((call.kind, call.minor), (CallKind::Confirm, None));
    assert_eq!(change.payment.finalize(None, None, at(71)), Err(PaymentRefusal::InFlight));
    let paid = answer(&change.payment, completed(), at(72));
    assert_eq!(events(&paid), [("PaymentCompleted", "provider_completed")]);
    assert_eq!(paid.payment.captured(), WHOLE);
    assert_eq!(paid.payment.finalize(None, None, at(73)), Ok(None), "it is done");
}

#[test]
fn finalize_takes_a_part_and_lets_the_rest_go() {
    let approved = approved(of_order());
    let above = approved.finalize(Some(WHOLE + 1), None, at(70));
    assert_eq!(above, Err(PaymentRefusal::AboveAuthorized));
    let asked =
        approved.finalize(Some(500), None, at(70)).expect("allowed").expect("to do").payment;
    assert_eq!(asked.asking().and_then(|call| call.minor), Some(500));
    let paid = answer(&asked, completed(), at(71));
    assert_eq!((paid.payment.captured(), paid.payment.capturable()), (500, 0));
    assert_eq!(paid.shares.iter().map(|(.., minor)| minor).sum::<i64>(), 500);
    assert_eq!(paid.payment.refundable(), 500);
}

#[test]
fn a_part_that_is_held_first_is_the_part_that_is_taken() {
    let asked = approved(of_order())
        .finalize(Some(500), None, at(70))
        .expect("allowed")
        .expect("to do")
        .payment;
    let held = answer(&asked, authorized(), at(71)).payment;
    assert_eq!(held.asking().and_then(|call| call.minor), Some(500));
    let paid = answer(&held, ProviderOutcome::Captured, at(72)).payment;
    assert_eq!((paid.captured(), paid.status), (500, PaymentStatus::ProviderCompleted));
}

#[test]
fn finalize_of_a_manual_payment_holds_and_states_no_amount() {
    let approved = approved(by_hand());
    assert_eq!(approved.finalize(Some(5), None, at(70)), Err(PaymentRefusal::ManualAmount));
    let asked = approved.finalize(None, None, at(70)).expect("allowed").expect("to do").payment;
    let held = answer(&asked, authorized(), at(71));
    assert_eq!(events(&held), [("PaymentAuthorized", "authorized")]);
    assert_eq!((held.payment.captured(), held.shares.len()), (0, 0));
    assert_eq!(held.payment.finalize(None, None, at(72)), Ok(None));
}

#[test]
fn an_approval_that_is_never_finalized_releases_its_hold() {
    let approved = approved(of_order());
    assert_eq!(approved.next_timer(), Some((at(900), PaymentTimer::Expire)));
    let asking = approved.run_timer(at(900)).expect("due").payment;
    let call = asking.asking().expect("the provider is asked");
    assert_eq!((call.key.as_str(), call.kind), (CANCEL, CallKind::Cancel));
    assert_eq!(asking.status, PaymentStatus::ProviderPending);
    let over = answer(&asking, ProviderOutcome::Cancelled, at(901));
    assert_eq!(over.payment.status, PaymentStatus::Cancelled);
    assert_eq!(over.events[0].payload["failureCategory"], "cancelled");
    assert_eq!(over.events[0].payload["failureCode"], 0);
}

#[test]
fn a_buyer_is_led_to_an_address_of_the_web_alone() {
    for (url, is_kept) in [
        ("https://bank.example.com/acs?x=1", true),
        ("HTTP://127.0.0.1:8080/", true),
        ("javascript:alert(1)", false),
        ("data:text/html,<script>", false),
        ("//bank.example.com/", false),
        ("https://bank.example.com/\" onload=\"x", false),
        ("https", false),
        ("", false),
    ] {
        let asked = ProviderOutcome::Challenged {
            token: "t".to_owned(),
            asks: Ask::Challenge,
            url: Some(url.to_owned()),
        };
        let kept = started(of_order(), asked).challenge_url;
        assert_eq!(kept.as_deref(), is_kept.then_some(url));
    }
}

#[test]
fn a_challenge_can_be_refused_left_or_forgotten() {
    let declined = waiting(of_order()).buyer_answered(BuyerAnswer::Decline, at(5)).expect("taken");
    assert_eq!(code(&declined.payment), Some(2001));
    for change in [
        waiting(of_order()).buyer_answered(BuyerAnswer::Cancel, at(5)),
        waiting(of_order()).cancel(at(5)),
        waiting(of_order()).run_timer(at(900)),
    ] {
        let asking = change.expect("taken").payment;
        let over = answer(&asking, ProviderOutcome::Cancelled, at(901));
        assert_eq!(over.payment.status, PaymentStatus::Cancelled);
        assert_eq!(over.payment.challenge, Some(ChallengeState::Cancelled));
        assert_eq!((code(&over.payment), over.payment.next_timer()), (None, None));
    }
    let unasked = fixtures::start(of_order()).payment.buyer_answered(BuyerAnswer::Approve, at(5));
    assert_eq!(unasked, Err(PaymentRefusal::NoChallenge));
}

#[test]
fn while_the_provider_is_asked_to_give_up_the_buyer_cannot_pay() {
    let asking = waiting(of_invoice()).cancel(at(5)).expect("taken").payment;
    for buyer in [BuyerAnswer::Approve, BuyerAnswer::Decline, BuyerAnswer::Cancel] {
        assert_eq!(asking.buyer_answered(buyer, at(6)), Err(PaymentRefusal::InFlight));
    }
    let lost = answer(&asking, unknown(), at(7)).payment;
    let late = lost.buyer_answered(BuyerAnswer::Approve, at(8));
    assert_eq!(late, Err(PaymentRefusal::InFlight), "the cancel is asked about first");
}

#[test]
fn a_buyer_who_was_faster_has_paid() {
    let asking = waiting(of_invoice()).run_timer(at(900)).expect("due").payment;
    let paid = answer(&asking, completed(), at(901));
    assert_eq!(paid.payment.status, PaymentStatus::ProviderCompleted);
    assert_eq!((paid.payment.captured(), paid.payment.failure), (WHOLE, None));
    assert!(paid.message.is_some(), "the contract is notified");
}

#[test]
fn a_cancel_that_the_buyer_was_faster_than_gives_its_key_back() {
    let spent = Some(SpentKey { endpoint: "cancel".to_owned(), key: "1".to_owned() });
    let asking = outside(of_order()).call_off(spent.clone(), at(5)).expect("taken").payment;
    let lost = answer(&asking, unknown(), at(6));
    assert_eq!(lost.freed, None, "nobody knows yet");
    let paid = answer(&lost.payment, completed(), at(7));
    assert_eq!((paid.payment.status, paid.freed), (PaymentStatus::ProviderCompleted, spent));
    let over = answer(&asking, ProviderOutcome::Cancelled, at(6));
    assert_eq!((over.payment.status, over.freed), (PaymentStatus::Cancelled, None));
}

#[test]
fn a_finalize_that_is_declined_fails_the_payment() {
    let asked = approved(of_order()).finalize(None, None, at(70)).expect("allowed").expect("to do");
    let over = answer(&asked.payment, failed(FailureCode::Declined), at(71));
    assert_eq!((over.payment.status, code(&over.payment)), (PaymentStatus::Failed, Some(2001)));
    let again = over.payment.finalize(None, None, at(72)).expect_err("lost");
    assert_eq!(again.to_string(), "invalid status transition from failed to finalize");
}

#[test]
fn a_processor_that_has_seen_no_approval_asks_the_buyer_again() {
    let asked = approved(of_order()).finalize(None, None, at(70)).expect("allowed").expect("to do");
    let back = answer(&asked.payment, challenged(), at(71)).payment;
    assert!(back.requires_action());
    assert_eq!(back.finalize(None, None, at(72)), Err(PaymentRefusal::NotApproved));
}

#[test]
fn an_answer_to_an_earlier_call_is_not_taken() {
    let approved = approved(of_invoice());
    let stale = approved.answered(fixtures::CREATE, challenged(), &windows(), at(61));
    assert_eq!(stale, Err(PaymentRefusal::NotAsked));
}

fn outside(new: NewPayment) -> Payment {
    waiting(fixtures::outside(new))
}

#[test]
fn a_processor_outside_is_asked_although_the_buyer_has_not_come_back() {
    let spent = Some(SpentKey { endpoint: "finalize-payment".to_owned(), key: "1".to_owned() });
    let waiting = outside(of_order());
    assert_eq!(waiting.finalize(Some(500), None, at(59)), Err(PaymentRefusal::TakesTheWhole));
    let asked = waiting.finalize(None, spent.clone(), at(60)).expect("allowed").expect("to do");
    assert_eq!(asked.payment.asking().map(|call| call.kind), Some(CallKind::Confirm));
    let early = answer(&asked.payment, challenged(), at(61));
    assert_eq!(early.freed, spent, "it may be asked again under its key");
    assert!(early.payment.requires_action() && early.payment.asking().is_none());
    let again = early.payment.finalize(None, spent, at(62)).expect("allowed").expect("to do");
    let paid = answer(&again.payment, completed(), at(63));
    assert_eq!((paid.freed, paid.payment.status), (None, PaymentStatus::ProviderCompleted));
}

#[test]
fn a_buyer_turned_down_at_the_bank_has_failed_when_the_time_is_over() {
    let asking = outside(of_order()).run_timer(at(900)).expect("due").payment;
    let over = answer(&asking, failed(FailureCode::Declined), at(901)).payment;
    assert_eq!((over.status, code(&over)), (PaymentStatus::Failed, Some(2001)));
    let asking = outside(of_order()).cancel(at(5)).expect("taken").payment;
    let over = answer(&asking, failed(FailureCode::Declined), at(6)).payment;
    assert_eq!((over.status, code(&over)), (PaymentStatus::Cancelled, None), "given up before");
}
