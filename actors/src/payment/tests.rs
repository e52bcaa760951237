//! Payment rooms on a real store, with the simulator and with processors that misbehave.

mod charging;
mod crashing;
mod house;
mod keys;
mod open_at;
mod ordering;
mod orders;
mod processor;
mod sessions;
mod spending;

use storage::{Batch, Scan};

use self::house::House;
use self::orders::{card, order};
use self::processor::{Behavior, TestProcessor};
use crate::connector::Simulator;
use crate::domain::ids::{MessageId, PaymentId};
use crate::domain::messages::{ContractMessage, Envelope, PaymentMessage};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{BuyerAnswer, PaymentStatus};
use crate::domain::refusal::RefusalKind;
use crate::kernel::AskError;
use crate::outbox::Outbox;
use crate::payment::PaymentRoom;
use crate::tables::{EVENTS, OPEN_PAYMENTS, OUTBOX, PAYMENTS};
use crate::testing::{read_room, until};
use crate::timers::{TimerKind, due};

const APPROVES: &str = "4242424242424242";
const CHALLENGES: &str = "4000000000003220";
const DECLINES: &str = "4000000000000002";

#[tokio::test(flavor = "multi_thread")]
async fn an_approving_card_pays_tells_and_settles() {
    let house = House::open(Simulator).await;
    let paid = house.pay(1, APPROVES).await.expect("paid");
    assert_eq!(paid.status, PaymentStatus::ProviderCompleted);
    assert_eq!(paid.reference, format!("1000001-2611AAA-{}", paid.id));
    let told = house.told_contract().await;
    assert!(
        matches!(&told[..], [ContractMessage::PaymentSucceeded(notice)] if notice.payment == paid.id)
    );
    assert_eq!(house.events(), 1);

    assert_eq!(house.ring_due().await, 0, "not before its time");
    house.pass(5);
    assert_eq!(house.ring_due().await, 1);
    let settled = house.payments.get(paid.seller, paid.id).expect("readable").expect("there");
    assert_eq!(settled.status, PaymentStatus::Settled);
    assert_eq!(house.events(), 2);
    house.pass(1_000_000);
    assert_eq!(house.ring_due().await, 0, "nothing is left to do");
    let found = house.payments.by_reference(paid.seller, &paid.reference).expect("readable");
    assert_eq!(found.map(|payment| payment.id), Some(paid.id));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paid_payment_soon_leaves_memory_and_settles_all_the_same() {
    let house = House::open(Simulator).await;
    let paid = house.pay(1, APPROVES).await.expect("paid");
    until("it leaves memory", || house.payments.alive() == 0).await;
    house.pass(5);
    assert_eq!(house.ring_due().await, 1);
    let settled = house.payments.get(paid.seller, paid.id).expect("readable").expect("there");
    assert_eq!(settled.status, PaymentStatus::Settled);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_pages_cannot_both_pay() {
    let house = House::open(Simulator).await;
    let tries = (0..20).map(|_| {
        let payments = house.payments.clone();
        tokio::spawn(async move { payments.pay_invoice(&order(1), card(APPROVES)).await })
    });
    let mut paid = 0;
    for one in futures::future::join_all(tries).await {
        match one.expect("no panic").map_err(AskError::refusal) {
            Ok(_) => paid += 1,
            Err(refusal) => assert_eq!(refusal.kind, RefusalKind::Conflict),
        }
    }
    assert_eq!(paid, 1);
    assert_eq!(house.told_contract().await.len(), 1);
    let again = house.pay(1, APPROVES).await.expect_err("paid already");
    assert_eq!(again.text, "the invoice is already paid");
    assert!(house.pay(2, APPROVES).await.is_ok(), "another invoice is not in the way");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_card_leaves_the_invoice_to_another() {
    let house = House::open(Simulator).await;
    let declined = house.pay(1, DECLINES).await.expect("answered");
    assert_eq!(declined.failure, Some(FailureCode::Declined.into()));
    assert!(house.told_contract().await.is_empty());
    let paid = house.pay(1, APPROVES).await.expect("paid");
    let trail = house.payments.of_invoice(paid.seller, order(1).invoice).expect("readable");
    let statuses: Vec<_> = trail.iter().map(|payment| (payment.id, payment.status)).collect();
    let expected =
        [(paid.id, PaymentStatus::ProviderCompleted), (declined.id, PaymentStatus::Failed)];
    assert_eq!(statuses, expected, "newest first, the failed one too");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_challenge_is_approved_and_paid_once() {
    let house = House::open(Simulator).await;
    let waiting = house.pay(1, CHALLENGES).await.expect("answered");
    assert!(waiting.requires_action());
    assert_eq!(house.events(), 0, "nothing has been decided");
    let answer = |answer| house.payments.buyer_answered(waiting.seller, waiting.id, answer);
    let paid = answer(BuyerAnswer::Approve).await.expect("taken");
    assert_eq!(paid.status, PaymentStatus::ProviderCompleted);
    let again = answer(BuyerAnswer::Approve).await.map_err(AskError::refusal);
    assert_eq!(again.expect_err("once").kind, RefusalKind::Conflict);
    assert_eq!(house.told_contract().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_card_takes_the_place_of_a_challenge() {
    let house = House::open(Simulator).await;
    let waiting = house.pay(1, CHALLENGES).await.expect("answered");
    let paid = house.pay(1, APPROVES).await.expect("paid");
    let dropped = house.payments.get(waiting.seller, waiting.id).expect("readable");
    assert_eq!(dropped.expect("there").status, PaymentStatus::Cancelled);
    assert_eq!(paid.status, PaymentStatus::ProviderCompleted);
    let late = house.payments.buyer_answered(waiting.seller, waiting.id, BuyerAnswer::Approve);
    assert!(late.await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_challenge_expires_and_frees_the_invoice() {
    let house = House::open(Simulator).await;
    let waiting = house.pay(1, CHALLENGES).await.expect("answered");
    house.pass(15 * 60);
    assert_eq!(house.ring_due().await, 1);
    let over = house.payments.get(waiting.seller, waiting.id).expect("readable").expect("there");
    assert_eq!(over.status, PaymentStatus::Cancelled);
    assert!(house.pay(1, APPROVES).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_card_and_a_seller_without_terminal_ask_nobody() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let old = house.payments.pay_invoice(&order(1), orders::expired_card()).await;
    let old = old.expect("a payment");
    assert_eq!(old.failure, Some(FailureCode::CardExpired.into()));
    house.close_terminals();
    let unrouted = house.pay(1, APPROVES).await.expect("a payment");
    assert_eq!(unrouted.failure, Some(FailureCode::NoTerminal.into()));
    assert_eq!(processor.asked(), 0);
    assert_eq!(house.store.get(OPEN_PAYMENTS, &(old.seller, order(1).invoice)), Ok(None));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_outcome_blocks_the_invoice_until_it_is_known() {
    let processor = TestProcessor::new(Behavior::LosesRequests);
    let house = House::open(processor.clone()).await;
    let lost = house.pay(1, APPROVES).await.expect("answered");
    assert_eq!((lost.status, lost.failure), (PaymentStatus::ProviderPending, None));
    let second = house.pay(1, APPROVES).await.expect_err("one at a time");
    assert_eq!(second.text, "another payment is in progress");
    processor.turn(Behavior::Answers);
    house.pass(5);
    assert_eq!(house.ring_due().await, 1);
    let known = house.payments.get(lost.seller, lost.id).expect("readable").expect("there");
    assert_eq!(known.failure, Some(FailureCode::Interrupted.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_that_was_a_success_pays_after_all() {
    for lost_by in [Behavior::LosesAnswers, Behavior::Panics] {
        let processor = TestProcessor::new(lost_by);
        let house = House::open(processor.clone()).await;
        let lost = house.pay(1, APPROVES).await.expect("answered");
        assert_eq!(lost.status, PaymentStatus::ProviderPending);
        processor.turn(Behavior::Answers);
        house.pass(5);
        assert_eq!(house.ring_due().await, 1);
        assert_eq!(house.told_contract().await.len(), 1);
        assert_eq!(processor.taken(), orders::WHOLE);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_hangs_is_found_again_after_a_restart() {
    let house = House::open(TestProcessor::new(Behavior::HangsBefore)).await;
    let payments = house.payments.clone();
    let caller = tokio::spawn(async move { payments.pay_invoice(&order(1), card(APPROVES)).await });
    let staged = house.until_begun().await;
    assert!(staged.asking().is_some(), "written down before it is made");
    caller.abort();
    let house = house.reopen(Simulator).await;
    house.pass(60);
    let timers =
        due(&house.store, TimerKind::ProviderCall, house.clock.now(), 9).expect("readable");
    assert_eq!(timers.len(), 1);
    assert_eq!(house.ring_due().await, 1);
    let known = house.payments.get(staged.seller, PaymentId(timers[0].object));
    let known = known.expect("readable").expect("there");
    assert_eq!(known.failure, Some(FailureCode::Interrupted.into()), "it never arrived");
    assert!(house.pay(1, APPROVES).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_is_not_needed_goes_back_once_the_processor_lets_it() {
    let processor = TestProcessor::new(Behavior::Answers);
    let house = House::open(processor.clone()).await;
    let paid = house.pay(1, APPROVES).await.expect("paid");
    house.told_contract().await;
    processor.turn(Behavior::Refuses(FailureCode::RefundTooEarly));
    let message = PaymentMessage::NotWanted("the link is paid".to_owned());
    let mut batch = Batch::new();
    let told = Envelope::to_payment(paid.seller, paid.id, message.clone());
    Outbox::stage(&mut batch, MessageId(900_000), &told);
    house.store.write_blocking(batch).expect("durable");
    let received = house.payments.receive(paid.seller, paid.id, MessageId(900_000), message);
    received.await.expect("taken");
    house.until_status(paid.id, PaymentStatus::RefundFailed).await;
    assert_eq!((processor.returned(), house.store.scan(OUTBOX, Scan::all()).count()), (0, 0));

    processor.turn(Behavior::Answers);
    house.pass(600);
    // It has settled meanwhile.
    assert_eq!((house.ring_due().await, house.ring_due().await), (1, 1));
    assert_eq!(house.row(paid.id).status, PaymentStatus::Refunded);
    assert_eq!(processor.returned(), orders::WHOLE);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_card_number_reaches_the_disk() {
    let house = House::open(Simulator).await;
    house.pay(1, CHALLENGES).await.expect("answered");
    house.pay(2, APPROVES).await.expect("answered");
    house.told_contract().await;
    let rows: Vec<_> =
        house.store.scan(PAYMENTS, Scan::all()).map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 2);
    let printed = format!("{rows:?}");
    assert!(!printed.contains(CHALLENGES) && !printed.contains(APPROVES), "{printed}");
    let events: Vec<_> = house.store.scan(EVENTS, Scan::all()).collect();
    assert!(!format!("{events:?}").contains(APPROVES));
    assert_eq!(house.store.scan(OUTBOX, Scan::all()).count(), 0, "the message was taken");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_is_read_with_one_request_and_another_for_its_timers() {
    let house = House::open(Simulator).await;
    let paid = house.pay(1, APPROVES).await.expect("paid");
    house.stop().await;
    let tools = house.payments.rooms.tools();
    let (room, requests) = read_room::<PaymentRoom>(&house.store, (paid.seller, paid.id), tools);
    assert_eq!((room.payment().expect("there").id, requests), (paid.id, [1, 1]));
    let absent = (paid.seller, PaymentId(99_999));
    let (_, requests) = read_room::<PaymentRoom>(&house.store, absent, tools);
    assert_eq!(requests, [1, 0]);
}
