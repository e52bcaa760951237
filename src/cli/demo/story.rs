//! The year of the demonstration, step by step, against the API alone.

mod opening;

use std::collections::BTreeMap;

use actors::domain::time::{Date, Timestamp};
use anyhow::Context as _;
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::buyer::{self, Attempt, Card};
use super::records::{Account, Advance, Invoice, record, records};
use super::schedule::{ADDON_PRICES, MONTHS, Schedule};
use crate::cli::client::{CallError, Client};

/// What happened at one stop of the clock.
#[derive(Debug)]
pub(super) struct Step {
    /// Where the contract's clock stood.
    pub(super) now: Timestamp,
    /// What the seller did there.
    pub(super) action: String,
    /// What the lifecycle pass did on the way, when the clock was advanced.
    pub(super) advance: Option<Advance>,
    /// Invoices and how they were paid.
    pub(super) payments: Vec<(String, Vec<Attempt>)>,
}

/// The seller, the contract and what has happened so far.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) client: Client,
    pub(super) account: Account,
    pub(super) contract: u64,
    pub(super) schedule: Schedule,
    pub(super) steps: Vec<Step>,
    /// How each invoice was paid, by its id.
    pub(super) attempts: BTreeMap<u64, Vec<Attempt>>,
    addon: u64,
    webhook: u64,
    progress: ProgressBar,
    run: String,
}

/// How many times the progress bar moves.
pub(super) const STEPS: u64 = 4 + MONTHS as u64 + 1 + 1;

impl Story {
    /// Lives through the year: stop by stop, paying what is asked.
    pub(super) async fn live(&mut self, expiry_year: i32) -> anyhow::Result<()> {
        self.pay_what_is_open(expiry_year).await?;
        for stop in self.schedule.stops() {
            self.progress.set_message(format!("advancing the clock to {stop}"));
            self.advance(stop).await?;
            if stop == self.schedule.change_day {
                self.change_plan().await?;
            }
            self.pay_what_is_open(expiry_year).await?;
            if stop == self.schedule.today.plus_months(MONTHS - 1) {
                self.cancel().await?;
            }
            self.progress.inc(1);
        }
        self.progress.set_message("billing what is left");
        self.bill_the_rest(expiry_year).await
    }

    /// Disables the webhook: its receiver goes away with this program.
    pub(super) async fn hang_up(&self) -> anyhow::Result<()> {
        let path = format!("/payments-api/v1/webhooks/{}", self.webhook);
        self.client.patch(&path, &json!({"status": "disabled"})).await?;
        Ok(())
    }

    async fn advance(&mut self, to: Date) -> anyhow::Result<()> {
        let path = format!("/billing-api/v1/contracts/{}/test-clock/advance", self.contract);
        let to = to.start().plus_seconds(12 * 3600);
        let answer = self.client.post(&path, &json!({"to": to.to_string()})).await?;
        let advance: Advance = record("an advance", answer)?;
        let now = advance.clock.now;
        let payments = Vec::new();
        self.steps.push(Step { now, action: String::new(), advance: Some(advance), payments });
        Ok(())
    }

    async fn change_plan(&mut self) -> anyhow::Result<()> {
        let path = format!("/billing-api/v1/subscriptions/{}/change-plan", self.addon);
        let body = json!({"priceMinor": ADDON_PRICES[1], "effective": "immediately"});
        self.client.post(&path, &body).await?;
        self.note("add-on upgraded in the middle of its term");
        Ok(())
    }

    async fn cancel(&mut self) -> anyhow::Result<()> {
        let path = format!("/billing-api/v1/subscriptions/{}/cancel", self.addon);
        let body = json!({"mode": "period_end", "reason": "end of the demonstration"});
        self.client.post(&path, &body).await?;
        self.note("add-on canceled to the end of its term");
        Ok(())
    }

    /// A clock that passes two month ends at once leaves a term over: one document an advance.
    async fn bill_the_rest(&mut self, expiry_year: i32) -> anyhow::Result<()> {
        for round in 0..MONTHS {
            match self.bill(&format!("rest{round}")).await {
                Ok(()) => self.note("remaining term billed by the seller"),
                Err(error) if nothing_due(&error) => break,
                Err(error) => return Err(error),
            }
            self.pay_what_is_open(expiry_year).await?;
        }
        self.progress.inc(1);
        Ok(())
    }

    async fn bill(&self, name: &str) -> anyhow::Result<()> {
        let body = json!({"contractId": self.contract, "origin": "recurring"});
        let key = format!("demo:{}:{name}", self.run);
        self.client.create("/billing-api/v1/invoices", &key, &body).await?;
        Ok(())
    }

    async fn pay_what_is_open(&mut self, expiry_year: i32) -> anyhow::Result<()> {
        let path = format!("/billing-api/v1/invoices?contractId={}&status=sent", self.contract);
        let open: Vec<Invoice> =
            records("the open invoices", self.client.list(&path, "invoices").await?)?;
        for invoice in open.iter().rev() {
            self.progress.set_message(format!("paying {}", invoice.invoice_number));
            let mut attempts = Vec::new();
            for card in cards(self.attempts.len()) {
                attempts.push(buyer::pay(&self.client, invoice, *card, expiry_year).await?);
            }
            buyer::wait_until_paid(&self.client, invoice.id).await?;
            if let Some(step) = self.steps.last_mut() {
                step.payments.push((invoice.invoice_number.clone(), attempts.clone()));
            }
            self.attempts.insert(invoice.id, attempts);
        }
        Ok(())
    }

    /// Says on the progress line what is going on.
    pub(super) fn show(&self, what: &'static str) {
        self.progress.set_message(what);
    }

    /// Moves the progress bar.
    pub(super) fn step(&self) {
        self.progress.inc(1);
    }

    fn note(&mut self, action: &str) {
        if let Some(step) = self.steps.last_mut() {
            let glue = if step.action.is_empty() { "" } else { "; " };
            step.action = format!("{}{glue}{action}", step.action);
        }
    }
}

/// The cards the buyer tries on the nth invoice, one after the other.
fn cards(nth: usize) -> &'static [Card] {
    match nth {
        1 => &[Card::Declined, Card::Mastercard],
        2 => &[Card::Challenged],
        _ => &[Card::Visa],
    }
}

fn nothing_due(error: &anyhow::Error) -> bool {
    let status = error.downcast_ref::<CallError>().and_then(CallError::status);
    status == Some(hyper::StatusCode::UNPROCESSABLE_ENTITY)
}

fn id(answer: &Value) -> anyhow::Result<u64> {
    answer["id"].as_u64().context("an answer without an id")
}
