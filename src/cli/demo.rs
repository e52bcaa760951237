//! `accrue demo`: a year of subscription billing against a real server, a period of metered usage,
//! a few sales of a marketplace, a credit note, and a saved card that fails, in a minute.
//!
//! Each chapter is a [scenario], a JSON file beside its module: steps that the [runner] carries
//! out, and tables and checks over what it kept of the [answers]. The modules of the chapters add
//! what is arithmetic.

mod answers;
mod buyer;
mod chart;
mod collection;
mod fill;
mod marketplace;
mod receiver;
mod runner;
mod scenario;
mod table;
mod usage;
mod year;

use std::collections::BTreeMap;
use std::process::ExitCode;

use actors::clock::Clock;
use actors::entropy::Entropy;
use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::client::Client;
use super::folder::FreshFolder;
use super::settings::SettingPair;
use super::terminal::Terminal;
use super::{settings, signal, verify};
use crate::{logs, open_files};
use answers::Answers;
use buyer::{Buyer, expiry_year};
use receiver::Receiver;
use runner::Runner;
use scenario::Chapter;
use table::{Check, check};

pub(crate) use fill::fill_account;

/// A chapter's JSON, and the functions for the rows and the checks that it cannot say.
type Source = (&'static str, fn(&Answers) -> Value, fn(&Answers) -> Vec<Check>);

const CHAPTERS: [Source; 5] = [
    (include_str!("demo/year.json"), year::rows, year::checks),
    (include_str!("demo/usage.json"), usage::rows, usage::checks),
    (include_str!("demo/marketplace.json"), marketplace::rows, marketplace::checks),
    // It says all there is to check.
    (include_str!("demo/credit.json"), |_| Value::Null, |_| Vec::new()),
    (include_str!("demo/collection.json"), collection::rows, collection::checks),
];

/// The setting that opens the operator's surface.
const OPERATOR_TOKEN: &str = "operator_token";

/// Options of `accrue demo`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct DemoArgs {
    /// Use the running server at this address instead of starting one.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The port of the server that is started; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0, conflicts_with = "url")]
    port: u16,
    /// End after the tables instead of leaving the server up.
    #[arg(long)]
    exit: bool,
    /// Any setting of the server that is started; it reads no file and no environment.
    #[arg(long = "set", value_name = "NAME=VALUE", conflicts_with = "url")]
    set: Vec<SettingPair>,
}

/// Runs the demonstration; exit code 1 when a check fails.
pub(super) async fn run(args: DemoArgs) -> anyhow::Result<ExitCode> {
    match &args.url {
        Some(url) => on_running_server(url).await,
        None => on_own_server(args).await,
    }
}

async fn on_running_server(url: &str) -> anyhow::Result<ExitCode> {
    let mut runner = runner(Client::new(url), None).await?;
    let good = demonstrate(&mut runner).await?;
    // The receiver of webhooks goes away with this program.
    let disable = json!({
        "patch": "/payments-api/v1/webhooks/<webhook/id>", "body": {"status": "disabled"},
    });
    runner.run(&[serde_json::from_value(disable)?]).await?;
    hint(&runner);
    Ok(code(good))
}

async fn on_own_server(args: DemoArgs) -> anyhow::Result<ExitCode> {
    let folder = FreshFolder::new("demo").context("cannot make a temporary folder")?;
    // The operator runs the passes of metering when the scenario needs them.
    let stated = args.set.iter().rfind(|pair| pair.name == OPERATOR_TOKEN);
    let operator = stated.map_or_else(|| Entropy.uuid().to_string(), |pair| pair.value.clone());
    let mut pairs: Vec<SettingPair> = [
        ("listen", format!("127.0.0.1:{}", args.port)),
        ("data", folder.path().display().to_string()),
        ("demo", "true".to_owned()),
        (OPERATOR_TOKEN, operator.clone()),
        // A year in a minute is more than an hour's budget of calls.
        ("limits.billing_per_hour", "0".to_owned()),
        ("limits.payments_per_hour", "0".to_owned()),
        ("limits.pages_per_minute", "0".to_owned()),
        ("payments.settle_seconds", "1".to_owned()),
        ("payments.refund_seconds", "1".to_owned()),
        ("payments.payout_seconds", "1".to_owned()),
        ("webhooks.retry_seconds", "1,5".to_owned()),
        // The tables are what there is to read.
        ("log.filter", "error".to_owned()),
    ]
    .into_iter()
    .map(|(name, value)| SettingPair::new(name, value))
    .collect();
    pairs.extend(args.set);
    let settings = settings::stated(pairs)?;
    logs::start(&settings.log)?;
    open_files::take_all();
    let data = settings.data.clone();
    let server = crate::start(settings, Clock::wall()).await?;
    let client = Client::new(&format!("http://{}", server.addr()));
    let mut runner = runner(client.clone(), Some(client.with_key(&operator))).await?;
    // Ctrl-C in the middle ends the demonstration, and the folder goes with it.
    let good = tokio::select! {
        good = demonstrate(&mut runner) => good.map(Some),
        stopped = signal::stop_asked() => stopped.map(|()| None).map_err(Into::into),
    };
    if matches!(good, Ok(Some(_))) && !args.exit {
        hint(&runner);
        Terminal::standard().line("\nThe server stays up until you press Ctrl-C.");
        signal::stop_asked().await?;
    }
    server.shutdown().await;
    let Some(good) = good? else { return Ok(ExitCode::from(130)) };
    let stored = tokio::task::spawn_blocking(move || verify::of_folder(&data)).await??;
    Ok(code(verify::shown(Terminal::standard(), &stored) && good))
}

