//! `accrue restore`: a data folder from a backup, as of its end or of any later second.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use actors::domain::time::Timestamp;
use actors::verify::{Rows, verify};
use anyhow::{bail, ensure};
use storage::{BackupInfo, Restoration, RestorePlan};

use super::backup::{at, check, spinner};
use super::settings::{self, SettingPair};
use super::terminal::{Terminal, grouped};
use crate::backup::{fingerprint, key_to_keep};
use crate::config::{SecretKey, Settings};
use crate::logs;
use crate::program::store_options;
use crate::secrets;

/// Options of `accrue restore`. Of the settings those of the data and of secrets count.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct RestoreArgs {
    /// The backup.
    file: PathBuf,
    /// The folder to make; it must be empty, or not there.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// A folder with files of the journal from after the backup: an archive, or the folder
    /// `journal` of the data that was lost. May be given several times.
    #[arg(long, value_name = "DIR")]
    journal: Vec<PathBuf>,
    /// Leaves out what was written at this moment or later, in RFC 3339.
    #[arg(long, value_name = "TIME", requires = "journal")]
    until: Option<Moment>,
    /// Call the folder good although what it stores is not right; `accrue verify` lists it.
    #[arg(long)]
    with_faults: bool,
    /// Settings file; without it `accrue.toml` is read where there is one.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Any setting by its name.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<SettingPair>,
}

/// Microseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment(u64);

impl FromStr for Moment {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let moment = Timestamp::parse(text).ok_or("expected a time like 2026-01-31T12:00:00Z")?;
        let micros = u64::try_from(moment.micros());
        micros.map(Self).map_err(|_| "expected a time since 1970")
    }
}

pub(super) async fn run(args: RestoreArgs) -> anyhow::Result<ExitCode> {
    let RestoreArgs { file, data, journal, until, with_faults, config, set } = args;
    let data_pair = SettingPair::new("data", data.display().to_string());
    let settings = settings::load(config.as_deref(), set.into_iter().chain([data_pair]).collect())?;
    logs::start(&settings.log)?;
    let info = check(file.clone()).await?;
    if let Some(Moment(until)) = until {
        ensure!(
            until > info.reaches,
            "the backup reaches up to {}; only moments behind that can be restored from it",
            at(info.reaches),
        );
    }
    let key = key_to_keep(&info.label, &settings)?;
    let until = until.map(|Moment(until)| until);
    let progress = spinner("restoring")?;
    let rows = info.rows;
    let restored = move || restore(&file, &info, &settings, &journal, (until, key), with_faults);
    let (reaches, goes_on) = tokio::task::spawn_blocking(restored).await??;
    progress.finish_and_clear();
    let terminal = Terminal::standard();
    let (data, rows) = (data.display(), grouped(rows));
    let reached = at(reaches);
    let said = format!("{data}: {rows} rows of the backup, and what was written up to {reached}");
    terminal.line(&said);
    if let Some(until) = until.filter(|_| !goes_on) {
        terminal.line(&format!(
            "The journal goes no further than {}: what was written between then and {} is not in it.",
            at(reaches),
            at(until),
        ));
    }
    terminal.line(
        "A server on this folder delivers no webhook, runs no pass, calls no processor and deletes \
         nothing that is old before POST /backoffice/v1/resume.",
    );
    Ok(ExitCode::SUCCESS)
}

/// Restores, proves, and calls it good; up to when it reaches, and whether the journal went on.
fn restore(
    file: &std::path::Path,
    info: &BackupInfo,
    settings: &Settings,
    journals: &[PathBuf],
    (until, key): (Option<u64>, Option<SecretKey>),
    with_faults: bool,
) -> anyhow::Result<(u64, bool)> {
    let plan = RestorePlan { file, info, folder: &settings.data, journals, until };
    let mut options = store_options(&settings.store);
    // The archive gets what is written from the first start on.
    options.archive = None;
    let restored = plan.carry_out(options)?;
    let (reaches, goes_on) = (restored.reaches, restored.goes_on);
    if let Err(wrong) = prove(&restored, with_faults) {
        restored.give_up()?;
        return Err(wrong);
    }
    if let Some(key) = key {
        settings.keep_secret_key(&key)?;
    }
    // A backup from before stores knew their key.
    secrets::teach(restored.store(), &fingerprint(&info.label)?)?;
    restored.call_good()?;
    Ok((reaches, goes_on))
}

/// Proves that what is stored is right, before the folder is called good.
fn prove(restored: &Restoration, with_faults: bool) -> anyhow::Result<()> {
    let report = verify(restored.store(), Rows::Still)?;
    let Some(fault) = report.faults.first().filter(|_| !with_faults) else { return Ok(()) };
    bail!(
        "what was restored is not right: {} faults, the first of them: {}, {}: expected {}, found \
         {}; it was so when the backup was taken. With --with-faults it is restored as it is",
        report.faults_in_all,
        fault.what,
        fault.place,
        fault.expected,
        fault.found
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_time_of_this_age() {
        assert_eq!("1970-01-01T00:00:01Z".parse(), Ok(Moment(1_000_000)));
        assert_eq!("1970-01-01T00:00:01.0001+00:00".parse(), Ok(Moment(1_000_100)));
        assert!("yesterday".parse::<Moment>().is_err());
        assert!("1960-01-01T00:00:00Z".parse::<Moment>().is_err());
    }
}
