//! A store that has grown: how fast the last contract is made beside the first, and how soon and
//! with how much memory a killed server is back.
//!
//! ```text
//! cargo bench --bench many
//! ```
//!
//! `BENCH_CONTRACTS` (1,000,000) and `BENCH_PAYMENTS` (1,000,000) state other sizes; ten million
//! payments take an hour and 34 GiB of the disk.
#![expect(clippy::print_stdout, reason = "a bench speaks on standard output")]

#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use actors::clock::Clock;
use actors::entropy::Entropy;
use anyhow::Context as _;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;
use support::fleet::Call;
use support::load::stated;
use support::server::Bench;

/// How many parts are timed. The first and the last quarter are compared by the part in the middle
/// of each, since one pause of the disk is as long as a part.
const PARTS: usize = 20;
const QUARTER: usize = PARTS / 4;
const LEAST_PERCENT: u64 = 80;
const READY: Duration = Duration::from_secs(5);
const MOST_MIB: u64 = 2 * 1024;

fn main() -> anyhow::Result<ExitCode> {
    // `cargo test` only builds it.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(ExitCode::SUCCESS);
    }
    let contracts = usize::try_from(stated("BENCH_CONTRACTS", 1_000_000))?;
    let payments = usize::try_from(stated("BENCH_PAYMENTS", 1_000_000))?;
    let good = tokio::runtime::Runtime::new()?.block_on(grown(contracts, payments))?;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn grown(contracts: usize, payments: usize) -> anyhow::Result<bool> {
    let mut bench = Bench::start(&[("store.cache_mib", "1024")]).await?;
    let today = Clock::wall().now().date().to_string();
    let mut rates = Vec::with_capacity(PARTS);
    for part in 1..=PARTS {
        let (begun, before) = (Instant::now(), used(&bench)?);
        bench.seller.contracts(contracts / PARTS, &today).await?;
        let rate = per_second(contracts / PARTS, begun.elapsed());
        let micros = (used(&bench)? - before).as_micros() / (contracts / PARTS).max(1) as u128;
        let made = contracts / PARTS * part;
        println!("contracts {made}: {rate}/s, {micros} us of a processor, {}", held(&bench)?);
        rates.push(rate);
    }
    let (first, last) = (middle(&rates[..QUARTER]), middle(&rates[PARTS - QUARTER..]));
    let percent = last * 100 / first.max(1);
    println!("the last quarter beside the first: {percent} % (at least {LEAST_PERCENT} %)");

    for part in 1..=PARTS {
        let (run, begun) = (Entropy.uuid(), Instant::now());
        bench.seller.fleet(payments / PARTS, move |nth| payment(&run.to_string(), nth)).await?;
        let rate = per_second(payments / PARTS, begun.elapsed());
        println!("payments {}: {rate}/s, {}", payments / PARTS * part, held(&bench)?);
    }

    bench.restart()?;
    let (ready, memory) = (bench.server.ready_after(), bench.server.memory());
    let mib = memory.context("no /proc")?.now_kib / 1024;
    println!("ready {} ms after a kill, with {mib} MiB (5,000 ms, 2,048 MiB)", ready.as_millis());
    Ok(percent >= LEAST_PERCENT && ready < READY && mib < MOST_MIB)
}

fn per_second(many: usize, took: Duration) -> u64 {
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
    many as u64 * 1_000_000 / micros
}

fn middle(rates: &[u64]) -> u64 {
    let mut rates = rates.to_vec();
    rates.sort_unstable();
    rates[rates.len() / 2]
}

/// Processor time of the server so far.
fn used(bench: &Bench) -> anyhow::Result<Duration> {
    bench.server.processor_time().context("no /proc")
}

fn held(bench: &Bench) -> anyhow::Result<String> {
    let memory = bench.server.memory().context("no /proc")?;
    Ok(format!("{} MiB", memory.now_kib / 1024))
}

fn payment(run: &str, nth: usize) -> Call {
    let body = json!({
        "externalOrderRef": format!("{run}-{nth}"), "amount": 10, "currencyCode": "EUR",
        "skip3DS": true,
        "cardData": {"cardNumber": "4242424242424242", "cvv": "123", "expMonth": 12,
            "expYear": 2099, "holderName": "Ada Lovelace"},
        "billingDetails": {"country": "DE", "zip": "10115"},
    });
    let path = "/payments-api/v1/initialize-payment".to_owned();
    (Method::POST, path, Some(Entropy.uuid().to_string()), Bytes::from(body.to_string()))
}
