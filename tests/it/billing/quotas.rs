//! The rate budget and the three write quotas.

use crate::support::make::line;
use crate::support::{Response, Seller, Server, fresh, json};

const RATE_HEADERS: [&str; 5] = [
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "ratelimit-policy",
    "ratelimit",
];

async fn contract(seller: &Seller, key: &str) -> Response {
    let body = json!({
        "sellerCustomerId": seller.customer(), "currency": "EUR", "startDate": "2027-01-15",
    });
    seller.billing.create("/contracts", key, &body).await
}

#[tokio::test]
async fn the_budget_is_reported_spent_and_refilled() {
    let settings = [("limits.billing_per_hour", "3600"), ("limits.billing_burst", "3")];
    let server = Server::with(&settings).await;
    let seller = server.seller().await;
    let first = seller.billing.get("/contracts").await;
    let headers: Vec<&str> = RATE_HEADERS.iter().filter_map(|name| first.header(name)).collect();
    let expected =
        ["3600", "2", "1", r#""seller";q=3600;qu="requests";w=3600"#, r#""seller";r=2;t=1"#];
    assert_eq!(headers, expected);
    // A refused request costs as well.
    seller.billing.get("/contracts?limit=0").await.has_status(400);
    seller.billing.get("/contracts/999999999").await.has_status(404);
    let refused = seller.billing.get("/contracts").await;
    refused.has_status(429);
    assert!(refused.error().contains("Retry-After"), "{}", refused.text);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.header("x-ratelimit-remaining"), Some("0"));
    assert_eq!(refused.header("x-ratelimit-reset"), Some("3"));
    // Another seller and another surface have budgets of their own.
    server.seller().await.billing.get("/contracts").await.is(200);
    seller.payments.get("/webhooks").await.is(200);
    server.pass_seconds(1);
    seller.billing.get("/contracts").await.is(200);
    seller.billing.get("/contracts").await.has_status(429);
    server.pass_seconds(3600);
    let full = seller.billing.get("/contracts").await;
    assert_eq!(full.header("x-ratelimit-remaining"), Some("2"), "never above the burst");
    server.close().await;
}

#[tokio::test]
async fn strangers_and_switched_off_limits_see_no_rate_headers() {
    let server = Server::with(&[("limits.billing_per_hour", "1000")]).await;
    let stranger = server.billing().get("/contracts").await;
    stranger.has_status(401);
    let seller = server.seller().await;
    let body = json!({"status": "inactive"});
    server.operator.patch(&format!("/sellers/{}", seller.id), &body).await.is(200);
    let refused = seller.billing.get("/contracts").await;
    refused.has_status(403);
    let off = Server::start().await;
    let unlimited = off.seller().await.billing.get("/contracts").await;
    for response in [stranger, refused, unlimited] {
        for name in RATE_HEADERS {
            assert_eq!(response.header(name), None, "{} {name}", response.request);
        }
    }
    server.close().await;
    off.close().await;
}

#[tokio::test]
async fn contracts_are_counted_over_24_hours_refusals_and_replays_too() {
    let server = Server::with(&[("limits.contracts_per_day", "3")]).await;
    let seller = server.seller().await;
    contract(&seller, "one").await.is(201);
    contract(&seller, "one").await.is(200);
    server.pass_seconds(3600);
    seller.billing.create("/contracts", "two", &json!({})).await.has_status(400);
    let refused = contract(&seller, "two").await;
    refused.has_status(429);
    let wait: i64 = refused.header("retry-after").expect("Retry-After").parse().expect("seconds");
    assert_eq!(wait, 23 * 3600, "until the first is a day old");
    assert_eq!(seller.billing.all("/contracts", "contracts").await.len(), 1);
    server.pass_seconds(wait - 1);
    contract(&seller, "two").await.has_status(429);
    server.pass_seconds(1);
    contract(&seller, "two").await.is(201);
    // Reading is not counted, and another seller has a quota of its own.
    seller.billing.get("/contracts").await.is(200);
    contract(&server.seller().await, "two").await.is(201);
    server.close().await;
}

#[tokio::test]
async fn amendments_and_invoices_have_quotas_of_their_own() {
    let settings = [("limits.amendments_per_day", "2"), ("limits.invoices_per_day", "2")];
    let server = Server::with(&settings).await;
    let seller = server.seller().await;
    let own = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{own}/amendments");
    let body = json!({"expectedBaseVersion": 1});
    seller.billing.post(&path, &body).await.is(200);
    seller.billing.post(&path, &body).await.has_status(422);
    seller.billing.post(&path, &body).await.has_status(429);
    let body = json!({"contractId": own, "origin": "one_time", "lines": [line("x", 1)]});
    let key = fresh("i");
    seller.billing.create("/invoices", &key, &body).await.is(201);
    seller.billing.create("/invoices", &key, &body).await.is(200);
    let third = seller.billing.create("/invoices", &fresh("i"), &body).await;
    third.has_status(429);
    assert!(third.header("retry-after").is_some());
    server.close().await;
}

#[tokio::test]
async fn a_quota_of_0_is_unmetered_and_a_sellers_own_stands_before_the_default() {
    let server = Server::with(&[("limits.contracts_per_day", "1")]).await;
    let seller = server.seller().await;
    let path = format!("/sellers/{}", seller.id);
    contract(&seller, "a").await.is(201);
    contract(&seller, "b").await.has_status(429);
    let body = json!({"quotas": {"contractsPerDay": 0}});
    server.operator.patch(&path, &body).await.is(200);
    for key in ["b", "c", "d"] {
        contract(&seller, key).await.is(201);
    }
    let body = json!({"rateLimits": {"billingPerHour": 7, "billingBurst": 2}});
    server.operator.patch(&path, &body).await.is(200);
    let response = seller.billing.get("/contracts").await;
    assert_eq!(response.header("x-ratelimit-limit"), Some("7"));
    assert_eq!(response.header("x-ratelimit-remaining"), Some("1"));
    server.close().await;
}

#[tokio::test]
async fn what_was_counted_outlives_a_restart() {
    let mut server = Server::with(&[("limits.contracts_per_day", "1")]).await;
    let seller = server.seller().await;
    contract(&seller, "a").await.is(201);
    server.restart().await;
    let seller = server.again(&seller);
    contract(&seller, "b").await.has_status(429);
    server.close().await;
}
