//! The buyer: opens the hosted page of an invoice, types a card, passes the bank's challenge.

use std::time::Duration;

use anyhow::{Context as _, bail};
use hyper::Method;
use serde_json::json;

use super::records::{Invoice, PageAnswer, record};
use crate::cli::client::Client;

/// A test card of demo mode and what it is good for (decisions 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Card {
    /// Is approved.
    Visa,
    /// Is approved too.
    Mastercard,
    /// Is declined by its bank.
    Declined,
    /// Is approved after a challenge by its bank.
    Challenged,
}

/// How an attempt to pay ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    /// The card that was typed.
    pub(super) card: Card,
    /// Whether the bank's page was passed on the way.
    pub(super) challenged: bool,
    /// The failure code; 0 when it did not fail.
    pub(super) failure: u32,
}

impl Card {
    /// All digits.
    pub(super) fn number(self) -> &'static str {
        match self {
            Self::Visa => "4242424242424242",
            Self::Mastercard => "5555555555554444",
            Self::Declined => "4000000000000002",
            Self::Challenged => "4000000000003220",
        }
    }

    /// Brand and last four digits.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Visa => "Visa 4242",
            Self::Mastercard => "Mastercard 4444",
            Self::Declined => "Visa 0002",
            Self::Challenged => "Visa 3220",
        }
    }
}

impl Attempt {
    /// What happened, in a few words.
    pub(super) fn words(self) -> String {
        let name = self.card.name();
        match (self.failure, self.challenged) {
            (0, false) => format!("{name}, approved"),
            (0, true) => format!("{name}, approved after the bank's challenge"),
            (code, _) => format!("{name}, declined ({code})"),
        }
    }
}

/// Pays `invoice` on its hosted page with `card`. A decline is an outcome, not an error.
pub(super) async fn pay(
    client: &Client,
    invoice: &Invoice,
    card: Card,
    expiry_year: i32,
) -> anyhow::Result<Attempt> {
    let page = invoice.payment_url.as_deref().context("the invoice has no payment page")?;
    open(client, page).await?;
    let form = json!({
        "cardNumber": card.number(), "expMonth": "12", "expYear": expiry_year.to_string(),
        "cvv": "123", "holderName": "Ada Lovelace",
    });
    let mut answer = post(client, page, &form).await?;
    let mut challenged = false;
    if let Some(bank) = answer.action_url.take() {
        challenged = true;
        answer = approve(client, &bank).await?;
        if let Some(back) = answer.redirect_url.take() {
            open(client, &back).await?;
        }
    }
    Ok(Attempt { card, challenged, failure: answer.failure_code.unwrap_or(0) })
}

/// Looks at the page of a bank or a scheme and approves there.
pub(super) async fn approve(client: &Client, page: &str) -> anyhow::Result<PageAnswer> {
    open(client, page).await?;
    post(client, page, &json!({"action": "approve"})).await
}

/// Waits until the paid invoice says so: the payment tells it by a durable message.
pub(super) async fn wait_until_paid(client: &Client, invoice: u64) -> anyhow::Result<Invoice> {
    let path = format!("/billing-api/v1/invoices/{invoice}");
    for _ in 0..200 {
        let found: Invoice = record("an invoice", client.get(&path).await?)?;
        if found.status == "paid" {
            return Ok(found);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bail!("invoice {invoice} was not paid within 20 seconds of its payment")
}

/// Looks at a page as a browser does, following its redirects on the same server.
async fn open(client: &Client, address: &str) -> anyhow::Result<()> {
    let mut address = address.to_owned();
    for _ in 0..5 {
        let answer = client.send(Method::GET, &address, &[], None).await?;
        if !answer.status.is_redirection() {
            answer.success(Method::GET, &address)?;
            return Ok(());
        }
        let location = answer.headers.get("location").and_then(|value| value.to_str().ok());
        address = location.context("a redirect without a location")?.to_owned();
    }
    bail!("{address} redirects without end")
}

async fn post(
    client: &Client,
    address: &str,
    form: &serde_json::Value,
) -> anyhow::Result<PageAnswer> {
    let answer = client.send(Method::POST, address, &[], Some(form)).await?;
    record("a payment page", answer.success(Method::POST, address)?)
}
