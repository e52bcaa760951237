//! Captures and refunds under keys of their own.

use std::time::Duration;

use super::house::{House, SELLER};
use super::orders::{WHOLE, direct, manual, spend};
use super::processor::{Behavior, TestProcessor};
use crate::connector::Simulator;
use crate::domain::ids::PaymentId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{ForcedRefund, PaymentRefusal, PaymentStatus, RefundStatus};
use crate::domain::refusal::RefusalKind;
use crate::kernel::{AskError, Once};
use crate::tables::POST_KEYS;

/// How many were made, came before and were refused; refusals are conflicts.
fn count<T>(answers: Vec<Result<Once<T>, AskError>>) -> (i64, usize, usize) {
    let (mut made, mut before, mut refused) = (0, 0, 0);
    for answer in answers {
        match answer.map_err(AskError::refusal) {
            Ok(Once::Made(_)) => made += 1,
            Ok(Once::Before) => before += 1,
            Err(refusal) => {
                assert_eq!(refusal.kind, RefusalKind::Conflict, "{}", refusal.text);
                refused += 1;
            }
        }
    }
    (made, before, refused)
}

async fn capture(house: &House, id: PaymentId, minor: i64, key: &str) -> (i64, usize, usize) {
    let asked = house.payments.capture(SELLER, id, Some(minor), false, spend(key)).await;
    count(vec![asked])
}

async fn captures(
    house: &House,
    id: PaymentId,
    keys: impl Iterator<Item = String>,
) -> (i64, usize, usize) {
    let asks = keys.map(|key| {
        let payments = house.payments.clone();
        tokio::spawn(
            async move { payments.capture(SELLER, id, Some(1_00), false, spend(&key)).await },
        )
    });
    let answers = futures::future::join_all(asks).await;
    count(answers.into_iter().map(|one| one.expect("no panic")).collect())
}

