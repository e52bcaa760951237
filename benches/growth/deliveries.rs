//! Events of a seller and their deliveries to a webhook.

use actors::clock::Clock;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::cost::{Growth, Probe, compared, costs, page, write};
use crate::payments::key;
use crate::support::fleet::Call;
use crate::support::receiver::Receiver;
use crate::support::server::Bench;

/// Weekly terms of a subscription in a year, each of which is an event when it begins.
const RENEWALS: usize = 52;
/// Subscriptions of the fresh seller: a filter that nothing meets looks at a thousand events.
const FRESH: usize = 20;

pub(crate) async fn growth(size: usize) -> anyhow::Result<Vec<Growth>> {
    let bench = Bench::start(&[]).await?;
    let receiver = Receiver::start().await?;
    let body = json!({"webhookUrl": format!("http://127.0.0.1:{}/", receiver.port)});
    let key = key("w", 0);
    let webhook = bench.seller.client.create("/payments-api/v1/webhooks", &key, &body).await?;
    let webhook = webhook["id"].as_u64().unwrap_or_default();
    year(&bench, FRESH).await?;
    let today = Clock::wall().now().date().to_string();
    let contract = bench.seller.contract(&today).await?;
    let fresh = costs(&bench, probes(contract, webhook, "fresh")).await?;
    year(&bench, size.div_ceil(RENEWALS)).await?;
    Ok(compared(fresh, costs(&bench, probes(contract, webhook, "after")).await?))
}

/// A contract with so many weekly subscriptions lives through a year.
async fn year(bench: &Bench, subscriptions: usize) -> anyhow::Result<()> {
    let now = Clock::wall().now();
    let contract = bench.seller.contract(&now.date().to_string()).await?;
    bench.seller.fleet(subscriptions, move |nth| subscription(contract, "weekly", nth)).await?;
    let path = format!("/billing-api/v1/contracts/{contract}/test-clock/advance");
    let body = json!({"to": now.plus_seconds(366 * 86_400).to_string()});
    bench.seller.client.post(&path, &body).await?;
    Ok(())
}

fn probes(contract: u64, webhook: u64, run: &'static str) -> Vec<Probe> {
    let deliveries = "/payments-api/v1/webhook-deliveries?limit=20";
    let events = "/billing-api/v1/events?limit=20";
    vec![
        write("a write with an event and its delivery", move |nth| {
            subscription(contract, run, nth)
        }),
        page("GET /webhook-deliveries", deliveries.to_owned()),
        page("GET /webhook-deliveries?webhookId=", format!("{deliveries}&webhookId={webhook}")),
        page("GET /webhook-deliveries?status=", format!("{deliveries}&status=failed")),
        page("GET /webhook-deliveries?eventType=", format!("{deliveries}&eventType=InvoicePaid")),
        page("GET /events", events.to_owned()),
        page("GET /events?afterSequence=", format!("{events}&afterSequence=40")),
        page("GET /events?eventType=", format!("{events}&eventType=InvoicePaid")),
    ]
}

fn subscription(contract: u64, run: &str, nth: usize) -> Call {
    let today = Clock::wall().now().date().to_string();
    let body =
        json!({"frequency": "weekly", "priceMinor": 100, "currency": "EUR", "startDate": today});
    let path = format!("/billing-api/v1/contracts/{contract}/subscriptions");
    (Method::POST, path, Some(format!("{contract}-{run}-{nth}")), Bytes::from(body.to_string()))
}
