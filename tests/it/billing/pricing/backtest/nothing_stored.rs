//! A back-test leaves everything as it was.

use actors::tables::{PRICES, USAGE_CLAIMS, USAGE_LINES};
use storage::Scan;

use super::{closed, rolling, test};
use crate::support::{Seller, Server, json};

/// All that a caller can read of what a back-test reads, and every row of it.
async fn all_there_is(server: &Server, seller: &Seller, contract: u64) -> Vec<String> {
    let mut all = Vec::new();
    for path in [
        format!("/contracts/{contract}"),
        format!("/contracts/{contract}/usage"),
        format!("/contracts/{contract}/timeline"),
        format!("/invoices?contractId={contract}"),
        format!("/usage/contracts/{contract}/metrics/api.calls/price"),
    ] {
        all.push(seller.billing.get(&path).await.is(200).to_string());
    }
    let store = &server.app().store;
    all.extend(store.scan(PRICES, Scan::all()).map(|row| format!("{:?}", row.expect("a row"))));
    let rows = store.scan(USAGE_CLAIMS, Scan::all());
    all.extend(rows.map(|row| format!("{:?}", row.expect("a row"))));
    let rows = store.scan(USAGE_LINES, Scan::all());
    all.extend(rows.map(|row| format!("{:?}", row.expect("a row"))));
    all
}

#[tokio::test]
async fn a_back_test_stores_nothing() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = closed(&server, &seller).await;
    let before = all_there_is(&server, &seller, contract).await;
    let first = test(&seller, contract, rolling("1.5"), "2026-01-01", "2028-01-01").await;
    let again = test(&seller, contract, rolling("1.5"), "2026-01-01", "2028-01-01").await;
    assert_eq!(first, again);
    assert_eq!(all_there_is(&server, &seller, contract).await, before);
    let invoice = seller.invoice(json!({"contractId": contract, "origin": "usage"})).await;
    assert_eq!(invoice["grandTotalMinor"], 3_500);
    // Billing the lines changes nothing either.
    let billed = test(&seller, contract, rolling("1.5"), "2026-01-01", "2028-01-01").await;
    assert_eq!(billed, first);
    server.close().await;
}
