//! `/usage/webhook-endpoints` and the receiver behind their addresses.

use actors::tables::SECRETS_KEY;
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use hyper::Method;
use sha2::Sha256;

use crate::support::make::with;
use crate::support::meter::{event, event_with};
use crate::support::response::{column, id, ids};
use crate::support::{Response, Seller, Server, Value, json};

/// Someone who posts usage to an endpoint.
struct Sender<'h> {
    server: &'h Server,
    url: String,
    secret: String,
}

impl<'h> Sender<'h> {
    fn of(server: &'h Server, endpoint: &Value) -> Self {
        let text = |name: &str| endpoint[name].as_str().expect("a text").to_owned();
        Self { server, url: text("url"), secret: text("secret") }
    }

    fn sign(&self, seconds: i64, body: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.secret.as_bytes()).expect("a key");
        mac.update(format!("{seconds}.{body}").as_bytes());
        format!("sha256={}", HEXLOWER.encode(&mac.finalize().into_bytes()))
    }

    async fn post(&self, seconds: i64, signature: &str, body: &str) -> Response {
        let seconds = seconds.to_string();
        let headers = [("x-service-timestamp", &*seconds), ("x-service-signature", signature)];
        self.server.anonymous.send(Method::POST, &self.url, &headers, body).await
    }

    async fn send(&self, body: &str) -> Response {
        let now = self.server.now().unix_seconds();
        self.post(now, &self.sign(now, body), body).await
    }
}

async fn endpoint(seller: &Seller) -> Value {
    let body = json!({"description": "The meter in the cellar"});
    seller.billing.post("/usage/webhook-endpoints", &body).await.is(201)
}

async fn letters(seller: &Seller) -> Vec<Value> {
    seller.billing.all("/usage/dead-letters", "deadLetters").await
}

#[tokio::test]
async fn an_endpoint_shows_its_secret_once_and_its_address_always() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let made = endpoint(&seller).await;
    assert_eq!(made["status"], "active");
    assert_eq!(made["description"], "The meter in the cellar");
    assert!(made.get("rotatedAt").is_none());
    let url = made["url"].as_str().expect("an address");
    assert!(url.starts_with(&format!("{}/usage/v1/webhooks/", server.anonymous.origin)), "{url}");
    assert!(made["secret"].as_str().expect("a secret").starts_with("whsec_"));
    let none = seller.older().post("/webhook-endpoints", &json!({})).await.is(201);
    assert!(none.get("description").is_none());
    let long = json!({"description": "d".repeat(257)});
    seller.billing.post("/usage/webhook-endpoints", &long).await.refuses(400, "description");

    server.restart().await;
    let seller = server.again(&seller);
    let list = seller.billing.get("/usage/webhook-endpoints").await.is(200);
    assert_eq!(ids(&list, "webhookEndpoints"), [id(&none), id(&made)]);
    let kept = &list["webhookEndpoints"][1];
    assert!(kept.get("secret").is_none());
    let tail =
        |one: &Value| one["url"].as_str().unwrap_or_default().rsplit('/').next().map(str::to_owned);
    assert_eq!(tail(kept), tail(&made));
    let page = seller.billing.get("/usage/webhook-endpoints?limit=1").await.is(200);
    assert_eq!((&page["hasMore"], &page["nextCursor"]), (&json!(true), &json!(id(&none))));

    let stranger = server.seller().await;
    let path = format!("/usage/webhook-endpoints/{}", id(&made));
    for action in ["rotate-secret", "revoke"] {
        let response = stranger.billing.post(&format!("{path}/{action}"), &json!({})).await;
        response.refuses_saying(404, "not found");
    }
    server.close().await;
}

#[tokio::test]
async fn after_the_servers_key_was_lost_an_endpoint_has_a_new_secret_at_its_old_address() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let (made, unused) = (endpoint(&seller).await, endpoint(&seller).await);
    let url = made["url"].as_str().expect("an address");
    let path = url.strip_prefix(&server.anonymous.origin).expect("at this server").to_owned();
    let lost = server.app().store.get(SECRETS_KEY, &0).expect("readable").expect("a fingerprint").0;
    server.set("secrets.lost", &lost);
    server.set("secrets.key", "CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg=");
    server.restart().await;

    let seller = server.again(&seller);
    let own = |endpoint: &Value| format!("/usage/webhook-endpoints/{}", id(endpoint));
    let revoke = format!("{}/revoke", own(&unused));
    assert_eq!(seller.billing.post(&revoke, &json!({})).await.is(200)["status"], "revoked");
    let list = seller.billing.get("/usage/webhook-endpoints").await.is(200);
    assert_eq!(ids(&list, "webhookEndpoints"), [id(&unused), id(&made)]);
    assert!(list["webhookEndpoints"][1].get("url").is_none());
    let rotate = format!("{}/rotate-secret", own(&made));
    let mut rotated = seller.billing.post(&rotate, &json!({})).await.is(200);
    rotated["url"] = json!(format!("{}{path}", server.anonymous.origin));
    let sent = Sender::of(&server, &rotated).send(&event(contract, "one").to_string()).await;
    assert_eq!(sent.is(202), json!({"accepted": 1}));
    server.close().await;
}

