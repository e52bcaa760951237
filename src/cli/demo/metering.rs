//! The metering chapter: from an event to an invoice line that explains itself. It plays on a
//! contract of its own that began forty days ago, since metering goes by the wall clock.

mod bill;
mod chart;
mod checks;
mod intake;
mod meter;
mod plan;
mod records;
mod tables;

use actors::clock::Clock;
use anyhow::{Context as _, ensure};
use hyper::StatusCode;
use rust_decimal::Decimal;
use serde_json::json;

use super::records::{Invoice, record, records};
use super::story::Story;
use crate::cli::client::Client;
use bill::Explained;
use intake::Intake;
use meter::Meter;
use plan::{Plan, TAX_PERCENT};
use records::{Evaluated, Ingested, Used};

pub(super) use checks::checks;
pub(super) use tables::print;

/// How many times the progress bar moves.
pub(super) const STEPS: u64 = 5;
/// Quantities that are priced without being used.
const EVALUATED: [&str; 3] = ["500", "5000", "20000"];

/// The chapter on its way.
#[derive(Debug)]
struct Chapter<'a> {
    story: &'a Story,
    contract: u64,
    plan: Plan,
    run: String,
}

/// What happened in it.
#[derive(Debug)]
pub(super) struct Metered {
    pub(super) contract: u64,
    plan: Plan,
    intake: Intake,
    /// The open period before the first one was closed.
    snapshot: Vec<Used>,
    evaluated: Vec<Evaluated>,
    invoice: Invoice,
    /// The card that paid it.
    paid: String,
    explained: Explained,
    late: Ingested,
    /// The invoice's total after the late event.
    total_after: i64,
}

/// Tells the chapter. `operator` runs the passes; without one their schedule is waited for.
pub(super) async fn tell(
    story: &Story,
    run: &str,
    operator: Option<&Client>,
    expiry_year: i32,
) -> anyhow::Result<Metered> {
    let chapter = Chapter::begin(story, run.to_owned()).await?;
    story.step();
    let intake = chapter.send_events().await?;
    story.step();
    // Prices come after the events: a period that has none is not closed yet.
    chapter.set_prices().await?;
    let snapshot = chapter.snapshot().await?;
    let evaluated = chapter.evaluate().await?;
    story.step();
    let (invoice, attempt) = chapter.bill(operator, expiry_year).await?;
    story.step();
    let explained = chapter.explain(invoice.id).await?;
    let (late, total_after) = chapter.come_late(invoice.id).await?;
    story.step();
    let (contract, plan) = (chapter.contract, chapter.plan);
    let paid = attempt.words();
    Ok(Metered {
        contract,
        plan,
        intake,
        snapshot,
        evaluated,
        invoice,
        paid,
        explained,
        late,
        total_after,
    })
}

impl<'a> Chapter<'a> {
    /// A customer, a contract and its usage subscription, forty days old; the metrics.
    async fn begin(story: &'a Story, run: String) -> anyhow::Result<Self> {
        let client = &story.client;
        story.show("making a contract with metered usage");
        let plan = Plan::at(Clock::wall().now());
        let customer = json!({"email": "grace@example.com", "name": "Grace Hopper"});
        let customer = client.post("/billing-api/v1/customers", &customer).await?;
        let start = plan.start.to_string();
        let body = json!({
            "sellerCustomerId": customer["id"], "currency": "EUR", "startDate": start,
        });
        let key = format!("demo:{run}:metered");
        let contract = client.create("/billing-api/v1/contracts", &key, &body).await?;
        let contract = contract["id"].as_u64().context("a contract without an id")?;
        let path = format!("/billing-api/v1/contracts/{contract}/subscriptions");
        let body = json!({
            "frequency": "monthly", "priceMinor": 0, "currency": "EUR", "startDate": start,
            "description": "Pay as you go", "taxRate": TAX_PERCENT.to_string(),
        });
        client.create(&path, &format!("demo:{run}:usage"), &body).await?;
        for meter in Meter::ALL {
            client.post("/billing-api/v1/usage/metrics", &meter.registration()).await?;
        }
        Ok(Self { story, contract, plan, run })
    }

    async fn set_prices(&self) -> anyhow::Result<()> {
        self.story.show("pricing the metrics");
        for meter in Meter::ALL {
            let path = format!(
                "/billing-api/v1/usage/contracts/{}/metrics/{}/price",
                self.contract,
                meter.name()
            );
            let from = self.plan.start.to_string();
            let body = json!({"effectiveFrom": from, "config": meter.price()});
            self.story.client.put(&path, &body).await?;
        }
        Ok(())
    }

    async fn snapshot(&self) -> anyhow::Result<Vec<Used>> {
        let path = format!("/billing-api/v1/contracts/{}/usage", self.contract);
        let mut answer = self.story.client.get(&path).await?;
        let rows = answer["metrics"].as_array_mut().map(std::mem::take);
        records("the usage snapshot", rows.context("a snapshot without metrics")?)
    }

    async fn evaluate(&self) -> anyhow::Result<Vec<Evaluated>> {
        let body = json!({"config": Meter::Calls.price(), "quantities": EVALUATED});
        let path = "/billing-api/v1/prices/evaluate";
        let mut answer = self.story.client.post(path, &body).await?;
        let rows = answer["results"].as_array_mut().map(std::mem::take);
        records("the evaluation", rows.context("an evaluation without results")?)
    }

    /// An event of the closed period: it is kept and marked, and the invoice stays as it is.
    async fn come_late(&self, invoice: u64) -> anyhow::Result<(Ingested, i64)> {
        let late = self.plan.late_call();
        let (status, answer) = self.event(&late.json(self.contract, &self.run)).await?;
        ensure!(status == StatusCode::CREATED, "a late event was answered {status}: {answer}");
        let late = record("a late event", answer)?;
        let path = format!("/billing-api/v1/invoices/{invoice}");
        let after: Invoice = record("an invoice", self.story.client.get(&path).await?)?;
        Ok((late, after.grand_total_minor))
    }
}

/// A quantity in hundredths, if it has no finer part.
fn hundredths(quantity: Decimal) -> Option<i64> {
    let scaled = quantity.checked_mul(Decimal::ONE_HUNDRED)?;
    scaled.is_integer().then(|| i64::try_from(scaled.trunc()).ok()).flatten()
}
