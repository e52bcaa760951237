//! `accrue load`: many clients against contracts and payments, then the proof that nothing was
//! lost.

mod batches;
mod kill;
mod latency;
mod ledger;
mod market;
mod mix;
mod place;
mod proof;
mod report;
mod requests;
mod sales;
mod setup;
mod tally;
mod worker;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use actors::clock::Clock;
use actors::entropy::Entropy;
use anyhow::Context as _;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::child::{ChildServer, NO_LIMITS};
use super::client::Client;
use super::folder::FreshFolder;
use super::terminal::{Terminal, grouped};
use super::{duration, signal, verify};
use batches::Batches;
use latency::{Latencies, Window};
use ledger::Ledger;
use mix::Mix;
use place::Place;
use proof::Proof;
use report::Report;
use requests::Requests;
use sales::Sales;
use worker::{Shared, Worker};

/// Options of `accrue load`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct LoadArgs {
    /// Load the running server at this address instead of starting one, whose folder is made in
    /// `TMPDIR` or `/tmp`.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The seller's key; without it a sandbox account is minted.
    #[arg(long, value_name = "KEY", requires = "url")]
    key: Option<String>,
    /// amend, subscribe, read, invoice, usage, snapshot, payments (without a challenge), initiate
    /// (with one), refund or mixed; or weights like amend=8,read=2.
    #[arg(long, default_value = "mixed")]
    mix: Mix,
    /// Connections, each with one call at a time.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    connections: u32,
    /// Contracts that the calls are spread over.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    contracts: u32,
    /// Usage events of a call; above 1 they are sent as a batch.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=500))]
    batch: u32,
    /// Let every event of a batch go to a contract of its own.
    #[arg(long)]
    scatter: bool,
    /// How long is measured, for example 10s or 2m.
    #[arg(long, default_value = "10s", value_parser = duration::parse)]
    duration: Duration,
    /// How long the load runs before it is measured.
    #[arg(long, default_value = "2s", value_parser = duration::parse)]
    warmup: Duration,
    /// Calls a second in an open loop: latencies count from when a call was due, and all that
    /// were due are made, however late.
    #[arg(long, value_name = "PER_SECOND", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: Option<u32>,
    /// The most calls that are made.
    #[arg(long, default_value_t = 5_000_000)]
    requests: u64,
    /// Let several clients amend one contract at a time; the losers count as stale.
    #[arg(long)]
    contend: bool,
    /// Leave the server alone for this time after the load, and say what it holds in memory then.
    #[arg(long, value_name = "TIME", conflicts_with = "url", value_parser = duration::parse)]
    rest: Option<Duration>,
    /// Kill the server with SIGKILL after this time and start it again on the same folder; where
    /// nothing is under way any more by then, the run fails.
    #[arg(long, value_name = "TIME", conflicts_with = "url", value_parser = duration::parse)]
    kill_after: Option<Duration>,
    /// Kill the server at the end, and verify its folder.
    #[arg(long, conflicts_with = "url")]
    verify: bool,
    /// Any setting of the server that is started; it reads no file and no environment.
    #[arg(long = "set", value_name = "NAME=VALUE", conflicts_with = "url")]
    set: Vec<super::settings::SettingPair>,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
}

/// Runs the load and the proof; exit code 1 when something acknowledged is not there.
pub(super) async fn run(args: LoadArgs) -> anyhow::Result<ExitCode> {
    // Ctrl-C ends the run; the child and its folder go with it.
    tokio::select! {
        outcome = load(args) => outcome,
        stopped = signal::stop_asked() => stopped.map(|()| ExitCode::from(130)).map_err(Into::into),
    }
}

