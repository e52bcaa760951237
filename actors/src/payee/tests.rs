//! Payee rooms on a real store: all or nothing, once, never too much, and whole after a crash.

mod archived;
mod call_backs;
mod house;
mod loading;
mod lost_key;
mod own;
mod payouts;
mod vendors;

use serde_json::json;
use storage::testing::AfterFailure;
use storage::{Batch, Scan};

use self::house::{House, account, spend, whole_order};
use self::payouts::complete;
use crate::domain::ids::PayeeId;
use crate::domain::payments::payee::{Decision, Payee, PayeePatch, Verification};
use crate::domain::payments::payout::Action;
use crate::domain::payments::share::ShareMove;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, Once};
use crate::payee::CreatedPayee;
use crate::query;
use crate::tables::{OUTBOX, PAYEE_CONTRACTS, PAYEES, PAYOUT_METHODS, POST_KEYS, TIMERS, WALLETS};
use crate::timers::{Due, TimerKind, due};

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

fn holder(house: &House, contract_id: &str) -> Option<PayeeId> {
    house.store.get(PAYEE_CONTRACTS, &(house.seller, contract_id.to_owned())).expect("readable")
}

fn known(house: &House, id: PayeeId) -> Payee {
    query::payee(&house.store, house.seller, id).expect("readable").expect("a payee")
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
    house.send(house.payee, id, &message);
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
    let (id, message) = (house.next_message(), house.message(ShareMove::Settled, 1, 500));
    house.send(house.payee, id, &message);
    house.store.fail_at(1, AfterFailure::WorksOn);
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
    let gone = || store.scan(OUTBOX, Scan::all()).count();
    house.until("an empty outbox", || gone() == 0).await;
    assert_eq!(house.balances(), (0, 200, 0));
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn timers_that_are_missing_or_stale_are_mended() {
    let mut house = House::open().await;
    let id = set_up(&house, "ada", "one").await.expect("made").payee.id;
    let timers = |house: &House| {
        let all = due(&house.store, TimerKind::Payee, Timestamp::MAX, 99).expect("readable");
        all.into_iter().filter(|timer| timer.object == id.0).collect::<Vec<_>>()
    };
    let right = timers(&house);
    let row = |timer: &Due| (TimerKind::Payee as u8, timer.seller, timer.at, timer.object);
    // As an earlier release may leave them, whose rules wanted others.
    let mut batch = Batch::new();
    batch.delete(TIMERS, &row(&right[0]));
    for seconds in [-7_200, -3_600, 9_999] {
        let stale = Due { at: right[0].at.plus_seconds(seconds), ..right[0] };
        batch.put(TIMERS, &row(&stale), &());
    }
    house.store.write_blocking(batch).expect("durable");
    house.restart().await;
    let later = Due { at: right[0].at.plus_seconds(9_999), ..right[0] };
    house.until("mended timers", || timers(&house) == [right[0], later]).await;
    house.pass(60);
    house.until("approval", || known(&house, id).verification == Verification::Approved).await;
    house.pass(20_000);
    house.until("no timer", || timers(&house).is_empty()).await;
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archived_payee_leaves_its_contract_id_to_another() {
    let mut house = House::open().await;
    let first = set_up(&house, "ada", "one").await.expect("made").payee.id;
    house.system.payees.archive(house.seller, first).await.expect("archived");
    assert_eq!(known(&house, first).payee_contract_id, None);
    let second = set_up(&house, "ada", "two").await.expect("the id is free").payee.id;
    assert_eq!(holder(&house, "ada"), Some(second));

    // As an earlier release left it, which kept the id.
    let old = Payee { archived_at: Some(house.clock.now()), ..known(&house, second) };
    let mut batch = Batch::new();
    batch.put(PAYEES, &(house.seller, second), &old);
    house.store.write_blocking(batch).expect("durable");
    house.restart().await;
    assert_eq!(
        set_up(&house, "ada", "three").await.expect_err("kept").text,
        "payeeContractId is already used"
    );
    house.system.payees.archive(house.seller, second).await.expect("archived again");
    let third = set_up(&house, "ada", "three").await.expect("the id is free").payee.id;
    assert_eq!(holder(&house, "ada"), Some(third));
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
    let late_again = spend.clone();
    let late = payees.add_payout_method(house.seller, house.payee, account(), spend).await;
    assert_eq!(late.map_err(AskError::refusal).expect_err("archived").text, "payee is archived");
    let row = query::payout(&house.store, house.seller, payout.id).expect("readable");
    assert!(row.expect("there").destination.number.is_some(), "the snapshot keeps its number");
    let method = query::payout_method(&house.store, house.seller, house.payee, house.method);
    assert_eq!(method.expect("readable").expect("there").destination.number, None);

    // The bank sends the payout back: there is money to be paid out again.
    let returned = Action::Fail { failure_code: Some("AC04".to_owned()) };
    house.act(payout.id, returned).await.expect("sent back");
    assert_eq!(house.balances(), (0, 100, 0));
    let added = payees.add_payout_method(house.seller, house.payee, account(), late_again).await;
    assert!(matches!(added, Ok(Once::Made(_))));
    assert_eq!(archive().await.expect_err("held").text, "payee has a balance that is not zero");
    house.system.stop().await;
}