async fn refunds(
    house: &House,
    id: PaymentId,
    keys: impl Iterator<Item = String>,
) -> (i64, usize, usize) {
    let asks = keys.map(|key| {
        let payments = house.payments.clone();
        tokio::spawn(async move {
            payments.refund(SELLER, id, Some(1_00), None, None, spend(&key)).await
        })
    });
    let answers = futures::future::join_all(asks).await;
    count(answers.into_iter().map(|one| one.expect("no panic")).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_captures_at_once_never_take_more_than_is_held() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let id = house.initiate(manual("one")).await.id;
    let (made, before, refused) = captures(&house, id, (0..50).map(|nth| nth.to_string())).await;
    assert_eq!((made, before, refused), (12, 0, 38), "each waits for the one before it");
    let row = house.row(id);
    assert_eq!((row.captured(), processor.taken()), (made * 1_00, made * 1_00));
    assert_eq!(house.told_wallets().await, made * 1_00);
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_refunds_at_once_never_give_back_more_than_was_taken() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let id = house.initiate(direct("one")).await.id;
    let (made, before, refused) = refunds(&house, id, (0..50).map(|nth| nth.to_string())).await;
    assert_eq!((made, before, refused), (12, 0, 38), "each waits for the one before it");
    let row = house.row(id);
    assert_eq!((row.refunds.refunded_minor, processor.returned()), (made * 1_00, made * 1_00));
    let rows = house.refunds(id);
    assert!(rows.iter().all(|row| row.status == RefundStatus::Succeeded));
    assert_eq!(rows.len(), usize::try_from(made).expect("small"));
    assert_eq!(house.told_wallets().await, WHOLE - made * 1_00);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_captures_and_gives_back_once() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let id = house.initiate(manual("one")).await.id;
    let same = |key: &'static str| (0..20).map(move |_| key.to_owned());
    assert_eq!(captures(&house, id, same("take")).await, (1, 19, 0));
    assert_eq!(refunds(&house, id, same("give")).await, (1, 19, 0));
    assert_eq!((processor.taken(), processor.returned()), (1_00, 1_00));
    let row = house.row(id);
    assert_eq!((row.captured(), row.status), (1_00, PaymentStatus::Refunded));
    assert_eq!(house.told_wallets().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_that_fails_gives_its_key_back() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let id = house.initiate(manual("one")).await.id;
    processor.turn(Behavior::Refuses(FailureCode::CaptureFailed));
    assert_eq!(capture(&house, id, 3_00, "key").await, (1, 0, 0));
    let missed = house.row(id);
    assert_eq!(missed.failure, Some(FailureCode::CaptureFailed.into()));
    assert_eq!((missed.status, missed.captured()), (PaymentStatus::Authorized, 0));
    let kept = (SELLER, "/payments/tests".to_owned(), "key".to_owned());
    assert_eq!(house.store.contains(POST_KEYS, &kept), Ok(false));

    processor.turn(Behavior::Answers);
    assert_eq!(capture(&house, id, 3_00, "key").await, (1, 0, 0), "it runs again");
    assert_eq!(capture(&house, id, 3_00, "key").await, (0, 1, 0), "and was spent");
    assert_eq!((processor.taken(), house.row(id).failure), (3_00, None));
    assert_eq!(house.events(), 2, "authorized and completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_of_unknown_outcome_keeps_its_key() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let id = house.initiate(manual("one")).await.id;
    processor.turn(Behavior::LosesAnswers);
    assert_eq!(capture(&house, id, 3_00, "key").await, (1, 0, 0));
    assert_eq!(capture(&house, id, 3_00, "key").await, (0, 1, 0));
    let payments = house.payments.clone();
    let other =
        async move { payments.capture(SELLER, id, Some(2_00), false, spend("other")).await };
    let other = tokio::spawn(other);
    processor.turn(Behavior::Answers);
    house.pass(5);
    assert_eq!((house.row(id).captured(), other.is_finished()), (0, false), "one at a time");
    assert_eq!(house.ring_due().await, 1);
    assert_eq!(count(vec![other.await.expect("no panic")]), (1, 0, 0));
    assert_eq!((house.row(id).captured(), processor.taken()), (5_00, 5_00));
    assert_eq!(house.told_wallets().await, 5_00);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_too_long_for_another_is_told_that_the_payment_is_being_processed() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::that_waits(processor.clone(), Duration::from_secs(1)).await;
    let id = house.initiate(manual("one")).await.id;
    processor.turn(Behavior::LosesAnswers);
    assert_eq!(capture(&house, id, 3_00, "key").await, (1, 0, 0));
    let late = house.payments.capture(SELLER, id, Some(1_00), false, spend("late")).await;
    assert_eq!(late.err(), Some(PaymentRefusal::InFlight.into()));
    let late = house.payments.cancel(SELLER, id, spend("late")).await;
    assert_eq!(late.err(), Some(PaymentRefusal::InFlight.into()));
    let kept = (SELLER, "/payments/tests".to_owned(), "late".to_owned());
    assert_eq!(house.store.contains(POST_KEYS, &kept), Ok(false));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_cancels_one_payment() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let held = [house.initiate(manual("one")).await.id, house.initiate(manual("two")).await.id];
    let asks = (0..20).map(|nth| {
        let (payments, id) = (house.payments.clone(), held[nth % 2]);
        tokio::spawn(async move { payments.cancel(SELLER, id, spend("key")).await })
    });
    let answers = futures::future::join_all(asks).await;
    let answers = answers.into_iter().map(|one| one.expect("no panic")).collect();
    assert_eq!(count(answers), (1, 19, 0));
    let cancelled = held.iter().filter(|id| house.row(**id).status == PaymentStatus::Cancelled);
    assert_eq!(cancelled.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_another_payment_changes_nothing() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let first = house.initiate(manual("one")).await.id;
    let second = house.initiate(manual("two")).await.id;
    assert_eq!(capture(&house, first, 1_00, "key").await, (1, 0, 0));
    let before = house.row(second);
    assert_eq!(capture(&house, second, 2_00, "key").await, (0, 1, 0));
    assert_eq!((house.row(second), processor.taken()), (before, 1_00));
    assert_eq!(capture(&house, second, 3_00, "free").await, (1, 0, 0));
    assert_eq!((house.row(second).captured(), processor.taken()), (3_00, 4_00));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_came_too_early_is_made_under_its_own_id() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let id = house.initiate(direct("one")).await.id;
    processor.turn(Behavior::Refuses(FailureCode::RefundTooEarly));
    let asked = house.payments.refund(SELLER, id, None, None, None, spend("key")).await;
    let Ok(Once::Made((payment, row))) = asked.map_err(AskError::refusal) else {
        panic!("not made")
    };
    assert_eq!((payment.status, row.status), (PaymentStatus::RefundFailed, RefundStatus::Failed));
    assert_eq!(row.failure, Some(FailureCode::RefundTooEarly));
    processor.turn(Behavior::Answers);
    let again =
        house.payments.refund_again(SELLER, id, row.id, None).await.map_err(AskError::refusal);
    let (payment, row) = again.expect("made");
    assert_eq!((payment.status, row.status), (PaymentStatus::Refunded, RefundStatus::Succeeded));
    let twice =
        house.payments.refund_again(SELLER, id, row.id, None).await.map_err(AskError::refusal);
    assert!(twice.is_err());
    assert_eq!((processor.returned(), house.told_wallets().await), (WHOLE, 0));
    assert_eq!(house.refunds(id).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn refunds_of_demo_mode_arrive_a_little_later_or_not_at_all() {
    let house = House::open(Simulator).await;
    let id = house.initiate(direct("one")).await.id;
    let refund =
        |forced, key| house.payments.refund(SELLER, id, Some(1_00), None, forced, spend(key));
    let off = refund(Some(ForcedRefund::Cancelled), "off").await.map_err(AskError::refusal);
    assert!(off.is_ok());
    assert_eq!(house.row(id).status, PaymentStatus::RefundCancelled);
    assert!(refund(None, "on").await.map_err(AskError::refusal).is_ok());
    assert_eq!(house.row(id).status, PaymentStatus::RefundPending);
    house.pass(2);
    assert_eq!(house.ring_due().await, 1);
    let row = house.row(id);
    assert_eq!((row.status, row.refunds.refunded_minor), (PaymentStatus::ProviderCompleted, 1_00));
    assert_eq!(house.told_wallets().await, WHOLE - 1_00);
    house.pass(5);
    assert_eq!(house.ring_due().await, 1);
    assert_eq!(house.row(id).status, PaymentStatus::Settled);
}
