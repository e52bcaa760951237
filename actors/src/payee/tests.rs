//! Payee rooms on a real store: all or nothing, once, never too much, and whole after a crash.

mod house;
mod own;

use serde_json::json;
use storage::Scan;
use storage::testing::AfterFailure;

use self::house::{House, account, spend, whole_order};
use crate::domain::ids::PayeeId;
use crate::domain::payments::payee::{Decision, Payee, PayeePatch, Verification};
use crate::domain::payments::payout::{Action, PayoutStatus};
use crate::domain::payments::share::ShareMove;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::kernel::{AskError, Once};
use crate::payee::CreatedPayee;
use crate::query;
use crate::tables::{
    OPEN_PAYOUTS, OUTBOX, PAYEE_CONTRACTS, PAYEES, PAYOUT_KEYS, PAYOUT_METHODS, PAYOUTS, POST_KEYS,
    POSTINGS, TAKEN, WALLETS,
};
use crate::timers::{TimerKind, due};

async fn set_up(house: &House, contract_id: &str, key: &str) -> Result<CreatedPayee, Refusal> {
    let spend = spend("payees/setup", key, &json!({}));
    let made = house.system.payees.create(house.seller, whole_order(contract_id), spend).await;
    match made.map_err(AskError::refusal)? {
        Once::Made(opened) => Ok(opened),
        Once::Before => panic!("the key was spent before"),
    }
}

fn rows(house: &House) -> [usize; 6] {
    [
        house.store.scan(PAYEES, Scan::all()).count(),
        house.store.scan(PAYOUT_METHODS, Scan::all()).count(),
        house.store.scan(WALLETS, Scan::all()).count(),
        house.store.scan(PAYEE_CONTRACTS, Scan::all()).count(),
        house.store.scan(POST_KEYS, Scan::all()).count(),
        due(&house.store, TimerKind::Payee, house.clock.now().plus_seconds(9), 99)
            .expect("readable")
            .len(),
    ]
}

fn known(house: &House, id: PayeeId) -> Payee {
    query::payee(&house.store, house.seller, id).expect("readable").expect("a payee")
}

fn complete() -> Action {
    Action::Complete { provider_reference: Some("bank-1".to_owned()) }
}

