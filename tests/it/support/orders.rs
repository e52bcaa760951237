//! Payments over the API: what sellers send, and what their buyers do.

use hyper::Method;
use serde_json::{Value, json};

use super::buyer::GOOD;
use super::make::{Seller, fresh, fresh_uuid, with};
use super::response::Response;
use super::server::Server;
use super::wait::until;

/// A card as sellers send it.
pub(crate) fn card_data(number: &str) -> Value {
    json!({
        "cardNumber": number, "cvv": "123", "expMonth": 12, "expYear": 2030,
        "holderName": "Ada Lovelace",
    })
}

/// A card payment of 12.50 EUR without a challenge, with `more` put over it.
pub(crate) fn order(more: Value) -> Value {
    let body = json!({
        "externalOrderRef": fresh("order"), "amount": 12.5, "currencyCode": "EUR",
        "skip3DS": true, "cardData": card_data(GOOD),
        "billingDetails": {"country": "DE", "zip": "10115"},
    });
    with(&body, more)
}

/// A payment of 12.50 by a local method, with `more` put over it.
pub(crate) fn local_order(method: &str, currency: &str, country: &str, more: Value) -> Value {
    let body = json!({
        "externalOrderRef": fresh("order"), "amount": 12.5, "currencyCode": currency,
        "countryCode": country, "paymentType": "apm", "paymentMethod": method,
        "returnUrl": "http://localhost/back",
    });
    with(&body, more)
}

/// The reference of an order or a payment.
#[track_caller]
pub(crate) fn reference(body: &Value) -> &str {
    let name = if body["paymentId"].is_string() { "paymentId" } else { "externalOrderRef" };
    body[name].as_str().unwrap_or_else(|| panic!("no reference in {body}"))
}

/// Where the buyer acts.
#[track_caller]
pub(crate) fn action_of(payment: &Value) -> &str {
    payment["actionUrl"].as_str().unwrap_or_else(|| panic!("no action in {payment}"))
}

impl Seller {
    /// Initiates a payment under a fresh key.
    pub(crate) async fn initiate(&self, body: &Value) -> Response {
        self.payments.create("/initialize-payment", &fresh_uuid(), body).await
    }

    /// The same with an instruction to the simulator.
    pub(crate) async fn simulate(
        &self,
        path: &str,
        instruction: &str,
        key: &str,
        body: &Value,
    ) -> Response {
        let headers = [("idempotency-key", key), ("simulator", instruction)];
        self.payments.send(Method::POST, path, &headers, &body.to_string()).await
    }

    /// A payment that was captured at once; its reference.
    pub(crate) async fn paid(&self, more: Value) -> String {
        let payment = self.initiate(&order(more)).await.is(202);
        assert_eq!(payment["status"], "provider_completed", "{payment}");
        reference(&payment).to_owned()
    }

    /// A payment that waits for its capture; its reference.
    pub(crate) async fn held(&self, more: Value) -> String {
        let manual = json!({"autoSettlement": false, "captureMode": "manual"});
        let payment = self.initiate(&with(&order(manual), more)).await.is(202);
        assert_eq!(payment["status"], "authorized", "{payment}");
        reference(&payment).to_owned()
    }

    /// A payment as it is now.
    pub(crate) async fn payment(&self, reference: &str) -> Value {
        self.payments.get(&format!("/payments/{reference}")).await.is(200)
    }

    /// Waits until a payment stands so.
    pub(crate) async fn wait_for_status(&self, reference: &str, status: &str) -> Value {
        until(&format!("payment {status}"), async || {
            let now = self.payment(reference).await;
            (now["status"] == status).then_some(now)
        })
        .await
    }

    /// Acts on a payment under a fresh key: `capture`, `refund` or `cancel`.
    pub(crate) async fn act_on(&self, reference: &str, action: &str, body: &Value) -> Response {
        let path = format!("/payments/{reference}/{action}");
        self.payments.create(&path, &fresh_uuid(), body).await
    }

    /// Finalizes a payment under a fresh key.
    pub(crate) async fn finalize(&self, reference: &str) -> Response {
        let body = json!({"externalOrderRef": reference});
        self.payments.create("/finalize-payment", &fresh_uuid(), &body).await
    }
}

impl Server {
    /// Pushes the clock until a paid payment has settled.
    pub(crate) async fn settle(&self, seller: &Seller, reference: &str) -> Value {
        self.pass_seconds(6);
        seller.wait_for_status(reference, "settled").await
    }
}
