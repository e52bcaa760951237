//! Beginnings, and what they fail by before a provider is asked.

use storage::Record;

use super::fixtures::{
    CREATE, GOOD, answer, at, authorized, by_hand, card, code, completed, good_card,
};
use super::fixtures::{local, of_invoice, of_order, of_session, paid, start, windows};
use super::*;
use crate::domain::payments::source::Source;

#[test]
fn the_call_is_written_down_before_it_is_made() {
    let change = start(of_invoice());
    let call = change.payment.asking().expect("a call");
    assert_eq!((call.key.as_str(), call.kind, call.asked), (CREATE, CallKind::Create, 1));
    assert_eq!(change.payment.status, PaymentStatus::ProviderPending);
    assert_eq!(change.payment.expires_at, Some(at(900)));
    assert!(change.events.is_empty() && change.message.is_none() && change.shares.is_empty());
    let lost = Some((at(60), PaymentTimer::AskAgain));
    assert_eq!(change.payment.next_timer(), lost, "if no answer is heard of");
}

#[test]
fn each_method_waits_for_its_buyer_as_long_as_it_is_said() {
    let waits = [
        (Method::Bancontact, 900),
        (Method::Wero, 900),
        (Method::Swish, 900),
        (Method::MbWay, 240),
        (Method::Multibanco, 3 * 24 * 3600),
    ];
    for (method, seconds) in waits {
        let begun = start(local(method)).payment;
        assert_eq!(begun.expires_at, Some(at(seconds)), "{method}");
        assert_eq!((begun.card.is_none(), begun.method), (true, method));
    }
}

#[test]
fn an_expired_card_fails_before_a_provider_is_asked() {
    let change = Payment::start(of_order(), Some(&card(GOOD, 10, 2026)), &windows(), at(0));
    assert_eq!(change.payment.status, PaymentStatus::Failed);
    assert_eq!((change.payment.asking(), change.payment.next_timer()), (None, None));
    assert_eq!(change.events.len(), 1);
    let payload = &change.events[0].payload;
    assert_eq!(payload["failureCode"], 1007);
    assert_eq!(payload["retry"], "fix_first");
    assert_eq!(payload["failureCategory"], "requires_change");
    assert_eq!(payload["failureStage"], "validation");
}

#[test]
fn without_a_terminal_nobody_is_asked() {
    let change = start(NewPayment { route: None, ..of_order() });
    assert_eq!(code(&change.payment), Some(1003));
    assert_eq!(change.payment.asking(), None);
    assert_eq!(change.events[0].payload["failureStage"], "routing");
}

#[test]
fn what_is_forced_before_the_provider_asks_nobody_and_what_is_forced_later_does() {
    for forced in FailureCode::ALL.iter().filter(|code| code.code() != 5001) {
        let change = start(NewPayment { forced: Some(*forced), ..of_order() });
        let early = forced.code() < 2000;
        assert_eq!(change.payment.status == PaymentStatus::Failed, early, "{forced:?}");
        assert_eq!(change.payment.asking().is_none(), early, "{forced:?}");
        assert_eq!(change.payment.failure, early.then(|| (*forced).into()));
        assert_eq!(change.events.len(), usize::from(early));
    }
}

#[test]
fn a_deposit_that_is_to_stay_away_is_waited_for_without_asking() {
    let forced = Some(FailureCode::DepositUnconfirmed);
    let waiting = start(NewPayment { forced, ..of_order() }).payment;
    assert_eq!((waiting.asking(), waiting.status), (None, PaymentStatus::ProviderPending));
    assert_eq!(waiting.next_timer(), Some((at(900), PaymentTimer::Expire)));
    let voucher = start(NewPayment { forced, ..local(Method::Multibanco) }).payment;
    assert!(voucher.asking().is_some(), "a reference is made first");
}

#[test]
fn a_session_begins_without_anybody_being_asked() {
    let new = of_session();
    let change = Payment::start(new, None, &windows(), at(0));
    assert_eq!(change.payment.status, PaymentStatus::ProviderPending);
    assert_eq!((change.payment.asking(), change.payment.card.clone()), (None, None));
    let end = Some((at(SESSION_SECONDS), PaymentTimer::Expire));
    assert_eq!(change.payment.next_timer(), end);
    assert!(!change.payment.requires_action());
}

#[test]
fn an_answer_is_taken_once_and_only_to_its_own_call() {
    let asking = start(of_invoice()).payment;
    let strange = asking.answered("k-confirm", completed(), &windows(), at(1));
    assert_eq!(strange, Err(PaymentRefusal::NotAsked));
    let paid = paid(of_invoice());
    let twice = paid.answered(CREATE, completed(), &windows(), at(2));
    assert_eq!(twice, Err(PaymentRefusal::NotAsked));
    assert_eq!(paid.ask_again(at(2)), Err(PaymentRefusal::NotAsked));
}

#[test]
fn a_processor_that_opens_first_is_given_the_card_in_a_call_of_its_own() {
    let open = ProviderOutcome::Opened { token: "pi".to_owned() };
    let opened = answer(&start(by_hand()).payment, open, at(1));
    assert!(opened.events.is_empty());
    let call = opened.payment.asking().expect("the next call");
    assert_eq!((call.key.as_str(), call.kind), ("k-charge", CallKind::Charge));
    assert_eq!(opened.payment.processor_token.as_deref(), Some("pi"));
    let known = opened.payment.answered(CREATE, completed(), &windows(), at(2));
    assert_eq!(known, Err(PaymentRefusal::NotAsked), "that call has been answered");
    let held = answer(&opened.payment, authorized(), at(2)).payment;
    assert_eq!(held.status, PaymentStatus::Authorized);
}

#[test]
fn the_row_is_read_back_and_holds_no_card_number() {
    let number = "4000000000003220";
    let source = card(number, 12, 2030);
    let start = Payment::start(of_order(), Some(&source), &windows(), at(0)).payment;
    let row = Record::encode(&start);
    for secret in [number, "00000000003220"] {
        assert!(!row.windows(secret.len()).any(|part| part == secret.as_bytes()));
        assert!(!format!("{start:?}").contains(secret));
    }
    assert_eq!(Payment::decode(Payment::VERSION, &row), Ok(start));
}

#[test]
fn cards_are_distinguished_without_being_kept() {
    let print = |source: &Source| source.fingerprint(b"a key");
    assert_eq!(print(&good_card()), print(&card(GOOD, 12, 2030)));
    assert_ne!(print(&good_card()), print(&card(GOOD, 11, 2030)));
    assert_ne!(print(&good_card()), print(&card("4000000000003220", 12, 2030)));
    assert_ne!(print(&good_card()), good_card().fingerprint(b"another key"));
}
