//! Processes that end between a call and its answer.

use super::house::{House, SELLER};
use super::orders::{WHOLE, direct, good_card, manual, spend};
use super::processor::{Behavior, TestProcessor};
use crate::domain::ids::PaymentId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{CallKind, Payment, PaymentStatus};
use crate::domain::time::Timestamp;
use crate::kernel::AskError;
use crate::tables::OUTBOX;
use crate::timers::{TimerKind, due};
use storage::Scan;

/// A house whose process ended when the processor had been asked to begin a payment.
async fn ended_while_beginning(
    processor: &TestProcessor,
    behavior: Behavior,
) -> (House, PaymentId) {
    processor.turn(behavior);
    let house = House::open(processor.clone()).await;
    let payments = house.payments.clone();
    tokio::spawn(async move { payments.initiate(direct("one"), good_card()).await });
    let begun = house.until_begun().await;
    processor.until_asked(1).await;
    processor.turn(Behavior::Answers);
    (house.reopen(processor.clone()).await, begun.id)
}

async fn once_answered(house: &House, id: PaymentId) -> Payment {
    house.payments.once_answered(SELLER, id).await.expect("there")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_charged_before_the_end_is_charged_once() {
    let processor = TestProcessor::new(Behavior::Answers);
    let (house, id) = ended_while_beginning(&processor, Behavior::HangsAfter).await;
    assert_eq!(house.row(id).status, PaymentStatus::ProviderPending);
    for _ in 0..3 {
        assert_eq!(once_answered(&house, id).await.status, PaymentStatus::ProviderCompleted);
    }
    assert_eq!((processor.taken(), house.told_wallets().await, house.events()), (WHOLE, WHOLE, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_never_reached_the_bank_fails_and_is_tried_again() {
    let processor = TestProcessor::new(Behavior::Answers);
    let (house, id) = ended_while_beginning(&processor, Behavior::HangsBefore).await;
    let failed = once_answered(&house, id).await;
    assert_eq!(failed.failure, Some(FailureCode::Interrupted.into()));
    let again = house.payments.retry(SELLER, id, good_card()).await;
    let paid = again.expect("taken");
    assert_eq!(paid.status, PaymentStatus::ProviderCompleted);
    assert_eq!((processor.taken(), house.told_wallets().await), (WHOLE, WHOLE));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_a_day_after_the_end_says_so_to_the_bank() {
    for (seconds, says_so) in [(22 * 3600, false), (24 * 3600, true)] {
        let processor = TestProcessor::new(Behavior::Answers);
        let (house, id) = ended_while_beginning(&processor, Behavior::HangsAfter).await;
        let begun_at = house.row(id).created_at;
        house.pass(seconds);
        assert_eq!(once_answered(&house, id).await.status, PaymentStatus::ProviderCompleted);
        assert_eq!(processor.asked_long_ago(), says_so.then_some(begun_at));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_ask_after_the_end_ask_the_bank_once() {
    let processor = TestProcessor::new(Behavior::Answers);
    let (house, id) = ended_while_beginning(&processor, Behavior::HangsAfter).await;
    let asked = processor.asked();
    let asks = (0..20).map(|_| {
        let payments = house.payments.clone();
        tokio::spawn(async move { payments.once_answered(SELLER, id).await })
    });
    for one in futures::future::join_all(asks).await {
        let payment = one.expect("no panic").expect("there");
        assert_eq!(payment.status, PaymentStatus::ProviderCompleted);
    }
    assert_eq!(processor.asked(), asked + 1);
}

/// A payment of which a call of this kind was under way when the process ended.
async fn ended_while(
    processor: &TestProcessor,
    kind: CallKind,
    behavior: Behavior,
) -> (House, PaymentId) {
    let house = House::open(processor.clone()).await;
    let order = if kind == CallKind::Refund { direct("one") } else { manual("one") };
    let id = house.initiate(order).await.id;
    let asked = processor.asked();
    processor.turn(behavior);
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
            _ => payments.cancel(SELLER, id, key).await.map(|_| ()),
        }
    });
    processor.until_asked(asked + 1).await;
    processor.turn(Behavior::Answers);
    let house = house.reopen(processor.clone()).await;
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
    for behavior in [Behavior::HangsAfter, Behavior::HangsBefore] {
        for (kind, status, books) in ends {
            let processor = TestProcessor::new(Behavior::Answers);
            let (house, id) = ended_while(&processor, kind, behavior).await;
            house.pass(60);
            while house.ring_due().await > 0 {}
            let row = house.row(id);
            let settled = row.status == PaymentStatus::Settled && kind != CallKind::Cancel;
            assert!(settled || row.status == status, "{kind:?} {behavior:?}: {}", row.status);
            assert_eq!((processor.taken(), processor.returned()), books, "{kind:?} {behavior:?}");
            assert_eq!(
                (row.captured(), row.refunds.refunded_minor),
                books,
                "{kind:?} {behavior:?}"
            );
            let wallets = house.told_wallets().await + told_before(kind);
            assert_eq!(wallets, books.0 - books.1, "{kind:?} {behavior:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_was_lost_is_found_at_the_start_although_its_payment_has_yet_to_settle() {
    for behavior in [Behavior::HangsAfter, Behavior::HangsBefore] {
        let processor = TestProcessor::new(Behavior::Answers);
        let (house, id) = ended_while(&processor, CallKind::Refund, behavior).await;
        let settles = due(&house.store, TimerKind::Payment, Timestamp::MAX, 100).expect("readable");
        assert_eq!(settles.len(), 1, "{behavior:?}");
        let lost =
            due(&house.store, TimerKind::ProviderCall, Timestamp::MAX, 100).expect("readable");
        assert_eq!(lost.iter().map(|timer| timer.object).collect::<Vec<_>>(), [id.0]);
        assert_eq!(house.payments.ask_if_lost(lost[0]).await, Ok(true));
        let back = once_answered(&house, id).await;
        assert_eq!(back.status, PaymentStatus::ProviderCompleted, "{behavior:?}");
        assert_eq!(processor.returned(), 4_00, "{behavior:?}");
        house.pass(60);
        while house.ring_due().await > 0 {}
        assert_eq!(house.row(id).status, PaymentStatus::Settled, "{behavior:?}");
        assert_eq!((processor.taken(), processor.returned()), (WHOLE, 4_00), "{behavior:?}");
    }
}

/// What the wallets of the first house were told, before its process ended.
fn told_before(kind: CallKind) -> i64 {
    if kind == CallKind::Refund { WHOLE } else { 0 }
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_to_wallets_lie_with_the_payment_until_they_are_taken() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    house.shut_the_wallets();
    let id = house.initiate(direct("one")).await.id;
    let back = house.payments.refund(SELLER, id, Some(2_50), None, None, spend("key")).await;
    assert!(back.map_err(AskError::refusal).is_ok());
    assert_eq!(house.store.scan(OUTBOX, Scan::all()).count(), 2, "one a move");
    let house = house.reopen(processor).await;
    assert_eq!(house.told_wallets().await, WHOLE - 2_50);
    assert_eq!(house.store.scan(OUTBOX, Scan::all()).count(), 0);
}

#[cfg(feature = "faults")]
#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_falls_while_the_bank_is_asked_takes_the_answer_all_the_same() {
    let processor = TestProcessor::new(Behavior::Waits);
    let house = House::open(processor.clone()).await;
    let payments = house.payments.clone();
    let caller = tokio::spawn(async move { payments.initiate(direct("one"), good_card()).await });
    let begun = house.until_begun().await;
    processor.until_asked(1).await;
    assert!(house.payments.panic(SELLER, begun.id).await.is_err());
    processor.turn(Behavior::Answers);
    let answered = caller.await.expect("no panic").map_err(AskError::refusal);
    assert!(answered.is_ok());
    assert_eq!(house.row(begun.id).status, PaymentStatus::ProviderCompleted);
    assert_eq!((processor.taken(), house.told_wallets().await), (WHOLE, WHOLE));
}
