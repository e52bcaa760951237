//! `accrue demo`: a year of subscription billing against a real server, a period of metered usage
//! and a few sales of a marketplace, in a minute.
//!
//! Each chapter is data: steps that the [runner] carries out, tables and checks over what it kept
//! of the answers.

mod answers;
mod buyer;
mod chart;
mod marketplace;
mod receiver;
mod runner;
mod scenario;
mod table;
mod usage;
mod year;

use std::process::ExitCode;

use actors::clock::Clock;
use actors::entropy::Entropy;
use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::client::Client;
use super::folder::FreshFolder;
use super::settings::SettingPair;
use super::terminal::Terminal;
use super::{settings, signal};
use answers::Answers;
use buyer::Buyer;
use receiver::Receiver;
use runner::Runner;
use table::Check;
use usage::Usage;
use year::Calendar;

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
    /// Any setting of the server that is started.
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
    let path = "/payments-api/v1/webhooks/<webhook/id>";
    runner.run(&[scenario::patch(path, json!({"status": "disabled"}))]).await?;
    hints(&runner);
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
    ]
    .into_iter()
    .map(|(name, value)| SettingPair::new(name, value))
    .collect();
    pairs.extend(args.set);
    let server = crate::start(settings::load(None, pairs)?, Clock::wall()).await?;
    let client = Client::new(&format!("http://{}", server.addr()));
    let mut runner = runner(client.clone(), Some(client.with_key(&operator))).await?;
    // Ctrl-C in the middle ends the demonstration, and the folder goes with it.
    let good = tokio::select! {
        good = demonstrate(&mut runner) => good.map(Some),
        stopped = signal::stop_asked() => stopped.map(|()| None).map_err(Into::into),
    };
    if matches!(good, Ok(Some(_))) && !args.exit {
        hints(&runner);
        Terminal::standard().line("\nThe server stays up until you press Ctrl-C.");
        signal::stop_asked().await?;
    }
    server.shutdown().await;
    Ok(good?.map_or(ExitCode::from(130), code))
}

/// With an `operator` the first webhook is turned away, to see it come again: retries of a server
/// that is not ours may take long.
async fn runner(client: Client, operator: Option<Client>) -> anyhow::Result<Runner> {
    let style = ProgressStyle::with_template("{spinner} {bar:30} {pos:>3}/{len} {wide_msg}")?;
    let progress = ProgressBar::no_length().with_style(style);
    progress.enable_steady_tick(std::time::Duration::from_millis(100));
    let expiry_year = Clock::wall().now().date().parts().0 + 3;
    let run = Entropy.uuid().to_string();
    let mut answers = Answers::default();
    answers.put("tag", json!(run.get(..8)));
    answers.put("run", json!(run));
    answers.put("expiryYear", json!(expiry_year));
    answers.put("operator", json!(operator.is_some()));
    let receiver = Receiver::start(Clock::wall(), operator.is_some()).await?;
    let buyer = Buyer { client: client.clone(), expiry_year, paid: 0 };
    Ok(Runner { client, operator, receiver, buyer, progress, answers })
}

/// Carries out all chapters, prints what happened, and gives whether every check held.
async fn demonstrate(runner: &mut Runner) -> anyhow::Result<bool> {
    let terminal = Terminal::standard();
    terminal.line(&format!("Accrue at {}: a year of billing begins.", runner.client.base()));
    let now = Clock::wall().now();
    let (calendar, usage) = (Calendar::of_year_from(now.date()), Usage::at(now));
    let mut steps = year::steps(&calendar, &runner.receiver.url());
    steps.extend(usage::steps(&usage));
    steps.extend(marketplace::steps());
    runner.progress.set_length(steps.len() as u64);
    for step in &steps {
        runner.run(std::slice::from_ref(step)).await?;
        runner.progress.inc(1);
    }
    runner.progress.finish_and_clear();

    let answers = &runner.answers;
    year::print(terminal, answers);
    let clock = answers.text("clock/last/clock/now");
    let mut checks = year::checks(answers, &calendar);
    show(terminal, &format!("Checks, with the contract's clock at {clock}"), &checks);
    usage::print(terminal, answers, &usage);
    let of_usage = usage::checks(answers, &usage);
    show(terminal, "Checks of the metered usage, by the wall clock", &of_usage);
    checks.extend(of_usage);
    marketplace::print(terminal, answers);
    let of_market = marketplace::checks(answers);
    show(terminal, "Checks of the marketplace", &of_market);
    checks.extend(of_market);
    let failed = checks.iter().filter(|check| !check.good).count();
    if failed > 0 {
        terminal.line(&format!("\n{failed} of {} checks failed.", checks.len()));
    }
    Ok(failed == 0)
}

fn show(terminal: Terminal, heading: &str, checks: &[Check]) {
    terminal.heading(heading);
    checks.iter().for_each(|check| terminal.check(check.good, &check.text));
}

fn hints(runner: &Runner) {
    let (terminal, answers, base) = (Terminal::standard(), &runner.answers, runner.client.base());
    terminal.heading("Try it yourself");
    let lines = "  server   {base}
  seller   <account/sellerAccountUuid>
  API key  <account/apiKey>

  API={base}/billing-api/v1
  AUTH='Authorization: Bearer <account/apiKey>'
  curl -H \"$AUTH\" \"$API/contracts/<contract/id>\"
  curl -H \"$AUTH\" \"$API/contracts/<contract/id>/timeline?limit=5\"
  curl -H \"$AUTH\" \"$API/contracts/<metered/id>/usage\"
  curl -H \"$AUTH\" \"$API/invoices?status=paid&limit=2\"
  PAY={base}/payments-api/v1
  curl -H \"$AUTH\" \"$PAY/payments/<sales/0/paymentId>\"
  curl -H \"$AUTH\" \"$PAY/wallets\"";
    terminal.line(&answers.fill(&lines.replace("{base}", base)).unwrap_or_default());
}

fn code(good: bool) -> ExitCode {
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
