//! Payment links, their subscriptions and promo codes, as their seller makes them at the dashboard.

use serde_json::{Value, json};

use super::browser::Browser;
use super::make::with;

const LINK: &str = "id status title amountMinor currency singleUse usageCount expiresAt \
                    recipientEmail url";
const SUBSCRIPTION: &str = "id status title amountMinor termsPaid nextChargeOn trialEnd retryOn \
                            failureCode card { last4 } cancelledBy url";
const CODE: &str = "id code status percentBps amountOffMinor currency maxRedemptions redemptions \
                    reserved paymentLinkIds";

impl Browser {
    /// A link for one over 25 euros, with some fields otherwise.
    pub(crate) async fn payment_link(&self, more: Value) -> Value {
        let usual = json!({
            "title": "A poster", "amountMinor": 2_500, "currency": "EUR", "singleUse": true,
        });
        let create = format!(
            "mutation ($input: CreatePaymentLinkInput!) {{
                createPaymentLink(input: $input) {{ {LINK} }} }}"
        );
        let made = self.query_with(&create, json!({"input": with(&usual, more)})).await;
        made["createPaymentLink"].clone()
    }

    pub(crate) async fn payment_link_now(&self, link: &Value) -> Value {
        let read = format!("{{ paymentLink(id: {}) {{ {LINK} }} }}", link["id"]);
        self.query(&read).await["paymentLink"].clone()
    }

    /// A weekly subscription over 19 euros, with some fields otherwise.
    pub(crate) async fn link_subscription(&self, more: Value) -> Value {
        let usual = json!({
            "title": "Coffee", "amountMinor": 1_900, "currency": "EUR", "frequency": "weekly",
        });
        let create = format!(
            "mutation ($input: CreateLinkSubscriptionInput!) {{
                createLinkSubscription(input: $input) {{ {SUBSCRIPTION} }} }}"
        );
        let made = self.query_with(&create, json!({"input": with(&usual, more)})).await;
        made["createLinkSubscription"].clone()
    }

    pub(crate) async fn link_subscription_now(&self, one: &Value) -> Value {
        let read = format!("{{ linkSubscription(id: {}) {{ {SUBSCRIPTION} }} }}", one["id"]);
        self.query(&read).await["linkSubscription"].clone()
    }

    /// A code that takes a quarter off, with some fields otherwise.
    pub(crate) async fn promo_code(&self, code: &str, more: Value) -> Value {
        let usual = json!({"code": code, "percentBps": 2_500});
        let create = format!(
            "mutation ($input: CreatePromoCodeInput!) {{
                createPromoCode(input: $input) {{ {CODE} }} }}"
        );
        let made = self.query_with(&create, json!({"input": with(&usual, more)})).await;
        made["createPromoCode"].clone()
    }

    pub(crate) async fn promo_code_now(&self, code: &Value) -> Value {
        let read = format!("{{ promoCode(id: {}) {{ {CODE} }} }}", code["id"]);
        self.query(&read).await["promoCode"].clone()
    }
}

/// The page of a payment link.
pub(crate) fn url_of(link: &Value) -> String {
    link["url"].as_str().expect("a page").to_owned()
}
