//! The same durable writes against PostgreSQL with row locks, in the same run, and the ratio.
//!
//! PostgreSQL runs with the durable settings it comes with (fsync and synchronous_commit on),
//! over a Unix socket, with prepared statements on 64 connections, and is given no HTTP, no
//! JSON and no validation to do. Accrue answers over HTTP.
#![expect(clippy::print_stdout, reason = "a bench speaks on standard output")]

#[path = "support/accrue.rs"]
mod accrue_run;
#[path = "support/cluster.rs"]
mod cluster;
#[path = "support/rows.rs"]
mod rows;
#[path = "support/table.rs"]
mod table;

use std::time::Duration;

use accrue_run::{figures, is_wanted, load, seconds};
use cluster::Cluster;
use rows::{Figure, Write};
use table::{millis, table};

const CLIENTS: i64 = 64;
const CONTRACTS: i64 = 1000;

fn main() -> anyhow::Result<()> {
    if !is_wanted() {
        return Ok(());
    }
    let runtime = tokio::runtime::Runtime::new()?;
    let cluster = Cluster::start()?;
    println!("{}, in {}", cluster.version(), cluster.socket_folder().display());
    // Ctrl-C and SIGTERM end the measuring; the cluster is stopped on the way out.
    let measured = runtime.block_on(async {
        let mut terminate =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            measured = measure(&cluster) => measured,
            _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("interrupted")),
            _ = terminate.recv() => Err(anyhow::anyhow!("terminated")),
        }
    });
    drop(cluster);
    let [spread, function, hot_amend, hot] = measured?;

    let (amend, amend_p99) = figures(&load(&["--mix", "amend", "--contracts", "1000"])?, "amend");
    let (subscribe, subscribe_p99) =
        figures(&load(&["--mix", "subscribe", "--contracts", "1"])?, "subscribe");

    // Contending clients lose most races: what counts is the amendments that were made.
    let contended = load(&["--mix", "amend", "--contracts", "1", "--contend"])?;

    let mut table = table(["Write, 64 clients", "Accrue", "PostgreSQL", "Ratio"]);
    let mut add = |what: &str, (rate, p99): (u64, u64), other: Figure| {
        table.add_row([
            what.to_owned(),
            format!("{rate}/s, p99 {}", millis(p99)),
            format!("{}/s, p99 {}", other.per_second, millis(other.p99)),
            ratio(rate, other.per_second),
        ]);
    };
    add("amendments on 1,000 contracts, row locks", (amend, amend_p99), spread);
    add("the same as one function in the server", (amend, amend_p99), function);
    add("amendments on one contract, contended", figures(&contended, "amend"), hot_amend);
    add("subscriptions on one contract, row locks", (subscribe, subscribe_p99), hot);
    println!("\n{table}");
    Ok(())
}

async fn measure(cluster: &Cluster) -> anyhow::Result<[Figure; 4]> {
    let socket = cluster.socket_folder();
    let time = Duration::from_secs(seconds());
    let of = async |what: &str, write, contracts| {
        rows::fill(socket, contracts).await?;
        let figure = rows::measure(socket, write, CLIENTS, contracts, time).await?;
        println!("PostgreSQL, {what}: {}/s, p99 {}", figure.per_second, millis(figure.p99));
        anyhow::Ok(figure)
    };
    Ok([
        of("amendments on 1,000 rows", Write::Amend, CONTRACTS).await?,
        of("the same by a function", Write::AmendByFunction, CONTRACTS).await?,
        of("amendments on one row by a function", Write::AmendByFunction, 1).await?,
        of("subscriptions on one row", Write::Subscribe, 1).await?,
    ])
}

/// `one / other` with one decimal: `6.2 : 1`.
fn ratio(one: u64, other: u64) -> String {
    let tenths = one * 10 / other.max(1);
    format!("{}.{} : 1", tenths / 10, tenths % 10)
}