async fn load(args: LoadArgs) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::standard();
    let say = |text: &str| {
        if !args.json {
            terminal.line(text)
        }
    };
    // The child is declared after its folder: it is gone when the folder is removed.
    let folder = FreshFolder::new("load").context("cannot make a temporary folder")?;
    let mut child = None;
    let place = match &args.url {
        Some(url) => Place::of(url).await?,
        None => {
            let executable = std::env::current_exe()?;
            let server = ChildServer::start(&executable, folder.path(), &settings(&args))?;
            Place::at(child.insert(server).address())
        }
    };
    say(&format!("server  {}{}", place.url(), if child.is_some() { " (own)" } else { "" }));

    let now = Clock::wall().now();
    let requests = Requests { run: Entropy.uuid().simple().to_string(), today: now.date() };
    let open = Client::new(&place.url());
    let key = setup::key(&open, args.key.clone()).await?;
    let client = open.with_key(&key);
    let begun = Instant::now();
    let setup::Prepared { targets, subscribed, payees, before } =
        setup::prepare(&client, &place, &key, &requests, &args).await?;
    let contracts: Vec<u64> = targets.iter().map(|target| target.id).collect();
    let batches = Batches {
        run: requests.run.clone(),
        // The server's clock may be a little behind ours.
        until: now.plus_seconds(-5),
        contracts,
        size: args.batch,
        scatter: args.scatter,
    };
    say(&format!(
        "setup   {} contracts, {} payees in {} ms",
        grouped(targets.len() as u64),
        payees.len(),
        grouped(begun.elapsed().as_millis() as u64)
    ));

    let from = Instant::now() + args.warmup;
    let window = Window { from, end: from + args.duration };
    let shared = Arc::new(Shared {
        targets,
        mix: args.mix,
        contend: args.contend,
        key,
        sales: Sales { run: requests.run.clone(), today: requests.today, payees },
        requests,
        batches,
        raced: AtomicU64::new(0),
        budget: AtomicU64::new(args.requests),
        window,
        pace: args.rate.map(|rate| Duration::from_secs(1) * args.connections / rate),
    });
    let connections = args.connections;
    say(&format!(
        "load    {connections} connections for {:?} after {:?}",
        args.duration, args.warmup
    ));
    let (place, watched) = watch::channel(Some(place));
    let work = work(&shared, &watched, connections);
    let kill = kill::kill(&mut child, &place, args.kill_after, window.end);
    let ((done, latencies), killed) = kill::amid(work, kill).await?;
    let mut ledger = Ledger { subscribed, ..Ledger::default() };
    ledger.merge(done);
    if killed {
        say("kill    the server was killed in the middle and started again");
    }
    // The budget may end a run before its time.
    let measured = Instant::now().min(window.end).saturating_duration_since(from);

    let url = watched.borrow().as_ref().context("the server is down")?.url();
    let client = Client::new(&url).with_key(&shared.key);
    let (refused, stale) = (Report::refusals(&ledger), ledger.stale);
    let events = ledger.usage.measured;
    let memory = child.as_ref().and_then(ChildServer::memory);
    if let Some(rest) = args.rest {
        tokio::time::sleep(rest).await;
    }
    let rested = args.rest.and(child.as_ref()).and_then(ChildServer::memory);
    let proof = proof::prove(&client, &shared, &before, ledger).await;
    // What cannot be read back is not proven; the figures are shown all the same.
    let mut proof = proof.unwrap_or_else(|error| Proof::failed(&error));
    if args.kill_after.is_some() && !killed {
        proof.find("nothing was under way at --kill-after: the server was not killed".to_owned());
    }
    if args.verify {
        // Killed once more: what it did last is what was acknowledged.
        drop(child);
        let data = folder.path().join("data");
        let stored = tokio::task::spawn_blocking(move || verify::of_folder(&data)).await?;
        proof.stored(stored);
    }
    let report = Report {
        measured,
        late: args.rate.map(|_| latencies.late()),
        latencies,
        events,
        refused,
        stale,
        killed,
        in_memory: args.url.is_none().then(|| folder.is_in_memory()),
        proof,
        memory,
        rested,
    };
    if args.json {
        terminal.line(&report.json().to_string());
    } else {
        report.print(terminal);
    }
    Ok(if report.good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn settings(args: &LoadArgs) -> Vec<(String, String)> {
    let off = NO_LIMITS.map(|name| (name.to_owned(), "0".to_owned()));
    let stated = args.set.iter().map(|pair| (pair.name.clone(), pair.value.clone()));
    off.into_iter().chain(stated).collect()
}

async fn work(
    shared: &Arc<Shared>,
    place: &watch::Receiver<Option<Place>>,
    connections: u32,
) -> (Ledger, Latencies) {
    let mut workers = JoinSet::new();
    for number in 1..=u64::from(connections) {
        workers.spawn(Worker::new(Arc::clone(shared), place.clone(), number).run());
    }
    let (mut ledger, mut latencies) = (Ledger::default(), Latencies::new());
    while let Some(done) = workers.join_next().await {
        let (one, times) = done.expect("a worker does not panic");
        ledger.merge(one);
        latencies.merge(&times);
    }
    (ledger, latencies)
}

#[cfg(test)]
mod tests;
