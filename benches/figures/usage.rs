//! Metered usage over HTTP: events one by one and in batches, a file of a million rows, and a
//! contract with ten million events behind it. `BENCH_ROWS` and `BENCH_EVENTS` say how large the
//! last two are.

use std::fmt::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use actors::clock::Clock;
use actors::domain::time::Date;
use anyhow::{Context as _, bail, ensure};
use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::figure::{Figure, grouped, rated};
use crate::support::load::{Held, load, stated};
use crate::support::server::{Bench, OPERATOR};

const METRIC: &str = "bench.calls";
/// Events of a call when many are brought in.
const BATCH: u64 = 500;
/// How long ago the contract of the past began: its first period is over.
const DAYS_AGO: i64 = 40;
/// What a server may hold under load, and a minute after it.
const MOST_MIB: u64 = 500;
const RESTED_MIB: u64 = 250;
pub(crate) const MEMORY: &str = "500 MiB, 250 a minute after";
/// How memory is measured: the cache of rows fills up to what it is given and stays.
pub(crate) const RESTED: [&str; 4] = ["--rest", "60s", "--set", "store.cache_mib=64"];

pub(crate) fn fits(held: Held) -> bool {
    held.peak < MOST_MIB && held.rested < RESTED_MIB
}

pub(crate) fn memory(held: Held) -> String {
    format!("{} MiB, {} a minute after", held.peak, held.rested)
}

pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (what, contracts) in
        [("usage events one by one on 1,000 contracts", "1000"), ("the same on one contract", "1")]
    {
        let load = load(&[&["--mix", "usage", "--contracts", contracts], &RESTED[..]].concat())?;
        let (rate, held) = (load.rate("usage"), load.memory());
        let good = rate.per_second >= 8_000 && rate.p99 < 30_000 && fits(held);
        let measured = format!("{}, {}", rated(rate), memory(held));
        figures.push(Figure::new(what, measured, &format!("8,000/s, p99 30 ms, {MEMORY}"), good));
    }
    for (what, more) in [
        ("batches of 500 events, each of one contract", &["--contracts", "1000"][..]),
        ("batches of 500 events, all on one contract", &["--contracts", "1"]),
        (
            "batches of 500 events that name 1,000 contracts at random",
            &["--contracts", "1000", "--scatter"],
        ),
    ] {
        let arguments = ["--mix", "usage", "--batch", "500"];
        let load = load(&[&arguments, more, &RESTED].concat())?;
        let (rate, held) = (load.events_per_second(), load.memory());
        let measured = format!("{} events/s, {}", grouped(rate), memory(held));
        let good = rate >= 100_000 && fits(held);
        figures.push(Figure::new(what, measured, &format!("100,000/s, {MEMORY}"), good));
    }

    let runtime = tokio::runtime::Runtime::new()?;
    let rows = stated("BENCH_ROWS", 1_000_000);
    let (took, mib) = runtime.block_on(file_of(rows))?;
    let rate = rows * 1000 / u64::try_from(took.as_millis())?.max(1);
    let measured = format!("{} rows/s, {mib} MiB", grouped(rate));
    let what = format!("CSV file of {} rows", grouped(rows));
    figures.push(Figure::new(&what, measured, "500 MiB", mib < MOST_MIB));

    let events = stated("BENCH_EVENTS", 10_000_000);
    let past = runtime.block_on(past_of(events))?;
    let (first, close, mib) = (past.snapshot, past.close, past.mib);
    let what = format!(
        "contract with {} past events: its first snapshot after a start; the close of that period",
        grouped(events)
    );
    let measured = format!("{} ms; {} ms, {mib} MiB", first.as_millis(), close.as_millis());
    let most = Duration::from_secs(1);
    let good = first < most && close < most && mib < MOST_MIB;
    figures.push(Figure::new(&what, measured, "without reading them all", good));
    let bytes = past.bytes / events;
    let measured = format!("{bytes} bytes");
    figures.push(Figure::new("an event on disk", measured, "200 bytes", bytes < 200));
    Ok(figures)
}

/// A contract with a usage subscription from `start` on, and the metric.
async fn metered(bench: &Bench, start: Date, aggregation: &str) -> anyhow::Result<u64> {
    let contract = bench.seller.contract(&start.to_string()).await?;
    let path = format!("/billing-api/v1/contracts/{contract}/subscriptions");
    let body = json!({
        "frequency": "monthly", "priceMinor": 0, "currency": "EUR",
        "startDate": start.to_string(),
    });
    bench.seller.client.create(&path, "metered", &body).await?;
    let body = json!({"name": METRIC, "unit": "call", "aggregation": aggregation});
    bench.seller.client.post("/billing-api/v1/usage/metrics", &body).await?;
    Ok(contract)
}

