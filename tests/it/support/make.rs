//! What tests start from: sellers, customers, contracts, subscriptions, invoices.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::api::Api;
use super::browser::Browser;
use super::response::id;
use super::server::Server;

static DRAWN: AtomicU64 = AtomicU64::new(1);

/// An idempotency key that no other call of this process has.
pub(crate) fn fresh(name: &str) -> String {
    format!("{name}-{}", DRAWN.fetch_add(1, Ordering::Relaxed))
}

/// The same as a UUID, for payments.
pub(crate) fn fresh_uuid() -> String {
    let number = u128::from(DRAWN.fetch_add(1, Ordering::Relaxed));
    uuid::Uuid::from_u128(0x9b1d_eb4d_3b7d_4bad_9bdd_0000_0000_0000 + number).to_string()
}

/// A minted sandbox account, seen by its seller.
#[derive(Clone, Debug)]
pub(crate) struct Seller {
    /// `sellerAccountId`.
    pub(crate) id: u64,
    /// The key.
    pub(crate) key: String,
    /// The answer that minted it.
    pub(crate) minted: Value,
    /// `/billing-api/v1` with the key.
    pub(crate) billing: Api,
    /// `/payments-api/v1` with the key.
    pub(crate) payments: Api,
}

impl Server {
    /// Mints a sandbox account.
    pub(crate) async fn seller(&self) -> Seller {
        let minted = self.billing().post("/sandbox/accounts", &json!({})).await.is(201);
        self.seller_of(minted)
    }

    /// The same after a restart, at the server's new address.
    pub(crate) fn again(&self, seller: &Seller) -> Seller {
        self.seller_of(seller.minted.clone())
    }

    /// Mints a live account; `more` is put over its name and address.
    pub(crate) async fn live_seller(&self, more: Value) -> Seller {
        let mut body = json!({"name": "Live Ltd", "email": "live@example.com"});
        merge(&mut body, more);
        self.seller_of(self.operator.post("/sellers", &body).await.is(201))
    }

    /// One whose cards go to the processor at `url`.
    pub(crate) async fn live_seller_at(&self, url: &str, secret_key: &str) -> Seller {
        let seller = self.live_seller(json!({})).await;
        let terminal = json!({
            "name": "Live", "rail": "card", "methods": ["card"], "currencies": ["EUR"],
            "mode": "live", "connector": "stripe", "baseUrl": url, "secretKey": secret_key,
        });
        let path = format!("/sellers/{}/terminals", seller.id);
        self.operator.post(&path, &terminal).await.is(201);
        seller
    }

    /// Opens an account in demo mode that is no sandbox, seen by its owner and by a program.
    pub(crate) async fn beginner(&self) -> (Browser, Seller) {
        let login = json!({"email": "ada@example.com", "password": "correct horse"});
        let started = self.anonymous.post("/api/v1/onboarding/start", &login).await;
        let owner = Browser::of(&self.anonymous, &started);
        let body = json!({"name": "Byron Ltd", "country": "DE"});
        let account = owner.post("/api/v1/onboarding/complete", &body).await.is(200);
        let seller = self.with_new_key(&owner, &account["sellerAccountId"]).await;
        (owner, seller)
    }

    /// Takes such an account live. Its seller has another key then.
    pub(crate) async fn go_live(&self, owner: &Browser, seller: &Seller) -> Seller {
        let path = format!("/sellers/{}", seller.id);
        self.operator.patch(&path, &json!({"mode": "live"})).await.is(200);
        self.with_new_key(owner, &json!(seller.id)).await
    }

