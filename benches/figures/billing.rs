//! Contracts, subscriptions and invoices over HTTP, load included.

use std::time::{Duration, Instant};

use actors::clock::Clock;
use anyhow::{Context as _, bail};
use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};

use crate::figure::{Figure, grouped, rated};
use crate::support::load::load;
use crate::support::server::{Bench, OPERATOR};

const DUE_CONTRACTS: usize = 10_000;
const STORED_CONTRACTS: usize = 100_000;
const IDLE_SECONDS: u64 = 3;

pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let rate = load(&["--mix", "amend", "--contracts", "1000"])?.rate("amend");
    let good = rate.per_second >= 5_000 && rate.p99 < 30_000;
    let what = "amendments on 1,000 contracts, 64 connections";
    figures.push(Figure::new(what, rated(rate), "5,000/s, p99 30 ms", good));

    let subscribed = load(&["--mix", "subscribe", "--contracts", "1"])?;
    let rate = subscribed.rate("subscribe");
    let what = "subscription creates on one contract, 64 connections";
    figures.push(Figure::new(what, rated(rate), "9,800/s", rate.per_second >= 9_800));

    let rate = load(&["--mix", "read", "--contracts", "1000"])?.rate("read");
    figures.push(Figure::new(
        "`GET /contracts/{id}`",
        rated(rate),
        "30,000/s",
        rate.per_second >= 30_000,
    ));

    let runtime = tokio::runtime::Runtime::new()?;
    for (bears, what) in [
        (Bears::Nothing, "recurring pass over 10,000 due contracts"),
        (Bears::TaxAndCredit, "the same with tax by country, each paid in part by stored credit"),
    ] {
        let (issued, took) = runtime.block_on(recurring_pass(bears))?;
        let rate = issued * 1000 / u64::try_from(took.as_millis())?.max(1);
        let measured = format!("{} invoices/s", grouped(rate));
        figures.push(Figure::new(what, measured, "2,000/s", rate >= 2_000));
    }

    let (ready, kib) = runtime.block_on(start_on_many())?;
    let measured = format!("{} ms, {} MiB", ready.as_millis(), kib / 1024);
    let good = ready < Duration::from_secs(2) && kib < 300 * 1024;
    let what = "start on a folder with 100,000 contracts";
    figures.push(Figure::new(what, measured, "2,000 ms, 300 MiB", good));

    let (before, after) = runtime.block_on(idle())?;
    let what = "rooms in memory after `actors.idle_seconds`";
    let measured = format!("{after} of {}", grouped(before));
    figures.push(Figure::new(what, measured, "none", after == 0 && before > 0));
    Ok(figures)
}

/// What the invoices of a pass bear beside their lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bears {
    Nothing,
    /// The tax of the customer's country, by rule, and stored credit that pays a part.
    TaxAndCredit,
}

/// Ten thousand contracts with one term billed and the next one due; then one pass.
async fn recurring_pass(bears: Bears) -> anyhow::Result<(u64, Duration)> {
    let bench = Bench::start(&[]).await?;
    let operator = bench.seller.client.with_key(OPERATOR);
    let taxed = bears == Bears::TaxAndCredit;
    if taxed {
        let account = format!("/backoffice/v1/sellers/{}", bench.seller.id);
        operator.patch(&account, &json!({"country": "NL", "taxMode": "automatic"})).await?;
    }
    let start = Clock::wall().now().date().plus_days(-40).to_string();
    let contracts = bench.seller.contracts(DUE_CONTRACTS, &start).await?;

    let body = json!({
        "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": start,
    });
    let body = Bytes::from(body.to_string());
    let ids = contracts.clone();
    bench
        .seller
        .fleet(contracts.len(), move |nth| {
            let path = format!("/billing-api/v1/contracts/{}/subscriptions", ids[nth]);
            (Method::POST, path, Some(format!("subscription{nth}")), body.clone())
        })
        .await?;
    let ids = contracts.clone();
    bench
        .seller
        .fleet(contracts.len(), move |nth| {
            let mut body = json!({"contractId": ids[nth], "origin": "recurring"});
            if taxed {
                body["billTo"] = json!({"country": "DE"});
            }
            let path = "/billing-api/v1/invoices".to_owned();
            (Method::POST, path, Some(format!("invoice{nth}")), Bytes::from(body.to_string()))
        })
        .await?;
    if taxed {
        let ids = contracts.clone();
        let grant = json!({
            "creditType": "manual", "amountMinor": 400, "currency": "EUR", "reason": "bench",
        });
        let grant = Bytes::from(grant.to_string());
        bench
            .seller
            .fleet(contracts.len(), move |nth| {
                let path = format!("/billing-api/v1/contracts/{}/credits/top-up", ids[nth]);
                (Method::POST, path, Some(format!("grant{nth}")), grant.clone())
            })
            .await?;
    }

    let begun = Instant::now();
    let path = "/backoffice/v1/passes/billing.recurring.invoice_pass/run";
    let answer = operator.post(path, &json!({})).await?;
    let took = begun.elapsed();
    let issued = answer["counts"]["issued"].as_u64().unwrap_or(0);
    if issued != DUE_CONTRACTS as u64 {
        bail!("the pass issued {issued} invoices of {DUE_CONTRACTS}: {answer}");
    }
    let newest = bench.seller.client.get("/billing-api/v1/invoices?limit=1").await?;
    let told = ["taxMinor", "creditAppliedMinor"].map(|name| newest["invoices"][0][name].clone());
    if told != if taxed { [json!(190), json!(400)] } else { [json!(0), json!(0)] } {
        bail!("the pass issued invoices with tax and credit {told:?}");
    }
    Ok((issued, took))
}

/// A folder with 100,000 contracts, killed and started again.
async fn start_on_many() -> anyhow::Result<(Duration, u64)> {
    let mut bench = Bench::start(&[]).await?;
    let today = Clock::wall().now().date().to_string();
    let contracts = bench.seller.contracts(STORED_CONTRACTS, &today).await?;
    bench.restart()?;
    let (ready, memory) = (bench.server.ready_after(), bench.server.memory());
    let last = contracts.last().context("no contract")?;
    let path = format!("/billing-api/v1/contracts/{last}");
    let contract: Value = bench.seller.client.get(&path).await?;
    if contract["contractId"].as_u64() != Some(*last) {
        bail!("the last contract is not there after the start");
    }
    Ok((ready, memory.context("no /proc")?.now_kib))
}

/// Ten thousand contracts are worked on, then left alone.
async fn idle() -> anyhow::Result<(u64, u64)> {
    let bench = Bench::start(&[("actors.idle_seconds", &IDLE_SECONDS.to_string())]).await?;
    let today = Clock::wall().now().date().to_string();
    bench.seller.contracts(10_000, &today).await?;
    let before = bench.metric("rooms").await?;
    let mut after = before;
    for _ in 0..IDLE_SECONDS * 5 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        after = bench.metric("rooms").await?;
        if after == 0 {
            break;
        }
    }
    Ok((before, after))
}
