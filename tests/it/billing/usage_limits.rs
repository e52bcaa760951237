//! Usage limits as events meet them. Limits are set on the dashboard; here the room is asked, which
//! needs no session that a pushed clock would end.

use actors::domain::billing::usage::{CapMode, LimitChange, MetricName};
use actors::domain::ids::{ContractId, SellerId};
use actors::domain::quantity::Quantity;
use futures::future::join_all;

use crate::support::meter::{event, event_with};
use crate::support::response::column;
use crate::support::{Seller, Server, Value, json};

async fn limit(server: &Server, seller: &Seller, contract: u64, cap: &str, mode: CapMode) {
    let cap_quantity = Quantity::parse(cap).expect("a quantity");
    let metric = MetricName::parse("api.calls").expect("a name");
    let (seller, contract) = (SellerId(seller.id), ContractId(contract));
    let limit = LimitChange { cap_quantity: Some(Some(cap_quantity)), mode: Some(mode) };
    let set = server.app().contracts.set_usage_limit(seller, contract, metric, limit).await;
    set.expect("set");
}

fn of(contract: u64, key: &str, quantity: &str) -> Value {
    event_with(contract, key, json!({"quantity": quantity}))
}

#[tokio::test]
async fn a_hard_limit_refuses_what_would_pass_it_and_records_nothing() {
    let mut server = Server::start().await;
    let mut seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    limit(&server, &seller, contract, "10", CapMode::Hard).await;
    seller.record(&of(contract, "a", "6")).await;
    let refused = of(contract, "b", "4.000000001");
    seller.billing.post("/usage/events", &refused).await.refuses(400, "capQuantity");
    // Reaching it exactly is not passing it, and what was refused spent no key.
    seller.record(&of(contract, "b", "4")).await;
    let row = seller.usage_of(contract, "api.calls").await;
    assert_eq!((&row["used"], &row["capQuantity"]), (&json!("10"), &json!("10")));
    assert_eq!((&row["capMode"], &row["percentOfCap"]), (&json!("hard"), &json!("100")));
    server.restart().await;
    seller = server.again(&seller);
    let more = of(contract, "c", "0.000000001");
    seller.billing.post("/usage/events", &more).await.refuses(400, "capQuantity");
    // What raises nothing, counts to no period, or is known already is not held against it.
    seller.record(&of(contract, "zero", "0")).await;
    let unmetered = json!({"occurredAt": "2026-01-01T00:00:00Z", "quantity": "99"});
    seller.record(&event_with(contract, "unmetered", unmetered)).await;
    let again = seller.billing.post("/usage/events", &of(contract, "a", "6.0")).await.is(200);
    assert_eq!(again["status"], "duplicate");
    let other = seller.billing.post("/usage/events", &of(contract, "a", "7")).await;
    other.refuses(409, "idempotencyKey");
    assert_eq!(seller.used(contract, "api.calls").await, "10");
    server.close().await;
}

#[tokio::test]
async fn items_of_a_batch_meet_a_limit_in_their_order() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    limit(&server, &seller, contract, "5", CapMode::Hard).await;
    let items = ["2", "4", "2", "2", "1", "0.5"];
    let named = |(n, quantity): (usize, &&str)| of(contract, &format!("e{n}"), quantity);
    let events: Vec<Value> = items.iter().enumerate().map(named).collect();
    let batch = seller.record_all(&events).await;
    assert_eq!(
        column(&batch, "items", "status"),
        ["ingested", "rejected", "ingested", "rejected", "ingested", "rejected"]
    );
    let reason = batch["items"][1]["reason"].as_str().expect("a reason");
    assert!(reason.contains("capQuantity"), "{reason}");
    assert_eq!(seller.used(contract, "api.calls").await, "5");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hard_limit_is_exact_under_concurrency() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    limit(&server, &seller, contract, "10", CapMode::Hard).await;
    let events: Vec<Value> = (0..40).map(|n| event(contract, &format!("e{n}"))).collect();
    let asked = events.iter().map(|event| seller.billing.post("/usage/events", event));
    let all = join_all(asked).await;
    let count = |status| all.iter().filter(|one| one.status == status).count();
    assert_eq!((count(201), count(400)), (10, 30));
    assert_eq!(seller.used(contract, "api.calls").await, "10");
    server.close().await;
}

#[tokio::test]
async fn a_soft_limit_is_reported_and_refuses_nothing() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    limit(&server, &seller, contract, "3", CapMode::Soft).await;
    let row = seller.usage_of(contract, "api.calls").await;
    assert_eq!((&row["used"], &row["percentOfCap"]), (&json!("0"), &json!("0")));
    assert_eq!((row.get("periodStart"), row.get("periodEnd")), (None, None));
    seller.record(&of(contract, "a", "4")).await;
    let row = seller.usage_of(contract, "api.calls").await;
    assert_eq!((&row["capMode"], &row["percentOfCap"]), (&json!("soft"), &json!("133.33")));
    assert_eq!(row["periodStart"], "2027-01-15");
    server.close().await;
}
