//! From the closed period to the paid invoice, and what explains it.

use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};

use super::Chapter;
use super::meter::{Meter, flat_price};
use super::records::{Point, Recorded, Tested, UsageLine};
use crate::cli::client::Client;
use crate::cli::demo::buyer::{self, Attempt, Card};
use crate::cli::demo::records::{Invoice, records};

/// The passes that close periods and bill them, in this order.
const PASSES: [&str; 2] = ["billing.usage.close_pass", "billing.usage.invoice_pass"];
/// How often the server is asked for the invoice while its passes run by themselves.
const LOOKS: u32 = 200;

/// What the server tells of an invoice's calls.
#[derive(Debug)]
pub(super) struct Explained {
    /// The usage lines of the invoice.
    pub(super) lines: Vec<UsageLine>,
    /// Every event behind the line of the calls.
    pub(super) events: Vec<Recorded>,
    /// The calls of the first period, day by day.
    pub(super) days: Vec<Point>,
    /// The calls' closed periods at another price.
    pub(super) tested: Vec<Tested>,
}

impl Chapter<'_> {
    /// Lets the first period close and its invoice be issued, and pays it.
    pub(super) async fn bill(
        &self,
        operator: Option<&Client>,
        expiry_year: i32,
    ) -> anyhow::Result<(Invoice, Attempt)> {
        let client = &self.story.client;
        self.story.show("closing the usage period and billing it");
        if let Some(operator) = operator {
            for pass in PASSES {
                let path = format!("/backoffice/v1/passes/{pass}/run");
                let ran = operator.post(&path, &json!({})).await?;
                ensure!(ran["passDisabled"] != true, "{pass} is switched off");
            }
        }
        let invoice = self.issued().await?;
        self.story.show("paying the usage invoice");
        let attempt = buyer::pay(client, &invoice, Card::Visa, expiry_year).await?;
        let paid = buyer::wait_until_paid(client, invoice.id).await?;
        Ok((paid, attempt))
    }

    async fn issued(&self) -> anyhow::Result<Invoice> {
        let path = format!("/billing-api/v1/invoices?contractId={}&origin=usage", self.contract);
        for _ in 0..LOOKS {
            let found = self.story.client.list(&path, "invoices").await?;
            let mut found: Vec<Invoice> = records("the usage invoices", found)?;
            if let Some(invoice) = found.pop() {
                return Ok(invoice);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        bail!("no usage invoice came within {LOOKS} seconds; are the usage passes switched on?")
    }

    /// Asks for everything behind the line of the calls.
    pub(super) async fn explain(&self, invoice: u64) -> anyhow::Result<Explained> {
        let client = &self.story.client;
        self.story.show("asking what is behind the invoice");
        let path = format!("/billing-api/v1/invoices/{invoice}");
        let answer = client.get(&path).await?;
        let lines: Vec<Value> = answer["lines"].as_array().cloned().unwrap_or_default();
        let lines = lines.into_iter().filter(|line| line["source"] == "usage").collect();
        let lines: Vec<UsageLine> = records("the usage lines", lines)?;
        let calls = lines.iter().find(|line| line.metric_name == Meter::Calls.name());
        let calls = calls.context("no line of the calls")?;

        let of_line = format!("{path}/lines/{}/events", calls.line_id);
        let events = records("the events of a line", client.list(&of_line, "events").await?)?;
        let (from, to) = (self.plan.start.to_string(), self.plan.turn.to_string());
        let days = self.series(Meter::Calls, &from, &to).await?;
        let path = format!(
            "/billing-api/v1/contracts/{}/metrics/{}/price/backtest",
            self.contract,
            Meter::Calls.name()
        );
        let body = json!({"config": flat_price(), "from": from, "to": to});
        let mut tested = client.post(&path, &body).await?;
        let tested = tested["periods"].as_array_mut().map(std::mem::take);
        let tested = records("a back-test", tested.context("a back-test without periods")?)?;
        Ok(Explained { lines, events, days, tested })
    }

    /// A metric's days.
    pub(super) async fn series(
        &self,
        meter: Meter,
        from: &str,
        to: &str,
    ) -> anyhow::Result<Vec<Point>> {
        let path = format!(
            "/billing-api/v1/contracts/{}/usage/{}/series?from={from}&to={to}&bucket=day",
            self.contract,
            meter.name()
        );
        let mut answer = self.story.client.get(&path).await?;
        let points = answer["points"].as_array_mut().map(std::mem::take);
        records("a series", points.context("a series without points")?)
    }
}
