//! What a key may be used for.

use accrue::gate::Access;
use accrue::routes::routes;
use actors::domain::ids::SellerId;
use actors::domain::platform::idempotency_key::KeyedRequest;
use actors::domain::platform::seller::{NewApiKey, Scope};
use actors::kernel::{KeyClaim, Once};

use crate::support::response::column;
use crate::support::{Seller, Server, fresh, json};

/// A key of a seller with these scopes.
async fn key(server: &Server, seller: &Seller, scopes: &[Scope]) -> String {
    let new = NewApiKey::parse("Some of it", scopes, None).expect("a key");
    let request = KeyedRequest::default();
    let claim = KeyClaim { endpoint: "keys", key: fresh("key"), request };
    match server.app().sellers.create_key(SellerId(seller.id), new, claim).await {
        Ok(Once::Made((_, key))) => key.reveal().to_owned(),
        Ok(Once::Before) | Err(_) => panic!("no key"),
    }
}

#[test]
fn every_route_of_a_key_says_its_scope() {
    let mut listed: Vec<String> = routes()
        .iter()
        .filter(|route| route.access() == Access::SellerKey)
        .map(|route| {
            let scopes: Vec<_> = route.scopes().map(Scope::name).collect();
            format!("{} {} {}", scopes.join("|"), route.method(), route.path())
        })
        .collect();
    listed.sort();
    let expected: &[&str] = include!("scopes.in");
    let lines: String = listed.iter().map(|line| format!("    \"{line}\",\n")).collect();
    assert_eq!(listed, expected, "tests/it/dashboard/scopes.in should be\n&[\n{lines}]\n");
}

