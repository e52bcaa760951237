//! `GET /invoices/{invoiceId}/lines/{lineId}/events`: an amount back to its events.

use crate::support::meter::event_with;
use crate::support::response::{column, id};
use crate::support::{Seller, Server, Value, json};

async fn price(seller: &Seller, contract: u64, metric: &str, unit: &str) {
    let path = format!("/usage/contracts/{contract}/metrics/{metric}/price");
    let body = json!({"effectiveFrom": "2027-01-01", "config": {
        "scheme": "per_unit", "currency": "EUR", "rounding": "half_up", "unitPrice": unit,
    }});
    seller.billing.put(&path, &body).await.is(200);
}

/// The usage document of the week that ended on 15 January.
async fn billed(server: &Server, seller: &Seller, contract: u64) -> Value {
    let events: Vec<Value> = (0..205)
        .map(|n| {
            let at = format!("2027-01-{:02}T0{}:00:00Z", 8 + n % 7, n % 8);
            let more = json!({
                "occurredAt": at, "quantity": "0.5",
                "metadata": {"n": n, "path": format!("/orders/{n}")},
            });
            event_with(contract, &format!("event {n}"), more)
        })
        .collect();
    assert_eq!(seller.record_all(&events).await["ingested"], 205);
    for n in 0..3 {
        let at = "2027-01-14T00:00:00Z";
        let more = json!({"metric": "bytes", "quantity": "10", "occurredAt": at});
        seller.record(&event_with(contract, &format!("bytes {n}"), more)).await;
    }
    // On the first day after the week.
    let next = json!({"occurredAt": "2027-01-15T00:00:00Z"});
    seller.record(&event_with(contract, "next period", next)).await;
    let close = "/passes/billing.usage.close_pass/run";
    server.operator.post(close, &json!({})).await.is(200);
    let more = json!({"quantity": "1000", "occurredAt": "2027-01-14T23:59:59Z"});
    let late = event_with(contract, "late", more);
    assert_eq!(seller.record(&late).await["late"], true);
    seller.invoice(json!({"contractId": contract, "origin": "usage"})).await
}

fn line_of<'a>(invoice: &'a Value, metric: &str) -> &'a Value {
    let lines = invoice["lines"].as_array().expect("lines");
    lines.iter().find(|line| line["metricName"] == metric).expect("a line of the metric")
}

fn path_of(invoice: &Value, line: &Value) -> String {
    format!("/invoices/{}/lines/{}/events", id(invoice), line["lineId"])
}

#[tokio::test]
async fn the_events_behind_a_line_add_up_to_it() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered_by("2027-01-08", "weekly").await;
    seller.metric("bytes", json!({})).await;
    price(&seller, contract, "api.calls", "0.01").await;
    price(&seller, contract, "bytes", "0.001").await;
    let invoice = billed(&server, &seller, contract).await;
    let line = line_of(&invoice, "api.calls");
    assert_eq!((&line["source"], &line["quantity"]), (&json!("usage"), &json!("102.5")));

    let path = path_of(&invoice, line);
    let (mut seen, mut cursor, mut pages) = (Vec::new(), 0, 0);
    loop {
        let page = seller.billing.get(&format!("{path}?limit=50&cursor={cursor}")).await.is(200);
        pages += 1;
        seen.extend(page["events"].as_array().expect("events").iter().cloned());
        assert_eq!(page.get("nextCursor"), page.get("nextAfterId"));
        assert_eq!(page["hasMore"], json!(page.get("nextCursor").is_some()));
        match page["nextCursor"].as_u64() {
            Some(next) => cursor = next,
            None => break,
        }
    }
    assert_eq!((seen.len(), pages), (205, 5));
    let days: Vec<&str> =
        seen.iter().map(|event| &event["occurredAt"].as_str().expect("an instant")[..10]).collect();
    assert!(days.is_sorted(), "{days:?}");
    let mut keys: Vec<&str> =
        seen.iter().map(|event| event["idempotencyKey"].as_str().expect("a key")).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 205);
    assert!(keys.iter().all(|key| key.starts_with("event ")), "{keys:?}");
    for event in &seen {
        assert_eq!((&event["quantity"], &event["metricVersion"]), (&json!("0.5"), &json!(1)));
        assert_eq!(event["receivedAt"], "2027-01-15T09:00:00Z");
        let number = event["metadata"]["n"].as_u64().expect("metadata");
        assert_eq!(event["metadata"]["path"], format!("/orders/{number}"));
        assert_eq!(event["idempotencyKey"], format!("event {number}"));
        assert!(event["eventId"].is_u64());
    }
    let older_name = format!("{path}?limit=50&afterId={cursor}");
    let last = seller.billing.get(&older_name).await.is(200);
    assert_eq!(last["events"].as_array().map(Vec::len), Some(5));

    let bytes = seller.billing.get(&path_of(&invoice, line_of(&invoice, "bytes"))).await.is(200);
    assert_eq!(column(&bytes, "events", "idempotencyKey"), ["bytes 0", "bytes 1", "bytes 2"]);
    assert_eq!(bytes["events"][0].get("metadata"), None);
    server.close().await;
}

#[tokio::test]
async fn a_line_without_events_has_an_empty_list() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let recurring = seller.recurring(contract).await;
    let path = path_of(&recurring, &recurring["lines"][0]);
    let empty = json!({"events": [], "hasMore": false});
    assert_eq!(seller.billing.get(&path).await.is(200), empty);
    let one_time = seller.one_time(contract, 500).await;
    assert_eq!(seller.billing.get(&path_of(&one_time, &one_time["lines"][0])).await.is(200), empty);

    let (invoice, line) = (id(&one_time), &one_time["lines"][0]["lineId"]);
    for missing in [
        format!("/invoices/999999999/lines/{line}/events"),
        format!("/invoices/{invoice}/lines/999999999/events"),
        // A line of another invoice.
        format!("/invoices/{}/lines/{line}/events", id(&recurring)),
    ] {
        seller.billing.get(&missing).await.refuses_saying(404, "not found");
    }
    for (wrong, part) in [
        (format!("/invoices/x/lines/{line}/events"), "invoiceId"),
        (format!("/invoices/{invoice}/lines/x/events"), "lineId"),
        (format!("{path}?limit=0"), "limit"),
        (format!("{path}?cursor=-1"), "cursor"),
        (format!("{path}?cursor=1&afterId=2"), "cursor"),
    ] {
        seller.billing.get(&wrong).await.refuses(400, part);
    }
    let stranger = server.seller().await;
    stranger.billing.get(&path).await.refuses_saying(404, "not found");
    server.close().await;
}
