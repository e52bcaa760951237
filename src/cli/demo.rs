//! `accrue demo`: a year of subscription billing against a real server, a period of metered usage
//! and a few sales of a marketplace, in a minute.

mod buyer;
mod checks;
mod facts;
mod marketplace;
mod metering;
mod receiver;
mod records;
mod schedule;
mod story;
mod tables;

use std::process::ExitCode;

use actors::clock::Clock;
use actors::entropy::Entropy;
use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};

use super::client::Client;
use super::folder::FreshFolder;
use super::settings::SettingPair;
use super::terminal::Terminal;
use super::{settings, signal};
use checks::Check;
use marketplace::Market;
use metering::Metered;
use receiver::Receiver;
use story::Story;

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
    let Some(url) = args.url.clone() else {
        return on_own_server(args).await;
    };
    let receiver = Receiver::start(Clock::wall()).await?;
    let told = tell(&Client::new(&url), &receiver, false, None).await?;
    told.story.hang_up().await?;
    hints(&told);
    Ok(code(told.good))
}

/// A demonstration that came to its end.
struct Told {
    story: Story,
    metered: Metered,
    market: Market,
    /// Whether every check held.
    good: bool,
}

async fn on_own_server(args: DemoArgs) -> anyhow::Result<ExitCode> {
    let folder = FreshFolder::new("demo").context("cannot make a temporary folder")?;
    // The passes of metering are run at their place in the story, by the operator.
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
    let receiver = Receiver::start(Clock::wall()).await?;
    // Ctrl-C in the middle of the story ends it, and the folder goes with it.
    let told = tokio::select! {
        told = tell(&client, &receiver, true, Some(client.with_key(&operator))) => told.map(Some),
        stopped = signal::stop_asked() => stopped.map(|()| None).map_err(Into::into),
    };
    if let Ok(Some(told)) = &told
        && !args.exit
    {
        hints(told);
        Terminal::standard().line("\nThe server stays up until you press Ctrl-C.");
        signal::stop_asked().await?;
    }
    server.shutdown().await;
    Ok(told?.map_or(ExitCode::from(130), |told| code(told.good)))
}

async fn tell(
    client: &Client,
    receiver: &Receiver,
    refuse_first: bool,
    operator: Option<Client>,
) -> anyhow::Result<Told> {
    let terminal = Terminal::standard();
    terminal.line(&format!("Accrue at {}: a year of billing begins.", client.base()));
    let today = Clock::wall().now().date();
    let progress = progress()?;
    let run = Entropy.uuid().to_string();
    let expiry_year = today.parts().0 + 3;
    let begun = Story::begin(client, receiver, refuse_first, run.clone(), today, progress.clone());
    let mut story = begun.await?;
    story.live(expiry_year).await?;
    let facts = facts::read(&story, receiver).await?;
    let metered = metering::tell(&story, &run, operator.as_ref(), expiry_year).await?;
    let market = marketplace::tell(&story, receiver, &run, expiry_year).await?;
    progress.finish_and_clear();

    tables::print(terminal, &story, &facts);
    let now = facts.clock.now;
    terminal.heading(&format!("Checks, with the contract's clock at {now}"));
    let mut checks = checks::checks(&facts, &story.schedule, &story.steps);
    show(terminal, &checks);
    metering::print(terminal, &metered);
    terminal.heading("Checks of the metered usage, by the wall clock");
    let of_usage = metering::checks(&metered);
    show(terminal, &of_usage);
    checks.extend(of_usage);
    marketplace::print(terminal, &market);
    terminal.heading("Checks of the marketplace");
    let of_market = marketplace::checks(&market);
    show(terminal, &of_market);
    checks.extend(of_market);
    let failed = checks.iter().filter(|check| !check.good).count();
    if failed > 0 {
        terminal.line(&format!("\n{failed} of {} checks failed.", checks.len()));
    }
    Ok(Told { story, metered, market, good: failed == 0 })
}

fn show(terminal: Terminal, checks: &[Check]) {
    for Check { good, text } in checks {
        terminal.check(*good, text);
    }
}

/// Moves on standard error, and only on a terminal.
fn progress() -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template("{spinner} {bar:30} {pos:>2}/{len} {wide_msg}")?;
    let bar =
        ProgressBar::new(story::STEPS + metering::STEPS + marketplace::STEPS).with_style(style);
    bar.enable_steady_tick(std::time::Duration::from_millis(100));
    Ok(bar)
}

fn hints(told: &Told) {
    let terminal = Terminal::standard();
    let Told { story, metered, market, .. } = told;
    let (base, contract) = (story.client.base(), story.contract);
    let account = &story.account;
    terminal.heading("Try it yourself");
    terminal.line(&format!("  server   {base}"));
    terminal.line(&format!("  seller   {}", account.seller_account_uuid));
    terminal.line(&format!("  API key  {}", account.api_key));
    terminal.line("");
    terminal.line(&format!("  API={base}/billing-api/v1"));
    terminal.line(&format!("  AUTH='Authorization: Bearer {}'", account.api_key));
    for path in [
        format!("/contracts/{contract}"),
        format!("/contracts/{contract}/timeline?limit=5"),
        format!("/contracts/{}/usage", metered.contract),
        "/invoices?status=paid&limit=2".to_owned(),
    ] {
        terminal.line(&format!("  curl -H \"$AUTH\" \"$API{path}\""));
    }
    terminal.line(&format!("  PAY={base}/payments-api/v1"));
    for path in [format!("/payments/{}", market.basket()), "/wallets".to_owned()] {
        terminal.line(&format!("  curl -H \"$AUTH\" \"$PAY{path}\""));
    }
}

fn code(good: bool) -> ExitCode {
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
