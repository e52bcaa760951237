//! What counts towards the allowance of a vendor, whatever becomes of its payouts.

use serde_json::json;
use storage::{Batch, Store};

use super::house::{House, account, spend};
use super::known;
use super::payouts::complete;
use crate::domain::ids::{PayeeId, SellerId};
use crate::domain::payments::payee::{NewPayee, Payee, Role};
use crate::domain::payments::payout::{Action, Payout, PayoutOrder};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::vendor::{AllowancePatch, VendorStatus};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Once};
use crate::payee::CreatedPayout;
use crate::tables::{PAYEES, PAYOUTS};
use crate::verify::{Rows, verify};

const BEYOND: &str = "payout exceeds the payout allowance of the vendor";
/// The fault of a count that differs from the payouts.
const MISCOUNTED: &str = "what counts towards the allowance of a vendor";

fn fail(code: Option<&str>) -> Action {
    Action::Fail { failure_code: code.map(str::to_owned) }
}

/// A verified vendor with so much money, that may be paid out 100: an order of its own.
async fn vendor(house: &House, minor: i64) -> PayoutOrder {
    let (payees, seller) = (&house.system.payees, house.seller);
    let claim = |endpoint| spend(endpoint, "nord", &json!({}));
    let new = (NewPayee::named("Nord", Role::Contractor), None);
    let made = payees.create_vendor(seller, new, claim("vendors")).await;
    let Ok(Once::Made(payee)) = made else { panic!("{made:?}") };
    let home = (seller, payee.id);
    payees.decide_vendor(home, VendorStatus::Complete).await.expect("verified");
    let patch = AllowancePatch { limit_minor: Some(100), ..AllowancePatch::default() };
    payees.set_allowance(home, patch).await.expect("limited");
    let method = payees.add_payout_method(seller, payee.id, account(), claim("methods")).await;
    let Ok(Once::Made(method)) = method else { panic!("{method:?}") };
    for what in [ShareMove::Credited, ShareMove::Settled] {
        let message = house.message(what, 1, minor);
        house.take(payee.id, house.next_message(), message).await.expect("taken");
    }
    let wallets = known(house, payee.id).wallets.expect("its wallets");
    PayoutOrder { payee: payee.id, wallet: wallets[0], method: method.id, ..house.order(100) }
}

async fn pay(house: &House, order: &PayoutOrder, minor: i64, key: &str) -> Result<Payout, Refusal> {
    let order = PayoutOrder { amount_minor: minor, ..order.clone() };
    let paid = house.system.payees.create_payout(house.seller, order, key).await;
    match paid.map_err(AskError::refusal)? {
        Once::Made(CreatedPayout { payout, .. }) => Ok(payout),
        Once::Before => panic!("the key was fresh"),
    }
}

async fn act(house: &House, payout: &Payout, action: Action) {
    let payee = payout.payee.expect("a payee's");
    let moved = house.system.payees.move_payout(house.seller, payee, payout.id, action).await;
    moved.expect("moved");
}

/// Stops, and proves that the stored count is right, and that a wrong one would be found.
async fn close(house: House, order: &PayoutOrder) {
    house.system.stop().await;
    let mut store = house.store;
    store.reopen();
    let wrong = || {
        let faults = verify(&store, Rows::Still).expect("looked").faults;
        faults.iter().filter(|fault| fault.what == MISCOUNTED).count()
    };
    assert_eq!(wrong(), 0);
    miscount(&store, (house.seller, order.payee), 1);
    assert_eq!(wrong(), 1);
}

/// What an earlier program may have left.
fn miscount(store: &Store, key: (SellerId, PayeeId), minor: i64) {
    let payee: Payee = store.get(PAYEES, &key).expect("readable").expect("there");
    let mut vendor = payee.vendor.clone().expect("a vendor");
    vendor.paid_out[0].minor += minor;
    vendor.is_counted = false;
    let mut batch = Batch::new();
    batch.put(PAYEES, &key, &Payee { vendor: Some(vendor), ..payee });
    store.write_blocking(batch).expect("durable");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payout_counts_once_though_more_is_told_of_it_after_its_end() {
    let house = House::open().await;
    let order = vendor(&house, 300).await;
    let failed = pay(&house, &order, 100, "failed").await.expect("allowed");
    act(&house, &failed, fail(None)).await;
    act(&house, &failed, fail(Some("AC04"))).await;
    let first = pay(&house, &order, 60, "first").await.expect("allowed");
    act(&house, &first, Action::Complete { provider_reference: None }).await;
    act(&house, &first, complete()).await;
    let second = pay(&house, &order, 40, "second").await.expect("60 and 40 are 100");
    let refused = pay(&house, &order, 1, "third").await.expect_err("beyond");
    assert_eq!(refused.text, BEYOND);
    act(&house, &first, fail(None)).await;
    act(&house, &first, fail(Some("AC04"))).await;
    assert_eq!(pay(&house, &order, 61, "fourth").await.expect_err("beyond").text, BEYOND);
    pay(&house, &order, 60, "fourth").await.expect("the 60 came back");
    act(&house, &second, complete()).await;
    close(house, &order).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_bank_sends_back_to_an_archived_vendor_may_be_paid_out_to_it_again() {
    let house = House::open().await;
    let order = vendor(&house, 100).await;
    let payout = pay(&house, &order, 100, "first").await.expect("allowed");
    act(&house, &payout, complete()).await;
    house.system.payees.archive(house.seller, order.payee).await.expect("archived");
    act(&house, &payout, fail(Some("AC04"))).await;
    assert!(!known(&house, order.payee).is_archived());
    pay(&house, &order, 100, "second").await.expect("the first came back");
    close(house, &order).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_counted_wrongly_is_added_up_anew_with_the_next_allowance() {
    let mut house = House::open().await;
    let order = vendor(&house, 300).await;
    let home = (house.seller, order.payee);
    let failed = pay(&house, &order, 30, "failed").await.expect("allowed");
    act(&house, &failed, fail(None)).await;
    let first = pay(&house, &order, 60, "first").await.expect("allowed");
    act(&house, &first, complete()).await;
    house.system.stop().await;
    house.store.reopen();
    miscount(&house.store, home, 60);
    house.restart().await;
    assert_eq!(pay(&house, &order, 40, "second").await.expect_err("beyond").text, BEYOND);
    let same = AllowancePatch::default();
    house.system.payees.set_allowance(home, same).await.expect("added up");
    pay(&house, &order, 40, "second").await.expect("60 and 40 are 100");
    close(house, &order).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_allowance_changes_without_a_look_at_what_was_paid_out_before() {
    let house = House::open().await;
    let order = vendor(&house, 300).await;
    let first = pay(&house, &order, 60, "first").await.expect("allowed");
    act(&house, &first, complete()).await;
    let mut batch = Batch::new();
    batch.delete(PAYOUTS, &(house.seller, first.id));
    house.store.write_blocking(batch).expect("durable");
    let patch = AllowancePatch { limit_minor: Some(90), ..AllowancePatch::default() };
    house.system.payees.set_allowance((house.seller, order.payee), patch).await.expect("set");
    pay(&house, &order, 31, "second").await.expect_err("beyond: 60 were paid out");
    pay(&house, &order, 30, "second").await.expect("60 and 30 are 90");
    house.system.stop().await;
}
