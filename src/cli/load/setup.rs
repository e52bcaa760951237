//! The contracts and payees under load, made before the clock starts.

use anyhow::{Context as _, bail};
use bytes::Bytes;
use hyper::{Method, StatusCode};
use serde_json::json;
use tokio::task::JoinSet;

use super::LoadArgs;
use super::batches::Metric;
use super::market::{self, Wallets};
use super::place::Place;
use super::requests::{Requests, number};
use super::worker::Target;
use crate::cli::client::{Client, Wire};

/// How long before the run the metering subscriptions start, so that midnight does not matter.
const COVERED_DAYS: i64 = 2;

/// A key to work with: the given one, or that of a sandbox account minted now.
pub(super) async fn key(open: &Client, given: Option<String>) -> anyhow::Result<String> {
    if let Some(key) = given {
        return Ok(key);
    }
    let account = open.post("/billing-api/v1/sandbox/accounts", &json!({})).await?;
    let key = account["apiKey"].as_str().context("the sandbox account has no apiKey")?;
    Ok(key.to_owned())
}

#[derive(Debug, Default)]
pub(super) struct Prepared {
    pub(super) targets: Vec<Target>,
    /// Subscriptions that were made for metering: contract and id.
    pub(super) subscribed: Vec<(u32, u64)>,
    pub(super) payees: Vec<u64>,
    pub(super) before: Wallets,
}

pub(super) async fn prepare(
    client: &Client,
    place: &Place,
    key: &str,
    requests: &Requests,
    args: &LoadArgs,
) -> anyhow::Result<Prepared> {
    let (mix, connections) = (args.mix, args.connections);
    let mut prepared = Prepared::default();
    if mix.needs_contracts() {
        let count = args.contracts;
        prepared.targets = contracts(client, place, key, requests, count, connections).await?;
    }
    if mix.is_metered() {
        let ids = prepared.targets.iter().map(|target| target.id).collect();
        let made = metering(client, place, key, requests, ids, connections).await?;
        prepared.subscribed = (0..).zip(made).collect();
    }
    if mix.sells() {
        prepared.payees = market::payees(client).await?;
        prepared.before = market::wallets(client, &prepared.payees).await?;
    }
    Ok(prepared)
}

async fn contracts(
    client: &Client,
    place: &Place,
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
    let (body, run) = (Bytes::from(body.to_string()), requests.run.clone());
    let made = make(place, key, count, connections, move |nth| {
        let path = "/billing-api/v1/contracts".to_owned();
        (path, format!("load:{run}:contract{nth}"), body.clone())
    })
    .await?;
    Ok(made.into_iter().map(Target::new).collect())
}

/// Registers the metrics and makes each contract a subscription that covers the events of the
/// run. Gives the subscriptions' ids, in the order of the contracts.
async fn metering(
    client: &Client,
    place: &Place,
    key: &str,
    requests: &Requests,
    contracts: Vec<u64>,
    connections: u32,
) -> anyhow::Result<Vec<u64>> {
    for metric in Metric::ALL {
        let mut body = json!({
            "name": metric.name(), "unit": "unit", "aggregation": metric.aggregation(),
        });
        if metric == Metric::Users {
            body["uniqueKey"] = json!("user");
        }
        client.post("/billing-api/v1/usage/metrics", &body).await?;
    }
    let start = requests.today.plus_days(-COVERED_DAYS);
    let body = json!({
        "frequency": "monthly", "priceMinor": 0, "currency": "EUR",
        "startDate": start.to_string(),
    });
    let (body, run) = (Bytes::from(body.to_string()), requests.run.clone());
    make(place, key, contracts.len() as u32, connections, move |nth| {
        let path = format!("/billing-api/v1/contracts/{}/subscriptions", contracts[nth as usize]);
        (path, format!("load:{run}:metering{nth}"), body.clone())
    })
    .await
}

/// Makes `count` objects, the nth as `call` says: its path, its key and its body. Gives their
/// ids in order.
async fn make(
    place: &Place,
    key: &str,
    count: u32,
    connections: u32,
    call: impl Fn(u32) -> (String, String, Bytes) + Clone + Send + 'static,
) -> anyhow::Result<Vec<u64>> {
    let mut tasks = JoinSet::new();
    for first in 0..connections.min(count) {
        let (call, place, key) = (call.clone(), place.clone(), key.to_owned());
        tasks.spawn(async move {
            let mut wire = place.open(&key).await?;
            let mut made = Vec::new();
            for nth in (first..count).step_by(connections as usize) {
                made.push((nth, one(&mut wire, nth, call(nth)).await?));
            }
            anyhow::Ok(made)
        });
    }
    let mut made = Vec::new();
    while let Some(share) = tasks.join_next().await {
        made.extend(share??);
    }
    made.sort_unstable();
    Ok(made.into_iter().map(|(_, id)| id).collect())
}

async fn one(
    wire: &mut Wire,
    nth: u32,
    (path, key, body): (String, String, Bytes),
) -> anyhow::Result<u64> {
    let (status, answer) = wire.call(Method::POST, &path, Some(&key), body).await?;
    match status {
        StatusCode::CREATED => number(&answer, "id").context("an answer without an id"),
        StatusCode::TOO_MANY_REQUESTS => bail!(
            "the server's limits stop the load at {path}, the {nth}. time; start it with \
             --set limits.billing_per_hour=0 --set limits.contracts_per_day=0 \
             --set limits.amendments_per_day=0 --set limits.invoices_per_day=0"
        ),
        other => bail!("POST {path} answered {other}: {}", String::from_utf8_lossy(&answer)),
    }
}