#[tokio::test]
async fn only_what_is_signed_now_with_the_secret_comes_in() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let sender = Sender::of(&server, &endpoint(&seller).await);
    let body = event(contract, "one").to_string();
    let now = server.now().unix_seconds();
    let good = sender.sign(now, &body);

    let wrong = Sender {
        secret: format!("{}x", sender.secret),
        ..Sender::of(&server, &json!({"url": sender.url, "secret": ""}))
    };
    for (seconds, signature) in [
        (now, wrong.sign(now, &body)),
        (now, sender.sign(now, &format!("{body} "))),
        (now, good.replace("sha256=", "")),
        (now, good.to_uppercase()),
        (now, String::new()),
        (now + 1, good.clone()),
        (now - 301, sender.sign(now - 301, &body)),
        (now + 301, sender.sign(now + 301, &body)),
    ] {
        let response = sender.post(seconds, &signature, &body).await;
        assert_eq!((response.status, response.media_type()), (401, "text/plain"), "{signature}");
        assert_eq!(response.text, "not authorized");
    }
    let unsigned = server.anonymous.send(Method::POST, &sender.url, &[], &body).await;
    unsigned.has_status(401);
    let unknown = format!("{}/usage/v1/webhooks/{}", server.anonymous.origin, "A".repeat(43));
    server
        .anonymous
        .send(Method::POST, &unknown, &[], &body)
        .await
        .refuses_saying(404, "not found");
    assert_eq!(seller.usage(contract).await["metrics"], json!([]));

    for old in [now - 300, now + 300, now] {
        let response = sender.post(old, &sender.sign(old, &body), &body).await.is(202);
        assert_eq!(response, json!({"accepted": 1}));
    }
    assert_eq!(seller.used(contract, "api.calls").await, "1");
    assert_eq!(letters(&seller).await, Vec::<Value>::new());
    server.close().await;
}

#[tokio::test]
async fn a_delivery_is_recorded_and_what_is_refused_is_parked_once() {
    let mut server = Server::start().await;
    let mut seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let other = seller.contract("2027-01-15").await;
    let made = endpoint(&seller).await;
    let good = [event(contract, "a"), event(other, "b"), event(contract, "a")];
    let bad = [
        (event_with(contract, "c", json!({"metric": "unheard"})), "unheard"),
        (event_with(contract, "d", json!({"quantity": 7, "extra": [1.0]})), "quantity"),
        (json!("no event"), "object"),
        (event_with(contract, "a", json!({"quantity": "9"})), "idempotencyKey"),
        (event(9_007_199_254_740_991, "e"), "contractId"),
        (event_with(contract, "f", json!({"occurredAt": "2027-02-15T00:00:00Z"})), "occurredAt"),
    ];
    let all: Vec<&Value> = good.iter().chain(bad.iter().map(|(event, _)| event)).collect();
    let body = json!({"events": all}).to_string();
    let (now, first) = (server.now().unix_seconds(), Sender::of(&server, &made));
    let signature = first.sign(now, &body);
    assert_eq!(first.post(now, &signature, &body).await.is(202), json!({"accepted": 9}));
    let parked = letters(&seller).await;
    assert_eq!(parked.len(), bad.len());
    for (letter, (event, named)) in parked.iter().rev().zip(&bad) {
        // A client of the API document reads an object, whatever was sent.
        let sent = if event.is_object() { event.clone() } else { json!({"value": event}) };
        assert_eq!(letter["event"], sent);
        assert_eq!((&letter["status"], &letter["source"]), (&json!("parked"), &json!("webhook")));
        assert_eq!(letter["attempts"], 1);
        assert!(letter["reason"].as_str().expect("a reason").contains(named), "{letter}");
    }
    assert_eq!(seller.used(contract, "api.calls").await, "1");

    // The same delivery again, before and after a restart, and in two hands at once.
    assert_eq!(first.post(now, &signature, &body).await.is(202), json!({"accepted": 9}));
    server.restart().await;
    seller = server.again(&seller);
    let url = made["url"].as_str().expect("an address").rsplit('/').next().expect("a token");
    let url = format!("{}/usage/v1/webhooks/{url}", server.anonymous.origin);
    let again = Sender::of(&server, &with(&made, json!({"url": url})));
    let twice =
        tokio::join!(again.post(now, &signature, &body), again.post(now, &signature, &body),);
    assert_eq!(twice.0.is(202), twice.1.is(202));
    assert_eq!(letters(&seller).await, parked);
    assert_eq!(seller.used(contract, "api.calls").await, "1");
    server.close().await;
}

