//! Before the clock moves: seller, webhook, customer, contract, subscriptions, first invoice.

use std::collections::BTreeMap;

use actors::domain::time::{Date, Timestamp};
use anyhow::Context as _;
use indicatif::ProgressBar;
use serde_json::json;

use super::{Step, Story, id};
use crate::cli::client::Client;
use crate::cli::demo::receiver::Receiver;
use crate::cli::demo::records::{Account, TestClock, record};
use crate::cli::demo::schedule::{ADDON_PRICES, Schedule, TAX_PERCENT, TEAM_PRICE};

impl Story {
    /// Mints the seller, registers the webhook, makes customer, contract and subscriptions.
    /// `run`, a UUID, makes the idempotency keys of this run its own.
    pub(in crate::cli::demo) async fn begin(
        open: &Client,
        receiver: &Receiver,
        refuse_first: bool,
        run: String,
        today: Date,
        progress: ProgressBar,
    ) -> anyhow::Result<Self> {
        progress.set_message("minting a sandbox account");
        let minted = open.post("/billing-api/v1/sandbox/accounts", &json!({})).await?;
        let account: Account = record("the sandbox account", minted)?;
        let client = open.with_key(&account.api_key);
        progress.inc(1);

        progress.set_message("registering the webhook");
        let webhook = json!({"webhookUrl": receiver.url()});
        let webhook = client.create("/payments-api/v1/webhooks", &run, &webhook).await?;
        let (webhook_id, secret) = (id(&webhook)?, webhook["secretKey"].as_str());
        let secret = secret.context("the webhook has no secretKey")?;
        receiver.trust(secret, refuse_first);
        progress.inc(1);

        progress.set_message("making customer, contract and subscriptions");
        let customer = json!({
            "email": "ada@example.com", "name": "Ada Lovelace",
            "companyName": "Analytical Engines Ltd", "companyCountry": "GB",
        });
        let customer = id(&client.post("/billing-api/v1/customers", &customer).await?)?;
        let body = json!({
            "sellerCustomerId": customer, "currency": "EUR",
            "startDate": today.to_string(),
        });
        let key = format!("demo:{run}:contract");
        let contract = id(&client.create("/billing-api/v1/contracts", &key, &body).await?)?;
        let clock = format!("/billing-api/v1/contracts/{contract}/test-clock");
        let clock: TestClock = record("the test clock", client.get(&clock).await?)?;
        let mut story = Self {
            client,
            account,
            contract,
            schedule: Schedule::of_year_from(clock.now.date()),
            steps: Vec::new(),
            attempts: BTreeMap::new(),
            addon: 0,
            webhook: webhook_id,
            progress,
            run,
        };
        story.activate().await?;
        story.subscribe().await?;
        story.progress.inc(1);
        story.first_invoice(clock.now).await?;
        Ok(story)
    }

    async fn activate(&self) -> anyhow::Result<()> {
        let path = format!("/billing-api/v1/contracts/{}/amendments", self.contract);
        let body = json!({
            "expectedBaseVersion": 1, "status": "active",
            "customerName": "Ada, Countess of Lovelace",
        });
        self.client.post(&path, &body).await?;
        Ok(())
    }

    async fn subscribe(&mut self) -> anyhow::Result<()> {
        let path = format!("/billing-api/v1/contracts/{}/subscriptions", self.contract);
        let plan = |description: &str, price: i64| {
            json!({
                "frequency": "monthly", "priceMinor": price, "currency": "EUR",
                "startDate": self.schedule.today.to_string(), "description": description,
                "taxRate": TAX_PERCENT.to_string(),
            })
        };
        let mut team = plan("Team plan", TEAM_PRICE);
        team["trialEnd"] = json!(self.schedule.trial_end.to_string());
        let key = |name: &str| format!("demo:{}:{name}", self.run);
        self.client.create(&path, &key("team"), &team).await?;
        let addon = plan("Add-on", ADDON_PRICES[0]);
        self.addon = id(&self.client.create(&path, &key("addon"), &addon).await?)?;
        Ok(())
    }

    /// The first recurring document is the seller's own; the pass continues from it.
    async fn first_invoice(&mut self, now: Timestamp) -> anyhow::Result<()> {
        self.progress.set_message("issuing the first invoice");
        self.bill("first").await?;
        let action = "first invoice issued by the seller".to_owned();
        self.steps.push(Step { now, action, advance: None, payments: Vec::new() });
        self.progress.inc(1);
        Ok(())
    }
}
