//! Where the figures were taken: machine, disk and commit.

use std::fs::{self, File};
use std::io::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use accrue::cli::folder::FreshFolder;
use actors::clock::Clock;

use crate::figure::{grouped, millis};

/// How often the disk is asked for a sync: enough to meet one of its pauses.
const SYNCS: usize = 10_000;

/// One sentence for the reader of the table.
pub(crate) fn described() -> anyhow::Result<String> {
    let cores = std::thread::available_parallelism()?;
    let (commit, day) = (commit(), Clock::wall().now().date());
    let (sync, longest) = syncs()?;
    let millis = |took: Duration| anyhow::Ok(millis(u64::try_from(took.as_micros())?));
    Ok(format!(
        "Taken on {day} at commit {commit} on {cores} cores of an {} with {} GiB; a sync of the \
         disk takes {}, the longest of {} took {}. Release build, the load generator on the same \
         cores, every write durable before its answer.",
        processor(),
        memory_gib(),
        millis(sync)?,
        grouped(SYNCS as u64),
        millis(longest)?
    ))
}

fn commit() -> String {
    let said = |arguments: &[&str]| {
        let said = Command::new("git").args(arguments).output().ok()?;
        Some(String::from_utf8_lossy(&said.stdout).trim().to_owned())
    };
    let commit = said(&["rev-parse", "--short", "HEAD"]).unwrap_or_default();
    let changed = said(&["status", "--porcelain", "--untracked-files=no"]);
    let changed = changed.is_some_and(|changed| !changed.is_empty());
    format!("{commit}{}", if changed { " with changes" } else { "" })
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name"));
    let name = line.and_then(|line| line.split(':').nth(1)).unwrap_or("unnamed processor");
    name.trim().to_owned()
}

fn memory_gib() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kib.unwrap_or(0).div_ceil(1024 * 1024)
}

/// How long an append of 4 KiB takes to be on the disk, in the middle and at most.
fn syncs() -> anyhow::Result<(Duration, Duration)> {
    let folder = FreshFolder::new("sync")?;
    let disk = !folder.is_in_memory();
    anyhow::ensure!(disk, "TMPDIR or /tmp is in memory, where a sync costs nothing: name a disk");
    let mut file = File::create(folder.path().join("file"))?;
    let mut times = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        file.write_all(&[7; 4096])?;
        let begun = Instant::now();
        file.sync_data()?;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    Ok((times[SYNCS / 2], times[SYNCS - 1]))
}
