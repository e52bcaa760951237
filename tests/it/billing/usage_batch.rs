//! `POST /usage/events:batch`.

use hyper::Method;

use crate::support::meter::{event, event_with};
use crate::support::{Server, Value, json};

#[tokio::test]
async fn every_item_is_judged_for_itself() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let bare = seller.contract("2027-01-15").await;
    seller.record(&event(contract, "before")).await;
    let items = [
        event(contract, "a"),
        event_with(contract, "b", json!({"quantity": 5})),
        event(contract, "before"),
        event_with(contract, "before", json!({"quantity": "2"})),
        json!("no event"),
        json!(["list"]),
        event(bare, "c"),
        event_with(contract, "d", json!({"contractId": "999999999"})),
        event_with(contract, "e", json!({"metric": "unheard.of"})),
        event_with(contract, "f", json!({"occurredAt": "2099-01-01T00:00:00Z"})),
        event(contract, "a"),
        event_with(contract, "a", json!({"quantity": "9"})),
        event_with(contract, "g", json!({"quantity": "0.5"})),
    ];
    let batch = seller.record_all(&items).await;
    let expected = [
        ("ingested", None),
        ("rejected", Some("quantity")),
        ("duplicate", None),
        ("rejected", Some("idempotencyKey")),
        ("rejected", Some("expected an object")),
        ("rejected", Some("expected an object")),
        ("ingested", None),
        ("rejected", Some("contractId")),
        ("rejected", Some("metric")),
        ("rejected", Some("occurredAt")),
        ("duplicate", None),
        ("rejected", Some("idempotencyKey")),
        ("ingested", None),
    ];
    let results = batch["items"].as_array().expect("items");
    assert_eq!(results.len(), expected.len());
    for (index, (status, reason)) in expected.into_iter().enumerate() {
        let item = &results[index];
        assert_eq!((&item["index"], &item["status"]), (&json!(index), &json!(status)), "{item}");
        assert_eq!(item["eventId"].is_u64(), reason.is_none(), "{item}");
        assert_eq!(item["metered"].is_boolean(), reason.is_none(), "{item}");
        match reason {
            Some(part) => assert!(item["reason"].as_str().expect("why").contains(part), "{item}"),
            None => assert_eq!(item.get("reason"), None),
        }
    }
    assert_eq!(results[6]["metered"], false);
    assert_eq!(results[10]["eventId"], results[0]["eventId"]);
    let counts = ["ingested", "duplicates", "rejected"].map(|field| batch[field].as_u64());
    assert_eq!(counts, [Some(3), Some(2), Some(8)]);
    assert_eq!(seller.used(contract, "api.calls").await, "2.5");
    // The same again: what was recorded is a duplicate, and nothing else changes.
    let again = seller.record_all(&items).await;
    let counts = ["ingested", "duplicates", "rejected"].map(|field| again[field].as_u64());
    assert_eq!(counts, [Some(0), Some(5), Some(8)]);
    for (index, item) in again["items"].as_array().expect("items").iter().enumerate() {
        assert_eq!(item["eventId"], results[index]["eventId"]);
    }
    assert_eq!(seller.used(contract, "api.calls").await, "2.5");
    server.close().await;
}

#[tokio::test]
async fn more_than_500_events_are_too_many_and_none_is_recorded() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let many: Vec<Value> = (0..501).map(|n| event(contract, &format!("e{n}"))).collect();
    let body = json!({"events": many});
    let response = seller.billing.post("/usage/events:batch", &body).await;
    response.refuses(413, "events must have at most 500 entries");
    let huge = format!("{{\"events\":[{}\"{}\"]}}", " ", "x".repeat(1024 * 1024));
    let response = seller.billing.send(Method::POST, "/usage/events:batch", &[], &huge).await;
    response.refuses(413, "the request body is larger than");
    let batch = seller.record_all(&many[..500]).await;
    assert_eq!((&batch["ingested"], &batch["rejected"]), (&json!(500), &json!(0)));
    assert_eq!(seller.used(contract, "api.calls").await, "500");
    server.close().await;
}

#[tokio::test]
async fn a_body_without_a_list_of_events_is_refused() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for body in [
        "{}",
        "{\"events\":{}}",
        "{\"events\":null}",
        "{\"events\":[}",
        "[[]]",
        "[]",
        "",
        "{\"events\":[],\"events\":[]}",
    ] {
        let response = seller.billing.send(Method::POST, "/usage/events:batch", &[], body).await;
        response.refuses(400, "invalid request body: ");
    }
    let empty = seller.record_all(&[]).await;
    assert_eq!(empty, json!({"ingested": 0, "duplicates": 0, "rejected": 0, "items": []}));
    server.close().await;
}

#[tokio::test]
async fn of_two_items_with_one_key_the_earlier_wins_also_across_contracts() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let first = seller.metered("2027-01-15").await;
    let second = seller.contract("2027-01-15").await;
    seller.subscribe(second, "2027-01-15", json!({})).await;
    for round in 0..10 {
        let (a, b) = if round % 2 == 0 { (first, second) } else { (second, first) };
        let key = format!("twice {round}");
        let batch = seller.record_all(&[event(a, &key), event(b, &key), event(a, &key)]).await;
        let statuses = crate::support::response::column(&batch, "items", "status");
        assert_eq!(statuses, ["ingested", "rejected", "duplicate"]);
    }
    assert_eq!(seller.used(first, "api.calls").await, "5");
    assert_eq!(seller.used(second, "api.calls").await, "5");
    // An earlier item that is refused takes no key.
    let refused = event_with(first, "free", json!({"metric": "unheard.of"}));
    let batch = seller.record_all(&[refused, event(second, "free"), event(first, "free")]).await;
    let statuses = crate::support::response::column(&batch, "items", "status");
    assert_eq!(statuses, ["rejected", "ingested", "rejected"]);
    server.close().await;
}

#[tokio::test]
async fn a_batch_over_many_contracts_counts_each() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let mut contracts = vec![seller.metered("2027-01-15").await];
    for _ in 1..20 {
        let contract = seller.contract("2027-01-15").await;
        seller.subscribe(contract, "2027-01-15", json!({})).await;
        contracts.push(contract);
    }
    let events: Vec<Value> = (0..500)
        .map(|n| event_with(contracts[n % 20], &format!("e{n}"), json!({"quantity": "2"})))
        .collect();
    assert_eq!(seller.record_all(&events).await["ingested"], 500);
    for contract in contracts {
        assert_eq!(seller.used(contract, "api.calls").await, "50");
    }
    server.close().await;
}
