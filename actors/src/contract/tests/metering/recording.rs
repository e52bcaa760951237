//! What becomes of single events.

use rust_decimal::Decimal;
use storage::testing::AfterFailure;

use super::recount::stored;
use super::workshop::{Workshop, event, metric};
use crate::domain::billing::subscription::Span;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::billing::usage::registry::NewMetric;
use crate::domain::billing::usage::{CapMode, UsageLimit};
use crate::domain::ids::ContractId;
use crate::domain::quantity::Quantity;
use crate::domain::refusal::RefusalKind;
use crate::kernel::AskError;
use crate::query::usage::{BucketWidth, events_of, late_events, series};
use crate::query::{self, Paging};

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_event_is_counted_by_the_next_read() {
    let shop = Workshop::open().await;
    shop.register("api.calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let now = shop.house.start();
    for n in 1..=100 {
        let one = event(contract, "api.calls", "1.5", now, &format!("key {n}"), None);
        let verdicts = shop.record(contract, vec![one]).await;
        let ingested = verdicts[0].as_ref().expect("recorded");
        assert!(!ingested.duplicate && ingested.metered && !ingested.late);
        let used = shop.used(contract, "api.calls").await;
        assert_eq!(
            used.parse::<Decimal>().expect("a decimal") * Decimal::TEN,
            Decimal::from(15 * n)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_a_duplicate_for_ever_and_a_conflict_with_other_content() {
    let shop = Workshop::open().await;
    shop.register("m", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let now = shop.house.start();
    let one = event(contract, "m", "1", now, "k", Some(r#"{"a":1}"#));
    let first = shop.record(contract, vec![one.clone(), one.clone()]).await;
    let id = first[0].as_ref().expect("recorded").event;
    let again = first[1].as_ref().expect("known");
    assert!(again.duplicate && again.event == id);
    let again = shop.record(contract, vec![one.clone()]).await;
    assert!(again[0].as_ref().is_ok_and(|known| known.duplicate && known.event == id));
    let other = event(contract, "m", "2", now, "k", Some(r#"{"a":1}"#));
    let refused = shop.record(contract, vec![other]).await;
    assert_eq!(refused[0].as_ref().expect_err("a conflict").kind, RefusalKind::Conflict);
    assert_eq!(shop.used(contract, "m").await, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_contracts_that_race_for_a_key_one_wins() {
    let shop = Workshop::open().await;
    shop.register("m", "sum", None).await;
    let (a, b) = (shop.metered_contract("a").await, shop.metered_contract("b").await);
    let now = shop.house.start();
    for round in 0..20 {
        let batch = |contract| {
            (0..10).map(move |n| event(contract, "m", "1", now, &format!("{round}-{n}"), None))
        };
        let (of_a, of_b) =
            tokio::join!(shop.record(a, batch(a).collect()), shop.record(b, batch(b).collect()));
        for (one, other) in of_a.iter().zip(&of_b) {
            let won = [one, other].iter().filter(|verdict| verdict.is_ok()).count();
            assert_eq!(won, 1, "{one:?} {other:?}");
            let lost = [one, other].into_iter().find_map(|verdict| verdict.as_ref().err());
            assert_eq!(lost.expect("a loser").kind, RefusalKind::Conflict);
        }
    }
    let used = |text: String| text.parse::<u32>().unwrap_or_default();
    let (of_a, of_b) = (used(shop.used(a, "m").await), used(shop.used(b, "m").await));
    assert_eq!(of_a + of_b, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn repetitions_that_meet_in_flight_are_one_event() {
    let shop = Workshop::open().await;
    shop.register("m", "count", None).await;
    let contract = shop.metered_contract("c").await;
    let one = event(contract, "m", "1", shop.house.start(), "k", None);
    let asked = (0..64).map(|_| shop.record(contract, vec![one.clone()]));
    let verdicts = futures::future::join_all(asked).await;
    let ingested: Vec<_> =
        verdicts.iter().map(|verdicts| verdicts[0].as_ref().expect("taken")).collect();
    assert_eq!(ingested.iter().filter(|one| !one.duplicate).count(), 1);
    assert!(ingested.iter().all(|one| one.event == ingested[0].event));
    assert_eq!(shop.used(contract, "m").await, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hard_limit_is_kept_exactly_by_sixty_four_at_once() {
    let mut shop = Workshop::open().await;
    shop.register("m", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    shop.cap(contract, "m", "100.5").await;
    let now = shop.house.start();
    let asked = (0..64).map(|n| {
        let events = (0..5).map(|m| event(contract, "m", "1", now, &format!("{n} {m}"), None));
        shop.record(contract, events.collect())
    });
    let verdicts: Vec<_> = futures::future::join_all(asked).await.into_iter().flatten().collect();
    let refused = verdicts.iter().filter_map(|verdict| verdict.as_ref().err());
    assert_eq!(refused.clone().count(), 220);
    assert!(refused.clone().all(|refusal| refusal.kind == RefusalKind::Invalid));
    assert_eq!(shop.used(contract, "m").await, "100");
    // To reach the limit is to keep it; what does not raise the value is taken; unmetered
    // events are not limited.
    let before = now.plus_seconds(-3 * 86_400);
    let batch = vec![
        event(contract, "m", "0.6", now, "too much", None),
        event(contract, "m", "0.5", now, "just so", None),
        event(contract, "m", "0", now, "nothing", None),
        event(contract, "m", "0.000000001", now, "a trifle", None),
        event(contract, "m", "1000", before, "before", None),
    ];
    let taken: Vec<_> = shop.record(contract, batch).await.iter().map(Result::is_ok).collect();
    assert_eq!(taken, [false, true, true, false, true]);
    let usage = &shop.usage(contract).await["m"];
    assert_eq!(usage.used.to_string(), "100.5");
    assert_eq!(usage.percent_of_cap.map(|percent| percent.to_string()).as_deref(), Some("100"));
    // A key that was refused is still free.
    let retried = event(contract, "m", "0", now, "too much", None);
    assert!(shop.record(contract, vec![retried]).await[0].is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_distinct_values_count_and_more_are_told() {
    let mut shop = Workshop::open().await;
    shop.register("users", "count_unique", Some("user")).await;
    let contract = shop.metered_contract("c").await;
    let now = shop.house.start();
    for (part, quantity, overflowed) in [(0, "500", false), (1, "1000", false), (2, "1000", true)] {
        let events = (0..500).map(|n| {
            let data = format!(r#"{{"user":"u{}"}}"#, part * 500 + n);
            event(contract, "users", "9", now, &format!("{part} {n}"), Some(&data))
        });
        shop.record(contract, events.collect()).await;
        shop.house.restart().await;
        let usage = &shop.usage(contract).await["users"];
        assert_eq!((usage.used.to_string().as_str(), usage.overflowed), (quantity, overflowed));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_unit_leaves_a_maximum_a_maximum() {
    let shop = Workshop::open().await;
    shop.register_as("m", "calls", "max", None).await;
    let contract = shop.metered_contract("c").await;
    let now = shop.house.start();
    shop.record(contract, vec![event(contract, "m", "7", now, "a", None)]).await;
    shop.register_as("m", "requests", "max", None).await;
    shop.record(contract, vec![event(contract, "m", "5", now, "b", None)]).await;
    assert_eq!(shop.used(contract, "m").await, "7");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_can_change_until_there_is_usage() {
    let mut shop = Workshop::open().await;
    shop.register("m", "sum", None).await;
    shop.register("m", "count_unique", Some("user")).await;
    shop.register("m", "max", None).await;
    let contract = shop.metered_contract("c").await;
    let now = shop.house.start();
    shop.record(contract, vec![event(contract, "m", "7", now, "a", None)]).await;
    shop.house.restart().await;
    let new = NewMetric {
        name: Some("m".to_owned()),
        aggregation: Some("sum".to_owned()),
        ..NewMetric::default()
    };
    let again = shop.house.system.sellers.register_metric(shop.house.seller.id, new).await;
    let refused = again.map_err(AskError::refusal).expect_err("used");
    assert_eq!(refused.kind, RefusalKind::Unprocessable);
    assert_eq!(shop.used(contract, "m").await, "7");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_closed_days_are_late_and_move_nothing() {
    let mut shop = Workshop::open().await;
    shop.register("m", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let now = shop.house.start();
    let on_time = event(contract, "m", "3", now, "on time", None);
    shop.record(contract, vec![on_time.clone()]).await;
    let today = now.date();
    let closed = Span { start: today, end: today.plus_days(1) };
    shop.meter(contract, "m", |row| row.closed.push(closed)).await;
    let late = event(contract, "m", "4", now, "late", None);
    for duplicate in [false, true, true] {
        let verdicts = shop.record(contract, vec![late.clone(), on_time.clone()]).await;
        let told = verdicts[0].as_ref().expect("taken");
        assert_eq!((told.duplicate, told.late, told.metered), (duplicate, true, true));
        let told = verdicts[1].as_ref().expect("known");
        assert_eq!((told.duplicate, told.late), (true, false));
    }
    let all = Paging { limit: 10, cursor: None };
    let listed = late_events(&shop.house.store, shop.house.seller.id, contract, all);
    let listed = listed.expect("read").items;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].event.key.as_str(), "late");
    let counted =
        events_of(&shop.house.store, shop.house.seller.id, contract, &metric("m"), closed, all);
    assert_eq!(counted.expect("read").items.len(), 1);
    // What is closed is no part of what is open.
    assert!(shop.usage(contract).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_wait_together_get_their_own_answers_from_few_commits() {
    let shop = Workshop::open().await;
    shop.register("m", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let now = shop.house.start();
    let calls = (0..400).map(|call| {
        // Some keys come twice, within a call and in neighbouring ones.
        let keys = [format!("k{}", call / 2), format!("own{call}"), format!("own{call}")];
        let events = keys.map(|key| event(contract, "m", "1", now, &key, None));
        shop.record(contract, events.to_vec())
    });
    let before = shop.house.store.stats().commits;
    let told = futures::future::join_all(calls).await;
    let commits = shop.house.store.stats().commits - before;
    assert!(commits < 200, "{commits} commits for 400 calls");
    for told in &told {
        let told: Vec<_> = told.iter().map(|one| one.as_ref().expect("recorded")).collect();
        assert!(!told[1].duplicate && told[2].duplicate);
        assert_eq!(told[1].event, told[2].event);
    }
    for pair in told.chunks(2) {
        let shared = [&pair[0][0], &pair[1][0]].map(|one| one.as_ref().expect("recorded"));
        assert_eq!(shared[0].event, shared[1].event);
        assert_eq!(shared.iter().filter(|one| !one.duplicate).count(), 1);
    }
    assert_eq!(shop.used(contract, "m").await, "600");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_commit_counts_nothing() {
    let shop = Workshop::open().await;
    shop.register("m", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let now = shop.house.start();
    let one = |key: &str| vec![event(contract, "m", "1", now, key, None)];
    shop.record(contract, one("a")).await;
    shop.house.store.fail_at(1, AfterFailure::WorksOn);
    let contracts = &shop.house.system.contracts;
    let failed = contracts.record_usage(shop.house.seller.id, contract, one("b")).await;
    assert_eq!(failed.map_err(AskError::refusal).expect_err("failed").kind, RefusalKind::Fault);
    assert_eq!(shop.used(contract, "m").await, "1");
    assert!(shop.record(contract, one("b")).await[0].as_ref().is_ok_and(|told| !told.duplicate));
    assert_eq!(shop.used(contract, "m").await, "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_contract_is_missing() {
    let shop = Workshop::open().await;
    let nobody = ContractId(987_654);
    let contracts = &shop.house.system.contracts;
    let one = event(nobody, "m", "1", shop.house.start(), "k", None);
    let asked = contracts.record_usage(shop.house.seller.id, nobody, vec![one]).await;
    assert_eq!(asked.map_err(AskError::refusal).expect_err("missing").kind, RefusalKind::Missing);
    let asked = contracts.usage(shop.house.seller.id, nobody).await;
    assert_eq!(asked.map_err(AskError::refusal).expect_err("missing").kind, RefusalKind::Missing);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_soft_limit_is_told_of_once_a_period_and_refuses_nothing() {
    let mut shop = Workshop::open().await;
    shop.register("m", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let limit = UsageLimit { cap_quantity: Quantity::whole(5), mode: CapMode::Soft };
    shop.meter(contract, "m", |row| row.limit = Some(limit)).await;
    for (n, told) in [(0, 0), (1, 0), (2, 1), (3, 1)] {
        let now = shop.house.clock.now();
        let one = event(contract, "m", "2.5", now, &format!("key {n}"), None);
        assert!(shop.record(contract, vec![one]).await[0].is_ok());
        let all = Paging { limit: 100, cursor: None };
        let entries = query::timeline(&shop.house.store, shop.house.seller.id, contract, all);
        let entries = entries.expect("read").items;
        let exceeded =
            entries.iter().filter(|(_, entry)| entry.kind == TimelineKind::UsageCapExceeded);
        assert_eq!(exceeded.count(), told);
        shop.house.restart().await;
    }
    assert_eq!(shop.used(contract, "m").await, "10");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_soft_limit_is_exceeded_at_an_instant_of_the_contracts_clock() {
    let mut shop = Workshop::open().await;
    shop.register("m", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let limit = UsageLimit { cap_quantity: Quantity::whole(5), mode: CapMode::Soft };
    shop.meter(contract, "m", |row| row.limit = Some(limit)).await;
    let now = shop.house.start();
    let ahead = now.plus_seconds(200 * 86_400);
    shop.house.advance(contract, ahead).await.expect("advanced");
    shop.record(contract, vec![event(contract, "m", "6", now, "k", None)]).await;
    let all = Paging { limit: 100, cursor: None };
    let entries = query::timeline(&shop.house.store, shop.house.seller.id, contract, all);
    let (_, newest) = entries.expect("read").items.remove(0);
    assert_eq!((newest.kind, newest.occurred_at), (TimelineKind::UsageCapExceeded, ahead));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_of_many_days_is_counted_day_by_day() {
    let shop = Workshop::open().await;
    shop.register("m", "last", None).await;
    let contract = shop.metered_contract("c").await;
    let (store, seller) = (shop.house.store.store(), shop.house.seller.id);
    let now = shop.house.start();
    for round in 0..3 {
        // More days than stay in memory, so that they are let go and read again.
        let events = (0..200).map(|day| {
            let (at, key) = (now.plus_seconds(-86_400 * day), format!("{round} {day}"));
            event(contract, "m", &(round * 1_000 + day).to_string(), at, &key, None)
        });
        assert!(shop.record(contract, events.collect()).await.iter().all(Result::is_ok));
    }
    let days = Span { start: now.date().plus_days(-199), end: now.date().plus_days(1) };
    let found = series(store, seller, contract, &metric("m"), days, BucketWidth::Day);
    for (bucket, day) in found.expect("read").iter().rev().zip(0..) {
        assert_eq!((bucket.quantity, bucket.events), (Decimal::from(2_000 + day), 3));
    }
    assert_eq!(stored(store, seller, contract, &metric("m"), days, 77).len(), 600);
    assert_eq!(shop.used(contract, "m").await, "2000");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_soft_limit_of_an_older_period_that_is_open_is_told_of_as_well() {
    let mut shop = Workshop::open().await;
    shop.register("m", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let limit = UsageLimit { cap_quantity: Quantity::whole(5), mode: CapMode::Soft };
    shop.meter(contract, "m", |row| row.limit = Some(limit)).await;
    let older = shop.house.start();
    let newer = older.date().plus_months(1).start();
    shop.house.clock.push(newer);
    for (n, (at, told)) in [(newer, 1), (older, 2), (newer, 2), (older, 2)].iter().enumerate() {
        let one = event(contract, "m", "6", *at, &format!("key {n}"), None);
        assert!(shop.record(contract, vec![one]).await[0].is_ok());
        let all = Paging { limit: 100, cursor: None };
        let entries = query::timeline(&shop.house.store, shop.house.seller.id, contract, all);
        let entries = entries.expect("read").items;
        let exceeded =
            entries.iter().filter(|(_, entry)| entry.kind == TimelineKind::UsageCapExceeded);
        assert_eq!(exceeded.count(), *told, "event {n}");
        shop.house.restart().await;
    }
}
