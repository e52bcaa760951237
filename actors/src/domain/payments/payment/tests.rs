//! The life of a payment, step by step.

use super::*;
use crate::domain::messages::ContractMessage;
use crate::domain::money::Currency;
use crate::domain::payments::card::{CardData, CardInput};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::terminal::Connector;
use crate::domain::platform::event::EventType;

const SETTLE: i64 = 5;
const KEY: &str = "k-create";

fn at(second: i64) -> Timestamp {
    Timestamp::parse("2026-11-21T10:00:00Z").expect("an instant").plus_seconds(second)
}

fn card(number: &str, month: i64, year: i64) -> CardData {
    let input = CardInput {
        number: number.into(),
        cvv: "123".into(),
        exp_month: Some(month),
        exp_year: Some(year),
        holder: String::new(),
    };
    input.check().expect("a card")
}

fn new_payment() -> NewPayment {
    NewPayment {
        id: PaymentId(9),
        seller: SellerId(1),
        reference: "1000001-2611AAA-9".to_owned(),
        amount: Money::new(12_50, Currency::EUR).expect("money"),
        pays_for: PaysFor::Invoice { contract: ContractId(4), invoice: InvoiceId(5) },
        demo: true,
        provider_key: "k".to_owned(),
        connector: Some(Connector::Simulator),
    }
}

fn started() -> Payment {
    Payment::start(new_payment(), &card("4242424242424242", 12, 2030), at(0)).payment
}

fn completed(token: &str) -> ProviderOutcome {
    ProviderOutcome::Completed { token: token.to_owned() }
}

fn challenged() -> Payment {
    let outcome = ProviderOutcome::Challenged { token: "t".to_owned() };
    started().answered(KEY, outcome, SETTLE, at(1)).expect("taken").payment
}

#[test]
fn the_call_is_written_down_before_it_is_made() {
    let change = Payment::start(new_payment(), &card("4242424242424242", 12, 2030), at(0));
    let call = change.payment.asking().expect("a call");
    assert_eq!((call.key.as_str(), call.kind, call.asked), ("k-create", CallKind::Create, 1));
    assert_eq!(change.payment.status, PaymentStatus::ProviderPending);
    assert_eq!(change.payment.expires_at, Some(at(900)));
    assert!(change.events.is_empty() && change.message.is_none());
    let lost = Some((at(60), PaymentTimer::AskAgain));
    assert_eq!(change.payment.next_timer(), lost, "if no answer is heard of");
}

#[test]
fn an_expired_card_fails_before_a_provider_is_asked() {
    let change = Payment::start(new_payment(), &card("4242424242424242", 10, 2026), at(0));
    assert_eq!(change.payment.status, PaymentStatus::Failed);
    assert_eq!(change.payment.failure, Some(FailureCode::CardExpired.into()));
    assert_eq!((change.payment.asking(), change.payment.next_timer()), (None, None));
    assert_eq!(change.events.len(), 1);
    let told = &change.events[0].payload;
    assert_eq!(told["failureCode"], 1007);
    assert_eq!(told["retry"], "fix_first");
    assert_eq!(told["failureCategory"], "requires_change");
    assert_eq!(told["failureStage"], "validation");
}

#[test]
fn without_a_terminal_nobody_is_asked() {
    let new = NewPayment { connector: None, ..new_payment() };
    let change = Payment::start(new, &card("4242424242424242", 12, 2030), at(0));
    assert_eq!(change.payment.failure, Some(FailureCode::NoTerminal.into()));
    assert_eq!(change.events[0].payload["failureStage"], "routing");
}

#[test]
fn an_answer_to_an_earlier_call_is_not_taken() {
    let approved = challenged().buyer_answered(BuyerAnswer::Approve, at(60)).expect("taken");
    let stale = ProviderOutcome::Challenged { token: "t".to_owned() };
    let answer = approved.payment.answered(KEY, stale, SETTLE, at(61));
    assert_eq!(answer, Err(PaymentRefusal::NotAsked));
}

#[test]
fn completion_tells_seller_and_contract_and_settles_later() {
    let change = started().answered(KEY, completed("t"), SETTLE, at(2)).expect("taken");
    assert_eq!(change.payment.status, PaymentStatus::ProviderCompleted);
    assert_eq!(change.payment.processor_token.as_deref(), Some("t"));
    assert_eq!(change.events[0].kind, EventType::PaymentCompleted);
    assert_eq!(change.events[0].payload["amountMinor"], 1250);
    assert_eq!(change.events[0].payload["failureCode"], 0);
    let Some((contract, ContractMessage::PaymentSucceeded(notice))) = &change.message else {
        panic!("the contract is not told");
    };
    assert_eq!((*contract, notice.invoice), (ContractId(4), InvoiceId(5)));

    let paid = change.payment;
    assert_eq!(paid.next_timer(), Some((at(7), PaymentTimer::Settle)));
    assert_eq!(paid.timer_rang(at(6)), Err(PaymentRefusal::NotDue));
    let settled = paid.timer_rang(at(7)).expect("due");
    assert_eq!(settled.payment.status, PaymentStatus::Settled);
    assert_eq!(settled.payment.settled_at, Some(at(7)));
    assert_eq!((settled.events.len(), &settled.message), (1, &None));
    assert_eq!(settled.payment.next_timer(), None);
    assert_eq!(settled.payment.settle(at(8)), Err(PaymentRefusal::NotDue));
}

#[test]
fn an_answer_is_taken_once() {
    let paid = started().answered(KEY, completed("t"), SETTLE, at(2)).expect("taken").payment;
    assert_eq!(paid.answered(KEY, completed("t"), SETTLE, at(3)), Err(PaymentRefusal::NotAsked));
}

