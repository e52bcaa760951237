//! Metered usage over HTTP: events one by one and in batches, a file of a million rows, and a
//! contract with ten million events behind it. `BENCH_SECONDS` says how long each rate is
//! measured, `BENCH_ROWS` and `BENCH_EVENTS` how large the last two are.
#![expect(clippy::print_stdout, reason = "a bench speaks on standard output")]

#[path = "support/accrue.rs"]
mod accrue_run;
#[path = "support/bench.rs"]
mod bench;
#[path = "support/fleet.rs"]
mod fleet;
#[path = "support/table.rs"]
mod table;

use std::fmt::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use actors::clock::Clock;
use actors::domain::time::Date;
use anyhow::{Context as _, bail, ensure};
use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};

use accrue_run::{figures, is_wanted, load};
use bench::{Bench, OPERATOR};
use table::millis;

const METRIC: &str = "bench.calls";
/// Events of a call when many are brought in.
const BATCH: u64 = 500;
/// How long ago the contract of the past began: its first period is over.
const DAYS_AGO: i64 = 40;
const MOST_MIB: u64 = 500;

fn main() -> anyhow::Result<()> {
    if !is_wanted() {
        return Ok(());
    }
    let mut table = table::table(["What", "Measured", "Floor", ""]);
    let mut add = |what: &str, measured: String, floor: &str, reached: bool| {
        println!("{what}: {measured}, floor {floor}");
        table.add_row([what, &measured, floor, if reached { "reached" } else { "missed" }]);
    };

    for (what, contracts) in [("events on 1,000 contracts", "1000"), ("events on one", "1")] {
        let report = load(&["--mix", "usage", "--contracts", contracts])?;
        let (rate, p99) = figures(&report, "usage");
        let p50 = report["operations"]["usage"]["micros"]["p50"].as_u64().unwrap_or(0);
        let mib = peak_mib(&report);
        let measured = format!("{rate}/s, p50 {}, p99 {}, {mib} MiB", millis(p50), millis(p99));
        let good = rate >= 8_000 && p99 < 30_000 && mib < MOST_MIB;
        add(what, measured, "8000/s, p99 30 ms, 500 MiB", good);
    }
    for (what, more) in [
        ("batches of 500, a contract each", &["--contracts", "1000"][..]),
        ("batches of 500, one contract", &["--contracts", "1"]),
        ("batches of 500, scattered", &["--contracts", "1000", "--scatter"]),
    ] {
        let report = load(&[&["--mix", "usage", "--batch", "500"], more].concat())?;
        let rate = report["eventsPerSecond"].as_u64().unwrap_or(0);
        let mib = peak_mib(&report);
        let good = rate >= 100_000 && mib < MOST_MIB;
        add(what, format!("{rate} events/s, {mib} MiB"), "100000/s, 500 MiB", good);
    }

    let runtime = tokio::runtime::Runtime::new()?;
    let rows = stated("BENCH_ROWS", 1_000_000);
    let (took, mib) = runtime.block_on(file_of(rows))?;
    let rate = rows * 1000 / u64::try_from(took.as_millis())?.max(1);
    let what = format!("file of {rows} rows");
    add(&what, format!("{rate} rows/s, {mib} MiB"), "500 MiB", mib < MOST_MIB);

    let events = stated("BENCH_EVENTS", 10_000_000);
    let past = runtime.block_on(past_of(events))?;
    println!("{events} events brought in at {} a second", past.brought_a_second);
    let (first, close, mib) = (past.snapshot, past.close, past.mib);
    let measured = format!("{} ms", first.as_millis());
    let soon = first < Duration::from_secs(1);
    add(&format!("first snapshot of {events} events"), measured, "1000 ms", soon);
    let measured = format!("{} ms, {mib} MiB", close.as_millis());
    let good = close < Duration::from_secs(1) && mib < MOST_MIB;
    add("closing their period", measured, "1000 ms, 500 MiB", good);
    let bytes = past.bytes / events;
    add("an event on disk", format!("{bytes} bytes"), "200 bytes", bytes < 200);

    println!("\n{table}");
    Ok(())
}

/// How large a part is to be.
fn stated(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn peak_mib(report: &Value) -> u64 {
    report["memoryPeakKib"].as_u64().unwrap_or(0) / 1024
}

/// A contract with a usage subscription from `start` on, and the metric.
async fn metered(bench: &Bench, start: Date, aggregation: &str) -> anyhow::Result<u64> {
    let contracts = bench.contracts(1, start.to_string()).await?;
    let contract = *contracts.first().context("no contract")?;
    let path = format!("/billing-api/v1/contracts/{contract}/subscriptions");
    let body = json!({
        "frequency": "monthly", "priceMinor": 0, "currency": "EUR",
        "startDate": start.to_string(),
    });
    bench.client.create(&path, "metered", &body).await?;
    let body = json!({"name": METRIC, "unit": "call", "aggregation": aggregation});
    bench.client.post("/billing-api/v1/usage/metrics", &body).await?;
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
    let upload = bench.client.upload(path, kind, body).await?;
    let path = format!("{path}/{}", upload["uploadId"]);
    let done = loop {
        let upload = bench.client.get(&path).await?;
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
    let snapshot = bench.client.get(&path).await?;
    let metrics = snapshot["metrics"].as_array().into_iter().flatten();
    let mut of_metric = metrics.filter(|metric| metric["metricName"] == METRIC);
    let used = of_metric.next().and_then(|metric| metric["used"].as_str());
    Ok(used.unwrap_or("0").to_owned())
}

/// What a long past costs.
struct Past {
    brought_a_second: u64,
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
    let begun = Instant::now();
    bench
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
    let brought = begun.elapsed();
    let config = json!({
        "scheme": "per_unit", "unitPrice": "0.001", "currency": "EUR", "rounding": "half_up",
    });
    let path = format!("/billing-api/v1/usage/contracts/{contract}/metrics/{METRIC}/price");
    let body = json!({"effectiveFrom": start.to_string(), "config": config});
    bench.client.put(&path, &body).await?;

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
    let brought_a_second = calls * BATCH * 1000 / u64::try_from(brought.as_millis())?.max(1);
    Ok(Past { brought_a_second, snapshot, close, mib, bytes: size_of(&bench.data())? })
}

async fn run_pass(bench: &Bench, pass: &str) -> anyhow::Result<()> {
    let path = format!("/backoffice/v1/passes/{pass}/run");
    let answer = bench.client.with_key(OPERATOR).post(&path, &json!({})).await?;
    ensure!(answer["passDisabled"] == false, "{pass} is off: {answer}");
    Ok(())
}

/// The invoice must tell of every event.
async fn billed(bench: &Bench, contract: u64, events: u64) -> anyhow::Result<()> {
    let path = format!("/billing-api/v1/invoices?contractId={contract}&origin=usage");
    let found = bench.client.list(&path, "invoices").await?;
    let [invoice] = found.as_slice() else { bail!("{} usage invoices", found.len()) };
    let path = format!("/billing-api/v1/invoices/{}", invoice["id"]);
    let invoice = bench.client.get(&path).await?;
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
