//! Accrue: contracts, subscriptions, invoices and payments in one durable program.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = accrue::cli::Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
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