#[test]
fn failures_are_told_and_leave_no_timer() {
    for code in [FailureCode::Declined, FailureCode::ProviderTimeout, FailureCode::RiskRejected] {
        let outcome = ProviderOutcome::Failed { code, token: None };
        let change = started().answered(KEY, outcome, SETTLE, at(1)).expect("taken");
        assert_eq!(change.payment.status, PaymentStatus::Failed);
        assert_eq!(change.events[0].payload["failureCode"], code.code());
        assert_eq!((change.message, change.payment.next_timer()), (None, None));
    }
    let absent = started().answered(KEY, ProviderOutcome::Absent, SETTLE, at(1)).expect("taken");
    assert_eq!(absent.payment.failure, Some(FailureCode::Interrupted.into()));
}

#[test]
fn an_approved_challenge_goes_back_to_the_provider() {
    let waiting = challenged();
    assert!(waiting.requires_action());
    assert_eq!(waiting.next_timer(), Some((at(900), PaymentTimer::Expire)));
    let approved = waiting.buyer_answered(BuyerAnswer::Approve, at(60)).expect("taken").payment;
    let call = approved.asking().expect("a call");
    assert_eq!((call.key.as_str(), call.kind), ("k-confirm", CallKind::Confirm));
    assert!(!approved.requires_action());
    let again = approved.buyer_answered(BuyerAnswer::Approve, at(61));
    assert_eq!(again, Err(PaymentRefusal::ChallengeOver));
    assert_eq!(approved.cancel(at(61)), Err(PaymentRefusal::InFlight));
    let paid =
        approved.answered("k-confirm", completed("t"), SETTLE, at(62)).expect("taken").payment;
    assert_eq!(paid.status, PaymentStatus::ProviderCompleted);
    assert_eq!(paid.expires_at, None);
}

#[test]
fn a_challenge_can_be_refused_left_or_forgotten() {
    let declined = challenged().buyer_answered(BuyerAnswer::Decline, at(5)).expect("taken");
    assert_eq!(declined.payment.failure, Some(FailureCode::Declined.into()));
    for change in [
        challenged().buyer_answered(BuyerAnswer::Cancel, at(5)),
        challenged().cancel(at(5)),
        challenged().timer_rang(at(900)),
    ] {
        let change = change.expect("taken");
        assert_eq!(change.payment.status, PaymentStatus::Cancelled);
        assert_eq!(change.payment.challenge, Some(ChallengeState::Cancelled));
        assert_eq!(change.events[0].payload["failureCode"], 0);
        assert_eq!(change.events[0].payload["failureCategory"], "cancelled");
    }
    let unasked = started().buyer_answered(BuyerAnswer::Approve, at(5));
    assert_eq!(unasked, Err(PaymentRefusal::NoChallenge));
}

#[test]
fn an_unknown_outcome_is_asked_about_for_a_day() {
    let lost = started().answered(KEY, ProviderOutcome::Unknown, SETTLE, at(1)).expect("taken");
    assert!(lost.events.is_empty(), "nothing is told before something is known");
    let mut payment = lost.payment;
    let mut asked = 1;
    while let Some((when, timer)) = payment.next_timer() {
        assert_eq!(timer, PaymentTimer::AskAgain);
        assert_eq!(payment.failure, None);
        payment = payment.timer_rang(when).expect("due").payment;
        if payment.asking().is_none() {
            break;
        }
        asked += 1;
        assert_eq!(payment.asking().expect("a call").key, "k-create");
        payment =
            payment.answered(KEY, ProviderOutcome::Unknown, SETTLE, when).expect("taken").payment;
    }
    let call = payment.call.clone().expect("a call");
    assert_eq!(call.state, CallState::Manual);
    assert!((100..200).contains(&asked), "asked {asked} times");
    assert!(payment.updated_at >= at(24 * 3600));
    assert_eq!(payment.status, PaymentStatus::ProviderPending);
    let late =
        payment.answered(KEY, completed("t"), SETTLE, at(90_000)).expect("a person's answer");
    assert_eq!(late.payment.status, PaymentStatus::ProviderCompleted);
}

#[test]
fn a_call_that_was_under_way_when_the_process_ended_is_made_again() {
    let again = started().timer_rang(at(60)).expect("due").payment;
    let call = again.asking().expect("a call");
    assert_eq!((call.asked, call.first_asked_at, call.asked_at), (2, at(0), at(60)));
}

#[test]
fn failed_settlement_opens_the_invoice_again() {
    let paid = started().answered(KEY, completed("t"), SETTLE, at(2)).expect("taken").payment;
    let change = paid.fail_settlement(at(9)).expect("taken");
    assert_eq!(change.payment.failure, Some(FailureCode::SettlementFailed.into()));
    assert_eq!(change.payment.next_timer(), None);
    assert!(matches!(change.message, Some((_, ContractMessage::PaymentReversed(_)))));
    assert_eq!(change.events[0].payload["failureStage"], "settlement");
}

#[test]
fn refusals_name_status_and_trigger() {
    let paid = started().answered(KEY, completed("t"), SETTLE, at(2)).expect("taken").payment;
    let refused = paid.cancel(at(3)).expect_err("paid");
    assert_eq!(refused.to_string(), "invalid status transition from provider_completed to cancel");
}

#[test]
fn the_row_is_read_back_and_holds_no_card_number() {
    let start = Payment::start(new_payment(), &card("4000000000003220", 12, 2030), at(0)).payment;
    let row = Record::encode(&start);
    for secret in ["4000000000003220", "00000000003220"] {
        assert!(!row.windows(secret.len()).any(|part| part == secret.as_bytes()));
        assert!(!format!("{start:?}").contains(secret));
    }
    assert_eq!(Payment::decode(Payment::VERSION, &row), Ok(start));
}
