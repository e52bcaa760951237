//! Running Accrue's own load tester and reading its figures.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The program under test, built by this very bench run.
pub(crate) fn executable() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_accrue"))
}

/// How long each figure is measured, in seconds: `BENCH_SECONDS`, or 10.
pub(crate) fn seconds() -> u64 {
    let stated = std::env::var("BENCH_SECONDS").ok();
    stated.and_then(|text| text.parse().ok()).unwrap_or(10)
}

/// Whether `cargo bench` runs this; `cargo test` only builds it.
pub(crate) fn is_wanted() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// Runs `accrue load --json` with `arguments` on a server of its own and gives its figures.
/// A proof that does not hold is an error: a fast server that loses writes is no result.
pub(crate) fn load(arguments: &[&str]) -> anyhow::Result<Value> {
    let output = Command::new(executable())
        .args(["load", "--json", "--duration", &format!("{}s", seconds())])
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()?;
    let report: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("accrue load {arguments:?} printed no report"))?;
    if !output.status.success() {
        bail!("accrue load {arguments:?}: {}", report["findings"]);
    }
    Ok(report)
}

/// Throughput and 99th percentile in microseconds of one operation of a report.
pub(crate) fn figures(report: &Value, operation: &str) -> (u64, u64) {
    let of = &report["operations"][operation];
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    (number(&of["perSecond"]), number(&of["micros"]["p99"]))
}
