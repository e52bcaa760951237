//! What is billed of subscriptions whose plan changed in the term in which they end, and how
//! documents are collected that nobody says it of.

use crate::support::buyer::page_of;
use crate::support::make::with;
use crate::support::response::id;
use crate::support::{Seller, Server, Value, fresh, json};

async fn begun(server: &Server, price: i64) -> (Seller, u64, u64) {
    let seller = server.seller().await;
    let contract = seller.contract("2027-04-01").await;
    let more = json!({"priceMinor": price, "description": "Team", "taxRate": "0"});
    let subscription = id(&seller.subscribe(contract, "2027-04-01", more).await);
    (seller, contract, subscription)
}

/// The invoices of a contract, newest first.
async fn invoices(seller: &Seller, contract: u64) -> Vec<Value> {
    seller.billing.all(&format!("/invoices?contractId={contract}"), "invoices").await
}

fn recurring(contract: u64) -> Value {
    json!({"contractId": contract, "origin": "recurring"})
}

#[tokio::test]
async fn a_prorated_cancel_bills_the_days_used_at_the_price_that_held() {
    let server = Server::at("2027-04-01T09:00:00Z", &[]).await;
    let (seller, contract, subscription) = begun(&server, 3001).await;
    seller.act(subscription, "change-plan", json!({"priceMinor": 4507})).await;
    seller.advance(contract, "2027-04-06T09:00:00Z").await;
    let cancel = json!({"mode": "immediately", "prorate": true});
    seller.act(subscription, "cancel", cancel).await;
    let invoice = seller.recurring(contract).await;
    assert_eq!(invoice["grandTotalMinor"], 751, "{invoice}");
    let again = seller.billing.create("/invoices", &fresh("i"), &recurring(contract)).await;
    again.refuses(422, "due");
    server.close().await;
}

#[tokio::test]
async fn an_upgrade_in_the_last_term_is_billed_by_hand_or_by_the_pass() {
    for by_hand in [true, false] {
        let server = Server::at("2027-04-01T09:00:00Z", &[]).await;
        let (seller, contract, subscription) = begun(&server, 1000).await;
        assert_eq!(seller.recurring(contract).await["grandTotalMinor"], 1000);
        seller.advance(contract, "2027-04-02T09:00:00Z").await;
        seller.act(subscription, "change-plan", json!({"priceMinor": 100_000})).await;
        seller.act(subscription, "cancel", json!({})).await;
        if by_hand {
            seller.recurring(contract).await;
        }
        seller.advance(contract, "2027-05-01T09:00:00Z").await;
        seller.advance(contract, "2027-07-01T09:00:00Z").await;
        let totals: Vec<_> = invoices(&seller, contract).await;
        let totals: Vec<_> = totals.iter().map(|one| one["grandTotalMinor"].clone()).collect();
        assert_eq!(totals, [95_700, 1000]);
        server.close().await;
    }
}

#[tokio::test]
async fn what_the_pass_has_to_bill_outlives_a_restart() {
    let mut server = Server::at("2027-04-01T09:00:00Z", &[]).await;
    let (seller, contract, subscription) = begun(&server, 1000).await;
    seller.recurring(contract).await;
    seller.act(subscription, "change-plan", json!({"priceMinor": 4000})).await;
    seller.act(subscription, "cancel", json!({"mode": "immediately"})).await;
    server.restart().await;
    let seller = server.again(&seller);
    seller.advance(contract, "2027-04-01T20:00:00Z").await;
    assert_eq!(invoices(&seller, contract).await.len(), 1, "not before the day is over");
    seller.advance(contract, "2027-04-02T09:00:00Z").await;
    assert_eq!(invoices(&seller, contract).await[0]["grandTotalMinor"], 3000);
    server.close().await;
}

