//! `accrue backup`: all data in one file, from a running server or from a folder.

mod download;
mod target;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use actors::domain::time::Timestamp;
use anyhow::{Context as _, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use secrecy::ExposeSecret as _;
use storage::{BackupInfo, Store, check_backup};

use self::target::Target;
use super::settings::{self, SettingPair};
use super::signal::Stop;
use super::terminal::{Terminal, grouped};
use super::{OPERATOR_TOKEN_VARIABLE, operator_token};
use crate::backup::{fingerprint, label};
use crate::config::Settings;
use crate::logs;
use crate::program::store_options;
use crate::secrets;

/// Options of `accrue backup`. Of the settings those of the data and of secrets count; of a running
/// server only the operator's token, and no other is read where that is named.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct BackupArgs {
    /// The file to make; it must not be there.
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    /// Folder of a stopped server's data.
    #[arg(long, value_name = "DIR", conflicts_with = "url")]
    data: Option<PathBuf>,
    /// Address of a running server.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Bearer token of the running server's operator; the setting `operator_token` stands in for it.
    #[arg(long, value_name = "TOKEN", requires = "url")]
    operator_token: Option<String>,
    /// Settings file; without it `accrue.toml` is read where there is one.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Any setting by its name.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<SettingPair>,
}

pub(super) async fn run(args: BackupArgs) -> anyhow::Result<ExitCode> {
    let source = Source::of(&args)?;
    let stop = Stop::listen()?;
    let target = Target::begin(&args.to)?;
    let partial = target.partial().to_owned();
    tokio::select! {
        outcome = make(source, target, &args.to) => outcome,
        () = stop.asked() => {
            // It has the key of secrets. The thread that copies a folder may have it open until
            // the program is gone.
            let _ = fs::remove_file(partial);
            Ok(ExitCode::from(130))
        }
    }
}

async fn make(source: Source, mut target: Target, to: &Path) -> anyhow::Result<ExitCode> {
    let progress = spinner("taking the backup")?;
    match source {
        Source::Server { url, token } => {
            download::download(&url, &token, &mut target, &progress).await?;
        }
        Source::Folder(settings) => {
            target = from_folder(*settings, target, progress.clone()).await?;
        }
    }
    progress.finish_and_clear();
    let proven = target.partial().to_owned();
    let info = check(proven).await?;
    target.finish()?;
    let terminal = Terminal::standard();
    terminal.line(&format!(
        "{}: {} rows, {} bytes, up to {}",
        to.display(),
        grouped(info.rows),
        grouped(info.bytes),
        at(info.reaches),
    ));
    Ok(ExitCode::SUCCESS)
}

/// What is copied.
enum Source {
    Server { url: String, token: String },
    Folder(Box<Settings>),
}

impl Source {
    fn of(args: &BackupArgs) -> anyhow::Result<Self> {
        let Some(url) = args.url.clone() else { return Ok(Self::Folder(Box::new(load(args)?))) };
        // However short it is: how long a token must be is the running server's concern.
        let set = || args.set.iter().rfind(|pair| pair.name == "operator_token");
        let stated = args.operator_token.clone().or_else(|| Some(set()?.value.clone()));
        let token = match stated.or_else(|| std::env::var(OPERATOR_TOKEN_VARIABLE).ok()) {
            Some(token) => token,
            None => {
                let token = load(args)?.operator_token.context("--operator-token is missing")?;
                token.expose_secret().to_owned()
            }
        };
        Ok(Self::Server { url, token: operator_token(&token)? })
    }
}

fn load(args: &BackupArgs) -> anyhow::Result<Settings> {
    let data = args.data.as_ref().map(|path| path.display().to_string());
    let named = data.map(|data| SettingPair::new("data", data));
    let pairs = args.set.iter().cloned().chain(named).collect();
    Ok(settings::load(args.config.as_deref(), pairs)?)
}

/// Copies a folder that nobody serves.
async fn from_folder(
    settings: Settings,
    mut target: Target,
    progress: ProgressBar,
) -> anyhow::Result<Target> {
    logs::start(&settings.log)?;
    let work = move || {
        ensure!(settings.data.is_dir(), "there is no folder {}", settings.data.display());
        ensure!(
            Store::is_in(&settings.data),
            "the folder {} holds no data",
            settings.data.display()
        );
        let label = label(&settings)?;
        let mut options = store_options(&settings.store);
        // Nothing is written that an archive would need, and nothing deleted that it lacks.
        options.archive = None;
        options.keeps_journal = true;
        let store = Store::open(&settings.data, options)?;
        secrets::check(&store, &fingerprint(&label)?)?;
        for piece in store.backup(&label)? {
            let piece = piece?;
            target.write(&piece)?;
            progress.inc(piece.len() as u64);
        }
        store.close();
        Ok(target)
    };
    tokio::task::spawn_blocking(work).await?
}

/// Proves a file, with a bar that shows how far it is.
pub(super) async fn check(file: PathBuf) -> anyhow::Result<BackupInfo> {
    let style = ProgressStyle::with_template("{bar:30} {bytes:>10}/{total_bytes} proving")?;
    let progress = ProgressBar::new(0).with_style(style);
    let shown = progress.clone();
    let checked = move || {
        check_backup(&file, |read, all| {
            shown.set_length(all);
            shown.set_position(read);
        })
    };
    let checked = tokio::task::spawn_blocking(checked).await?;
    progress.finish_and_clear();
    Ok(checked?)
}

pub(super) fn spinner(what: &'static str) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template("{spinner} {bytes:>10} {msg}")?;
    let progress = ProgressBar::new_spinner().with_style(style).with_message(what);
    progress.enable_steady_tick(Duration::from_millis(100));
    Ok(progress)
}

/// A moment of a journal in words.
pub(super) fn at(micros: u64) -> Timestamp {
    Timestamp::from_micros(i64::try_from(micros).unwrap_or(i64::MAX))
}
