//! Accrue: contracts, subscriptions, invoices and payments in one durable program.

use std::process::ExitCode;
use std::time::Duration;

use actors::delivery::RESOLVING_THREADS;
use clap::Parser as _;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Threads for reads and whatever else waits, beside those that resolve names.
const WAITING_THREADS: usize = 512;
/// Tasks that a worker takes of its own before it takes one that another thread has handed over:
/// what was begun is finished before more is begun. Left to itself the runtime takes one after
/// about eight, and the slowest of a hundred payments takes a quarter longer.
const OWN_TASKS_FIRST: u32 = 31;

fn main() -> ExitCode {
    let cli = accrue::cli::Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .global_queue_interval(OWN_TASKS_FIRST)
        .max_blocking_threads(WAITING_THREADS + RESOLVING_THREADS)
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.into()),
    };
    let outcome = runtime.block_on(cli.run());
    // Whatever still blocks a thread has no answer to give any more.
    runtime.shutdown_timeout(Duration::from_secs(5));
    outcome.unwrap_or_else(|error| failed(&error))
}

fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("accrue: {}", accrue::cli::words(error));
    ExitCode::FAILURE
}
