//! How much slower writes are while backups are taken of the running server.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use accrue::cli::folder::FreshFolder;
use anyhow::{Context as _, ensure};

use crate::figure::{Figure, grouped};
use crate::support::load::{executable, load, stated};
use crate::support::server::{Bench, OPERATOR};
use crate::verify::{CONTRACTS, INVOICES, filled};

/// How often writes alone and writes beside backups take turns.
const TURNS: usize = 3;
const MOST_PERCENT: u64 = 10;

pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let contracts = usize::try_from(stated("BENCH_CONTRACTS", CONTRACTS))?;
    let bench = tokio::runtime::Runtime::new()?.block_on(filled(contracts))?;
    let folder = FreshFolder::new("backup")?;
    let (mut alone, mut beside, mut backups) = (0, 0, 0);
    for _ in 0..TURNS {
        alone += amendments(&bench)?;
        let (rate, taken) = amendments_beside_backups(&bench, &folder.path().join("backup"))?;
        beside += rate;
        backups += taken;
    }
    ensure!(backups > 0, "no backup was taken");
    let slower = 100 - (beside * 100 / alone.max(1)).min(100);
    let turns = TURNS as u64;
    let measured = format!(
        "{}/s, {}/s alone ({slower} % less), {backups} backups",
        grouped(beside / turns),
        grouped(alone / turns)
    );
    let what = format!(
        "amendments on 1,000 contracts while one backup after the other is taken of a folder with \
         {} invoices",
        grouped(u64::try_from(contracts * INVOICES)?)
    );
    Ok(vec![Figure::new(&what, measured, "10 % less", slower <= MOST_PERCENT)])
}

/// Amendments in a second.
fn amendments(bench: &Bench) -> anyhow::Result<u64> {
    let url = format!("http://{}", bench.server.address());
    let load = load(&["--mix", "amend", "--url", &url, "--key", &bench.seller.key])?;
    Ok(load.rate("amend").per_second)
}

/// The same while backups are taken, and how many of these were completed.
fn amendments_beside_backups(bench: &Bench, file: &Path) -> anyhow::Result<(u64, usize)> {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let backups = scope.spawn(|| {
            let mut taken = 0;
            while !done.load(Ordering::Acquire) {
                back_up(bench, file)?;
                taken += 1;
            }
            anyhow::Ok(taken)
        });
        let rate = amendments(bench);
        done.store(true, Ordering::Release);
        let taken = backups.join().ok().context("the backups panicked")??;
        Ok((rate?, taken))
    })
}

fn back_up(bench: &Bench, file: &Path) -> anyhow::Result<()> {
    let url = format!("http://{}", bench.server.address());
    let status = Command::new(executable())
        .args(["backup", "--url", &url, "--to"])
        .arg(file)
        .env("ACCRUE_OPERATOR_TOKEN", OPERATOR)
        .stdout(Stdio::null())
        .status()?;
    ensure!(status.success(), "accrue backup ended with {status}");
    fs::remove_file(file)?;
    Ok(())
}
