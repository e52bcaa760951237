//! What a call costs the server: its processor time, and how long one caller waits.

use std::fmt;
use std::time::{Duration, Instant};

use accrue::cli::client::Wire;
use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hyper::Method;

use crate::support::fleet::{Call, fleet};
use crate::support::server::Bench;

/// Calls on each side are repeated until the server has used so much processor time on them; it
/// is counted in hundredths of a second.
const ENOUGH: Duration = Duration::from_millis(300);
/// A call that is this slow in all is not repeated for longer.
const AT_MOST: Duration = Duration::from_secs(10);
/// A read that costs so many microseconds is measured again, and the lower cost counts: the server
/// may have been handing older rows to its engine meanwhile.
const DOUBTFUL: u64 = 5_000;
/// Calls of one round.
const ROUND: usize = 200;
/// Calls that are waited for one by one.
const WAITED: usize = 21;
/// A cost may become so many times the one on a fresh object.
const MOST: f64 = 3.0;

/// A call whose cost is measured.
pub(crate) struct Probe {
    name: String,
    connections: usize,
    is_page: bool,
    is_write: bool,
    call: Box<dyn Fn(usize) -> Call + Send + Sync>,
}

/// What a call costs, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Processor time of the server.
    pub(crate) processor: u64,
    /// How long a caller waits, in the middle.
    pub(crate) median: u64,
}

/// What a call cost on a fresh object, and after many of its like.
pub(crate) struct Growth {
    name: String,
    pub(crate) is_page: bool,
    fresh: Cost,
    pub(crate) grown: Cost,
}

/// A write; `call` gets another number each time, from 0 on.
pub(crate) fn write(name: &str, call: impl Fn(usize) -> Call + Send + Sync + 'static) -> Probe {
    Probe {
        name: name.to_owned(),
        connections: 16,
        is_page: false,
        is_write: true,
        call: Box::new(call),
    }
}

/// A write whose calls must come one after the other.
pub(crate) fn write_in_turn(
    name: &str,
    call: impl Fn(usize) -> Call + Send + Sync + 'static,
) -> Probe {
    Probe { connections: 1, ..write(name, call) }
}

/// A read of one object.
pub(crate) fn read(name: &str, path: String) -> Probe {
    let call = move |_| (Method::GET, path.clone(), None, Bytes::new());
    Probe { is_write: false, ..write(name, call) }
}

/// A read of a page of a list.
pub(crate) fn page(name: &str, path: String) -> Probe {
    Probe { is_page: true, ..read(name, path) }
}

/// The costs of the calls, once the server has nothing left to do.
pub(crate) async fn costs(bench: &Bench, probes: Vec<Probe>) -> anyhow::Result<Vec<(Probe, Cost)>> {
    let mut costs = Vec::new();
    for probe in probes {
        idle(bench).await?;
        let mut cost = once(bench, &probe).await?;
        if !probe.is_write && cost.processor >= DOUBTFUL {
            idle(bench).await?;
            let again = once(bench, &probe).await?;
            cost = if again.processor < cost.processor { again } else { cost };
        }
        costs.push((probe, cost));
    }
    Ok(costs)
}

/// The costs of the same calls beside each other.
pub(crate) fn compared(fresh: Vec<(Probe, Cost)>, grown: Vec<(Probe, Cost)>) -> Vec<Growth> {
    let pairs = fresh.into_iter().zip(grown);
    pairs
        .map(|((probe, fresh), (_, grown))| Growth {
            name: probe.name,
            is_page: probe.is_page,
            fresh,
            grown,
        })
        .collect()
}

async fn once(bench: &Bench, probe: &Probe) -> anyhow::Result<Cost> {
    cost(bench, probe).await.with_context(|| probe.name.clone())
}

async fn cost(bench: &Bench, probe: &Probe) -> anyhow::Result<Cost> {
    let mut wire = Wire::open(bench.server.address(), &bench.seller.key).await?;
    let mut nth = 0;
    let mut waited = Vec::with_capacity(WAITED);
    for _ in 0..WAITED {
        let (method, path, key, body) = (probe.call)(nth);
        nth += 1;
        let begun = Instant::now();
        let (status, answer) = wire.call(method, &path, key.as_deref(), body).await?;
        waited.push(begun.elapsed());
        ensure!(status.is_success(), "{path}: {status} {}", String::from_utf8_lossy(&answer));
    }
    waited.sort_unstable();
    let median = waited.get(WAITED / 2).copied().unwrap_or_default();

    let (begun, before) = (Instant::now(), used(bench)?);
    let first = nth;
    let processor = loop {
        let calls: Vec<Call> = (nth..nth + ROUND).map(|nth| (probe.call)(nth)).collect();
        nth += ROUND;
        let (address, key) = (bench.server.address(), &bench.seller.key);
        fleet(address, key, probe.connections, ROUND, move |nth| calls[nth].clone()).await?;
        let processor = used(bench)? - before;
        if processor >= ENOUGH || begun.elapsed() >= AT_MOST {
            break processor;
        }
    };
    let micros = |time: Duration| u64::try_from(time.as_micros());
    let processor = micros(processor)? / (nth - first) as u64;
    Ok(Cost { processor, median: micros(median)? })
}

/// Waits until the server is at rest: what was made before may still be delivered or settled.
async fn idle(bench: &Bench) -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut before = used(bench)?;
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = used(bench)?;
        if now - before <= Duration::from_millis(20) {
            return Ok(());
        }
        ensure!(begun.elapsed() < Duration::from_secs(300), "the server comes to no rest");
        before = now;
    }
}

fn used(bench: &Bench) -> anyhow::Result<Duration> {
    bench.server.processor_time().context("no /proc")
}

impl Growth {
    #[expect(clippy::float_arithmetic, reason = "a ratio of times")]
    fn ratio(&self) -> f64 {
        self.grown.processor as f64 / self.fresh.processor.max(1) as f64
    }

    /// Whether it has not trebled, or by no more than `slack` microseconds.
    pub(crate) fn holds(&self, slack: u64) -> bool {
        self.ratio() < MOST || self.grown.processor <= self.fresh.processor + slack
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fresh, grown) = (self.fresh, self.grown);
        write!(
            f,
            "{:<58} {:>6} us, {:>6} us, {:.2} : 1 (waited {} us, {} us)",
            self.name,
            fresh.processor,
            grown.processor,
            self.ratio(),
            fresh.median,
            grown.median
        )
    }
}
