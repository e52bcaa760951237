//! Periods that cannot be closed.

use super::books::{ALL, per_unit};
use super::workshop::{Workshop, metric};
use crate::contract::SubscriptionAction;
use crate::domain::billing::subscription::{Cancel, CancelMode, Frequency, NewSubscription};
use crate::domain::ids::ContractId;
use crate::domain::time::Timestamp;
use crate::passes::Pass;
use crate::query;
use crate::tables::USAGE_METERS;

/// A contract a month later, whose use comes to more than a document can say, and when it was used.
async fn with_a_period_beyond_a_document() -> (Workshop, ContractId, Timestamp) {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, per_unit("1000")).await;
    shop.use_some(contract, "calls", "100000000000", now, "huge").await;
    shop.noon(day.plus_months(1));
    (shop, contract, now)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_period_that_cannot_be_closed_is_tried_ever_less_often_until_something_of_it_changes() {
    let (mut shop, contract, now) = with_a_period_beyond_a_document().await;
    let (begun, mut tried) = (shop.house.start(), Vec::new());
    for tens in 0..144 {
        shop.house.clock.push(begun.plus_seconds(tens * 600));
        let counts = shop.pass(Pass::UsageClose).await;
        if !counts.is_empty() {
            assert_eq!(counts, [("failed", 1)].into());
            tried.push(tens);
        }
    }
    assert_eq!(tried, [0, 1, 2, 4, 8, 16, 32, 64, 128]);
    shop.house.restart().await;
    assert!(shop.pass(Pass::UsageClose).await.is_empty());
    shop.use_some(contract, "calls", "1", now, "more").await;
    assert_eq!(shop.pass(Pass::UsageClose).await, [("failed", 1)].into());
    assert!(shop.pass(Pass::UsageClose).await.is_empty());
    shop.price(contract, "calls", now.date(), per_unit("0.0001")).await;
    assert_eq!(shop.pass(Pass::UsageClose).await, [("closed", 1), ("lines", 1)].into());
    shop.house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_period_that_cannot_be_closed_is_tried_at_once_when_what_is_covered_changes() {
    let (mut shop, contract, _) = with_a_period_beyond_a_document().await;
    assert_eq!(shop.pass(Pass::UsageClose).await, [("failed", 1)].into());
    assert!(shop.pass(Pass::UsageClose).await.is_empty());
    let (contracts, seller) = (&shop.house.system.contracts, shop.house.seller.id);
    let subscription = query::subscriptions(&shop.house.store, seller, Some(contract), ALL)
        .expect("read")
        .items[0]
        .id;
    let now = Cancel { mode: CancelMode::Immediately, ..Cancel::default() };
    let action = SubscriptionAction::Cancel(now);
    contracts.change_subscription(seller, contract, subscription, action).await.expect("canceled");
    assert_eq!(shop.pass(Pass::UsageClose).await, [("failed", 1)].into());
    assert!(shop.pass(Pass::UsageClose).await.is_empty());
    shop.house.assert_right_at_rest().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_known_of_a_period_that_stays_open_outlives_a_batch_that_does_not_come_to_it() {
    let shop = Workshop::open().await;
    let contract = shop.house.contract("c").await;
    let (begun, day) = (shop.house.start(), shop.house.start().date());
    let begins = day.plus_days(-350);
    let monthly = NewSubscription::monthly(&begins.to_string(), 0);
    let weekly = NewSubscription { frequency: Frequency::Weekly, ..monthly };
    shop.subscribe(contract, "s", weekly).await;
    shop.register("calls", "sum", None).await;
    shop.price(contract, "calls", begins, per_unit("1000")).await;
    let newest = day.plus_days(-1).start();
    shop.use_some(contract, "calls", "100000000000", newest, "huge").await;
    let closed = [("closed", 49), ("lines", 49), ("failed", 1)].into();
    assert_eq!(shop.pass(Pass::UsageClose).await, closed);
    let known = || {
        let key = (shop.house.seller.id, contract, metric("calls"));
        let row = shop.house.store.get(USAGE_METERS, &key).expect("read").expect("there");
        row.blocked
    };
    let before = known();
    assert_eq!(before.len(), 1);
    for n in 0..5 {
        let name = format!("m{n}");
        shop.register(&name, "sum", None).await;
        shop.price(contract, &name, begins, per_unit("1")).await;
    }
    shop.house.clock.push(begun.plus_seconds(30));
    let closed = [("closed", 50), ("lines", 250), ("failed", 1)].into();
    assert_eq!(shop.pass(Pass::UsageClose).await, closed);
    assert_eq!(known(), before);
}
