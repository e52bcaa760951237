//! Running Accrue's own load tester and reading its figures.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The program under test, built by this very bench run.
pub(crate) fn executable() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_accrue"))
}

/// How long each rate is measured, in seconds: `BENCH_SECONDS`, or 10.
pub(crate) fn seconds() -> u64 {
    stated("BENCH_SECONDS", 10)
}

/// A size that the environment may state.
pub(crate) fn stated(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What one operation of a load came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) per_second: u64,
    /// Microseconds.
    pub(crate) p99: u64,
}

/// What a load came to.
pub(crate) struct Load(Value);

/// Runs `accrue load --json` with `arguments` on a server of its own. A proof that does not hold
/// is an error: a fast server that loses writes is no result.
pub(crate) fn load(arguments: &[&str]) -> anyhow::Result<Load> {
    // What the load before has left to the disk would be written during this one.
    Command::new("sync").status().context("sync is not here")?;
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
    Ok(Load(report))
}

impl Load {
    pub(crate) fn rate(&self, operation: &str) -> Rate {
        let of = &self.0["operations"][operation];
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        Rate { per_second: number(&of["perSecond"]), p99: number(&of["micros"]["p99"]) }
    }

    pub(crate) fn events_per_second(&self) -> u64 {
        self.0["eventsPerSecond"].as_u64().unwrap_or(0)
    }

    /// What the server held at most, and at the end, in MiB.
    pub(crate) fn memory(&self) -> Held {
        let mib = |name: &str| self.0[name].as_u64().unwrap_or(0) / 1024;
        Held { peak: mib("memoryPeakKib"), rested: mib("memoryRestedKib") }
    }
}

/// Memory of a server in MiB.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) peak: u64,
    /// After the rest that the load was told to take; 0 without one.
    pub(crate) rested: u64,
}
