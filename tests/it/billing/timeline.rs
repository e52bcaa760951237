//! `GET /contracts/{contractId}/timeline`.

use crate::support::response::{column, id};
use crate::support::{Server, json};

#[tokio::test]
async fn the_timeline_shows_what_happened_newest_first() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{contract}/timeline");
    let empty = seller.billing.get(&path).await.is(200);
    assert_eq!(empty, json!({"entries": [], "hasMore": false}));
    let sub = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
    let invoice = id(&seller.recurring(contract).await);
    seller.advance(contract, "2027-02-15T12:00:00Z").await;
    seller.act(sub, "cancel", json!({"mode": "immediately"})).await;
    let list = seller.billing.get(&format!("{path}?limit=100")).await.is(200);
    let entries = list["entries"].as_array().expect("entries");
    let ids: Vec<u64> = entries.iter().map(id).collect();
    assert!(ids.windows(2).all(|pair| pair[0] > pair[1]), "{ids:?}");
    let of = |kind: &str| {
        entries
            .iter()
            .find(|entry| entry["kind"] == kind)
            .unwrap_or_else(|| panic!("no {kind} in {list}"))
    };
    let renewed = of("subscription_renewed");
    assert_eq!(renewed["subscriptionId"], sub);
    // Instants of the contract's clock.
    assert!(renewed["occurredAt"].as_str().is_some_and(|at| at.starts_with("2027-02-15T")));
    assert_eq!(of("subscription_canceled")["occurredAt"], "2027-02-15T12:00:00Z");
    assert_eq!(entries[0]["kind"], "subscription_canceled");
    let first = entries.iter().rev().find(|entry| entry["kind"] == "invoice_issued");
    let first = first.expect("the first invoice");
    assert_eq!(first["invoiceId"], invoice);
    assert_eq!((&first["amountMinor"], &first["currency"]), (&json!(1000), &json!("EUR")));
    let page = seller.billing.get(&format!("{path}?limit=1")).await.is(200);
    assert_eq!(page["hasMore"], true);
    assert_eq!(page["nextCursor"], page["nextBeforeId"]);
    let next = format!("{path}?limit=1&beforeId={}", page["nextBeforeId"]);
    let next = seller.billing.get(&next).await.is(200);
    assert_eq!(column(&next, "entries", "id"), [&entries[1]["id"]]);
    seller.billing.get("/contracts/999999999/timeline").await.has_status(404);
    server.close().await;
}
