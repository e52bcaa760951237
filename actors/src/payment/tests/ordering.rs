//! Payments that sellers initiate.

use std::sync::Arc;

use storage::Scan;

use super::house::{House, SELLER};
use super::orders::{WHOLE, card, direct, good_card, spend};
use super::processor::{Behavior, TestProcessor};
use crate::connector::Simulator;
use crate::domain::ids::PaymentId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{
    BuyerAnswer, CallState, OrderTerms, PaymentRefusal, PaymentStatus, ProviderOutcome,
};
use crate::domain::payments::source::Source;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Once};
use crate::payment::{BeginRefusal, PaymentOrder};
use crate::tables::PAYMENTS;
use crate::testing::until;

#[tokio::test(flavor = "multi_thread")]
async fn an_initiated_payment_is_found_by_key_and_reference() {
    let house = House::open(Simulator).await;
    let paid = house.initiate(direct("one")).await;
    assert_eq!((paid.status, paid.captured()), (PaymentStatus::ProviderCompleted, WHOLE));
    let by_key = house.payments.by_key(SELLER, "one").await.expect("readable").expect("there");
    let by_reference = house.payments.by_reference(SELLER, "one").expect("readable");
    assert_eq!((by_key.id, by_reference.map(|found| found.id)), (paid.id, Some(paid.id)));
    assert_eq!(house.told_wallets().await, WHOLE, "all of it is the seller's");
    assert_eq!(house.events(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_challenged_payment_waits_for_the_seller_after_the_approval() {
    let house = House::open(Simulator).await;
    let order = direct("one");
    let terms = order.terms.clone().map(|terms| OrderTerms { skip_challenge: false, ..terms });
    let waiting = house.initiate(PaymentOrder { terms, ..order }).await;
    assert!(waiting.requires_action());
    let approved = house.payments.buyer_answered(SELLER, waiting.id, BuyerAnswer::Approve).await;
    let approved = approved.expect("taken");
    assert_eq!(approved.status, PaymentStatus::ProviderPending);
    let key = spend("finalize");
    let done = house.payments.finalize(SELLER, waiting.id, Some(5_00), key).await;
    assert!(done.map_err(AskError::refusal).is_ok());
    let paid = house.row(waiting.id);
    assert_eq!((paid.status, paid.captured()), (PaymentStatus::ProviderCompleted, 5_00));
    assert_eq!(house.told_wallets().await, 5_00);
}

/// How often nothing was made, and why not: `None` for a key that was used before.
type Others = Vec<Option<Refusal>>;

/// Begins many payments at once and tells how many were made, and what the others were told.
async fn at_once(house: &House, order: impl Fn(usize) -> PaymentOrder) -> (usize, Others) {
    let tries = (0..20).map(|nth| {
        let (payments, order) = (house.payments.clone(), order(nth));
        tokio::spawn(async move { payments.initiate(order, good_card()).await })
    });
    let mut others = Vec::new();
    let mut made = 0;
    for one in futures::future::join_all(tries).await {
        match one.expect("no panic").map_err(AskError::refusal) {
            Ok(Once::Made(_)) => made += 1,
            Ok(Once::Before) => others.push(None),
            Err(refusal) => others.push(Some(refusal)),
        }
    }
    (made, others)
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_makes_one_payment() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let same_key = |nth: usize| {
        let order = direct("one");
        PaymentOrder { reference: format!("order-{nth}"), ..order }
    };
    let (made, others) = at_once(&house, same_key).await;
    assert_eq!((made, others.len(), processor.taken()), (1, 19, WHOLE));
    assert!(others.iter().all(Option::is_none), "{others:?}");
    assert_eq!(house.store.scan(PAYMENTS, Scan::all()).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_reference_makes_one_payment_and_leaves_the_other_keys_unused() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let same_reference = |nth: usize| {
        let order = direct(&format!("key-{nth}"));
        PaymentOrder { reference: "one".to_owned(), ..order }
    };
    let (made, others) = at_once(&house, same_reference).await;
    assert_eq!((made, others.len(), processor.taken()), (1, 19, WHOLE));
    let used = Some(BeginRefusal::ReferenceUsed.into());
    assert!(others.iter().all(|other| *other == used), "{others:?}");
    let mut known = 0;
    for nth in 0..20 {
        let found = house.payments.by_key(SELLER, &format!("key-{nth}")).await;
        known += usize::from(found.expect("readable").is_some());
    }
    assert_eq!(known, 1);
    assert_eq!(house.told_wallets().await, WHOLE);
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_ask_meanwhile_wait_for_the_one_answer() {
    let processor = TestProcessor::new(Behavior::Waits);
    let house = House::open(processor.clone()).await;
    let payments = house.payments.clone();
    let caller = tokio::spawn(async move { payments.initiate(direct("one"), good_card()).await });
    let begun = house.until_begun().await;
    let waiting: Vec<_> = (0..10)
        .map(|_| {
            let payments = house.payments.clone();
            tokio::spawn(async move { payments.once_answered(SELLER, begun.id).await })
        })
        .collect();
    processor.until_asked(1).await;
    // A command that comes after theirs is answered before them: they wait.
    let still = house.payments.leave(SELLER, begun.id).await.map_err(AskError::refusal);
    assert!(still.is_err(), "the provider is being asked");
    assert!(waiting.iter().all(|one| !one.is_finished()));
    processor.turn(Behavior::Answers);
    for one in waiting {
        let payment = one.await.expect("no panic").expect("there");
        assert_eq!(payment.status, PaymentStatus::ProviderCompleted);
    }
    assert!(caller.await.expect("no panic").map_err(AskError::refusal).is_ok());
    assert_eq!(processor.asked(), 1, "nobody else asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_does_not_answer_in_time_leaves_the_outcome_open() {
    for (behavior, status, taken) in [
        (Behavior::HangsBefore, PaymentStatus::Failed, 0),
        (Behavior::HangsAfter, PaymentStatus::ProviderCompleted, WHOLE),
    ] {
        let processor = TestProcessor::new(behavior);
        let house = House::impatient(processor.clone()).await;
        let open = house.initiate(direct("one")).await;
        let call = open.call.clone().expect("a call");
        assert_eq!(open.status, PaymentStatus::ProviderPending);
        let doubt = Some(FailureCode::ProviderTimeout);
        assert_eq!((call.state, call.doubt), (CallState::Unknown, doubt));
        assert_eq!((open.failure, house.events()), (None, 0), "nothing is told");

        processor.turn(Behavior::Answers);
        house.pass(5);
        assert_eq!(house.ring_due().await, 1);
        let known = house.row(open.id);
        assert_eq!((known.status, processor.taken(), known.captured()), (status, taken, taken));
        assert_eq!(house.told_wallets().await, taken);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_never_answers_is_left_alone_for_a_while() {
    let processor = TestProcessor::new(Behavior::HangsBefore);
    let house = House::impatient(processor.clone()).await;
    let mut open = Vec::new();
    for nth in 0..5 {
        open.push(house.initiate(direct(&format!("order {nth}"))).await.id);
    }
    let asked = processor.asked();
    assert_eq!(asked, 5);
    let late = house.initiate(direct("late")).await;
    assert_eq!(late.failure, Some(FailureCode::Interrupted.into()), "it was never sent");
    house.pass(5);
    assert_eq!(house.ring_due().await, 5);
    assert_eq!(processor.asked(), asked, "asking again moved out without being asked");
    for id in open {
        let call = house.row(id).call.expect("a call");
        assert_eq!((call.state, call.asked), (CallState::Unknown, 2));
    }
    assert_eq!(house.ring_due().await, 0, "not before the next wait is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_knew_is_resolved_by_a_person() {
    let house = House::open(TestProcessor::new(Behavior::LosesRequests)).await;
    let open = house.initiate(direct("one")).await;
    let failed = ProviderOutcome::Failed { code: FailureCode::Declined, token: None };
    let told = house.payments.resolve(SELLER, open.id, failed.clone()).await;
    let told = told.expect("taken");
    assert_eq!(told.failure, Some(FailureCode::Declined.into()));
    let twice = house.payments.resolve(SELLER, open.id, failed).await.map_err(AskError::refusal);
    assert!(twice.is_err());
    house.pass(100_000);
    assert_eq!(house.ring_due().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passing_failure_is_tried_again_and_charged_once() {
    let processor = TestProcessor::new(Behavior::Refuses(FailureCode::ProviderError));
    let house = House::open(processor.clone()).await;
    let failed = house.initiate(direct("one")).await;
    assert_eq!(failed.status, PaymentStatus::Failed);
    let again = || house.payments.retry(SELLER, failed.id, good_card());
    let still = again().await.expect("taken");
    assert_eq!(still.failure, Some(FailureCode::ProviderError.into()));
    processor.turn(Behavior::Answers);
    let paid = again().await.expect("taken");
    assert_eq!((paid.status, paid.failure), (PaymentStatus::ProviderCompleted, None));
    assert!(again().await.map_err(AskError::refusal).is_err(), "it is paid");
    assert_eq!((processor.taken(), house.told_wallets().await), (WHOLE, WHOLE));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_fails_does_so_again_and_a_forced_failure_happens_once() {
    let house = House::open(Simulator).await;
    let broken = || Source::Card(Arc::new(card("4000000000000119")));
    let made = house.payments.initiate(direct("card"), broken()).await.map_err(AskError::refusal);
    let Ok(Once::Made(failed)) = made else { panic!("not made: {made:?}") };
    let again = house.payments.retry(SELLER, failed.id, broken()).await;
    let again = again.expect("taken");
    assert_eq!(again.failure, Some(FailureCode::ProviderError.into()));

    let forced = Some(FailureCode::ProviderError);
    let failed = house.initiate(PaymentOrder { forced, ..direct("forced") }).await;
    assert_eq!(failed.failure, Some(FailureCode::ProviderError.into()));
    let again = house.payments.retry(SELLER, failed.id, good_card()).await;
    let again = again.expect("taken");
    assert_eq!((again.status, again.failure), (PaymentStatus::ProviderCompleted, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_retries_at_once_charge_once() {
    let processor = TestProcessor::new(Behavior::Refuses(FailureCode::ProviderTimeout));
    let house = House::open(processor.clone()).await;
    let failed = house.initiate(direct("one")).await;
    processor.turn(Behavior::Answers);
    let tries = (0..20).map(|_| {
        let (payments, id) = (house.payments.clone(), failed.id);
        tokio::spawn(async move { payments.retry(SELLER, id, good_card()).await })
    });
    let ended = futures::future::join_all(tries).await;
    let taken = ended.into_iter().filter(|one| matches!(one, Ok(Ok(_)))).count();
    assert_eq!((taken, processor.taken()), (1, WHOLE));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_is_not_stopped_during_a_call_and_a_replay_waits_for_its_answer() {
    let processor = TestProcessor::new(Behavior::Waits);
    let house = House::with_brief_rooms(processor.clone()).await;
    let payments = house.payments.clone();
    let caller = tokio::spawn(async move { payments.initiate(direct("one"), good_card()).await });
    let begun = house.until_begun().await;
    processor.until_asked(1).await;
    // Whenever another room has come and been stopped, this one might have been.
    for other in 1..5 {
        let unknown = PaymentId(begun.id.0 + other);
        assert!(house.payments.once_answered(SELLER, unknown).await.is_err());
        until("the other rests", || house.payments.alive() <= 1).await;
    }
    let payments = house.payments.clone();
    let replay = tokio::spawn(async move { payments.once_answered(SELLER, begun.id).await });
    let still = house.payments.leave(SELLER, begun.id).await.map_err(AskError::refusal);
    assert_eq!(still, Err(PaymentRefusal::InFlight.into()));
    assert!(!replay.is_finished());
    processor.turn(Behavior::Answers);
    let answered = replay.await.expect("no panic").expect("there");
    assert_eq!(answered.status, PaymentStatus::ProviderCompleted);
    assert!(caller.await.expect("no panic").is_ok());
    assert_eq!(processor.asked(), 1, "nobody else asked");
    until("it rests", || house.payments.alive() == 0).await;
}