fn fail() -> Action {
    Action::Fail { failure_code: Some("AC04".to_owned()) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setup_makes_all_three_or_none() {
    let house = House::open().await;
    let before = rows(&house);
    house.store.fail_at(1, AfterFailure::WorksOn);
    let refusal = set_up(&house, "ada", "one").await.expect_err("the disk failed");
    assert_eq!(refusal.kind, RefusalKind::Fault);
    assert_eq!(rows(&house), before, "not a row is left");
    let opened = set_up(&house, "ada", "one").await.expect("the key was not spent");
    let [payees, methods, wallets, contracts, keys, timers] = before;
    let expected = [payees + 1, methods + 1, wallets + 1, contracts + 1, keys + 1, timers + 1];
    assert_eq!(rows(&house), expected);
    let (method, wallet) = (opened.method.expect("made"), opened.wallet.expect("made"));
    assert_eq!((method.payee, wallet.payee), (opened.payee.id, Some(opened.payee.id)));

    let taken = set_up(&house, "ada", "two").await.expect_err("taken");
    assert_eq!(taken.text, "payeeContractId is already used");
    assert_eq!(rows(&house), expected);
    set_up(&house, "grace", "two").await.expect("the refused key was not spent");
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_makes_one_payee_however_many_ask() {
    let house = House::open().await;
    let tries = (0..20).map(|_| {
        let (payees, seller) = (house.system.payees.clone(), house.seller);
        tokio::spawn(async move {
            let spend = spend("payees/setup", "same", &json!({}));
            payees.create(seller, whole_order("ada"), spend).await
        })
    });
    let mut made = 0;
    for one in futures::future::join_all(tries).await {
        match one.expect("no panic").expect("a replay is no clash") {
            Once::Made(_) => made += 1,
            Once::Before => {}
        }
    }
    assert_eq!(made, 1);
    assert_eq!(house.store.scan(PAYEE_CONTRACTS, Scan::all()).count(), 1);
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_payee_is_verified_by_its_timer_and_tells() {
    let house = House::open().await;
    house.listen().await;
    let opened = set_up(&house, "ada", "one").await.expect("made");
    let id = opened.payee.id;
    assert_eq!(house.events(), ["KYBVerificationStarted", "KYBVerificationPending"]);
    assert_eq!(known(&house, id).verification, Verification::Pending);
    house.pass(2);
    house.until("approval", || known(&house, id).verification == Verification::Approved).await;
    assert_eq!(house.events().last(), Some(&"KYBVerificationApproved"));
    assert_eq!(rows(&house)[5], 0, "no timer is left");

    let patch = PayeePatch { tax_id: Some(Some("12345678901".into())), ..Default::default() };
    let same = house.system.payees.patch(house.seller, id, patch).await;
    let same = same.expect("patched");
    assert_eq!(same.verification, Verification::Approved, "the number is the one that is known");
    let patch = PayeePatch { tax_id: Some(Some("99999999999".into())), ..Default::default() };
    let other = house.system.payees.patch(house.seller, id, patch).await;
    assert_eq!(other.expect("patched").verification, Verification::Pending);
    let decided = house.system.payees.decide(house.seller, id, Decision::RejectedRetry).await;
    decided.expect("decided");
    assert_eq!(rows(&house)[5], 0, "its timer is gone");
    let next = set_up(&house, "grace", "two").await.expect("made").payee.id;
    house.pass(60);
    // A timer of the first one would have been due before.
    house.until("approval", || known(&house, next).verification == Verification::Approved).await;
    assert_eq!(known(&house, id).verification, Verification::Rejected);
    let printed: Vec<_> = house.store.scan(PAYEES, Scan::all()).collect();
    assert!(!format!("{printed:?}").contains("99999999999"));
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_taken_once_however_often_it_comes() {
    let mut house = House::open().await;
    let (id, message) = (house.next_message(), house.message(ShareMove::Credited, 1, 500));
    let comes = (0..10).map(|_| {
        let (payees, message) = (house.system.payees.clone(), message.clone());
        let (seller, payee) = (house.seller, house.payee);
        tokio::spawn(async move { payees.take(seller, payee, vec![(id, message)]).await })
    });
    for one in futures::future::join_all(comes).await {
        one.expect("no panic").expect("taken");
    }
    assert_eq!(house.balances(), (500, 0, 0));
    house.restart().await;
    house.take(house.payee, id, message).await.expect("taken");
    assert_eq!((house.balances(), house.entries().len()), ((500, 0, 0), 1));

    // One whose write failed is taken when it comes again.
    house.store.fail_at(1, AfterFailure::WorksOn);
    let (id, message) = (house.next_message(), house.message(ShareMove::Settled, 1, 500));
    let failed = house.take(house.payee, id, message.clone()).await;
    assert!(failed.map_err(AskError::refusal).is_err());
    assert_eq!(house.balances(), (500, 0, 0));
    house.take(house.payee, id, message).await.expect("taken");
    assert_eq!(house.balances(), (0, 500, 0));
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_ended_process_left_is_carried() {
    let mut house = House::open().await;
    for payment in 1..=20 {
        house.leave_in_outbox(house.message(ShareMove::Settled, payment, 1));
        house.leave_in_outbox(house.message(ShareMove::Credited, payment, 10));
    }
    house.restart().await;
    let (store, wallet) = (house.store.store().clone(), house.wallet);
    let all = || {
        let found = query::wallet(&store, house.seller, wallet).expect("readable");
        found.is_some_and(|wallet| wallet.available_minor == 200)
    };
    house.until("all messages", all).await;
    let gone = || store.scan(OUTBOX, Scan::all()).count() + store.scan(TAKEN, Scan::all()).count();
    house.until("an empty outbox", || gone() == 0).await;
    assert_eq!(house.balances(), (0, 200, 0));
    house.system.stop().await;
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
async fn the_oldest_settled_payment_is_paid_out_first() {
    let house = House::open().await;
    house.tell(ShareMove::Credited, 1, 100).await;
    house.fund(2, 100).await;
    house.tell(ShareMove::Settled, 1, 100).await;
    let first = house.pay(150).await.expect("made");
    assert_eq!(house.parts_of(2), [(first.id, "reserved", 100)], "it settled before the other");
    assert_eq!(house.parts_of(1), [(first.id, "reserved", 50)]);
    house.act(first.id, fail()).await.expect("failed");
    let second = house.pay(120).await.expect("made");
    assert_eq!(house.parts_of(2), [(second.id, "reserved", 100), (first.id, "released", 100)]);
    assert_eq!(house.parts_of(1), [(second.id, "reserved", 20), (first.id, "released", 50)]);
    house.tell(ShareMove::TakenBack, 1, 100).await;
    assert_eq!(house.balances(), (0, -20, 120));
    assert_eq!(house.pay(1).await.expect_err("in debt").text, "insufficient balance");
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_holds_money_is_not_put_away() {
    let house = House::open().await;
    house.fund(1, 100).await;
    let payees = &house.system.payees;
    let archive =
        async || payees.archive(house.seller, house.payee).await.map_err(AskError::refusal);
    let delete = async || {
        payees
            .delete_payout_method(house.seller, house.payee, house.method)
            .await
            .map_err(AskError::refusal)
    };
    assert_eq!(archive().await.expect_err("held").text, "payee has a balance that is not zero");
    assert_eq!(
        delete().await.expect_err("held").text,
        "payout method belongs to a balance that is not zero"
    );
    let payout = house.pay(100).await.expect("made");
    assert_eq!(archive().await.expect_err("open").text, "payee has an open payout");
    assert_eq!(delete().await.expect_err("open").text, "payout method has an open payout");
    house.act(payout.id, complete()).await.expect("completed");
    delete().await.expect("deleted");
    assert_eq!(delete().await.expect_err("gone").kind, RefusalKind::Missing);
    assert_eq!(house.pay(1).await.expect_err("gone").text, "payoutMethodId not found");
    archive().await.expect("archived");
    archive().await.expect("twice is once");
    let spend = spend("payout-methods", "late", &json!({}));
    let late = payees.add_payout_method(house.seller, house.payee, account(), spend).await;
    assert_eq!(late.map_err(AskError::refusal).expect_err("archived").text, "payee is archived");
    let row = query::payout(&house.store, house.seller, payout.id).expect("readable");
    assert!(row.expect("there").destination.number.is_some(), "the snapshot keeps its number");
    let method = query::payout_method(&house.store, house.seller, house.payee, house.method);
    assert_eq!(method.expect("readable").expect("there").destination.number, None);
    house.system.stop().await;
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
                house.tell(ShareMove::Credited, payment, minor).await;
                came += minor;
            }
            3..=4 => house.tell(ShareMove::Settled, payment, minor).await,
            5 => {
                house.tell(ShareMove::TakenBack, payment, minor).await;
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
