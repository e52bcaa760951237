//! Usage events of a metric on a contract.

use std::fmt::Write as _;

use actors::clock::Clock;
use actors::domain::time::Timestamp;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::cost::{Growth, Probe, compared, costs, page, read, write};
use crate::support::fleet::Call;
use crate::support::server::Bench;

pub(crate) const METRIC: &str = "growth.calls";
/// Events of a call; each of them counts as one.
const BATCH: usize = 500;
/// Events come in many times as many as anything else.
const TIMES: usize = 10;

pub(crate) async fn growth(size: usize) -> anyhow::Result<Vec<Growth>> {
    let bench = Bench::start(&[]).await?;
    register(&bench, METRIC).await?;
    let contract = bench.seller.contract("2026-01-01").await?;
    let path = format!("/billing-api/v1/contracts/{contract}/subscriptions");
    let body = json!({"frequency": "monthly", "priceMinor": 0, "currency": "EUR",
        "startDate": Clock::wall().now().date().plus_days(-2).to_string()});
    bench.seller.client.create(&path, "metered", &body).await?;
    let now = Clock::wall().now().plus_seconds(-60);
    bench.seller.fleet(1, move |nth| batch(contract, "first", nth, now)).await?;
    let fresh = costs(&bench, probes(contract, "fresh", now)).await?;
    let calls = (size * TIMES).div_ceil(BATCH);
    bench.seller.fleet(calls, move |nth| batch(contract, "more", nth, now)).await?;
    Ok(compared(fresh, costs(&bench, probes(contract, "after", now)).await?))
}

fn probes(contract: u64, run: &'static str, at: Timestamp) -> Vec<Probe> {
    let of = format!("/billing-api/v1/contracts/{contract}/usage");
    let day = at.date();
    vec![
        write("POST /usage/events", move |nth| event(contract, run, nth, at)),
        write("POST /usage/events:batch of 500", move |nth| batch(contract, run, nth, at)),
        read("GET …/usage", of.clone()),
        read("GET …/usage/{metric}/series", format!("{of}/{METRIC}/series?bucket=hour&from={day}")),
        page("GET …/usage/late", format!("{of}/late?limit=20")),
    ]
}

pub(crate) async fn register(bench: &Bench, metric: &str) -> anyhow::Result<()> {
    let body = json!({"name": metric, "unit": "call", "aggregation": "sum"});
    bench.seller.client.post("/billing-api/v1/usage/metrics", &body).await?;
    Ok(())
}

pub(crate) fn event(contract: u64, run: &str, nth: usize, at: Timestamp) -> Call {
    let body = one(contract, &format!("{run}-{nth}"), at);
    (Method::POST, "/billing-api/v1/usage/events".to_owned(), None, Bytes::from(body))
}

fn batch(contract: u64, run: &str, nth: usize, at: Timestamp) -> Call {
    let mut body = String::with_capacity(BATCH * 150);
    for event in 0..BATCH {
        let glue = if event == 0 { "{\"events\":[" } else { "," };
        let event = one(contract, &format!("{run}-{nth}-{event}"), at);
        write!(body, "{glue}{event}").expect("a string takes any text");
    }
    body.push_str("]}");
    let path = "/billing-api/v1/usage/events:batch".to_owned();
    (Method::POST, path, None, Bytes::from(body))
}

fn one(contract: u64, key: &str, at: Timestamp) -> String {
    format!(
        r#"{{"contractId":"{contract}","metric":"{METRIC}","quantity":"1","occurredAt":"{at}","idempotencyKey":"{key}"}}"#
    )
}
