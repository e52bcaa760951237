//! `GET /checkout/{session_id}/events`.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;

use super::{body, open};
use crate::support::buyer::{CHALLENGED, DECLINED, GOOD};
use crate::support::{Server, Value, fresh_uuid, json};

/// A stream that is read event by event.
struct Events {
    body: Incoming,
    response: String,
    _client: Client<HttpConnector, Empty<Bytes>>,
}

impl Events {
    async fn open(server: &Server, session: &str) -> Self {
        let client = Client::builder(TokioExecutor::new()).build(HttpConnector::new());
        let origin = &server.anonymous.origin;
        let uri = format!("{origin}/payments-api/v1/checkout/{session}/events");
        let answer = client.get(uri.parse().expect("an address")).await.expect("an answer");
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        assert_eq!(answer.headers()["cache-control"], "no-store");
        Self { body: answer.into_body(), response: String::new(), _client: client }
    }

    /// The data of the next event; `None` when the stream has ended.
    async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.response.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.response = rest;
                if event.starts_with(':') {
                    continue;
                }
                let data = event.strip_prefix("event: status\ndata: ").expect("a status");
                return Some(serde_json::from_str(data).expect("JSON"));
            }
            let frame = tokio::time::timeout(Duration::from_secs(30), self.body.frame()).await;
            let frame = frame.expect("something within 30 s")?.expect("no fault");
            let data = frame.into_data().expect("data");
            self.response.push_str(std::str::from_utf8(&data).expect("text"));
        }
    }
}

/// A session: its id, its page and its reference.
async fn session(server: &Server) -> (String, String, String) {
    let seller = server.seller().await;
    let asked = body();
    let made = open(&seller, &asked).await.is(201);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    (text(&made["sessionId"]), text(&made["checkoutUrl"]), text(&asked["externalOrderRef"]))
}

#[tokio::test]
async fn each_change_is_reported_until_the_end() {
    let server = Server::start().await;
    let (session, page, reference) = session(&server).await;
    let mut events = Events::open(&server, &session).await;
    let first = events.next().await.expect("one at once");
    assert_eq!(
        first,
        json!({
            "sessionId": session, "status": "provider_pending", "paymentId": reference,
            "requiresAction": false, "attempts": 0,
        })
    );
    server.anonymous.pay(&page, DECLINED).await.is(200);
    let declined = loop {
        let change = events.next().await.expect("the decline");
        if change["failureCode"] == 2001 {
            break change;
        }
    };
    assert_eq!(
        (&declined["status"], &declined["attempts"]),
        (&json!("provider_pending"), &json!(1))
    );
    server.anonymous.pay(&page, GOOD).await.is(200);
    let paid = loop {
        let change = events.next().await.expect("the end");
        if change["status"] != "provider_pending" {
            break change;
        }
        assert_eq!(change.get("failureCode"), None, "another attempt has begun");
    };
    assert_eq!((&paid["status"], &paid["attempts"]), (&json!("provider_completed"), &json!(2)));
    assert_eq!(events.next().await, None, "the stream ends");
    let mut late = Events::open(&server, &session).await;
    let status = late.next().await.expect("one at once")["status"].clone();
    assert!(["provider_completed", "settled"].contains(&status.as_str().expect("a status")));
    assert_eq!(late.next().await, None);
    server.close().await;
}

#[tokio::test]
async fn a_stream_ends_whatever_became_of_the_money_since() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let asked = body();
    let made = open(&seller, &asked).await.is(201);
    let page = made["checkoutUrl"].as_str().expect("a page");
    server.anonymous.pay(page, GOOD).await.is(200);
    let reference = asked["externalOrderRef"].as_str().expect("a reference");
    let path = format!("/payments/{reference}/refund");
    seller.simulate(&path, "force_failure=2004", &fresh_uuid(), &json!({})).await.is(202);
    let session = made["sessionId"].as_str().expect("an id");
    let mut events = Events::open(&server, session).await;
    assert_eq!(events.next().await.expect("one at once")["status"], "refund_failed");
    assert_eq!(events.next().await, None);
    server.close().await;
}

#[tokio::test]
async fn a_page_that_waits_says_what_its_events_begin_with() {
    let server = Server::start().await;
    let (session, page, _) = session(&server).await;
    // Declined once, so that there is a failure to tell of.
    server.anonymous.pay(&page, DECLINED).await.is(200);
    server.anonymous.pay(&page, CHALLENGED).await.is(200);
    let shown = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    let first = Events::open(&server, &session).await.next().await.expect("one at once");
    let part = |name: &str| match &first[name] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let told = ["status", "requiresAction", "attempts", "failureCode"].map(part).join(" ");
    assert!(shown.contains(&format!("data-told=\"{told}\"")), "{told} is not in {shown}");
    server.close().await;
}

#[tokio::test]
async fn a_stream_does_not_keep_the_server_from_ending() {
    let server = Server::start().await;
    let (session, page, _) = session(&server).await;
    server.anonymous.pay(&page, CHALLENGED).await.is(200);
    let mut events = Events::open(&server, &session).await;
    assert_eq!(events.next().await.expect("one at once")["requiresAction"], true);
    // Closing waits for the answers under way, and fails when they take too long.
    server.close().await;
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn streams_are_limited_by_address_and_unknown_sessions_are_missing() {
    let server = Server::with(&[("limits.pages_per_minute", "2")]).await;
    let path = "/checkout/nothing/events";
    let open = server.payments();
    open.get(path).await.refuses_saying(404, "not found");
    open.get(path).await.has_status(404);
    open.get(path).await.has_status(429);
    server.close().await;
}
