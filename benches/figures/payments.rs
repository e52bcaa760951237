//! Payments over HTTP: how many are paid in a second, how long an initiation takes at a steady
//! rate, and how soon a wallet with a long past answers. `BENCH_POSTINGS` says how long that past
//! is.

use std::time::{Duration, Instant};

use accrue::cli::client::Wire;
use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hyper::{Method, StatusCode};
use serde_json::Value;

use crate::figure::{Figure, grouped, millis, rated};
use crate::support::load::{load, stated};
use crate::support::server::Bench;
use crate::usage::{MEMORY, RESTED, fits, memory};

/// Postings that a settled payment without a split leaves in the main wallet: two movements.
const POSTINGS_EACH: u64 = 4;
/// How often the wallet is read.
const READS: usize = 5_000;
/// How long the payments may take to settle once they are made.
const SETTLED_WITHIN: Duration = Duration::from_secs(300);

pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (what, mix) in [
        (
            "card payments without a challenge, 64 connections: paid, shared, settled 5 s later",
            "payments",
        ),
        ("the same, with a refund for nine of them", "payments=9,refund=1"),
    ] {
        let load = load(&[&["--mix", mix, "--connections", "64"], &RESTED[..]].concat())?;
        let (rate, held) = (load.rate("payments"), load.memory());
        let measured = format!("{}, {}", rated(rate), memory(held));
        let good = rate.per_second >= 2_000 && fits(held);
        figures.push(Figure::new(what, measured, &format!("2,000/s, {MEMORY}"), good));
    }
    for (what, mix, operation) in [
        ("initiation at a steady 500/s, challenged", "initiate", "initiate"),
        ("initiation at a steady 500/s, paid at once", "payments", "payments"),
    ] {
        let load = load(&["--mix", mix, "--rate", "500", "--connections", "64"])?;
        let rate = load.rate(operation);
        let good = rate.per_second >= 490 && rate.p99 < 25_000;
        figures.push(Figure::new(what, rated(rate), "p99 25 ms", good));
    }

    let runtime = tokio::runtime::Runtime::new()?;
    let wallet = runtime.block_on(wallet_of(stated("BENCH_POSTINGS", 100_000)))?;
    let what = format!(
        "balance of a wallet with {} postings; its first read after a start",
        grouped(wallet.postings)
    );
    let measured = format!("p99 {}; {}", millis(wallet.p99), millis(wallet.first));
    let good = wallet.p99 < 5_000 && wallet.first < 5_000;
    figures.push(Figure::new(&what, measured, "5 ms", good));
    Ok(figures)
}

/// What a read of a wallet with a long past takes, in microseconds.
struct Measured {
    postings: u64,
    p99: u64,
    first: u64,
}

/// Pays into the main wallet until it has so many postings, and reads its balance.
async fn wallet_of(postings: u64) -> anyhow::Result<Measured> {
    let mut bench = Bench::start(&[]).await?;
    let payments = usize::try_from(postings.div_ceil(POSTINGS_EACH))?;
    bench
        .seller
        .fleet(payments, |nth| {
            let key = format!("00000000-0000-4000-8000-{nth:012x}");
            let body = format!(
                r#"{{"externalOrderRef":"bench-{nth}","amount":12.5,"currencyCode":"EUR","skip3DS":true,"cardData":{{"cardNumber":"4242424242424242","cvv":"123","expMonth":12,"expYear":2099,"holderName":"Ada Lovelace"}},"billingDetails":{{"country":"DE","zip":"10115"}}}}"#
            );
            let path = "/payments-api/v1/initialize-payment".to_owned();
            (Method::POST, path, Some(key), Bytes::from(body))
        })
        .await?;
    let wallet = settled(&bench, i64::try_from(payments)? * 1_250).await?;
    let path = format!("/payments-api/v1/wallets/{}", wallet["id"]);
    let found = count(&bench, &format!("{path}/entries")).await?;

    let mut wire = Wire::open(bench.server.address(), &bench.seller.key).await?;
    let mut times = Vec::with_capacity(READS);
    for _ in 0..READS {
        times.push(read(&mut wire, &path).await?);
    }
    times.sort_unstable();
    let p99 = times.get(READS * 99 / 100).copied().context("no reads")?;
    bench.restart()?;
    let mut wire = Wire::open(bench.server.address(), &bench.seller.key).await?;
    let first = read(&mut wire, &path).await?;
    Ok(Measured { postings: found, p99, first })
}

/// Reads the wallet once; microseconds.
async fn read(wire: &mut Wire, path: &str) -> anyhow::Result<u64> {
    let begun = Instant::now();
    let (status, _) = wire.call(Method::GET, path, None, Bytes::new()).await?;
    let took = begun.elapsed();
    ensure!(status == StatusCode::OK, "{path} answered {status}");
    Ok(u64::try_from(took.as_micros())?)
}

/// The main wallet, once all of `minor` cents has settled.
async fn settled(bench: &Bench, minor: i64) -> anyhow::Result<Value> {
    let begun = Instant::now();
    loop {
        let wallets = bench.seller.client.list("/payments-api/v1/wallets", "wallets").await?;
        let main = |wallet: &&Value| wallet["type"] == "main" && wallet["currency"] == "EUR";
        let wallet = wallets.iter().find(main).context("no main wallet")?;
        if wallet["availableBalanceMinor"] == minor && wallet["pendingBalanceMinor"] == 0 {
            return Ok(wallet.clone());
        }
        ensure!(begun.elapsed() < SETTLED_WITHIN, "not settled in time: {wallet}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// How many postings the movements of a wallet have.
async fn count(bench: &Bench, path: &str) -> anyhow::Result<u64> {
    let entries = bench.seller.client.list(path, "entries").await?;
    let postings = entries.iter().filter_map(|entry| entry["postings"].as_array());
    Ok(postings.map(|postings| postings.len() as u64).sum())
}
