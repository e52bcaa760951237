//! `accrue verify` on a folder with many invoices.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use accrue::cli::child::memory_of;
use actors::clock::Clock;
use anyhow::ensure;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::figure::{Figure, grouped};
use crate::support::load::{executable, stated};
use crate::support::server::Bench;

/// Contracts with a subscription and its invoice each, and the other invoices of each.
pub(crate) const CONTRACTS: u64 = 10_000;
const OTHERS: usize = 9;
/// All invoices of each.
pub(crate) const INVOICES: usize = 1 + OTHERS;

const ASKED: Duration = Duration::from_secs(20);

pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let contracts = usize::try_from(stated("BENCH_CONTRACTS", CONTRACTS))?;
    let mut bench = tokio::runtime::Runtime::new()?.block_on(filled(contracts))?;
    // Killed: what it wrote last is recovered first, and that counts.
    bench.server.kill()?;

    let begun = Instant::now();
    let mut verify = Command::new(executable())
        .args(["verify", "--json", "--data"])
        .arg(bench.data())
        .stdout(Stdio::null())
        .spawn()?;
    let mut peak_kib = 0;
    let status = loop {
        if let Some(status) = verify.try_wait()? {
            break status;
        }
        peak_kib = memory_of(verify.id()).map_or(peak_kib, |memory| memory.peak_kib);
        std::thread::sleep(Duration::from_millis(10));
    };
    let took = begun.elapsed();
    ensure!(status.success(), "accrue verify ended with {status}");

    let invoices = grouped(u64::try_from(contracts * INVOICES)?);
    let measured = format!("{:.1} s, {} MiB", took.as_secs_f64(), peak_kib / 1024);
    let what = format!("`accrue verify` on a folder with {invoices} invoices");
    Ok(vec![Figure::new(&what, measured, "20 s", took < ASKED)])
}

/// A seller with these contracts and their invoices, each sent.
pub(crate) async fn filled(contracts: usize) -> anyhow::Result<Bench> {
    let bench = Bench::start(&[]).await?;
    let today = Clock::wall().now().date().to_string();
    let ids = bench.seller.contracts(contracts, &today).await?;
    let body = json!({
        "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": today,
        "taxRate": "19",
    });
    let (body, of) = (Bytes::from(body.to_string()), ids.clone());
    let subscribe = move |nth: usize| {
        let path = format!("/billing-api/v1/contracts/{}/subscriptions", of[nth]);
        (Method::POST, path, Some(format!("subscription{nth}")), body.clone())
    };
    bench.seller.fleet(contracts, subscribe).await?;
    let issue = move |nth: usize| {
        let (contract, other) = (ids[nth % contracts], nth >= contracts);
        let body = match other {
            false => json!({"contractId": contract, "origin": "recurring"}),
            true => json!({"contractId": contract, "origin": "one_time", "lines": [
                {"description": "Set-up", "quantity": "1.5", "unitPriceMinor": 999, "taxRate": "19"},
                {"description": "Training", "quantity": "3", "unitPriceMinor": 333},
            ]}),
        };
        let (path, key) = ("/billing-api/v1/invoices".to_owned(), format!("invoice{nth}"));
        (Method::POST, path, Some(key), Bytes::from(body.to_string()))
    };
    bench.seller.fleet(contracts * INVOICES, issue).await?;
    Ok(bench)
}
