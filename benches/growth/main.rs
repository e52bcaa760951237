//! What must not grow: for each kind of write and read, what it costs the server on a fresh
//! object and after many of its like, as a ratio in one run.
//!
//! ```text
//! cargo bench --bench growth                      after 100,000 of a kind
//! cargo bench --bench growth -- payments          one kind
//! cargo test --bench growth                       after 10,000, as the test command does
//! ```
//!
//! `BENCH_GROWN` states another size. A cost that trebles is an error; under `cargo test` one that
//! trebles by more than 5 ms.
#![expect(clippy::print_stdout, reason = "a bench speaks on standard output")]

#[path = "../support/mod.rs"]
mod support;

mod cost;
mod customers;
mod deliveries;
mod events;
mod invoices;
mod metrics;
mod payees;
mod payments;
mod subscriptions;
mod versions;

use std::process::ExitCode;

use anyhow::bail;
use cost::Growth;
use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use support::load::stated;

type Kind = fn(usize) -> LocalBoxFuture<'static, anyhow::Result<Vec<Growth>>>;

const KINDS: [(&str, Kind); 9] = [
    ("customers and contracts", |size| customers::growth(size).boxed_local()),
    ("versions", |size| versions::growth(size).boxed_local()),
    ("subscriptions", |size| subscriptions::growth(size).boxed_local()),
    ("invoices", |size| invoices::growth(size).boxed_local()),
    ("metrics", |size| metrics::growth(size).boxed_local()),
    ("events", |size| events::growth(size).boxed_local()),
    ("payments", |size| payments::growth(size).boxed_local()),
    ("payees", |size| payees::growth(size).boxed_local()),
    ("deliveries", |size| deliveries::growth(size).boxed_local()),
];

/// What a cost may grow by in a build without optimization, in microseconds: where rows stand in
/// memory at the moment makes so much of a difference there, and a look at ten thousand of them
/// much more.
const SLACK_MICROS: u64 = 5_000;
/// A read of a page may take so long in a release build, in microseconds.
const MOST_MICROS: u64 = 5_000;

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let long = arguments.iter().any(|argument| argument == "--bench");
    let size = usize::try_from(stated("BENCH_GROWN", if long { 100_000 } else { 10_000 }))?;
    let named: Vec<&String> = arguments.iter().filter(|name| !name.starts_with("--")).collect();
    if let Some(unknown) = named.iter().find(|name| KINDS.iter().all(|(known, _)| known != *name)) {
        bail!("no kind {unknown}: {:?}", KINDS.map(|(name, _)| name));
    }

    let runtime = tokio::runtime::Runtime::new()?;
    let mut good = true;
    for (name, kind) in KINDS {
        if !named.is_empty() && !named.iter().any(|wanted| *wanted == name) {
            continue;
        }
        println!("\n{name}: fresh, and after {size}");
        let grown = runtime.block_on(kind(size)).unwrap_or_else(|error| {
            println!("  {error:#}");
            good = false;
            Vec::new()
        });
        for growth in grown {
            let slow = long && growth.is_page && growth.grown.median >= MOST_MICROS;
            let held = growth.holds(if long { 0 } else { SLACK_MICROS }) && !slow;
            println!("  {growth}{}", if held { "" } else { " TOO DEAR" });
            good &= held;
        }
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
