//! How near Accrue comes to what the machine allows: the same requests over HTTP that only append
//! the same bytes to a journal and sync it, and a chain of writes that each wait for a sync.

mod bare;

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use accrue::cli::client::Wire;
use actors::clock::Clock;
use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hdrhistogram::Histogram;
use hyper::{Method, StatusCode};

use crate::figure::{Figure, grouped, millis, rated};
use crate::rival::CLIENTS;
use crate::rival::drive::drive;
use crate::rival::rows::Write;
use crate::support::load::load;
use crate::support::server::Bench;

pub(crate) use bare::serve;

/// The argument that makes this program the bare journal's server.
pub(crate) const SERVE: &str = "serve-bare-journal";

const CONTRACTS: usize = 1_000;

pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let bare = runtime.block_on(of_a_bare_journal())?;
    Ok(vec![bare, contended(&runtime)?, runtime.block_on(reads_beside_writes())?])
}

async fn of_a_bare_journal() -> anyhow::Result<Figure> {
    let bench = Bench::start(&[]).await?;
    let today = Clock::wall().now().date().to_string();
    let ids = bench.seller.contracts(CONTRACTS, &today).await?;
    let (bytes, commits) = (bench.metric(BYTES).await?, bench.metric(COMMITS).await?);
    let (address, key) = (bench.server.address(), &bench.seller.key);
    let ours = drive(address, "/billing-api/v1", key, Write::Amend, ids.clone()).await?;
    let commits = bench.metric(COMMITS).await? - commits;
    let bytes = (bench.metric(BYTES).await? - bytes) / commits.max(1);
    let path = format!("/billing-api/v1/contracts/{}", ids[0]);
    let answer = bench.seller.client.get(&path).await?.to_string();
    drop(bench);

    let server = Bare::start(bytes, answer.len())?;
    let bare = drive(server.address, "/billing-api/v1", "none", Write::Amend, ids).await?;
    let share = ours.per_second * 100 / bare.per_second.max(1);
    let measured =
        format!("{}; bare {} of {bytes} bytes ({share} %)", rated(ours), grouped(bare.per_second));
    let what = "amendments on 1,000 contracts beside a bare journal";
    Ok(Figure::new(what, measured, "85 % of the bare journal", share >= 85))
}

/// All connections amend one contract, and one of them is first each time; beside it, what a client
/// without rivals makes of the same chain.
fn contended(runtime: &tokio::runtime::Runtime) -> anyhow::Result<Figure> {
    let bench = runtime.block_on(Bench::start(&[]))?;
    let syncs = || async {
        anyhow::Ok((
            bench.metric("commit_sync_micros").await?,
            bench.metric("commit_groups").await?,
        ))
    };
    let url = format!("http://{}", bench.server.address());
    let amend = |connections: &str| {
        let one = ["--mix", "amend", "--contracts", "1", "--contend", "--connections", connections];
        load(&[&["--url", &url, "--key", &bench.seller.key], one.as_slice()].concat())
    };
    let (micros, groups) = runtime.block_on(syncs())?;
    let load = amend(&CLIENTS.to_string())?;
    let (later, more) = runtime.block_on(syncs())?;
    let sync = (later - micros) / (more - groups).max(1);
    let limit = 1_000_000 / sync.max(1);
    let (rate, alone) = (load.rate("amend"), amend("1")?.rate("amend"));
    let share = rate.per_second * 100 / limit.max(1);
    let measured = format!(
        "{}/s where a sync takes {sync} us ({share} % of one over it); a client without rivals {}/s",
        grouped(rate.per_second),
        grouped(alone.per_second)
    );
    let what = "amendments of one contract by 64 clients that compete for each version";
    Ok(Figure::new(what, measured, "60 % of one over a sync", share >= 60))
}

/// A read waits for no group: what one takes beside 64 connections that write all the time.
async fn reads_beside_writes() -> anyhow::Result<Figure> {
    let bench = Bench::start(&[]).await?;
    let today = Clock::wall().now().date().to_string();
    let ids = bench.seller.contracts(CONTRACTS, &today).await?;
    let (address, key) = (bench.server.address(), &bench.seller.key);
    let path = format!("/billing-api/v1/contracts/{}", ids[0]);
    let mut wire = Wire::open(address, key).await?;
    let writes = drive(address, "/billing-api/v1", key, Write::Amend, ids);
    let mut writes = std::pin::pin!(writes);
    let mut times = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3)?;
    let written = loop {
        let begun = Instant::now();
        tokio::select! {
            biased;
            read = wire.call(Method::GET, &path, None, Bytes::new()) => {
                let (status, _) = read?;
                ensure!(status == StatusCode::OK, "{path} answered {status}");
                times.saturating_record(u64::try_from(begun.elapsed().as_micros())?.max(1));
            }
            written = writes.as_mut() => break written?,
        }
    };
    let p99 = times.value_at_quantile(0.99);
    let measured = format!(
        "p99 {}, p99.9 {} of {} reads; {} amendments/s",
        millis(p99),
        millis(times.value_at_quantile(0.999)),
        grouped(times.len()),
        grouped(written.per_second)
    );
    let what = "`GET /contracts/{id}` beside 64 connections that amend 1,000 contracts";
    Ok(Figure::new(what, measured, "p99 5 ms", p99 <= 5_000))
}

const BYTES: &str = "commit_bytes";
const COMMITS: &str = "commits";

/// The bare journal's server, a process of its own.
struct Bare {
    process: Child,
    address: SocketAddr,
}

impl Bare {
    fn start(bytes: u64, answer: usize) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args([SERVE, &bytes.to_string(), &answer.to_string()]);
        let mut process = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no output")?).read_line(&mut line)?;
        let address = line.trim().parse().with_context(|| format!("the server said {line:?}"))?;
        Ok(Self { process, address })
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
