//! Metrics of a seller; there may be a thousand of them. The list is left out: it shows them all,
//! and costs what it shows.

use actors::clock::Clock;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::cost::{Growth, Probe, compared, costs, read, write};
use crate::events::{METRIC, event, register};
use crate::support::fleet::Call;
use crate::support::server::Bench;

const FRESH: usize = 20;
/// Room for those that the probes register.
const MOST: usize = 500;
const PROBED: usize = 200;

pub(crate) async fn growth(size: usize) -> anyhow::Result<Vec<Growth>> {
    let bench = Bench::start(&[]).await?;
    register(&bench, METRIC).await?;
    let contract = bench.seller.contract("2026-01-01").await?;
    bench.seller.fleet(FRESH, |nth| metric("first", nth)).await?;
    let fresh = costs(&bench, probes(contract, "fresh")).await?;
    bench.seller.fleet(size.min(MOST), |nth| metric("more", nth)).await?;
    Ok(compared(fresh, costs(&bench, probes(contract, "after")).await?))
}

fn probes(contract: u64, run: &'static str) -> Vec<Probe> {
    let api = "/billing-api/v1/usage";
    let now = Clock::wall().now().plus_seconds(-60);
    vec![
        // Repeated names are registered again, as they are.
        write("POST /usage/metrics", move |nth| metric(run, nth % PROBED)),
        read("GET /usage/metrics/{name}", format!("{api}/metrics/{METRIC}")),
        write("POST /usage/events", move |nth| event(contract, run, nth, now)),
    ]
}

fn metric(run: &str, nth: usize) -> Call {
    let body = json!({"name": format!("{run}.m{nth}"), "unit": "call", "aggregation": "sum"});
    let path = "/billing-api/v1/usage/metrics".to_owned();
    (Method::POST, path, None, Bytes::from(body.to_string()))
}