#[tokio::test]
async fn what_is_not_bound_to_invoices_waits_until_it_is() {
    const BINDING: &str = "billing.proration.invoice_binding";
    let server = Server::at("2027-04-01T09:00:00Z", &[]).await;
    let (seller, contract, subscription) = begun(&server, 1000).await;
    seller.recurring(contract).await;
    seller.act(subscription, "change-plan", json!({"priceMinor": 4000})).await;
    seller.act(subscription, "cancel", json!({})).await;
    server.switch(BINDING, false).await;
    let nothing = &seller.advance(contract, "2027-05-02T09:00:00Z").await["invoices"];
    let told = ["issued", "skipped", "failed"].map(|name| nothing[name].as_u64());
    assert_eq!(told, [Some(0), Some(1), Some(0)]);
    server.switch(BINDING, true).await;
    let report =
        server.operator.post("/passes/billing.recurring.invoice_pass/run", &json!({})).await;
    assert_eq!(report.is(200)["counts"]["issued"], 1);
    assert_eq!(invoices(&seller, contract).await[0]["grandTotalMinor"], 3000);
    server.close().await;
}

#[tokio::test]
async fn a_document_is_collected_as_its_oldest_subscription_says() {
    let server = Server::at("2027-04-01T09:00:00Z", &[]).await;
    let seller = server.seller().await;
    for (first, second, expected) in [
        ("bank_transfer", "payment_link", "bank_transfer"),
        ("payment_link", "bank_transfer", "payment_link"),
    ] {
        let contract = seller.contract("2027-04-01").await;
        for method in [first, second] {
            seller.subscribe(contract, "2027-04-01", json!({"collectionMethod": method})).await;
        }
        let key = fresh("i");
        let response = seller.billing.create("/invoices", &key, &recurring(contract)).await;
        let invoice = response.is(201);
        assert_eq!(invoice["collectionMethod"], expected);
        assert_eq!(invoice["status"] == "sent", expected == "payment_link");
        let stated = with(&recurring(contract), json!({"collectionMethod": expected}));
        seller.billing.create("/invoices", &key, &stated).await.has_status(200);
        // The pass goes on as that document was.
        seller.advance(contract, "2027-05-01T09:00:00Z").await;
        assert_eq!(invoices(&seller, contract).await[0]["collectionMethod"], expected);
    }
    let contract = seller.contract("2027-04-01").await;
    let by_bank = json!({"collectionMethod": "bank_transfer"});
    seller.subscribe(contract, "2027-04-01", by_bank).await;
    let sent = with(&recurring(contract), json!({"send": true}));
    seller.billing.create("/invoices", &fresh("i"), &sent).await.refuses(422, "bank transfer");
    let by_link = with(&sent, json!({"collectionMethod": "payment_link"}));
    let invoice = seller.invoice(by_link).await;
    assert_eq!(
        (&invoice["collectionMethod"], &invoice["status"]),
        (&json!("payment_link"), &json!("sent"))
    );
    server.close().await;
}

#[tokio::test]
async fn the_page_says_what_is_taken_off_and_why() {
    let server = Server::at("2027-04-01T09:00:00Z", &[]).await;
    let (seller, contract, subscription) = begun(&server, 3000).await;
    seller.recurring(contract).await;
    seller.advance(contract, "2027-04-16T09:00:00Z").await;
    seller.act(subscription, "change-plan", json!({"priceMinor": 2000})).await;
    seller.advance(contract, "2027-05-01T09:00:00Z").await;
    let invoice = seller.invoice_now(id(&invoices(&seller, contract).await[0])).await;
    let words = "Team: plan change from 2027-04-16 on (15 of 30 days)";
    assert_eq!(invoice["lines"][0]["prorationCredits"][0]["description"], words);
    let page = server.anonymous.open_page(&page_of(&invoice)).await;
    let shown = page.text.replace('\u{a0}', " ");
    for part in ["Subtotal", "€20.00", "Discount", "€5.00", words, "€15.00"] {
        assert!(shown.contains(part), "{part} is missing: {shown}");
    }
    server.close().await;
}
