//! `POST /sandbox/accounts`.

use crate::support::response::id;
use crate::support::{Server, json};

#[tokio::test]
async fn a_minted_account_has_all_that_a_seller_begins_with() {
    let server = Server::start().await;
    let minted = server.billing().post("/sandbox/accounts", &json!({})).await.is(201);
    assert!(minted["sellerAccountId"].as_u64().is_some());
    let uuid = minted["sellerAccountUuid"].as_str().expect("a UUID");
    assert!(uuid::Uuid::parse_str(uuid).is_ok());
    assert_eq!(
        (&minted["mode"], &minted["expiresAt"]),
        (&json!("demo"), &json!("2027-01-29T09:00:00Z"))
    );
    let key = minted["apiKey"].as_str().expect("a key");
    assert!(key.starts_with("sk_test_") && key.len() > 40, "{key}");
    let count = |list: &str| minted[list].as_array().map_or(0, Vec::len);
    assert_eq!((count("customers"), count("payees")), (3, 2));
    assert!(minted["customers"][0]["email"].is_string());
    assert!(minted["payees"][0]["displayName"].is_string());
    assert!(count("wallets") >= 1 && minted["wallets"][0]["currency"] == "EUR");
    assert!(minted["terminalId"].as_u64().is_some());
    assert!(minted["splitRuleId"].as_u64().is_some());
    assert!(minted["dashboard"]["email"].is_string());
    assert!(minted["dashboard"]["password"].as_str().is_some_and(|word| word.len() >= 12));
    let seller = server.seller().await;
    assert_ne!(seller.id, minted["sellerAccountId"].as_u64().expect("an id"));
    let customer = seller.billing.get(&format!("/customers/{}", seller.customer())).await.is(200);
    assert_eq!(id(&customer), seller.customer());
    server.close().await;
}

#[tokio::test]
async fn one_key_works_on_both_surfaces_until_it_expires() {
    let server = Server::start().await;
    let seller = server.seller().await;
    seller.billing.get("/contracts").await.is(200);
    seller.payments.get("/webhooks").await.is(200);
    server.pass_seconds(14 * 86_400 - 1);
    seller.billing.get("/contracts").await.is(200);
    server.pass_seconds(1);
    for response in [seller.billing.get("/contracts").await, seller.payments.get("/webhooks").await]
    {
        assert_eq!((response.status, response.media_type()), (401, "text/plain"));
    }
    server.close().await;
}

#[tokio::test]
async fn no_account_is_minted_outside_demo_mode() {
    let server = Server::with(&[("demo", "false")]).await;
    let response = server.billing().post("/sandbox/accounts", &json!({})).await;
    response.has_status(503);
    assert!(!response.error().is_empty());
    server.close().await;
}

#[tokio::test]
async fn an_address_mints_so_many_an_hour() {
    let mut server = Server::with(&[("limits.sandbox_per_hour", "2")]).await;
    for _ in 0..2 {
        server.seller().await;
    }
    // A restart forgets none of them.
    server.restart().await;
    let refused = server.billing().post("/sandbox/accounts", &json!({})).await;
    refused.has_status(429);
    let wait: i64 = refused.header("retry-after").expect("Retry-After").parse().expect("seconds");
    assert!((1..=3600).contains(&wait), "{wait}");
    server.pass_seconds(wait);
    server.seller().await;
    server.close().await;
}

#[tokio::test]
async fn agreement_numbers_are_the_sellers_own() {
    let server = Server::start().await;
    let mut numbers = Vec::new();
    for _ in 0..2 {
        let seller = server.seller().await;
        let contract = seller.contract("2027-01-15").await;
        let invoice = seller.one_time(contract, 100).await;
        let number = invoice["invoiceNumber"].as_str().expect("a number");
        numbers.push(number.split_once('-').expect("a dash").0.to_owned());
    }
    assert_eq!(numbers, ["1000001", "1000002"]);
    server.close().await;
}