/// With an `operator` the first webhook is turned away, to see it come again: retries of a server
/// that is not ours may take long.
async fn runner(client: Client, operator: Option<Client>) -> anyhow::Result<Runner> {
    let style = ProgressStyle::with_template("{spinner} {bar:30} {pos:>3}/{len} {wide_msg}")?;
    let progress = ProgressBar::new(0).with_style(style);
    progress.enable_steady_tick(std::time::Duration::from_millis(100));
    let now = Clock::wall().now();
    let run = Entropy.uuid().to_string();
    let receiver = Receiver::start(Clock::wall(), operator.is_some()).await?;
    let mut answers = Answers::of_run(now, &run);
    answers.put("webhookUrl", json!(receiver.url()));
    let buyer = Buyer { client: client.clone(), expiry_year: expiry_year(now), paid: 0 };
    let groups = BTreeMap::new();
    let receiver = Some(receiver);
    Ok(Runner { client, operator, receiver, buyer, progress, answers, groups })
}

/// Carries out all chapters, prints what happened, and gives whether every check held.
async fn demonstrate(runner: &mut Runner) -> anyhow::Result<bool> {
    let terminal = Terminal::standard();
    terminal.line(&format!("Accrue at {}: a year of billing begins.", runner.client.base()));
    let mut chapters = Vec::new();
    for (text, rows, checks) in CHAPTERS {
        let chapter: Chapter = serde_json::from_str(text)?;
        runner.progress.inc_length(chapter.steps.len() as u64);
        chapters.push((chapter, rows, checks));
    }
    for (chapter, ..) in &mut chapters {
        runner.chapter(chapter).await?;
    }
    runner.progress.finish_and_clear();
    let mut all = Vec::new();
    for (chapter, rows, checks) in &chapters {
        let answers = &mut runner.answers;
        answers.put("rows", rows(answers));
        chapter.tables.iter().for_each(|table| table::print(terminal, answers, table));
        let checks = checks_of(answers, chapter, *checks);
        terminal.heading(&answers.show(&chapter.checked));
        checks.iter().for_each(|check| terminal.check(check.good, &check.text));
        all.extend(checks);
    }
    let failed = all.iter().filter(|check| !check.good).count();
    if failed > 0 {
        terminal.line(&format!("\n{failed} of {} checks failed.", all.len()));
    }
    Ok(failed == 0)
}

fn checks_of(
    answers: &Answers,
    chapter: &Chapter,
    others: fn(&Answers) -> Vec<Check>,
) -> Vec<Check> {
    let equations = chapter.checks.iter();
    let equations =
        equations.map(|one| check(answers.hold_here(&one.equal), answers.show(&one.text)));
    equations.chain(others(answers)).collect()
}

fn hint(runner: &Runner) {
    let terminal = Terminal::standard();
    terminal.heading("Try it yourself");
    terminal.line(&hints(&runner.answers, runner.client.base()));
}

/// Where the server is, and what opens it.
fn hints(answers: &Answers, base: &str) -> String {
    let lines = "  server     {base}
  dashboard  {base}/dashboard
  sign in    <account/dashboard/email> <account/dashboard/password>
  seller     <account/sellerAccountUuid>
  API key    <account/apiKey>

  API={base}/billing-api/v1
  AUTH='Authorization: Bearer <account/apiKey>'
  curl -H \"$AUTH\" \"$API/contracts/<contract/id>\"
  curl -H \"$AUTH\" \"$API/contracts/<contract/id>/timeline?limit=5\"
  curl -H \"$AUTH\" \"$API/contracts/<metered/id>/usage\"
  curl -H \"$AUTH\" \"$API/invoices?status=paid&limit=2\"
  PAY={base}/payments-api/v1
  curl -H \"$AUTH\" \"$PAY/payments/<sales/0/paymentId>\"
  curl -H \"$AUTH\" \"$PAY/wallets\"";
    answers.show(&lines.replace("{base}", base))
}

fn code(good: bool) -> ExitCode {
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests;
