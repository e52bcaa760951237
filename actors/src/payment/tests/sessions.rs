//! Hosted sessions and the attempts at them.

use super::house::{House, SELLER};
use super::orders::{WHOLE, good_card, spend, whole};
use super::processor::{Behavior, TestProcessor};
use crate::domain::ids::TerminalId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::{NewAttempt, Payment, PaymentStatus, SESSION_SECONDS};
use crate::domain::payments::terminal::Connector;
use crate::domain::refusal::RefusalKind;
use crate::domain::testing::checkout;
use crate::kernel::{AskError, Once};
use crate::link_tokens::LinkTokens;
use crate::payment::{BeginRefusal, PaymentOrder};

fn session(house: &House, name: &str) -> PaymentOrder {
    PaymentOrder {
        checkout: Some(checkout(house.clock.now().plus_seconds(SESSION_SECONDS))),
        ..PaymentOrder::new(SELLER, name.to_owned(), whole())
    }
}

async fn opened(house: &House) -> Payment {
    let made = house.payments.open_session(session(house, "one"), spend("key")).await;
    match made.expect("not refused") {
        Once::Made(payment) => payment,
        Once::Before => panic!("not made"),
    }
}

fn with_card() -> NewAttempt {
    NewAttempt {
        method: Method::Card,
        source: good_card(),
        phone: None,
        country: None,
        route: Some((TerminalId(1), Connector::Simulator)),
        consent: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_opened_once_under_its_key_and_reference() {
    let house = House::open(TestProcessor::new(Behavior::Answers)).await;
    let payment = opened(&house).await;
    let found = house
        .payments
        .by_session(&LinkTokens::new(&[7; 32]).of_checkout(&payment))
        .expect("readable");
    assert_eq!(found.map(|found| found.id), Some(payment.id));
    let again = |name, key| house.payments.open_session(session(&house, name), spend(key));
    let same_key = again("two", "key").await.map_err(AskError::refusal);
    assert_eq!(same_key, Ok(Once::Before));
    let same_reference = again("one", "other").await.map_err(AskError::refusal);
    assert_eq!(same_reference, Err(BeginRefusal::ReferenceUsed.into()));
    assert!(
        again("two", "other").await.map_err(AskError::refusal).is_ok(),
        "the key was not spent"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_tabs_one_pays() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let payment = opened(&house).await;
    let tabs = (0..20).map(|_| {
        let (payments, id) = (house.payments.clone(), payment.id);
        tokio::spawn(async move { payments.attempt(SELLER, id, with_card()).await })
    });
    let mut paid = 0;
    for tab in futures::future::join_all(tabs).await {
        match tab.expect("no panic").map_err(AskError::refusal) {
            Ok(_) => paid += 1,
            Err(refusal) => assert_eq!(refusal.kind, RefusalKind::Conflict),
        }
    }
    assert_eq!((paid, processor.taken(), house.told_wallets().await), (1, WHOLE, WHOLE));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_attempt_leaves_room_for_another_and_pages_hear_of_both() {
    let processor = TestProcessor::new(Behavior::Refuses(FailureCode::Declined));
    let house = House::open(processor.clone()).await;
    let payment = opened(&house).await;
    let mut page = house.payments.watch(SELLER, payment.id);
    let tried = house.payments.attempt(SELLER, payment.id, with_card()).await;
    let tried = tried.expect("taken");
    assert_eq!((tried.status, tried.failure), (PaymentStatus::ProviderPending, None));
    assert!(page.has_changed().expect("watched"));
    page.mark_unchanged();
    processor.turn(Behavior::Answers);
    let paid = house.payments.attempt(SELLER, payment.id, with_card()).await;
    assert_eq!(paid.expect("taken").status, PaymentStatus::ProviderCompleted);
    assert!(page.has_changed().expect("watched"));
    assert_eq!(house.events(), 1, "the decline was not the payment's end");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_no_terminal_takes_asks_nobody() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let payment = opened(&house).await;
    let unserved = NewAttempt { route: None, ..with_card() };
    let tried = house.payments.attempt(SELLER, payment.id, unserved).await;
    let checkout = tried.expect("taken").checkout.expect("a session");
    let failures: Vec<_> = checkout.attempts.iter().map(|one| one.failure).collect();
    assert_eq!((failures, processor.asked()), (vec![Some(FailureCode::NoTerminal)], 0));
    assert!(
        house
            .payments
            .attempt(SELLER, payment.id, with_card())
            .await
            .map_err(AskError::refusal)
            .is_ok()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_cut_off_by_the_end_of_the_process_ends_as_one() {
    let processor = TestProcessor::new(Behavior::HangsBefore);
    let house = House::open(processor.clone()).await;
    let id = opened(&house).await.id;
    let payments = house.payments.clone();
    tokio::spawn(async move { payments.attempt(SELLER, id, with_card()).await });
    processor.until_asked(1).await;
    processor.turn(Behavior::Answers);
    let house = house.reopen(processor.clone()).await;
    let known = house.payments.once_answered(SELLER, id).await.expect("there");
    assert_eq!(known.status, PaymentStatus::ProviderPending);
    let checkout = known.checkout.expect("a session");
    assert_eq!((checkout.attempts.len(), checkout.trying), (1, false));
    let paid = house.payments.attempt(SELLER, id, with_card()).await.map_err(AskError::refusal);
    assert_eq!(paid.expect("taken").captured(), WHOLE);
    assert_eq!(processor.taken(), WHOLE);
}
