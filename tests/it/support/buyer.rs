//! A buyer at a hosted page, with and without JavaScript.

use hyper::Method;
use serde_json::{Value, json};

use super::api::Api;
use super::make::with;
use super::response::Response;

/// The test cards of demo mode.
pub(crate) const GOOD: &str = "4242424242424242";
/// Is declined: 2001.
pub(crate) const DECLINED: &str = "4000000000000002";
/// Needs the buyer's confirmation.
pub(crate) const CHALLENGED: &str = "4000000000003220";

/// What a card form sends.
pub(crate) fn card(number: &str) -> Value {
    json!({
        "cardNumber": number, "expMonth": "12", "expYear": "2030", "cvv": "123",
        "holderName": "Ada Lovelace",
    })
}

/// The page behind an invoice, for a buyer without a key.
pub(crate) fn page_of(invoice: &Value) -> String {
    invoice["paymentUrl"].as_str().expect("a page").to_owned()
}

impl Api {
    /// Pays at a page as a program does.
    pub(crate) async fn pay(&self, page: &str, number: &str) -> Response {
        self.without_key().post(page, &card(number)).await
    }

    /// The same with some fields otherwise.
    pub(crate) async fn pay_with(&self, page: &str, more: Value) -> Response {
        self.without_key().post(page, &with(&card(GOOD), more)).await
    }

    /// Answers the simulated bank as a program does.
    pub(crate) async fn answer_bank(&self, page: &str, action: &str) -> Response {
        self.without_key().post(page, &json!({"action": action})).await
    }

    /// Opens a page as a browser does.
    pub(crate) async fn open_page(&self, page: &str) -> Response {
        let html = [("accept", "text/html,application/xhtml+xml")];
        self.without_key().send(Method::GET, page, &html, "").await
    }

    /// Sends a form as a browser does.
    pub(crate) async fn submit(&self, page: &str, form: &str) -> Response {
        let headers = [
            ("accept", "text/html,application/xhtml+xml"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        self.without_key().send(Method::POST, page, &headers, form).await
    }
}
