//! The seller's own money: the same room, rules and rows as a payee's.

use storage::Scan;

use super::house::{House, account};
use crate::domain::ids::{PayeeId, PayoutMethodId};
use crate::domain::messages::{DepositNotice, PayeeMessage, ShareNotice};
use crate::domain::money::{Currency, Money};
use crate::domain::payments::ledger::Cause;
use crate::domain::payments::payee::{Decision, PayeePatch};
use crate::domain::payments::payout::{Action, ApprovalStatus, Payout, PayoutOrder, PayoutStatus};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::wallet::{OWN, Wallet, WalletType};
use crate::domain::platform::seller::{Mode, SellerPatch};
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::kernel::{AskError, Once};
use crate::payee::CreatedPayout;
use crate::query;
use crate::tables::{OUTBOX, PAYOUT_METHODS, WALLETS};

pub(super) async fn own_method(house: &House) -> PayoutMethodId {
    let saved = house.system.payees.save_own_payout_method(house.seller, account()).await;
    saved.expect("saved").id
}

async fn pay_own(
    house: &House,
    method: PayoutMethodId,
    minor: i64,
    key: &str,
) -> Result<Payout, Refusal> {
    let (payee, wallet) = (OWN, house.own);
    let order = PayoutOrder { payee, wallet, method, ..house.order(minor) };
    match house
        .system
        .payees
        .create_payout(house.seller, order, key)
        .await
        .map_err(AskError::refusal)?
    {
        Once::Made(CreatedPayout { payout, .. }) => Ok(payout),
        Once::Before => panic!("the key was fresh"),
    }
}

fn deposit(house: &House, reference: &str, minor: i64) -> PayeeMessage {
    PayeeMessage::Deposited(DepositNotice {
        reference: reference.to_owned(),
        amount: Money::new(minor, Currency::EUR).expect("money"),
        at: house.clock.now(),
        mode: Mode::Demo,
    })
}

