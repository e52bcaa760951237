//! How long a seller's write waits behind another seller's year of renewals and their webhooks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use accrue::cli::client::Wire;
use actors::clock::Clock;
use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hyper::{Method, StatusCode};
use serde_json::json;

use crate::deliveries::{RENEWALS, advance, register, weekly};
use crate::figure::{Figure, grouped, millis};
use crate::support::receiver::Receiver;
use crate::support::server::Bench;

const SUBSCRIPTIONS: usize = 100;
const ENDPOINTS: u64 = 20;
const WITHIN: Duration = Duration::from_secs(300);

pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let (worst, writes, took) = runtime.block_on(wait())?;
    let what = "the longest that another seller's write waits behind a 366-day advance of 100 \
                weekly subscriptions with 20 webhooks";
    let measured = format!(
        "{} of {} writes; the advance took {} ms",
        millis(worst),
        grouped(writes),
        took.as_millis()
    );
    Ok(vec![Figure::new(what, measured, "100 ms", worst < 100_000)])
}

/// The longest write in microseconds, how many there were, and how long the advance took.
async fn wait() -> anyhow::Result<(u64, u64, Duration)> {
    let bench = Bench::start(&[]).await?;
    let receiver = Receiver::start().await?;
    let contract = weekly(&bench, SUBSCRIPTIONS).await?;
    register(&bench, &receiver, ENDPOINTS).await?;

    let neighbour = bench.neighbour().await?;
    let today = Clock::wall().now().date().to_string();
    let theirs = neighbour.contract(&today).await?;
    let mut wire = Wire::open(bench.server.address(), &neighbour.key).await?;
    let done = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&done);
    let writer = tokio::spawn(async move {
        let path = format!("/billing-api/v1/contracts/{theirs}/amendments");
        let (mut worst, mut writes) = (0, 0_u64);
        while !stop.load(Ordering::Relaxed) {
            writes += 1;
            let body = json!({"expectedBaseVersion": writes, "customerName": "Ada"}).to_string();
            let begun = Instant::now();
            let (status, _) = wire.call(Method::POST, &path, None, Bytes::from(body)).await?;
            ensure!(status == StatusCode::OK, "an amendment answered {status}");
            worst = worst.max(u64::try_from(begun.elapsed().as_micros())?);
        }
        Ok((worst, writes))
    });
    let begun = Instant::now();
    advance(&bench, contract).await?;
    let took = begun.elapsed();
    let deliveries = RENEWALS * SUBSCRIPTIONS as u64 * ENDPOINTS;
    while receiver.received() < deliveries {
        ensure!(begun.elapsed() < WITHIN, "{} of {deliveries} came", receiver.received());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    done.store(true, Ordering::Relaxed);
    let (worst, writes) = writer.await.context("the writer")??;
    Ok((worst, writes, took))
}
