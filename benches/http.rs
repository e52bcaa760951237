//! The server's figures over HTTP, load included, every write durable before its answer.
#![expect(clippy::print_stdout, reason = "a bench speaks on standard output")]

#[path = "support/accrue.rs"]
mod accrue_run;
#[path = "support/bench.rs"]
mod bench;
#[path = "support/fleet.rs"]
mod fleet;
#[path = "support/table.rs"]
mod table;

use std::time::{Duration, Instant};

use actors::clock::Clock;
use anyhow::{Context as _, bail};
use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};

use accrue_run::{figures, is_wanted, load};
use bench::{Bench, OPERATOR};
use table::millis;

const DUE_CONTRACTS: usize = 10_000;
const STORED_CONTRACTS: usize = 100_000;
const IDLE_SECONDS: u64 = 3;

fn main() -> anyhow::Result<()> {
    if !is_wanted() {
        return Ok(());
    }
    let mut table = table::table(["What", "Measured", "Floor", ""]);
    let mut add = |what: &str, measured: String, floor: &str, reached: bool| {
        println!("{what}: {measured}, floor {floor}");
        table.add_row([what, &measured, floor, verdict(reached)]);
    };

    let (rate, p99) = figures(&load(&["--mix", "amend", "--contracts", "1000"])?, "amend");
    let good = rate >= 5_000 && p99 < 30_000;
    let measured = format!("{rate}/s, p99 {}", millis(p99));
    add("amendments on 1,000 contracts", measured, "5000/s, p99 30 ms", good);

    let (rate, p99) = figures(&load(&["--mix", "subscribe", "--contracts", "1"])?, "subscribe");
    let measured = format!("{rate}/s, p99 {}", millis(p99));
    add("subscriptions on one contract", measured, "3000/s", rate >= 3_000);

    let (rate, p99) = figures(&load(&["--mix", "read", "--contracts", "1000"])?, "read");
    let measured = format!("{rate}/s, p99 {}", millis(p99));
    add("GET /contracts/{id}", measured, "30000/s", rate >= 30_000);

    let runtime = tokio::runtime::Runtime::new()?;
    let (issued, took) = runtime.block_on(recurring_pass())?;
    let rate = issued * 1000 / u64::try_from(took.as_millis())?.max(1);
    add("recurring pass", format!("{rate} invoices/s"), "2000/s", rate >= 2_000);

    let (ready, kib) = runtime.block_on(start_on_many())?;
    let measured = format!("{} ms, {} MiB", ready.as_millis(), kib / 1024);
    let good = ready < Duration::from_secs(2) && kib < 300 * 1024;
    add("start on 100,000 contracts", measured, "2000 ms, 300 MiB", good);

    let (before, after) = runtime.block_on(idle())?;
    let measured = format!("{after} rooms of {before}");
    add("after idle_seconds", measured, "0 rooms", after == 0 && before > 0);

    println!("\n{table}");
    Ok(())
}

async fn rooms(bench: &Bench) -> anyhow::Result<u64> {
    let answer = bench.client.send(Method::GET, "/metrics", &[], None).await?;
    let text = String::from_utf8_lossy(&answer.bytes).into_owned();
    let rooms = text.lines().find_map(|line| line.strip_prefix("accrue_rooms "));
    rooms.and_then(|text| text.trim().parse().ok()).context("no figure accrue_rooms")
}

/// Ten thousand contracts with one term billed and the next one due; then one pass.
async fn recurring_pass() -> anyhow::Result<(u64, Duration)> {
    let bench = Bench::start(&[]).await?;
    let start = Clock::wall().now().date().plus_days(-40).to_string();
    let contracts = bench.contracts(DUE_CONTRACTS, start.clone()).await?;

    let body = json!({
        "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": start,
    });
    let body = Bytes::from(body.to_string());
    let ids = contracts.clone();
    bench
        .fleet(contracts.len(), move |nth| {
            let path = format!("/billing-api/v1/contracts/{}/subscriptions", ids[nth]);
            (Method::POST, path, Some(format!("subscription{nth}")), body.clone())
        })
        .await?;
    let ids = contracts.clone();
    bench
        .fleet(contracts.len(), move |nth| {
            let body = json!({"contractId": ids[nth], "origin": "recurring"}).to_string();
            let path = "/billing-api/v1/invoices".to_owned();
            (Method::POST, path, Some(format!("invoice{nth}")), Bytes::from(body))
        })
        .await?;

    let operator = bench.client.with_key(OPERATOR);
    let begun = Instant::now();
    let path = "/backoffice/v1/passes/billing.recurring.invoice_pass/run";
    let answer = operator.post(path, &json!({})).await?;
    let took = begun.elapsed();
    let issued = answer["counts"]["issued"].as_u64().unwrap_or(0);
    if issued != DUE_CONTRACTS as u64 {
        bail!("the pass issued {issued} invoices of {DUE_CONTRACTS}: {answer}");
    }
    Ok((issued, took))
}

/// A folder with 100,000 contracts, killed and started again.
async fn start_on_many() -> anyhow::Result<(Duration, u64)> {
    let mut bench = Bench::start(&[]).await?;
    let today = Clock::wall().now().date().to_string();
    let contracts = bench.contracts(STORED_CONTRACTS, today).await?;
    bench.restart()?;
    let (ready, memory) = (bench.server.ready_after(), bench.server.memory());
    let last = contracts.last().context("no contract")?;
    let path = format!("/billing-api/v1/contracts/{last}");
    let contract: Value = bench.client.get(&path).await?;
    if contract["contractId"].as_u64() != Some(*last) {
        bail!("the last contract is not there after the start");
    }
    Ok((ready, memory.context("no /proc")?.now_kib))
}

/// Ten thousand contracts are worked on, then left alone.
async fn idle() -> anyhow::Result<(u64, u64)> {
    let bench = Bench::start(&[("actors.idle_seconds", &IDLE_SECONDS.to_string())]).await?;
    let today = Clock::wall().now().date().to_string();
    bench.contracts(10_000, today).await?;
    let before = rooms(&bench).await?;
    let mut after = before;
    for _ in 0..IDLE_SECONDS * 5 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        after = rooms(&bench).await?;
        if after == 0 {
            break;
        }
    }
    Ok((before, after))
}

/// `reached` or `missed`.
fn verdict(reached: bool) -> &'static str {
    if reached { "reached" } else { "missed" }
}