fn main_wallets(house: &House) -> Vec<Wallet> {
    query::main_wallets(&house.store, house.seller).expect("readable")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_distributed_is_paid_out_to_the_seller() {
    let mut house = House::open().await;
    house.share_own(ShareMove::Credited, 1, 900).await;
    assert_eq!(house.balances_of(house.own), (900, 0, 0));
    house.share_own(ShareMove::Settled, 1, 900).await;
    house.share_own(ShareMove::TakenBack, 1, 200).await;
    assert_eq!(house.balances_of(house.own), (0, 700, 0));

    let method = own_method(&house).await;
    let payout = pay_own(&house, method, 500, "one").await.expect("nobody verifies a seller");
    assert_eq!((payout.payee, payout.status), (None, PayoutStatus::Processing));
    assert_eq!(house.balances_of(house.own), (0, 200, 500));
    let poor = pay_own(&house, method, 201, "two").await.expect_err("200 are left");
    assert_eq!(poor.text, "insufficient balance");
    assert_eq!(house.parts_of(1), [(payout.id, "reserved", 500)]);

    house.restart().await;
    house.pass(6);
    house.until("arrival", || house.parts_of(1) == [(payout.id, "finalized", 500)]).await;
    assert_eq!(house.balances_of(house.own), (0, 200, 0));
    let back = Action::Fail { failure_code: Some("AC04".to_owned()) };
    let back = house.system.payees.move_payout(house.seller, OWN, payout.id, back).await;
    assert_eq!(back.expect("sent back").status, PayoutStatus::Failed);
    assert_eq!(house.balances_of(house.own), (0, 700, 0));
    assert_eq!(house.parts_of(1), [(payout.id, "released", 500)]);
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sellers_own_payouts_are_approved_by_their_own_setting() {
    let house = House::open().await;
    let patch = SellerPatch { approve_own_payouts: Some(true), ..SellerPatch::default() };
    let patched = house.system.sellers.patch(house.seller, patch).await;
    patched.expect("patched");
    house.fund(1, 100).await;
    house.share_own(ShareMove::Credited, 2, 100).await;
    house.share_own(ShareMove::Settled, 2, 100).await;
    let method = own_method(&house).await;
    let own = pay_own(&house, method, 60, "own").await.expect("made");
    assert_eq!(own.approval, ApprovalStatus::AwaitingApproval);
    assert_eq!(house.pay(60).await.expect("made").approval, ApprovalStatus::NotRequired);
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deposit_is_available_at_once_and_counted_once() {
    let house = House::open().await;
    let (id, message) = (house.next_message(), deposit(&house, "top-up-1", 5_000));
    for _ in 0..3 {
        house.take(OWN, id, message.clone()).await.expect("taken");
    }
    assert_eq!(house.balances_of(house.own), (0, 5_000, 0));
    let entries = house.entries_of(house.own);
    let told: Vec<_> =
        entries.iter().map(|one| (one.cause, one.payment, one.reference.as_deref())).collect();
    assert_eq!(told, [(Cause::Deposited, None, Some("top-up-1"))]);

    // It goes first, since it came first, and is no payment's.
    house.share_own(ShareMove::Credited, 1, 100).await;
    house.share_own(ShareMove::Settled, 1, 100).await;
    let method = own_method(&house).await;
    let payout = pay_own(&house, method, 5_040, "one").await.expect("made");
    assert_eq!(house.parts_of(1), [(payout.id, "reserved", 40)]);
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_of_messages_is_taken_in_bundles_each_once() {
    let mut house = House::open().await;
    for payment in 1..=400 {
        house.leave_for(OWN, house.message(ShareMove::Credited, payment, 10));
        house.leave_for(OWN, house.message(ShareMove::Settled, payment, 10));
        if payment % 4 == 0 {
            house.leave_for(OWN, house.message(ShareMove::TakenBack, payment, 3));
        }
    }
    let twice = house.next_message();
    let messages = vec![(twice, deposit(&house, "a", 7)); 2];
    house.send(OWN, twice, &messages[0].1);
    let taken = house.system.payees.take(house.seller, OWN, messages).await;
    taken.expect("taken");
    house.restart().await;
    let store = house.store.store().clone();
    let gone = || store.scan(OUTBOX, Scan::all()).count();
    house.until("an empty outbox", || gone() == 0).await;
    assert_eq!(house.balances_of(house.own), (0, 4_000 - 300 + 7, 0));
    assert_eq!(house.entries_of(house.own).len(), 400 + 400 + 100 + 1);
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_that_is_not_written_is_taken_whole_when_it_comes_again() {
    let house = House::open().await;
    let messages: Vec<_> = (1..=3)
        .map(|n| (house.next_message(), house.message(ShareMove::Credited, n, 10)))
        .collect();
    for (id, message) in &messages {
        house.send(OWN, *id, message);
    }
    house.store.fail_at(1, storage::testing::AfterFailure::WorksOn);
    let failed = house.system.payees.take(house.seller, OWN, messages.clone()).await;
    assert!(failed.map_err(AskError::refusal).is_err());
    assert_eq!(house.balances_of(house.own), (0, 0, 0));
    let taken = house.system.payees.take(house.seller, OWN, messages).await;
    taken.expect("taken");
    assert_eq!(house.balances_of(house.own), (30, 0, 0));
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_money_enters_no_live_balance() {
    let house = House::open().await;
    let notice = |mode| {
        PayeeMessage::ShareMoved(ShareNotice {
            what: ShareMove::Credited,
            payment: crate::domain::ids::PaymentId(1),
            reference: "order-1".to_owned(),
            amount: Money::new(80, Currency::EUR).expect("money"),
            at: house.clock.now(),
            mode,
        })
    };
    for mode in [Mode::Live, Mode::Demo] {
        house.take(OWN, house.next_message(), notice(mode)).await.expect("taken");
    }
    let wallets = main_wallets(&house);
    let told: Vec<_> = wallets.iter().map(|one| (one.mode(), one.pending_minor)).collect();
    assert_eq!(told, [(Mode::Demo, 80), (Mode::Live, 80)]);
    assert!(wallets.iter().all(|one| one.wallet_type == WalletType::Main && one.payee.is_none()));
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_account_is_the_same_method() {
    let house = House::open().await;
    let before = house.store.scan(PAYOUT_METHODS, Scan::all()).count();
    let first = own_method(&house).await;
    assert_eq!(own_method(&house).await, first);
    assert_eq!(house.store.scan(PAYOUT_METHODS, Scan::all()).count(), before + 1);
    let foreign = pay_own(&house, house.method, 1, "one").await.expect_err("a payee's method");
    assert_eq!(foreign.text, "payoutMethodId not found");
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_seller_is_no_payee() {
    let house = House::open().await;
    let (payees, seller) = (&house.system.payees, house.seller);
    let patch = PayeePatch::default();
    let refusals = [
        payees.patch(seller, OWN, patch).await.map_err(AskError::refusal).err(),
        payees.archive(seller, OWN).await.map_err(AskError::refusal).err(),
        payees.decide(seller, OWN, Decision::Approved).await.map_err(AskError::refusal).err(),
    ];
    assert!(refusals.iter().flatten().all(|refusal| refusal.kind == RefusalKind::Missing));
    assert_eq!(refusals.iter().flatten().count(), 3);
    assert_eq!(query::payee(&house.store, seller, OWN).expect("readable"), None);
    assert_eq!(house.store.scan(WALLETS, Scan::all()).count(), 2);
    // A message for nobody is taken, so that it does not come for ever, and moves nothing.
    let (id, message) = (house.next_message(), house.message(ShareMove::Credited, 1, 10));
    house.take(PayeeId(9_999), id, message).await.expect("taken");
    assert_eq!(house.store.scan(WALLETS, Scan::all()).count(), 2);
    house.system.stop().await;
}