#[tokio::test]
async fn a_key_does_what_its_scopes_say_and_no_more() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let reads = server.anonymous.with_key(&key(&server, &seller, &[Scope::BillingRead]).await);
    let writes = server.anonymous.with_key(&key(&server, &seller, &[Scope::BillingWrite]).await);
    let meter = server.anonymous.with_key(&key(&server, &seller, &[Scope::UsageWrite]).await);
    let pays = server.anonymous.with_key(&key(&server, &seller, &[Scope::PaymentsWrite]).await);
    let contracts = "/billing-api/v1/contracts";
    let body = json!({
        "sellerCustomerId": seller.customer(), "currency": "EUR", "startDate": "2027-01-15",
    });
    reads.get(contracts).await.has_status(200);
    let refused = reads.create(contracts, &fresh("contract"), &body).await;
    refused.refuses_saying(403, "the key lacks the scope billing:write");
    assert_eq!(refused.header("x-ratelimit-limit"), None);
    writes.get(contracts).await.has_status(200);
    writes.create(contracts, &fresh("contract"), &body).await.has_status(201);
    writes
        .get("/payments-api/v1/payees")
        .await
        .refuses_saying(403, "the key lacks the scope payments:read");
    pays.get("/payments-api/v1/payees").await.has_status(200);
    pays.get(contracts).await.refuses_saying(403, "the key lacks the scope billing:read");
    meter.get(contracts).await.refuses_saying(403, "the key lacks the scope billing:read");
    for path in ["/usage/v1/events", "/billing-api/v1/usage/events"] {
        meter.post(path, &json!({})).await.has_status(400);
        writes
            .post(path, &json!({}))
            .await
            .refuses_saying(403, "the key lacks the scope usage:write");
    }
    // Who records usage follows what becomes of it.
    for usage in ["/usage/v1", "/billing-api/v1/usage"] {
        meter.get(&format!("{usage}/dead-letters")).await.has_status(200);
        meter.get(&format!("{usage}/csv/999999999")).await.has_status(404);
        let discard = format!("{usage}/dead-letters/999999999/discard");
        meter.post(&discard, &json!({})).await.has_status(404);
        reads.post(&discard, &json!({})).await.has_status(403);
    }
    // What stores nothing only reads, though it is a POST.
    let backtest = format!("{contracts}/1/metrics/calls/price/backtest");
    for path in ["/billing-api/v1/prices/evaluate", "/billing-api/v1/tax/evaluate"] {
        reads.post(path, &json!({})).await.has_status(400);
    }
    reads.post(&backtest, &json!({})).await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn a_key_is_shown_the_events_of_the_sides_that_it_may_read() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 1_000).await;
    seller.paid(json!({})).await;
    let told = async |scopes: &[Scope]| {
        let api = server.billing().with_key(&key(&server, &seller, scopes).await);
        let page = api.get("/events?limit=100").await.is(200);
        let kinds = column(&page, "events", "eventType").into_iter();
        let kinds: Vec<_> = kinds.map(|kind| kind.as_str().expect("a type").to_owned()).collect();
        (kinds, page["nextSequence"].clone(), page["hasMore"].clone())
    };
    let (all, next, more) = told(&[Scope::BillingRead, Scope::PaymentsWrite]).await;
    assert_eq!((&next, &more), (&json!(all.len()), &json!(false)), "{all:?}");
    let of_invoice = |kind: &String| kind.starts_with("Invoice") || kind == "PaymentLinkCreated";
    let (billing, payments): (Vec<_>, Vec<_>) = all.into_iter().partition(of_invoice);
    for (side, kind) in [
        (&billing, "InvoiceIssued"),
        (&billing, "PaymentLinkCreated"),
        (&payments, "PaymentCompleted"),
    ] {
        assert!(side.iter().any(|told| told == kind), "{kind}: {side:?}");
    }
    for (scope, shown) in [
        (Scope::BillingRead, &billing),
        (Scope::BillingWrite, &billing),
        (Scope::PaymentsRead, &payments),
        (Scope::PaymentsWrite, &payments),
    ] {
        assert_eq!(told(&[scope]).await, (shown.clone(), next.clone(), more.clone()), "{scope}");
    }
    let reads = server.billing().with_key(&key(&server, &seller, &[Scope::PaymentsRead]).await);
    let none = reads.get("/events?eventType=InvoiceIssued").await.is(200);
    assert_eq!((&none["events"], &none["nextSequence"]), (&json!([]), &next));
    let meter = server.billing().with_key(&key(&server, &seller, &[Scope::UsageWrite]).await);
    let refused = meter.get("/events").await;
    refused.refuses_saying(403, "the key lacks the scope billing:read or payments:read");
    server.close().await;
}

#[tokio::test]
async fn a_key_that_is_replaced_or_revoked_is_refused_at_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let id = SellerId(seller.id);
    let sellers = &server.app().sellers;
    let opens =
        async |key: &str| server.billing().with_key(key).get("/contracts").await.status == 200;
    assert!(opens(&seller.key).await);
    let (first, fresh) = sellers.regenerate_first_key(id).await.expect("a key");
    assert!(first.is_first && !opens(&seller.key).await && opens(fresh.reveal()).await);

    let (second, other) = sellers.rotate_key(id, first.id, 1).await.expect("a key");
    assert!(opens(fresh.reveal()).await && opens(other.reveal()).await);
    server.pass_seconds(3_600);
    assert!(!opens(fresh.reveal()).await && opens(other.reveal()).await);
    sellers.revoke_key(id, second.id).await.expect("revoked");
    assert!(!opens(other.reveal()).await);

    let (first, last) = sellers.regenerate_first_key(id).await.expect("a key");
    assert!(first.is_first && opens(last.reveal()).await);
    server.close().await;
}

#[tokio::test]
async fn the_last_use_of_a_key_is_known_after_a_restart() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let list = |server: &Server| server.app().key_uses.list(SellerId(seller.id)).expect("read");
    assert_eq!(list(&server)[0].last_used_at, None);
    seller.billing.get("/contracts").await.has_status(200);
    let used = Some(server.now());
    assert_eq!(list(&server)[0].last_used_at, used);
    server.restart().await;
    assert_eq!(list(&server)[0].last_used_at, used);
    server.close().await;
}
