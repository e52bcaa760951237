//! The sales: each is initiated by the seller and confirmed by its buyer.

use anyhow::{Context as _, ensure};
use hyper::{Method, StatusCode, header};
use serde_json::{Value, json};

use super::Chapter;
use super::records::Payment;
use super::sale::Sale;
use crate::cli::cents::Cents;
use crate::cli::client::Answer;
use crate::cli::demo::buyer::{self, Card};
use crate::cli::demo::records::record;

/// Where buyers are sent back to; sandbox accounts allow this host.
const BACK: &str = "https://example.com/thanks";

/// How the sale that fails was answered.
#[derive(Debug)]
pub(super) struct Declined {
    pub(super) status: u16,
    pub(super) code: u64,
    pub(super) error: String,
}

impl Chapter<'_> {
    /// By card: the bank asks the buyer, and the seller finalizes.
    pub(super) async fn sell_basket(&self) -> anyhow::Result<()> {
        self.story.show("selling a split basket by card");
        let mut body = self.order(Sale::Basket);
        body["cardData"] = self.card(Card::Visa);
        let payment = self.accepted(&body).await?;
        let bank = payment.action_url.context("a card payment without a challenge")?;
        buyer::approve(&self.story.client, &bank).await?;
        let reference = Sale::Basket.reference(self.run);
        let body = json!({"externalOrderRef": reference});
        let done = self.pay_post("/finalize-payment", &body).await?;
        let done: Payment = record("a finalized payment", done)?;
        ensure!(done.status == "provider_completed", "finalized, it is {}", done.status);
        Ok(())
    }

    /// By Bancontact: no finalizing; answers where the buyer was sent back to.
    pub(super) async fn sell_workshop(&self) -> anyhow::Result<String> {
        self.story.show("selling by Bancontact");
        let mut body = self.order(Sale::Workshop);
        body["paymentType"] = json!("apm");
        body["paymentMethod"] = json!("bancontact");
        body["countryCode"] = json!("BE");
        body["returnUrl"] = json!(BACK);
        let payment = self.accepted(&body).await?;
        let scheme = payment.action_url.context("a Bancontact payment without a page")?;
        let client = &self.story.client;
        let back = buyer::approve(client, &scheme).await?.redirect_url;
        let back = back.context("the scheme's page leads nowhere")?;
        let answer = client.send(Method::GET, &back, &[], None).await?;
        let location = answer.headers.get(header::LOCATION);
        let location = location.and_then(|value| value.to_str().ok()).unwrap_or_default();
        Ok(location.to_owned())
    }

    /// By a card that its bank declines.
    pub(super) async fn sell_declined(&self) -> anyhow::Result<Declined> {
        self.story.show("trying a card that is declined");
        let mut body = self.order(Sale::Declined);
        body["cardData"] = self.card(Card::Declined);
        body["skip3DS"] = json!(true);
        let answer = self.initiate(&body).await?;
        Ok(Declined {
            status: answer.status.as_u16(),
            code: answer.body["failureCode"].as_u64().unwrap_or(0),
            error: answer.body["error"].as_str().unwrap_or_default().to_owned(),
        })
    }

    /// By card, held first and captured in parts.
    pub(super) async fn sell_commission(&self) -> anyhow::Result<()> {
        self.story.show("capturing a commission in two parts");
        let mut body = self.order(Sale::Commission);
        body["cardData"] = self.card(Card::Mastercard);
        body["skip3DS"] = json!(true);
        body["autoSettlement"] = json!(false);
        body["captureMode"] = json!("manual");
        let held = self.accepted(&body).await?;
        ensure!(held.status == "authorized", "held, it is {}", held.status);
        let reference = Sale::Commission.reference(self.run);
        let path = format!("/payments/{reference}/capture");
        let captures = Sale::Commission.captures();
        for (nth, minor) in (1..).zip(captures) {
            let last = nth == captures.len();
            self.pay_post(&path, &json!({"amount": Cents(*minor).json(), "final": last})).await?;
        }
        Ok(())
    }

    fn order(&self, sale: Sale) -> Value {
        json!({
            "externalOrderRef": sale.reference(self.run),
            "amount": Cents(sale.amount()).json(),
            "currencyCode": "EUR",
            "billingDetails": {"country": "DE", "zip": "10115", "city": "Berlin"},
            "orderData": sale.order_data(&self.payees()),
        })
    }

    fn card(&self, card: Card) -> Value {
        json!({
            "cardNumber": card.number(), "cvv": "123", "expMonth": 12,
            "expYear": self.expiry_year, "holderName": "Ada Lovelace",
        })
    }

    async fn accepted(&self, body: &Value) -> anyhow::Result<Payment> {
        let answer = self.initiate(body).await?;
        let status = answer.status;
        ensure!(status == StatusCode::ACCEPTED, "answered {status}: {}", answer.body);
        record("a payment", answer.body)
    }

    async fn initiate(&self, body: &Value) -> anyhow::Result<Answer> {
        let (path, key) = ("/payments-api/v1/initialize-payment", Self::key());
        let headers = [("idempotency-key", key.as_str())];
        Ok(self.story.client.send(Method::POST, path, &headers, Some(body)).await?)
    }
}
