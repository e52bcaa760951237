//! `accrue verify`: proof that what is stored is right.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use actors::tables::shard_of;
use actors::verify::{Rows, verify};
use anyhow::Context as _;
use serde_json::json;
use storage::{Options, ShardOf, Store};

use super::client::Client;
use super::terminal::{Terminal, grouped};
use super::{OPERATOR_TOKEN_VARIABLE, operator_token, words};
use crate::api::backoffice::verify::VerifyView;
use crate::config::Settings;
use crate::logs;
use crate::memory;

/// The part of the memory that pages may take, and the least.
const CACHE_PART: u64 = 8;
const LEAST_CACHE_MIB: u64 = 64;

/// How long a running server may take to read all that it stores.
const PATIENCE: Duration = Duration::from_secs(24 * 3_600);

/// It could not look.
const NOT_LOOKED: u8 = 2;

/// Options of `accrue verify`.
#[derive(Clone, Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("of").required(true).args(["data", "url"]))]
pub(super) struct VerifyArgs {
    /// A data folder that no server uses.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A running server.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Its operator's token; without it `ACCRUE_OPERATOR_TOKEN` is taken.
    #[arg(long, value_name = "TOKEN", requires = "url")]
    operator_token: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Exit code 0 when all is well, 1 when something is wrong, 2 when it could not look.
pub(super) async fn run(args: VerifyArgs) -> ExitCode {
    let shown = look(&args).await.and_then(|found| {
        print(Terminal::standard(), &found, args.json)?;
        Ok(found.faults_in_all)
    });
    match shown {
        Ok(faults) => ExitCode::from(u8::from(faults > 0)),
        Err(error) => {
            tell(&words(&error));
            ExitCode::from(NOT_LOOKED)
        }
    }
}

fn tell(text: &str) {
    // A reader who has gone away is no error of ours.
    let _ = writeln!(std::io::stderr(), "accrue: {text}");
}

async fn look(args: &VerifyArgs) -> anyhow::Result<VerifyView> {
    if let Some(folder) = args.data.clone() {
        logs::start(&Settings::default().log)?;
        return tokio::task::spawn_blocking(move || of_folder(&folder)).await?;
    }
    let url = args.url.as_deref().context("name a folder with --data or a server with --url")?;
    let token = args.operator_token.clone().or_else(|| std::env::var(OPERATOR_TOKEN_VARIABLE).ok());
    let token =
        token.with_context(|| format!("name --operator-token or set {OPERATOR_TOKEN_VARIABLE}"))?;
    let token = operator_token(&token)?;
    let server = Client::new(url).with_key(&token).with_patience(PATIENCE).telling(tell);
    let answer = server.post("/backoffice/v1/verify", &json!({})).await?;
    serde_json::from_value(answer).context("the server's answer is no verification")
}

/// Verifies a folder that nobody uses. It must be there: opening one makes it.
pub(super) fn of_folder(folder: &Path) -> anyhow::Result<VerifyView> {
    std::fs::read_dir(folder)
        .with_context(|| format!("the data folder {} cannot be read", folder.display()))?;
    anyhow::ensure!(Store::is_in(folder), "the folder {} holds no data", folder.display());
    let cache_mib = (memory::mib() / CACHE_PART).max(LEAST_CACHE_MIB);
    let (cache_bytes, shard_of) = (cache_mib << 20, Some(shard_of as ShardOf));
    let options = Options { cache_bytes, shard_of, keeps_journal: true, ..Options::default() };
    let store = Store::open(folder, options)?;
    let report = verify(&store, Rows::Still);
    store.close();
    Ok(report?.into())
}

/// Says in a line what was looked at, and what is wrong; whether nothing is.
pub(super) fn shown(terminal: Terminal, verification: &VerifyView) -> bool {
    let rows: u64 = verification.counted.values().sum();
    let good = verification.faults_in_all == 0;
    terminal.heading("What is stored");
    terminal.check(good, &format!("{} rows were looked at", grouped(rows)));
    verification.faults.iter().for_each(|fault| terminal.check(false, &fault.to_string()));
    good
}

fn print(terminal: Terminal, verification: &VerifyView, as_json: bool) -> anyhow::Result<()> {
    let VerifyView { counted, faults, faults_in_all, of_one_moment } = verification;
    if as_json {
        terminal.line(&serde_json::to_string_pretty(verification)?);
        return Ok(());
    }
    for (table, rows) in counted {
        terminal.line(&format!("{:>15} {table}", grouped(*rows)));
    }
    if !of_one_moment {
        terminal.line("too much was written for one moment: checks are of moments of their own");
    }
    faults.iter().for_each(|fault| terminal.check(false, &fault.to_string()));
    let untold = faults_in_all - faults.len() as u64;
    if untold > 0 {
        terminal.line(&format!("  and {} more", grouped(untold)));
    }
    match faults_in_all {
        0 => terminal.check(true, "all is well"),
        1 => terminal.line("1 fault"),
        many => terminal.line(&format!("{} faults", grouped(*many))),
    }
    Ok(())
}
