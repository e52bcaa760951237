//! The buyer: opens the hosted page of an invoice, types a card, passes the bank's challenge.

use actors::domain::time::Timestamp;
use anyhow::{Context as _, bail};
use hyper::{Method, header};
use serde_json::{Value, json};

use crate::cli::client::Client;

#[derive(Clone, Copy, Debug)]
pub(super) struct Card {
    pub(super) number: &'static str,
    name: &'static str,
}

pub(super) const VISA: Card = Card { number: "4242424242424242", name: "Visa 4242" };
pub(super) const MASTERCARD: Card = Card { number: "5555555555554444", name: "Mastercard 4444" };
pub(super) const DECLINED: Card = Card { number: "4000000000000002", name: "Visa 0002" };
/// Its bank wants a 3-D Secure challenge.
const CHALLENGED: Card = Card { number: "4000000000003220", name: "Visa 3220" };

/// The cards that are tried on the first invoices, one after the other; after that it is a Visa.
const TRIED: [&[Card]; 3] = [&[VISA], &[DECLINED, MASTERCARD], &[CHALLENGED]];

pub(super) struct Buyer {
    pub(super) client: Client,
    pub(super) expiry_year: i32,
    pub(super) paid: usize,
}

/// When the cards of a buyer expire who pays at `now`.
pub(super) fn expiry_year(now: Timestamp) -> i32 {
    now.date().parts().0 + 3
}

impl Buyer {
    /// Pays an invoice on its hosted page. Answers the invoice's id, the names of the cards that
    /// were tried and what became of them; a decline is an outcome, not an error.
    pub(super) async fn pay(&mut self, invoice: &Value) -> anyhow::Result<Value> {
        let page = invoice["paymentUrl"].as_str().context("the invoice has no payment page")?;
        let cards = TRIED.get(self.paid).copied().unwrap_or(&[VISA]);
        self.paid += 1;
        let mut outcomes = Vec::new();
        for card in cards {
            outcomes.push(self.attempt(page, *card).await?);
        }
        let cards: Vec<&str> = cards.iter().map(|card| card.name).collect();
        let outcomes = outcomes.join("; ");
        Ok(json!({"invoiceId": invoice["id"], "cards": cards, "outcome": outcomes}))
    }

    /// Pays an invoice with a card that the seller may charge again.
    pub(super) async fn pay_and_save(
        &self,
        invoice: &Value,
        number: &str,
    ) -> anyhow::Result<Value> {
        let page = invoice["paymentUrl"].as_str().context("the invoice has no payment page")?;
        self.open(page).await?;
        let mut form = self.form(number);
        form["saveCard"] = json!(true);
        self.submit(page, &form).await
    }

    fn form(&self, number: &str) -> Value {
        json!({
            "cardNumber": number, "expMonth": "12", "expYear": self.expiry_year.to_string(),
            "cvv": "123", "holderName": "Ada Lovelace",
        })
    }

    async fn attempt(&self, page: &str, card: Card) -> anyhow::Result<String> {
        self.open(page).await?;
        let mut answer = self.submit(page, &self.form(card.number)).await?;
        let mut approved = "approved";
        if let Some(bank) = answer["actionUrl"].as_str() {
            approved = "approved after the bank's challenge";
            answer = self.approve(bank).await?;
            if let Some(back) = answer["redirectUrl"].as_str() {
                self.open(back).await?;
            }
        }
        Ok(match answer["failureCode"].as_u64() {
            Some(code) if code > 0 => format!("{}, declined ({code})", card.name),
            _ => format!("{}, {approved}", card.name),
        })
    }

    pub(super) async fn approve(&self, page: &str) -> anyhow::Result<Value> {
        self.open(page).await?;
        self.submit(page, &json!({"action": "approve"})).await
    }

    /// Looks at a page as a browser does, following its redirects on the same server.
    async fn open(&self, address: &str) -> anyhow::Result<()> {
        let mut address = address.to_owned();
        for _ in 0..5 {
            let answer = self.client.send(Method::GET, &address, &[], None).await?;
            if !answer.status.is_redirection() {
                answer.success(Method::GET, &address)?;
                return Ok(());
            }
            let location = answer.header(header::LOCATION);
            address = location.context("a redirect without a location")?.to_owned();
        }
        bail!("{address} redirects without end")
    }

    async fn submit(&self, page: &str, form: &Value) -> anyhow::Result<Value> {
        let answer = self.client.send(Method::POST, page, &[], Some(form)).await?;
        Ok(answer.success(Method::POST, page)?)
    }
}
