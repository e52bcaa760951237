//! The contracts under load, made in parallel before the clock starts.

use std::net::SocketAddr;
use std::sync::atomic::AtomicU32;

use anyhow::{Context as _, bail};
use bytes::Bytes;
use hyper::{Method, StatusCode};
use serde_json::json;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::requests::{Requests, number};
use super::worker::Target;
use crate::cli::client::{Client, Wire};

/// A key to work with: the given one, or that of a sandbox account minted now.
pub(super) async fn key(open: &Client, given: Option<String>) -> anyhow::Result<String> {
    if let Some(key) = given {
        return Ok(key);
    }
    let account = open.post("/billing-api/v1/sandbox/accounts", &json!({})).await?;
    let key = account["apiKey"].as_str().context("the sandbox account has no apiKey")?;
    Ok(key.to_owned())
}

/// Makes `count` contracts over `connections` connections.
pub(super) async fn contracts(
    client: &Client,
    address: SocketAddr,
    key: &str,
    requests: &Requests,
    count: u32,
    connections: u32,
) -> anyhow::Result<Vec<Target>> {
    let customer = json!({"email": "load@example.com", "name": "Load"});
    let customer = client.post("/billing-api/v1/customers", &customer).await?;
    let customer = customer["id"].as_u64().context("the customer has no id")?;
    let body = json!({
        "sellerCustomerId": customer, "currency": "EUR",
        "startDate": requests.today.to_string(),
    });
    let body = Bytes::from(body.to_string());
    let mut tasks = JoinSet::new();
    for first in 0..connections.min(count) {
        let (requests, body, key) = (requests.clone(), body.clone(), key.to_owned());
        tasks.spawn(async move {
            let mut wire = Wire::open(address, &key).await?;
            let mut made = Vec::new();
            for nth in (first..count).step_by(connections as usize) {
                made.push((nth, contract(&mut wire, &requests, nth, body.clone()).await?));
            }
            anyhow::Ok(made)
        });
    }
    let mut made = Vec::new();
    while let Some(share) = tasks.join_next().await {
        made.extend(share??);
    }
    made.sort_unstable();
    let target = |(_, id)| Target { id, version: AtomicU32::new(1), turn: Mutex::new(()) };
    Ok(made.into_iter().map(target).collect())
}

async fn contract(
    wire: &mut Wire,
    requests: &Requests,
    nth: u32,
    body: Bytes,
) -> anyhow::Result<u64> {
    let key = format!("load:{}:contract{nth}", requests.run);
    let path = "/billing-api/v1/contracts";
    let (status, answer) = wire.call(Method::POST, path, Some(&key), body).await?;
    match status {
        StatusCode::CREATED => number(&answer, "id").context("a contract without an id"),
        StatusCode::TOO_MANY_REQUESTS => bail!(
            "the server's limits stop the load after {nth} contracts; start it with \
             --set limits.billing_per_hour=0 --set limits.contracts_per_day=0 \
             --set limits.amendments_per_day=0 --set limits.invoices_per_day=0"
        ),
        other => bail!("POST {path} answered {other}: {}", String::from_utf8_lossy(&answer)),
    }
}
