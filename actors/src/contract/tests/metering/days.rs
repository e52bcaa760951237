//! Days that leave memory and come back.

use super::recount::stored;
use super::workshop::{Workshop, event, metric};
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::NewEvent;
use crate::domain::ids::ContractId;
use crate::domain::time::Timestamp;
use crate::query::usage::total;

/// An event for each of 150 days, the newest first.
fn round(contract: ContractId, now: Timestamp, round: u32) -> Vec<NewEvent> {
    let on = |day: i64| {
        let data = format!(r#"{{"user":"{round} {day}"}}"#);
        let at = now.plus_seconds(-86_400 * day);
        event(contract, "users", "1", at, &format!("{round} {day}"), Some(&data))
    };
    (0..150).map(on).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn more_days_than_memory_keeps_are_counted_like_few() {
    let shop = Workshop::open().await;
    shop.register("users", "count_unique", Some("user")).await;
    let contract = shop.metered_contract("c").await;
    let now = shop.house.start();
    // All at once, one after the other, and many under way at a time.
    shop.record(contract, round(contract, now, 0)).await;
    for one in round(contract, now, 1) {
        assert!(shop.record(contract, vec![one]).await[0].is_ok());
    }
    let asked = round(contract, now, 2).into_iter().map(|one| shop.record(contract, vec![one]));
    let verdicts = futures::future::join_all(asked).await;
    assert!(verdicts.iter().all(|verdicts| verdicts[0].is_ok()));
    assert_eq!(shop.used(contract, "users").await, "3");
    let (store, seller) = (&shop.house.store, shop.house.seller.id);
    let today = now.date();
    let span = Span { start: today.plus_days(-149), end: today.plus_days(1) };
    let events = stored(store, seller, contract, &metric("users"), span, 200);
    assert_eq!(events.len(), 450);
    let distinct = total(store, seller, contract, &metric("users"), span).expect("read");
    assert_eq!(distinct.used().quantity, 450.into());
}
