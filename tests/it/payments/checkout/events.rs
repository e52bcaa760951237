//! `GET /checkout/{session_id}/events`.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;

use super::{body, open};
use crate::support::buyer::{CHALLENGED, DECLINED, GOOD};
use crate::support::{House, Value, json};

/// A stream that is read event by event.
struct Events {
    body: Incoming,
    heard: String,
    _client: Client<HttpConnector, Empty<Bytes>>,
}

impl Events {
    async fn open(house: &House, session: &str) -> Self {
        let client = Client::builder(TokioExecutor::new()).build(HttpConnector::new());
        let origin = &house.open.origin;
        let uri = format!("{origin}/payments-api/v1/checkout/{session}/events");
        let answer = client.get(uri.parse().expect("an address")).await.expect("an answer");
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        assert_eq!(answer.headers()["cache-control"], "no-store");
        Self { body: answer.into_body(), heard: String::new(), _client: client }
    }

    /// The data of the next event; `None` when the stream has ended.
    async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.heard.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.heard = rest;
                if event.starts_with(':') {
                    continue;
                }
                let data = event.strip_prefix("event: status\ndata: ").expect("a status");
                return Some(serde_json::from_str(data).expect("JSON"));
            }
            let frame = tokio::time::timeout(Duration::from_secs(30), self.body.frame()).await;
            let frame = frame.expect("something within 30 s")?.expect("no fault");
            let data = frame.into_data().expect("data");
            self.heard.push_str(std::str::from_utf8(&data).expect("text"));
        }
    }
}

/// A session: its id, its page and its reference.
async fn session(house: &House) -> (String, String, String) {
    let seller = house.seller().await;
    let asked = body();
    let made = open(&seller, &asked).await.is(201);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    (text(&made["sessionId"]), text(&made["checkoutUrl"]), text(&asked["externalOrderRef"]))
}

#[tokio::test]
async fn each_change_is_told_until_the_end() {
    let house = House::open().await;
    let (session, page, reference) = session(&house).await;
    let mut events = Events::open(&house, &session).await;
    let first = events.next().await.expect("one at once");
    assert_eq!(
        first,
        json!({
            "sessionId": session, "status": "provider_pending", "paymentId": reference,
            "requiresAction": false, "attempts": 0,
        })
    );
    house.open.pay(&page, DECLINED).await.is(200);
    let declined = loop {
        let told = events.next().await.expect("the decline");
        if told["failureCode"] == 2001 {
            break told;
        }
    };
    assert_eq!(
        (&declined["status"], &declined["attempts"]),
        (&json!("provider_pending"), &json!(1))
    );
    house.open.pay(&page, GOOD).await.is(200);
    let paid = loop {
        let told = events.next().await.expect("the end");
        if told["status"] != "provider_pending" {
            break told;
        }
        assert_eq!(told.get("failureCode"), None, "another attempt has begun");
    };
    assert_eq!((&paid["status"], &paid["attempts"]), (&json!("provider_completed"), &json!(2)));
    assert_eq!(events.next().await, None, "the stream ends");
    let mut late = Events::open(&house, &session).await;
    let status = late.next().await.expect("one at once")["status"].clone();
    assert!(["provider_completed", "settled"].contains(&status.as_str().expect("a status")));
    assert_eq!(late.next().await, None);
    house.close().await;
}

#[tokio::test]
async fn a_stream_does_not_keep_the_server_from_ending() {
    let house = House::open().await;
    let (session, page, _) = session(&house).await;
    house.open.pay(&page, CHALLENGED).await.is(200);
    let mut events = Events::open(&house, &session).await;
    assert_eq!(events.next().await.expect("one at once")["requiresAction"], true);
    // Closing waits for the answers under way, and fails when they take too long.
    house.close().await;
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn streams_are_limited_by_address_and_unknown_sessions_are_missing() {
    let house = House::with(&[("limits.pages_per_minute", "2")]).await;
    let path = "/checkout/nothing/events";
    let open = house.payments();
    open.get(path).await.refuses_saying(404, "not found");
    open.get(path).await.has_status(404);
    open.get(path).await.has_status(429);
    house.close().await;
}