/// Uploads a file and waits until its last row is an event; the time and the memory it took.
async fn file_of(rows: u64) -> anyhow::Result<(Duration, u64)> {
    let bench = Bench::start(&[]).await?;
    let now = Clock::wall().now();
    let contract = metered(&bench, now.date().plus_days(-2), "sum").await?;
    // A row of 16 bytes at most: a million of them fit into one upload.
    let mut file = "quantity,user\n".to_owned();
    let mut sum = 0;
    for row in 0..rows {
        let quantity = row % 97;
        sum += quantity;
        writeln!(file, "{quantity},u{}", row % 1_000)?;
    }
    let mapping = json!({
        "contractId": {"const": contract.to_string()}, "metric": {"const": METRIC},
        "occurredAt": {"const": now.plus_seconds(-60).to_string()},
        "quantity": "quantity", "metadata": {"user": "user"},
    });
    let part = |name: &str, content: &str| {
        format!(
            "--bench\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}\"\
             \r\n\r\n{content}\r\n"
        )
    };
    let body = [part("mapping", &mapping.to_string()), part("file", &file)].concat();
    let body = Bytes::from(body + "--bench--\r\n");

    let begun = Instant::now();
    let path = "/billing-api/v1/usage/csv";
    let kind = "multipart/form-data; boundary=bench";
    let upload = bench.seller.client.upload(path, kind, body).await?;
    let path = format!("{path}/{}", upload["uploadId"]);
    let done = loop {
        let upload = bench.seller.client.get(&path).await?;
        if upload["status"] == "done" {
            break upload;
        }
        ensure!(begun.elapsed() < Duration::from_secs(600), "not done in time: {upload}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let took = begun.elapsed();
    ensure!(done["ingested"].as_u64() == Some(rows), "not every row is an event: {done}");
    let used = used(&bench, contract).await?;
    ensure!(used == sum.to_string(), "the counter shows {used}, the file says {sum}");
    let memory = bench.server.memory().context("no /proc")?;
    Ok((took, memory.peak_kib / 1024))
}

async fn used(bench: &Bench, contract: u64) -> anyhow::Result<String> {
    let path = format!("/billing-api/v1/contracts/{contract}/usage");
    let snapshot = bench.seller.client.get(&path).await?;
    let metrics = snapshot["metrics"].as_array().into_iter().flatten();
    let mut of_metric = metrics.filter(|metric| metric["metricName"] == METRIC);
    let used = of_metric.next().and_then(|metric| metric["used"].as_str());
    Ok(used.unwrap_or("0").to_owned())
}

/// What a long past costs.
struct Past {
    snapshot: Duration,
    close: Duration,
    mib: u64,
    bytes: u64,
}

/// A contract with `events` in its closed period: brought in, started anew, read, closed, billed.
async fn past_of(events: u64) -> anyhow::Result<Past> {
    let mut bench = Bench::start(&[]).await?;
    let start = Clock::wall().now().date().plus_days(-DAYS_AGO);
    let contract = metered(&bench, start, "count").await?;
    let seconds = start.plus_months(1).days_since(start) * 86_400;
    let calls = events / BATCH;
    bench
        .seller
        .fleet(usize::try_from(calls)?, move |nth| {
            let at = start.start().plus_seconds(seconds * nth as i64 / calls as i64);
            let mut body = String::with_capacity(80_000);
            for event in 0..BATCH {
                let glue = if event == 0 { "{\"events\":[" } else { "," };
                let at = at.plus_seconds(event as i64 % 60);
                let quantity = event % 7 + 1;
                let written = write!(
                    body,
                    r#"{glue}{{"contractId":"{contract}","metric":"{METRIC}","quantity":"{quantity}","occurredAt":"{at}","idempotencyKey":"past-{nth}-{event}"}}"#
                );
                written.expect("a string takes any text");
            }
            body.push_str("]}");
            let path = "/billing-api/v1/usage/events:batch".to_owned();
            (Method::POST, path, None, Bytes::from(body))
        })
        .await?;
    let config = json!({
        "scheme": "per_unit", "unitPrice": "0.001", "currency": "EUR", "rounding": "half_up",
    });
    let path = format!("/billing-api/v1/usage/contracts/{contract}/metrics/{METRIC}/price");
    let body = json!({"effectiveFrom": start.to_string(), "config": config});
    bench.seller.client.put(&path, &body).await?;

    bench.restart()?;
    let begun = Instant::now();
    used(&bench, contract).await?;
    let snapshot = begun.elapsed();
    let begun = Instant::now();
    run_pass(&bench, "billing.usage.close_pass").await?;
    let close = begun.elapsed();
    let mib = bench.server.memory().context("no /proc")?.peak_kib / 1024;
    run_pass(&bench, "billing.usage.invoice_pass").await?;
    billed(&bench, contract, calls * BATCH).await?;
    Ok(Past { snapshot, close, mib, bytes: size_of(&bench.data())? })
}

async fn run_pass(bench: &Bench, pass: &str) -> anyhow::Result<()> {
    let path = format!("/backoffice/v1/passes/{pass}/run");
    let answer = bench.seller.client.with_key(OPERATOR).post(&path, &json!({})).await?;
    ensure!(answer["passDisabled"] == false, "{pass} is off: {answer}");
    Ok(())
}

/// The invoice must tell of every event.
async fn billed(bench: &Bench, contract: u64, events: u64) -> anyhow::Result<()> {
    let path = format!("/billing-api/v1/invoices?contractId={contract}&origin=usage");
    let found = bench.seller.client.list(&path, "invoices").await?;
    let [invoice] = found.as_slice() else { bail!("{} usage invoices", found.len()) };
    let path = format!("/billing-api/v1/invoices/{}", invoice["id"]);
    let invoice = bench.seller.client.get(&path).await?;
    let quantity = &invoice["lines"][0]["quantity"];
    ensure!(quantity == &json!(events.to_string()), "{quantity} of {events} events were billed");
    Ok(())
}

/// Bytes that the files of a folder take on the disk.
fn size_of(folder: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.metadata()?;
        bytes += if kind.is_dir() { size_of(&entry.path())? } else { kind.blocks() * 512 };
    }
    Ok(bytes)
}
