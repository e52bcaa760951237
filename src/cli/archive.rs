//! `accrue archive`: what to do with the folder that files of the journal are copied to.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use clap::{Args, Subcommand};
use storage::{BackupInfo, Outdated};

use super::backup::{at, check};
use super::terminal::{Terminal, grouped};

/// Options of `accrue archive`.
#[derive(Clone, Debug, Args)]
pub(super) struct ArchiveArgs {
    #[command(subcommand)]
    command: ArchiveCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum ArchiveCommand {
    /// Deletes the files that no restore of a backup reads. Older backups of the same server
    /// cannot be gone on from afterwards; other servers' files are left alone.
    Prune(PruneArgs),
}

#[derive(Clone, Debug, Args)]
struct PruneArgs {
    /// The folder of `store.archive`; a server may go on writing to it.
    #[arg(long, value_name = "DIR")]
    archive: PathBuf,
    /// The oldest backup that is to be of use; it is proven first.
    #[arg(long, value_name = "FILE")]
    before: PathBuf,
    /// Say what would be deleted, and delete nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(super) async fn run(args: ArchiveArgs) -> anyhow::Result<ExitCode> {
    let ArchiveCommand::Prune(args) = args.command;
    let info = check(args.before.clone()).await?;
    let said = tokio::task::spawn_blocking(move || prune(&args, &info)).await??;
    let terminal = Terminal::standard();
    said.iter().for_each(|line| terminal.line(line));
    Ok(ExitCode::SUCCESS)
}

/// Deletes what is to be deleted; what there is to say of it.
fn prune(args: &PruneArgs, info: &BackupInfo) -> anyhow::Result<Vec<String>> {
    let PruneArgs { archive, before, dry_run } = args;
    let outdated = Outdated::find(archive, info)?;
    ensure!(
        outdated.needed > 0,
        "{} has no file of the journal that {} is of",
        archive.display(),
        before.display(),
    );
    let foreign = outdated.foreign.iter();
    let foreign = foreign.map(|error| format!("{error}; it is another server's, and stays"));
    let files = outdated.files().iter().map(|file| file.display().to_string());
    let mut said: Vec<_> = foreign.chain(files).collect();
    let (files, bytes, needed) = (outdated.files().len(), outdated.bytes, outdated.needed);
    if !dry_run {
        outdated.delete()?;
    }
    said.push(format!(
        "{} {} files, {} bytes, from before {}; {} are kept",
        if *dry_run { "would delete" } else { "deleted" },
        grouped(files as u64),
        grouped(bytes),
        at(info.reaches),
        grouped(needed as u64),
    ));
    Ok(said)
}
