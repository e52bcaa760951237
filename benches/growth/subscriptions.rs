//! Subscriptions of a contract.

use actors::clock::Clock;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::cost::{Growth, Probe, compared, costs, page, read, write};
use crate::events::{METRIC, event, register};
use crate::support::fleet::Call;
use crate::support::server::Bench;

const FRESH: usize = 50;

pub(crate) async fn growth(size: usize) -> anyhow::Result<Vec<Growth>> {
    let bench = Bench::start(&[]).await?;
    register(&bench, METRIC).await?;
    let contract = bench.seller.contract("2026-01-01").await?;
    let ids = bench.seller.fleet(FRESH, move |nth| subscription(contract, "first", nth)).await?;
    let fresh = costs(&bench, probes(contract, &ids, "fresh")).await?;
    let ids = bench.seller.fleet(size, move |nth| subscription(contract, "more", nth)).await?;
    Ok(compared(fresh, costs(&bench, probes(contract, &ids, "after")).await?))
}

fn probes(contract: u64, ids: &[u64], run: &'static str) -> Vec<Probe> {
    let early = ids.get(ids.len() / 2).copied().unwrap_or_default();
    let api = "/billing-api/v1";
    let of = format!("{api}/subscriptions?contractId={contract}&limit=20");
    let now = Clock::wall().now().plus_seconds(-60);
    vec![
        write("POST /contracts/{id}/subscriptions", move |nth| subscription(contract, run, nth)),
        read("GET /subscriptions/{id}", format!("{api}/subscriptions/{early}")),
        page("GET /subscriptions", format!("{api}/subscriptions?limit=20")),
        page("GET /subscriptions?contractId=", of.clone()),
        page("the same, deep", format!("{of}&beforeId={early}")),
        page("GET …/timeline", format!("{api}/contracts/{contract}/timeline?limit=20")),
        write("POST /usage/events of such a contract", move |nth| event(contract, run, nth, now)),
    ]
}

fn subscription(contract: u64, run: &str, nth: usize) -> Call {
    let today = Clock::wall().now().date().to_string();
    let body =
        json!({"frequency": "monthly", "priceMinor": 0, "currency": "EUR", "startDate": today});
    let path = format!("/billing-api/v1/contracts/{contract}/subscriptions");
    (Method::POST, path, Some(format!("{run}-{nth}")), Bytes::from(body.to_string()))
}
