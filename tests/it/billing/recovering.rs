//! What lets a subscription recover that is past due for no invoice in particular, and what becomes
//! of one that is paused while its invoice is given up.

use super::collection::{Shop, TIMES_OUT_LATER};
use crate::support::buyer::{GOOD, page_of};
use crate::support::response::id;
use crate::support::{Seller, Server, Value, fresh, json, until};

/// A contract with a subscription whose trial of five days ended without its card.
async fn past_due_trial(seller: &Seller, frequency: &str) -> (u64, u64) {
    let contract = seller.contract("2027-01-15").await;
    let trial = json!({"frequency": frequency, "trialDays": 5, "requirePaymentMethod": true});
    let subscription = id(&seller.subscribe(contract, "2027-01-15", trial).await);
    seller.advance(contract, "2027-01-20T00:00:00Z").await;
    assert_eq!(status(seller, subscription).await, "past_due");
    (contract, subscription)
}

async fn status(seller: &Seller, subscription: u64) -> Value {
    seller.subscription(subscription).await["status"].clone()
}

async fn gift(seller: &Seller, contract: u64, minor: i64) {
    let body = json!({
        "creditType": "gift", "amountMinor": minor, "currency": "EUR", "reason": "Thanks",
    });
    let path = format!("/contracts/{contract}/credits/top-up");
    seller.billing.create(&path, &fresh("gift"), &body).await.is(201);
}

async fn pays(server: &Server, seller: &Seller, invoice: &Value) {
    let card = json!({"cardNumber": GOOD});
    server.anonymous.pay_with(&page_of(invoice), card).await.is(200);
    until("the invoice to be paid", async || {
        (seller.invoice_now(id(invoice)).await["status"] == "paid").then_some(())
    })
    .await;
}

async fn newest(seller: &Seller, contract: u64) -> Value {
    let path = format!("/invoices?contractId={contract}&limit=1");
    seller.billing.get(&path).await.is(200)["invoices"][0].clone()
}

#[tokio::test]
async fn an_invoice_that_credit_pays_whole_as_it_is_issued_recovers_its_subscription() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (contract, subscription) = past_due_trial(&seller, "monthly").await;
    gift(&seller, contract, 5_000).await;
    assert_eq!(seller.recurring(contract).await["status"], "paid");
    assert_eq!(status(&seller, subscription).await, "active");
    let told = seller.billing.get("/events?limit=100").await.is(200);
    let told = told["events"].as_array().expect("events").clone();
    let kinds: Vec<_> = told.iter().map(|event| event["eventType"].clone()).collect();
    let place = |kind: &str| kinds.iter().rposition(|told| told == kind).expect(kind);
    assert!(place("InvoicePaid") < place("BillingSubscriptionRecovered"), "{kinds:?}");
    server.close().await;
}

#[tokio::test]
async fn a_free_term_recovers_its_subscription() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let free = json!({"priceMinor": 0, "trialDays": 5, "requirePaymentMethod": true});
    let subscription = id(&seller.subscribe(contract, "2027-01-15", free).await);
    seller.advance(contract, "2027-01-20T00:00:00Z").await;
    assert_eq!(status(&seller, subscription).await, "past_due");
    seller.recurring(contract).await;
    assert_eq!(status(&seller, subscription).await, "active");
    server.close().await;
}

#[tokio::test]
async fn an_invoice_that_is_paid_after_the_next_term_has_begun_recovers_its_subscription() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (contract, subscription) = past_due_trial(&seller, "weekly").await;
    let first = seller.recurring(contract).await;
    seller.advance(contract, "2027-01-27T00:00:00Z").await;
    assert_ne!(newest(&seller, contract).await["id"], first["id"], "the next term is billed");
    // What is of no subscription says nothing of one.
    let other = seller.one_time(contract, 700).await;
    pays(&server, &seller, &other).await;
    assert_eq!(status(&seller, subscription).await, "past_due");
    pays(&server, &seller, &first).await;
    assert_eq!(status(&seller, subscription).await, "active");
    server.close().await;
}

#[tokio::test]
async fn a_paused_subscription_whose_invoice_is_given_up_is_past_due_once_it_goes_on() {
    let shop = Shop::open(TIMES_OUT_LATER).await;
    shop.advance("2027-02-15").await;
    let invoice = shop.newest().await;
    shop.seller.act(shop.subscription, "pause", json!({})).await;
    let counts = &shop.advance("2027-02-22").await["collection"];
    assert_eq!((&counts["failed"], &counts["pastDue"]), (&json!(3), &json!(0)));
    assert_eq!(shop.status().await, "paused");
    let resumed = shop.seller.act(shop.subscription, "resume", json!({})).await;
    assert_eq!(resumed["status"], "past_due");
    shop.pays(&invoice, GOOD, false).await;
    assert_eq!(shop.status().await, "active");
    shop.server.close().await;
}
