//! Webhook deliveries a second to a receiver on loopback: a year of weekly renewals is lived
//! through at once, and every one of them is posted, signed, and recorded as received.

use std::time::{Duration, Instant};

use actors::clock::Clock;
use anyhow::ensure;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::figure::{Figure, grouped};
use crate::support::receiver::Receiver;
use crate::support::server::Bench;

/// Renewals of a weekly subscription in 366 days.
pub(crate) const RENEWALS: u64 = 52;
const WITHIN: Duration = Duration::from_secs(300);

pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let mut figures = Vec::new();
    for (endpoints, subscriptions, what) in [
        (
            1,
            1_000,
            "webhook deliveries to one endpoint, from the write that causes them to the durable result",
        ),
        (16, 100, "the same to 16 endpoints"),
    ] {
        let (deliveries, took) = runtime.block_on(deliver(endpoints, subscriptions))?;
        let rate = deliveries * 1000 / u64::try_from(took.as_millis())?.max(1);
        let measured = format!("{}/s", grouped(rate));
        figures.push(Figure::new(what, measured, "5,000/s", rate >= 5_000));
    }
    Ok(figures)
}

/// How many deliveries a year of renewals made, and how long it took until none was left.
async fn deliver(endpoints: u64, subscriptions: usize) -> anyhow::Result<(u64, Duration)> {
    let bench = Bench::start(&[]).await?;
    let receiver = Receiver::start().await?;
    let contract = weekly(&bench, subscriptions).await?;
    register(&bench, &receiver, endpoints).await?;
    let begun = Instant::now();
    advance(&bench, contract).await?;
    let deliveries = RENEWALS * subscriptions as u64 * endpoints;
    while receiver.received() < deliveries || pending(&bench).await? {
        ensure!(begun.elapsed() < WITHIN, "{} of {deliveries} came", receiver.received());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok((deliveries, begun.elapsed()))
}

/// A contract with so many weekly subscriptions from today.
pub(crate) async fn weekly(bench: &Bench, subscriptions: usize) -> anyhow::Result<u64> {
    let today = Clock::wall().now().date().to_string();
    let contract = bench.seller.contract(&today).await?;
    let body = json!({
        "frequency": "weekly", "priceMinor": 100, "currency": "EUR", "startDate": today,
    });
    let body = Bytes::from(body.to_string());
    bench
        .seller
        .fleet(subscriptions, move |nth| {
            let path = format!("/billing-api/v1/contracts/{contract}/subscriptions");
            (Method::POST, path, Some(format!("weekly{nth}")), body.clone())
        })
        .await?;
    Ok(contract)
}

/// Registers so many URLs at the receiver for renewals.
pub(crate) async fn register(
    bench: &Bench,
    receiver: &Receiver,
    endpoints: u64,
) -> anyhow::Result<()> {
    for nth in 0..endpoints {
        let body = json!({
            "webhookUrl": format!("http://127.0.0.1:{}/{nth}", receiver.port),
            "eventTypes": ["BillingSubscriptionRenewed"],
        });
        let key = format!("00000000-0000-4000-8000-{nth:012x}");
        bench.seller.client.create("/payments-api/v1/webhooks", &key, &body).await?;
    }
    Ok(())
}

/// Lets the contract's clock run for 366 days.
pub(crate) async fn advance(bench: &Bench, contract: u64) -> anyhow::Result<()> {
    let to = Clock::wall().now().plus_seconds(366 * 86_400).to_string();
    let path = format!("/billing-api/v1/contracts/{contract}/test-clock/advance");
    bench.seller.client.post(&path, &json!({"to": to})).await?;
    Ok(())
}

async fn pending(bench: &Bench) -> anyhow::Result<bool> {
    let path = "/payments-api/v1/webhook-deliveries?status=pending&limit=1";
    let answer = bench.seller.client.get(path).await?;
    Ok(answer["deliveries"].as_array().is_some_and(|listed| !listed.is_empty()))
}
