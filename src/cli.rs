//! The program's commands.

mod archive;
mod backup;
mod cents;
pub mod child;
pub mod client;
mod demo;
mod duration;
pub mod folder;
mod load;
mod numbers;
mod restore;
mod serve;
mod settings;
mod shares;
mod signal;
mod signature;
mod terminal;
mod verify;

use std::process::ExitCode;

use anyhow::ensure;
use clap::{Parser, Subcommand};

use crate::config::can_be_sent;

pub(crate) use demo::fill_account;

const OPERATOR_TOKEN_VARIABLE: &str = "ACCRUE_OPERATOR_TOKEN";

/// Contracts, subscriptions, invoices and payments for a seller, in one durable program.
#[derive(Clone, Debug, Parser)]
#[command(name = "accrue", version, about)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// An error with its causes, but for those that it tells itself.
pub fn words(error: &anyhow::Error) -> String {
    error.chain().skip(1).fold(error.to_string(), |told, cause| {
        let cause = cause.to_string();
        if told.contains(&cause) { told } else { format!("{told}: {cause}") }
    })
}

/// An operator's token as a server reads its own: what a file or a variable holds often ends with
/// a line.
fn operator_token(given: &str) -> anyhow::Result<String> {
    let token = given.trim();
    ensure!(can_be_sent(token), "the operator's token has a character that no request can carry");
    Ok(token.to_owned())
}

#[derive(Clone, Debug, Subcommand)]
enum Command {
    /// Runs the service.
    Serve(serve::ServeArgs),
    /// Shows a year of billing, metered usage and a marketplace, to the cent, on a fresh server.
    Demo(demo::DemoArgs),
    /// Prints every setting: name, environment variable, default, bounds and meaning.
    Settings(settings::SettingsArgs),
    /// Copies all data of a server, running or stopped, into one file.
    Backup(backup::BackupArgs),
    /// Makes a data folder from a backup, as of its end or of any later second.
    Restore(restore::RestoreArgs),
    /// Cleans the archive of journals.
    Archive(archive::ArchiveArgs),
    /// Loads a server and proves that nothing acknowledged was lost.
    Load(load::LoadArgs),
    /// Proves that a data folder, or what a running server stores, is right.
    Verify(verify::VerifyArgs),
}

impl Cli {
    /// Runs the chosen command. The code is 1 when a demonstration or a proof did not hold, and 2
    /// when a verification could not look.
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        signal::let_large_writes_fail()?;
        match self.command {
            Command::Serve(args) => serve::run(args).await,
            Command::Demo(args) => demo::run(args).await,
            Command::Settings(args) => settings::run(&args),
            Command::Backup(args) => backup::run(args).await,
            Command::Restore(args) => restore::run(args).await,
            Command::Archive(args) => archive::run(args).await,
            Command::Load(args) => load::run(args).await,
            Command::Verify(args) => Ok(verify::run(args).await),
        }
    }
}