    async fn with_new_key(&self, owner: &Browser, account: &Value) -> Seller {
        let create = "mutation { createApiKey(input: {
            name: \"Key\", scopes: [\"payments:read\", \"payments:write\"]
        }) { secret } }";
        let key = owner.query(create).await["createApiKey"]["secret"].clone();
        self.seller_of(json!({"sellerAccountId": account, "apiKey": key}))
    }

    fn seller_of(&self, minted: Value) -> Seller {
        let key = minted["apiKey"].as_str().expect("a key").to_owned();
        Seller {
            id: minted["sellerAccountId"].as_u64().expect("an id"),
            billing: self.billing().with_key(&key),
            payments: self.payments().with_key(&key),
            key,
            minted,
        }
    }

    /// Turns a switch for everybody.
    pub(crate) async fn switch(&self, name: &str, enabled: bool) {
        let body = json!({"enabled": enabled});
        self.operator.put(&format!("/switches/{name}"), &body).await.is(200);
    }
}

impl Seller {
    /// The first of the three test customers.
    pub(crate) fn customer(&self) -> u64 {
        id(&self.minted["customers"][0])
    }

    /// A contract in EUR from `start` on, with the first test customer.
    pub(crate) async fn contract(&self, start: &str) -> u64 {
        let body = json!({
            "sellerCustomerId": self.customer(), "currency": "EUR", "startDate": start,
        });
        id(&self.billing.create("/contracts", &fresh("contract"), &body).await.is(201))
    }

    /// A subscription of a contract; `more` is put over a monthly one of 10.00 from `start`.
    pub(crate) async fn subscribe(&self, contract: u64, start: &str, more: Value) -> Value {
        let mut body = json!({
            "frequency": "monthly", "priceMinor": 1000, "currency": "EUR", "startDate": start,
        });
        merge(&mut body, more);
        let path = format!("/contracts/{contract}/subscriptions");
        self.billing.create(&path, &fresh("subscription"), &body).await.is(201)
    }

    /// A subscription as it is now.
    pub(crate) async fn subscription(&self, subscription: u64) -> Value {
        self.billing.get(&format!("/subscriptions/{subscription}")).await.is(200)
    }

    /// Acts on a subscription.
    pub(crate) async fn act(&self, subscription: u64, action: &str, body: Value) -> Value {
        let path = format!("/subscriptions/{subscription}/{action}");
        self.billing.post(&path, &body).await.is(200)
    }

    /// An invoice; `body` is the whole request.
    pub(crate) async fn invoice(&self, body: Value) -> Value {
        self.billing.create("/invoices", &fresh("invoice"), &body).await.is(201)
    }

    /// A sent one-line invoice of `amount` minor units on a contract.
    pub(crate) async fn one_time(&self, contract: u64, amount: i64) -> Value {
        self.invoice(json!({
            "contractId": contract, "origin": "one_time", "lines": [line("Set-up", amount)],
        }))
        .await
    }

    /// An invoice as it is now.
    pub(crate) async fn invoice_now(&self, invoice: u64) -> Value {
        self.billing.get(&format!("/invoices/{invoice}")).await.is(200)
    }

    /// The invoice of a contract's due terms.
    pub(crate) async fn recurring(&self, contract: u64) -> Value {
        self.invoice(json!({"contractId": contract, "origin": "recurring"})).await
    }

    /// Advances a contract's test clock.
    pub(crate) async fn advance(&self, contract: u64, to: &str) -> Value {
        let path = format!("/contracts/{contract}/test-clock/advance");
        self.billing.post(&path, &json!({"to": to})).await.is(200)
    }
}

/// One line of an invoice: one piece of `amount` minor units.
pub(crate) fn line(description: &str, amount: i64) -> Value {
    json!({"description": description, "quantity": "1", "unitPriceMinor": amount})
}

/// Puts the fields of `more` over those of `body`; a `null` takes a field away.
pub(crate) fn merge(body: &mut Value, more: Value) {
    let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) else { return };
    for (name, value) in more {
        match value {
            Value::Null => drop(body.remove(&name)),
            value => drop(body.insert(name, value)),
        }
    }
}

/// `body` with the fields of `more` put over it.
pub(crate) fn with(body: &Value, more: Value) -> Value {
    let mut body = body.clone();
    merge(&mut body, more);
    body
}
