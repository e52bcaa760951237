//! Processes that end between a call and its answer.

use super::bank::{Bank, Mood};
use super::house::{House, SELLER};
use super::orders::{WHOLE, direct, good_card, manual, spend};
use crate::domain::ids::PaymentId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{CallKind, Payment, PaymentStatus};
use crate::kernel::AskError;
use crate::tables::OUTBOX;
use storage::Scan;

/// A house whose process ended while the bank, in this mood, had been asked to begin a payment.
async fn ended_while_beginning(bank: &Bank, mood: Mood) -> (House, PaymentId) {
    bank.turn(mood);
    let house = House::open(bank.clone()).await;
    let payments = house.payments.clone();
    tokio::spawn(async move { payments.initiate(direct("one"), good_card()).await });
    let begun = house.until_begun().await;
    bank.until_asked(1).await;
    bank.turn(Mood::Kind);
    (house.reopen(bank.clone()).await, begun.id)
}

async fn once_answered(house: &House, id: PaymentId) -> Payment {
    house.payments.once_answered(SELLER, id).await.expect("there")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_charged_before_the_end_is_charged_once() {
    let bank = Bank::new(Mood::Kind);
    let (house, id) = ended_while_beginning(&bank, Mood::Silent).await;
    assert_eq!(house.row(id).status, PaymentStatus::ProviderPending);
    for _ in 0..3 {
        assert_eq!(once_answered(&house, id).await.status, PaymentStatus::ProviderCompleted);
    }
    assert_eq!((bank.taken(), house.told_wallets().await, house.events()), (WHOLE, WHOLE, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_never_reached_the_bank_fails_and_is_tried_again() {
    let bank = Bank::new(Mood::Kind);
    let (house, id) = ended_while_beginning(&bank, Mood::Gone).await;
    let failed = once_answered(&house, id).await;
    assert_eq!(failed.failure, Some(FailureCode::Interrupted.into()));
    let again = house.payments.retry(SELLER, id, good_card()).await;
    let paid = again.expect("taken");
    assert_eq!(paid.status, PaymentStatus::ProviderCompleted);
    assert_eq!((bank.taken(), house.told_wallets().await), (WHOLE, WHOLE));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_ask_after_the_end_ask_the_bank_once() {
    let bank = Bank::new(Mood::Kind);
    let (house, id) = ended_while_beginning(&bank, Mood::Silent).await;
    let asked = bank.asked();
    let asks = (0..20).map(|_| {
        let payments = house.payments.clone();
        tokio::spawn(async move { payments.once_answered(SELLER, id).await })
    });
    for one in futures::future::join_all(asks).await {
        let payment = one.expect("no panic").expect("there");
        assert_eq!(payment.status, PaymentStatus::ProviderCompleted);
    }
    assert_eq!(bank.asked(), asked + 1);
}

/// A payment of which a call of this kind was under way when the process ended.
async fn ended_while(bank: &Bank, kind: CallKind, mood: Mood) -> (House, PaymentId) {
    let house = House::open(bank.clone()).await;
    let order = if kind == CallKind::Refund { direct("one") } else { manual("one") };
    let id = house.initiate(order).await.id;
    let asked = bank.asked();
    bank.turn(mood);
    let payments = house.payments.clone();
    tokio::spawn(async move {
        let key = spend("key");
        match kind {
            CallKind::Refund => {
                payments.refund(SELLER, id, Some(4_00), None, None, key).await.map(|_| ())
            }
            CallKind::Capture => {
                payments.capture(SELLER, id, Some(4_00), true, key).await.map(|_| ())
            }
            _ => payments.cancel(SELLER, id).await.map(|_| ()),
        }
    });
    bank.until_asked(asked + 1).await;
    bank.turn(Mood::Kind);
    let house = house.reopen(bank.clone()).await;
    assert_eq!(house.row(id).asking().map(|call| call.kind), Some(kind));
    (house, id)
}

#[tokio::test(flavor = "multi_thread")]
async fn captures_refunds_and_cancels_are_carried_through_once() {
    let ends = [
        (CallKind::Capture, PaymentStatus::ProviderCompleted, (4_00, 0)),
        (CallKind::Refund, PaymentStatus::ProviderCompleted, (WHOLE, 4_00)),
        (CallKind::Cancel, PaymentStatus::Cancelled, (0, 0)),
    ];
    for mood in [Mood::Silent, Mood::Gone] {
        for (kind, status, books) in ends {
            let bank = Bank::new(Mood::Kind);
            let (house, id) = ended_while(&bank, kind, mood).await;
            house.pass(60);
            while house.ring_due().await > 0 {}
            let row = house.row(id);
            let settled = row.status == PaymentStatus::Settled && kind != CallKind::Cancel;
            assert!(settled || row.status == status, "{kind:?} {mood:?}: {}", row.status);
            assert_eq!((bank.taken(), bank.returned()), books, "{kind:?} {mood:?}");
            assert_eq!((row.captured(), row.refunds.refunded_minor), books, "{kind:?} {mood:?}");
            let wallets = house.told_wallets().await + told_before(kind);
            assert_eq!(wallets, books.0 - books.1, "{kind:?} {mood:?}");
        }
    }
}

/// What the wallets of the first house were told, before its process ended.
fn told_before(kind: CallKind) -> i64 {
    if kind == CallKind::Refund { WHOLE } else { 0 }
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_to_wallets_lie_with_the_payment_until_they_are_taken() {
    let bank = Bank::new(Mood::Kind);
    let house = House::open(bank.clone()).await;
    house.shut_the_wallets();
    let id = house.initiate(direct("one")).await.id;
    let back = house.payments.refund(SELLER, id, Some(2_50), None, None, spend("key")).await;
    assert!(back.map_err(AskError::refusal).is_ok());
    assert_eq!(house.store.scan(OUTBOX, Scan::all()).count(), 2, "one a move");
    let house = house.reopen(bank).await;
    assert_eq!(house.told_wallets().await, WHOLE - 2_50);
    assert_eq!(house.store.scan(OUTBOX, Scan::all()).count(), 0);
}

#[cfg(feature = "faults")]
#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_falls_while_the_bank_is_asked_takes_the_answer_all_the_same() {
    let bank = Bank::new(Mood::Slow);
    let house = House::open(bank.clone()).await;
    let payments = house.payments.clone();
    let caller = tokio::spawn(async move { payments.initiate(direct("one"), good_card()).await });
    let begun = house.until_begun().await;
    bank.until_asked(1).await;
    assert!(house.payments.panic(SELLER, begun.id).await.is_err());
    bank.turn(Mood::Kind);
    let answered = caller.await.expect("no panic").map_err(AskError::refusal);
    assert!(answered.is_ok());
    assert_eq!(house.row(begun.id).status, PaymentStatus::ProviderCompleted);
    assert_eq!((bank.taken(), house.told_wallets().await), (WHOLE, WHOLE));
}