#[tokio::test]
async fn of_two_contracts_with_one_key_the_first_in_a_delivery_has_it() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (one, other) = (seller.metered("2027-01-15").await, seller.contract("2027-01-15").await);
    let sender = Sender::of(&server, &endpoint(&seller).await);
    // Whichever of them has the smaller id.
    for (name, first, second) in [("a", one, other), ("b", other, one)] {
        let pair = |n| [first, second].map(|contract| event(contract, &format!("{name}{n}")));
        let events: Vec<Value> = (0..4).flat_map(pair).collect();
        sender.send(&json!({"events": events}).to_string()).await.is(202);
    }
    let parked = letters(&seller).await;
    let of: Vec<String> = parked
        .iter()
        .map(|letter| letter["event"]["contractId"].as_str().expect("an id").to_owned())
        .collect();
    // Newest first.
    assert_eq!(of, [vec![one.to_string(); 4], vec![other.to_string(); 4]].concat());
    server.close().await;
}

#[tokio::test]
async fn a_rotated_secret_and_a_revoked_endpoint_stop_at_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let made = endpoint(&seller).await;
    let old = Sender::of(&server, &made);
    old.send(&event(contract, "a").to_string()).await.is(202);
    let path = format!("/usage/webhook-endpoints/{}", id(&made));
    let rotated = seller.billing.post(&format!("{path}/rotate-secret"), &json!({})).await.is(200);
    assert_ne!(rotated["secret"], made["secret"]);
    assert_eq!(rotated["url"], made["url"]);
    assert!(rotated["rotatedAt"].is_string());
    old.send(&event(contract, "b").to_string()).await.has_status(401);
    let new = Sender::of(&server, &rotated);
    new.send(&event(contract, "b").to_string()).await.is(202);

    let revoked = seller.billing.post(&format!("{path}/revoke"), &json!({})).await.is(200);
    assert_eq!(revoked["status"], "revoked");
    assert!(revoked.get("secret").is_none());
    new.send(&event(contract, "c").to_string()).await.refuses_saying(404, "not found");
    let again = seller.billing.post(&format!("{path}/revoke"), &json!({})).await.is(200);
    assert_eq!(again, revoked);
    let response = seller.billing.post(&format!("{path}/rotate-secret"), &json!({})).await;
    response.refuses_saying(422, "the endpoint is revoked");
    let list = seller.billing.get("/usage/webhook-endpoints").await.is(200);
    assert_eq!(column(&list, "webhookEndpoints", "status"), ["revoked"]);
    assert_eq!(seller.used(contract, "api.calls").await, "2");
    server.close().await;
}

#[tokio::test]
async fn a_body_without_an_event_or_with_too_many_is_refused() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let sender = Sender::of(&server, &endpoint(&seller).await);
    for body in
        ["", "{", "[]", "7", "null", "{}", r#"{"a":1}"#, r#"{"events":[]}"#, r#"{"events":7}"#]
    {
        sender.send(body).await.refuses(400, "invalid request body: ");
    }
    let many = |count| {
        let events: Vec<Value> = (0..count).map(|n| event(contract, &format!("m{n}"))).collect();
        json!({"events": events}).to_string()
    };
    sender.send(&many(501)).await.refuses(413, "500");
    assert_eq!(seller.usage(contract).await["metrics"], json!([]));
    assert_eq!(sender.send(&many(500)).await.is(202), json!({"accepted": 500}));
    assert_eq!(seller.used(contract, "api.calls").await, "500");
    let large = format!("{{\"metadata\": \"{}\"}}", "x".repeat(1024 * 1024));
    sender.send(&large).await.has_status(413);
    assert_eq!(letters(&seller).await, Vec::<Value>::new());

    let closed = json!({"status": "inactive"});
    server.operator.patch(&format!("/sellers/{}", seller.id), &closed).await.is(200);
    let response = sender.send(&event(contract, "late").to_string()).await;
    assert_eq!((response.status, response.media_type()), (403, "text/plain"));
    server.close().await;
}

#[tokio::test]
async fn a_signed_delivery_counts_in_the_rate_budget_of_its_seller() {
    let server = Server::with(&[
        ("limits.billing_per_hour", "100"),
        ("limits.billing_burst", "8"),
        ("limits.dead_letters", "2"),
    ])
    .await;
    let seller = server.seller().await;
    let sender = Sender::of(&server, &endpoint(&seller).await);
    let now = server.now().unix_seconds();
    let unsigned = sender.post(now, "sha256=00", "{}").await;
    unsigned.has_status(401);
    assert!(unsigned.header("x-ratelimit-limit").is_none());
    for left in (5..=6).rev() {
        let taken = sender.send(&json!({"metric": left.to_string()}).to_string()).await;
        taken.has_status(202);
        assert_eq!(taken.header("x-ratelimit-limit"), Some("100"));
        assert_eq!(taken.header("x-ratelimit-remaining"), Some(&*left.to_string()));
    }
    let full = sender.send(&json!({"metric": "m"}).to_string()).await;
    assert_eq!(full.header("retry-after"), Some("3600"));
    full.refuses_saying(429, "too many dead letters: redrive or discard some");
    for _ in 0..4 {
        sender.send("{}").await.has_status(429);
    }
    let beyond = sender.send("{}").await;
    beyond.refuses(429, "too many requests");
    assert!(beyond.header("retry-after").is_some());
    assert_eq!(beyond.header("x-ratelimit-remaining"), Some("0"));
    server.close().await;
}
