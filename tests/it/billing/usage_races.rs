//! Usage keys under races: one event is recorded, whoever asks and however often.

use std::collections::BTreeSet;

use futures::future::join_all;

use crate::support::meter::{event, event_with};
use crate::support::{Response, Server, Value, json};

fn with_status(responses: &[Response], status: u16) -> usize {
    responses.iter().filter(|one| one.status == status).count()
}

fn ids(responses: &[Response]) -> BTreeSet<u64> {
    responses.iter().filter_map(|one| one["eventId"].as_u64()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_32_equal_events_one_is_recorded() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    for round in 1..=5 {
        let body = event(contract, &format!("round {round}"));
        let all = join_all((0..32).map(|_| seller.billing.post("/usage/events", &body))).await;
        assert_eq!((with_status(&all, 201), with_status(&all, 200)), (1, 31));
        assert_eq!(ids(&all).len(), 1);
        assert_eq!(seller.used(contract, "api.calls").await, round.to_string());
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_32_events_under_one_key_on_two_contracts_one_is_recorded() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contracts = [seller.metered("2027-01-15").await, seller.contract("2027-01-15").await];
    seller.subscribe(contracts[1], "2027-01-15", json!({})).await;
    for round in 0..8 {
        let key = format!("round {round}");
        let bodies = contracts.map(|contract| event(contract, &key));
        let asked = (0..32).map(|n| seller.billing.post("/usage/events", &bodies[n % 2]));
        let all = join_all(asked).await;
        let counts = [201, 200, 409].map(|status| with_status(&all, status));
        assert_eq!(counts, [1, 15, 16], "{key}");
        assert_eq!(ids(&all).len(), 1);
    }
    let mut used = 0;
    for contract in contracts {
        let rows = seller.usage(contract).await;
        let row = rows["metrics"].as_array().expect("metrics").first().cloned();
        let text = row
            .map_or_else(|| "0".to_owned(), |row| row["used"].as_str().expect("used").to_owned());
        used += text.parse::<u32>().expect("a number");
    }
    assert_eq!(used, 8);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlapping_batches_on_two_contracts_record_each_key_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contracts = [seller.metered("2027-01-15").await, seller.contract("2027-01-15").await];
    // Keys 0..200, each batch a window of 100, alternately on either contract.
    let batches: Vec<Value> = (0..16)
        .map(|n| {
            let keys = (n * 7)..(n * 7 + 100);
            let of = |key: usize| event(contracts[n % 2], &format!("key {key}"));
            json!({"events": keys.map(of).collect::<Vec<_>>()})
        })
        .collect();
    let asked = batches.iter().map(|batch| seller.billing.post("/usage/events:batch", batch));
    let all: Vec<Value> =
        join_all(asked).await.into_iter().map(|response| response.is(200)).collect();
    let sum = |field: &str| all.iter().map(|one| one[field].as_u64().expect(field)).sum::<u64>();
    assert_eq!(sum("ingested"), 15 * 7 + 100, "every key once");
    assert_eq!(sum("ingested") + sum("duplicates") + sum("rejected"), 1600);
    let mut made = BTreeSet::new();
    for item in all.iter().flat_map(|one| one["items"].as_array().expect("items")) {
        if item["status"] == "ingested" {
            assert!(made.insert(item["eventId"].as_u64().expect("an id")), "{item}");
        } else if item["status"] == "rejected" {
            assert!(item["reason"].as_str().expect("a reason").contains("idempotencyKey"));
        }
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_of_many_writers_is_counted() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let singles = (0..100).map(async |n| {
        let more = json!({"quantity": "0.1"});
        seller
            .billing
            .post("/usage/events", &event_with(contract, &format!("s{n}"), more))
            .await
            .is(201);
    });
    let batches = (0..10).map(async |b| {
        let events: Vec<Value> = (0..50).map(|n| event(contract, &format!("b{b}.{n}"))).collect();
        assert_eq!(seller.record_all(&events).await["ingested"], 50);
    });
    futures::join!(join_all(singles), join_all(batches));
    assert_eq!(seller.used(contract, "api.calls").await, "510");
    server.close().await;
}
