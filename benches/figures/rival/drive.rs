//! The client that drives both: 64 connections, each with one call at a time.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use accrue::cli::client::Wire;
use anyhow::bail;
use bytes::Bytes;
use hdrhistogram::Histogram;
use hyper::Method;
use tokio::task::JoinSet;

use super::CLIENTS;
use super::rows::Write;
use crate::support::load::{Rate, seconds};

const WARM_UP: Duration = Duration::from_secs(2);

/// Writes to `contracts` at `address` for the time of a measurement. Where there are fewer of
/// them than clients, all clients write to all.
pub(crate) async fn drive(
    address: SocketAddr,
    prefix: &'static str,
    key: &str,
    write: Write,
    contracts: Vec<u64>,
) -> anyhow::Result<Rate> {
    let measured_from = Instant::now() + WARM_UP;
    let end = measured_from + Duration::from_secs(seconds());
    let mut tasks = JoinSet::new();
    for number in 0..CLIENTS {
        let own: Vec<u64> = match contracts.len() < CLIENTS {
            true => contracts.clone(),
            false => contracts.iter().copied().skip(number).step_by(CLIENTS).collect(),
        };
        let wire = Wire::open(address, key).await?;
        let client = Client { wire, prefix, write, number, contracts: own };
        tasks.spawn(client.run(measured_from, end));
    }
    let mut all = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3)?;
    while let Some(one) = tasks.join_next().await {
        all.add(one??)?;
    }
    Ok(Rate { per_second: all.len() / seconds(), p99: all.value_at_quantile(0.99) })
}

struct Client {
    wire: Wire,
    prefix: &'static str,
    write: Write,
    number: usize,
    contracts: Vec<u64>,
}

impl Client {
    async fn run(mut self, from: Instant, end: Instant) -> anyhow::Result<Histogram<u64>> {
        let mut times = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3)?;
        for nth in 0.. {
            let begun = Instant::now();
            if begun >= end {
                break;
            }
            let place = nth % self.contracts.len();
            let contract = self.contracts.get(place).copied().unwrap_or_default();
            // Every contract is amended once a round, from version 1 on.
            let version = nth / self.contracts.len() + 1;
            self.call(contract, version, nth).await?;
            if begun >= from {
                times.saturating_record(u64::try_from(begun.elapsed().as_micros())?.max(1));
            }
        }
        Ok(times)
    }

    async fn call(&mut self, contract: u64, version: usize, nth: usize) -> anyhow::Result<()> {
        let (noun, key, body) = match self.write {
            Write::Subscribe => (
                "subscriptions",
                Some(format!("{}:{nth}", self.number)),
                SUBSCRIPTION.replace("TODAY", &today()),
            ),
            Write::Amend | Write::AmendByFunction => {
                let name = format!("Ada, Countess of Lovelace {nth}");
                let body =
                    format!(r#"{{"expectedBaseVersion":{version},"customerName":"{name}"}}"#);
                ("amendments", None, body)
            }
        };
        let path = format!("{}/contracts/{contract}/{noun}", self.prefix);
        let call = self.wire.call(Method::POST, &path, key.as_deref(), Bytes::from(body));
        let (status, answer) = call.await?;
        if !status.is_success() {
            bail!("{path} answered {status}: {}", String::from_utf8_lossy(&answer));
        }
        Ok(())
    }
}

const SUBSCRIPTION: &str =
    r#"{"frequency":"monthly","priceMinor":1000,"currency":"EUR","startDate":"TODAY"}"#;

fn today() -> String {
    actors::clock::Clock::wall().now().date().to_string()
}
