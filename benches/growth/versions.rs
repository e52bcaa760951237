//! Versions of a contract.

use accrue::cli::client::Wire;
use anyhow::ensure;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::cost::{Growth, Probe, compared, costs, page, read, write_in_turn};
use crate::support::fleet::Call;
use crate::support::server::Bench;

const FRESH: usize = 50;

pub(crate) async fn growth(size: usize) -> anyhow::Result<Vec<Growth>> {
    let bench = Bench::start(&[]).await?;
    let contract = bench.seller.contract("2026-01-01").await?;
    amend(&bench, contract, FRESH).await?;
    let fresh = costs(&bench, probes(&bench, contract).await?).await?;
    amend(&bench, contract, size).await?;
    Ok(compared(fresh, costs(&bench, probes(&bench, contract).await?).await?))
}

async fn probes(bench: &Bench, contract: u64) -> anyhow::Result<Vec<Probe>> {
    let path = format!("/billing-api/v1/contracts/{contract}");
    let version = version(bench, contract).await?;
    let deep = version / 2;
    Ok(vec![
        read("GET /contracts/{id}", path.clone()),
        page("GET /contracts/{id}/versions", format!("{path}/versions?limit=20")),
        page("the same, deep", format!("{path}/versions?limit=20&beforeId={deep}")),
        page("GET /contracts/{id}/timeline", format!("{path}/timeline?limit=20")),
        // Last: it makes versions of its own.
        write_in_turn("POST /contracts/{id}/amendments", move |nth| {
            amendment(contract, version + nth as u64)
        }),
    ])
}

async fn version(bench: &Bench, contract: u64) -> anyhow::Result<u64> {
    let found = bench.seller.client.get(&format!("/billing-api/v1/contracts/{contract}")).await?;
    Ok(found["version"].as_u64().unwrap_or_default())
}

async fn amend(bench: &Bench, contract: u64, times: usize) -> anyhow::Result<()> {
    let mut wire = Wire::open(bench.server.address(), &bench.seller.key).await?;
    let first = version(bench, contract).await?;
    for base in first..first + times as u64 {
        let (method, path, key, body) = amendment(contract, base);
        let (status, _) = wire.call(method, &path, key.as_deref(), body).await?;
        ensure!(status.is_success(), "an amendment answered {status}");
    }
    Ok(())
}

fn amendment(contract: u64, base: u64) -> Call {
    let body = json!({"expectedBaseVersion": base, "customerName": format!("Ada {base}")});
    let path = format!("/billing-api/v1/contracts/{contract}/amendments");
    (Method::POST, path, None, Bytes::from(body.to_string()))
}
