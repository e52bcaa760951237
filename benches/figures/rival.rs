//! The same durable writes against PostgreSQL with row locks, in the same run, and the ratio.
//!
//! The rival is what a seller would build: a server of its own over hyper that reads JSON, locks
//! the contract's row, checks the version, writes and answers JSON, with 64 connections to
//! PostgreSQL over a Unix socket and prepared statements. Beside it stands PostgreSQL bare: the
//! same statements without HTTP and JSON. PostgreSQL keeps the durable settings it comes with
//! (fsync and synchronous_commit on). The same client drives Accrue and the rival.

mod cluster;
pub(crate) mod drive;
pub(crate) mod rows;
mod server;

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use actors::clock::Clock;
use anyhow::Context as _;

use crate::figure::{Figure, grouped, rated, ratio};
use crate::support::load::{Rate, seconds};
use crate::support::server::Bench;
use cluster::Cluster;
use rows::Write;

pub(crate) use server::serve;

/// The argument that makes this program the rival's server.
pub(crate) const SERVE: &str = "serve-rival";

pub(crate) const CLIENTS: usize = 64;
const SPREAD: usize = 1_000;

pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let runtime = tokio::runtime::Runtime::new()?;
    // Stopped and removed on the way out, whatever happens.
    let cluster = Cluster::start()?;
    runtime.block_on(async {
        let mut terminate =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            figures = compared(&cluster) => figures,
            _ = tokio::signal::ctrl_c() => anyhow::bail!("interrupted"),
            _ = terminate.recv() => anyhow::bail!("terminated"),
        }
    })
}

async fn compared(cluster: &Cluster) -> anyhow::Result<Vec<Figure>> {
    let version = cluster.version();
    let mut figures = Vec::new();
    for (what, write, bare, contracts, asked) in [
        ("amendments on 1,000 contracts", Write::Amend, Write::Amend, SPREAD, 2),
        (
            "the same; bare PostgreSQL as one function",
            Write::Amend,
            Write::AmendByFunction,
            SPREAD,
            1,
        ),
        ("subscription creates on one contract", Write::Subscribe, Write::Subscribe, 1, 9),
    ] {
        let ours = accrue(write, contracts).await?;
        let theirs = rival(cluster, write, contracts).await?;
        let bare = bare_rate(cluster, bare, contracts).await?;
        let measured = format!(
            "{}; rival {} ({}); {version} bare {} ({})",
            rated(ours),
            rated(theirs),
            ratio(ours.per_second, theirs.per_second),
            grouped(bare.per_second),
            ratio(ours.per_second, bare.per_second)
        );
        let good = ours.per_second >= asked * theirs.per_second;
        let asked = format!("{asked} : 1 against the rival");
        figures.push(Figure::new(&format!("{what}, 64 clients"), measured, &asked, good));
    }
    Ok(figures)
}

async fn accrue(write: Write, contracts: usize) -> anyhow::Result<Rate> {
    let bench = Bench::start(&[]).await?;
    let today = Clock::wall().now().date().to_string();
    let ids = bench.seller.contracts(contracts, &today).await?;
    let (address, key) = (bench.server.address(), &bench.seller.key);
    drive::drive(address, "/billing-api/v1", key, write, ids).await
}

async fn rival(cluster: &Cluster, write: Write, contracts: usize) -> anyhow::Result<Rate> {
    rows::fill(cluster.socket_folder(), i64::try_from(contracts)?).await?;
    let server = Server::start(cluster.socket_folder())?;
    let ids = (1..=contracts as u64).collect();
    drive::drive(server.address, "", "none", write, ids).await
}

async fn bare_rate(cluster: &Cluster, write: Write, contracts: usize) -> anyhow::Result<Rate> {
    let (socket, contracts) = (cluster.socket_folder(), i64::try_from(contracts)?);
    rows::fill(socket, contracts).await?;
    let time = Duration::from_secs(seconds());
    rows::measure(socket, write, i64::try_from(CLIENTS)?, contracts, time).await
}

/// The rival's server, a process of its own.
struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    fn start(socket: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut process = command.arg(SERVE).arg(socket).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no output")?).read_line(&mut line)?;
        let address = line.trim().parse().with_context(|| format!("the rival said {line:?}"))?;
        Ok(Self { process, address })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
