//! What is said of contracts and invoices that are not as they were acknowledged.

use std::future::ready;
use std::sync::Arc;

use futures::FutureExt as _;
use hyper::{HeaderMap, StatusCode};
use serde_json::json;

use super::*;
use crate::cli::load::ledger::Amended;

#[tokio::test]
async fn what_is_wrong_stands_alone_among_the_findings() {
    let all = json!({
        "version": 1,
        "versions": [{"version": 1, "customerName": ""}],
        "subscriptions": [{"id": 100}],
        "invoices": [{"id": 5, "contractId": 7}],
    });
    let answer = (StatusCode::OK, HeaderMap::new(), Bytes::from(all.to_string()));
    let client =
        Client::inside("http://localhost", Arc::new(move |_| ready(answer.clone()).boxed()));
    let targets = [Target::new(7)];
    let ledger = Ledger {
        amended: vec![Amended { contract: 0, version: 2, mark: 7 }],
        subscribed: vec![(0, 100)],
        invoiced: vec![(0, 6)],
        ..Ledger::default()
    };
    let mut proof = Proof::default();
    contracts(&client, &targets, &ledger, &mut proof).await.expect("read");
    assert_eq!(proof.findings, ["contract 7: acknowledged version 2 is lost"]);
    assert_eq!(proof.holds, Vec::<String>::new());

    let mut proof = Proof::default();
    invoices(&client, &targets, &ledger, &mut proof).await.expect("read");
    let expected = ["acknowledged invoice 6 is lost", "invoice 5 was never acknowledged"];
    assert_eq!(proof.findings, expected);
    assert_eq!(proof.holds, ["0 invoice numbers, no gap"]);
}
