//! Payouts: reserved once, never too much, oldest money first, and whole after a crash.

use storage::testing::AfterFailure;
use storage::{Batch, Scan};

use super::house::House;
use crate::backfill::{Backfill, undo};
use crate::domain::payments::payout::{Action, PayoutStatus};
use crate::domain::payments::share::ShareMove;
use crate::domain::refusal::RefusalKind;
use crate::kernel::{AskError, Once};
use crate::query;
use crate::tables::{OPEN_PAYOUTS, PAYOUT_KEYS, PAYOUTS, POSTINGS, TAKEN_SPANS, TIMERS};
use crate::timers::TimerKind;

pub(super) fn complete() -> Action {
    Action::Complete { provider_reference: Some("bank-1".to_owned()) }
}

fn fail() -> Action {
    Action::Fail { failure_code: Some("AC04".to_owned()) }
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_payouts_at_once_never_overdraw() {
    let house = House::open().await;
    house.fund(1, 600).await;
    house.fund(2, 450).await;
    let tries = (0..50).map(|number| {
        let (payees, seller, order) = (house.system.payees.clone(), house.seller, house.order(100));
        tokio::spawn(async move {
            payees.create_payout(seller, order, &format!("parallel-{number}")).await
        })
    });
    let mut made = 0;
    for one in futures::future::join_all(tries).await {
        match one.expect("no panic").map_err(AskError::refusal) {
            Ok(Once::Made(_)) => made += 1,
            Ok(Once::Before) => panic!("every key is its own"),
            Err(refusal) => assert_eq!(refusal.text, "insufficient balance"),
        }
    }
    assert_eq!((made, house.balances()), (10, (0, 50, 1_000)));
    assert_eq!(house.store.scan(PAYOUT_KEYS, Scan::all()).count(), 10, "refused keys are free");
    let first: i64 = house.parts_of(1).iter().map(|(_, _, part)| part).sum();
    let second: i64 = house.parts_of(2).iter().map(|(_, _, part)| part).sum();
    assert_eq!((first, second), (600, 400));
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_makes_one_payout_however_many_ask() {
    let house = House::open().await;
    house.fund(1, 1_000).await;
    let tries = (0..20).map(|_| {
        let (payees, seller, order) = (house.system.payees.clone(), house.seller, house.order(100));
        tokio::spawn(async move { payees.create_payout(seller, order, "same").await })
    });
    let mut made = 0;
    for one in futures::future::join_all(tries).await {
        match one.expect("no panic").expect("not refused") {
            Once::Made(_) => made += 1,
            Once::Before => {}
        }
    }
    assert_eq!((made, house.balances()), (1, (0, 900, 100)));
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payout_that_is_not_written_has_not_happened() {
    let house = House::open().await;
    house.fund(1, 1_000).await;
    house.store.fail_at(1, AfterFailure::WorksOn);
    let failed = house.pay(400).await.expect_err("the disk failed");
    assert_eq!(failed.kind, RefusalKind::Fault);
    assert_eq!(house.balances(), (0, 1_000, 0));
    assert_eq!(house.store.scan(PAYOUTS, Scan::all()).count(), 0);
    assert_eq!(house.store.scan(OPEN_PAYOUTS, Scan::all()).count(), 0);
    let payout = house.pay(1_000).await.expect("all of it is still there");
    for action in [complete(), fail()] {
        let before = house.balances();
        house.store.fail_at(1, AfterFailure::WorksOn);
        assert!(house.act(payout.id, action.clone()).await.is_err());
        assert_eq!(house.balances(), before);
        house.act(payout.id, action).await.expect("moved");
    }
    assert_eq!(house.balances(), (0, 1_000, 0), "completed, then sent back");
    assert_eq!(house.store.scan(OPEN_PAYOUTS, Scan::all()).count(), 0);
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_payout_arrives_even_after_a_restart() {
    let mut house = House::open().await;
    house.listen().await;
    house.fund(1, 1_000).await;
    let payout = house.pay(300).await.expect("made");
    assert_eq!(house.parts_of(1), [(payout.id, "reserved", 300)]);
    house.restart().await;
    assert_eq!(house.balances(), (0, 700, 300));
    house.pass(5);
    let arrived = || {
        let found = query::payout(&house.store, house.seller, payout.id).expect("readable");
        found.is_some_and(|payout| payout.status == PayoutStatus::Completed)
    };
    house.until("arrival", arrived).await;
    assert_eq!(house.balances(), (0, 700, 0));
    assert_eq!(house.parts_of(1), [(payout.id, "finalized", 300)]);
    assert_eq!(house.events(), ["PayoutCompleted"]);
    let returned = house.act(payout.id, fail()).await.expect("the bank sends it back");
    assert_eq!(returned.failure_code.as_deref(), Some("AC04"));
    assert_eq!(house.balances(), (0, 1_000, 0));
    assert_eq!(house.parts_of(1), [(payout.id, "released", 300)]);
    assert_eq!(house.events(), ["PayoutCompleted", "PayoutFailed"]);
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_of_stale_timers_is_cleared_and_keeps_no_payout_from_arriving() {
    let mut house = House::open().await;
    house.fund(1, 1_000).await;
    let payout = house.pay(300).await.expect("made");
    house.system.stop().await;
    house.store.reopen();
    let mut batch = Batch::new();
    for nobody in 0..3_000 {
        let timer = (TimerKind::Payee as u8, house.seller, house.clock.now(), u64::MAX - nobody);
        batch.put(TIMERS, &timer, &());
    }
    house.store.write_blocking(batch).expect("durable");
    house.restart().await;
    house.pass(5);
    let left = || {
        let of_payees = Scan::prefix(&(TimerKind::Payee as u8, house.seller));
        house.store.scan(TIMERS, of_payees).count()
    };
    house.until("no timers", || left() == 0).await;
    let found = query::payout(&house.store, house.seller, payout.id).expect("readable");
    assert_eq!(found.expect("there").status, PayoutStatus::Completed);
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_settled_payment_is_paid_out_first() {
    let house = House::open().await;
    house.share(ShareMove::Credited, 1, 100).await;
    house.fund(2, 100).await;
    house.share(ShareMove::Settled, 1, 100).await;
    let first = house.pay(150).await.expect("made");
    assert_eq!(house.parts_of(2), [(first.id, "reserved", 100)], "it settled before the other");
    assert_eq!(house.parts_of(1), [(first.id, "reserved", 50)]);
    house.act(first.id, fail()).await.expect("failed");
    let second = house.pay(120).await.expect("made");
    assert_eq!(house.parts_of(2), [(second.id, "reserved", 100), (first.id, "released", 100)]);
    assert_eq!(house.parts_of(1), [(second.id, "reserved", 20), (first.id, "released", 50)]);
    house.share(ShareMove::TakenBack, 1, 100).await;
    assert_eq!(house.balances(), (0, -20, 120));
    assert_eq!(house.pay(1).await.expect_err("in debt").text, "insufficient balance");
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_payouts_of_a_payment_are_found_among_all_that_its_wallet_ever_made() {
    const PAYOUTS_BEFORE: i64 = 60;
    let mut house = House::open().await;
    house.fund(1, 10 * PAYOUTS_BEFORE).await;
    for _ in 0..PAYOUTS_BEFORE {
        house.pay(10).await.expect("made");
    }
    house.fund(2, 300).await;
    let large = house.pay(290).await.expect("made");
    house.act(large.id, fail()).await.expect("failed");
    let small = house.pay(10).await.expect("made");
    let expected = [(small.id, "reserved", 10), (large.id, "released", 290)];
    // Where nobody else reads.
    let assert_found = |house: &House| {
        let before = house.store.stats().rows_read;
        assert_eq!(house.parts_of(2), expected);
        let read = house.store.stats().rows_read - before;
        assert!(read <= 12, "{read} rows read");
        assert_eq!(house.parts_of(1).len(), 60);
    };
    house.system.stop().await;
    house.store.reopen();
    assert_found(&house);

    // A store from before it was kept.
    undo(&house.store, Backfill::TakenSpans, TAKEN_SPANS, |_| true);
    house.restart().await;
    house.system.stop().await;
    house.store.reopen();
    assert_found(&house);
}

/// A walk of random steps with restarts and repeated messages; after each step the wallet is the
/// sum of its postings, and at the end money in is money out.
#[tokio::test(flavor = "multi_thread")]
async fn a_random_walk_keeps_its_books() {
    let mut house = House::open().await;
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let (mut came, mut payouts) = (0_i64, Vec::new());
    for step in 0..150 {
        let (payment, minor) = (draw(8), i64::try_from(draw(300)).expect("small") + 1);
        match draw(12) {
            0..=2 => {
                house.share(ShareMove::Credited, payment, minor).await;
                came += minor;
            }
            3..=4 => house.share(ShareMove::Settled, payment, minor).await,
            5 => {
                house.share(ShareMove::TakenBack, payment, minor).await;
                came -= minor;
            }
            6..=8 => match house.pay(minor).await {
                Ok(payout) => payouts.push(payout.id),
                Err(refusal) => assert_eq!(refusal.text, "insufficient balance", "step {step}"),
            },
            9 | 10 if !payouts.is_empty() => {
                let which = usize::try_from(draw(payouts.len() as u64)).expect("small");
                let action = if draw(2) == 0 { complete() } else { fail() };
                if let Err(refusal) = house.act(payouts[which], action).await {
                    assert_eq!(refusal.kind, RefusalKind::Conflict, "step {step}");
                }
            }
            _ if step % 50 == 49 => house.restart().await,
            _ => {}
        }
        house.balances();
    }
    let (pending, available, reserved) = house.balances();
    let mut sent = 0;
    for id in &payouts {
        let payout = query::payout(&house.store, house.seller, *id).expect("readable");
        let payout = payout.expect("there");
        if payout.status == PayoutStatus::Completed {
            sent += payout.amount_minor;
        }
        let parts: i64 = (0..8)
            .flat_map(|payment| house.parts_of(payment))
            .filter(|(of, _, _)| of == id)
            .map(|(_, _, part)| part)
            .sum();
        assert_eq!(parts, payout.amount_minor, "every unit of a payout is of one payment");
    }
    assert_eq!(came, pending + available + reserved + sent);
    assert!(house.store.scan(POSTINGS, Scan::all()).count() > 50);
    house.system.stop().await;
}
