//! What happens, followed while it does.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::body::Incoming;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;

use crate::support::{Browser, Server, Value, json};

/// A stream that is read message by message.
struct Live {
    status: u16,
    body: Incoming,
    text: String,
    _client: Client<HttpConnector, Empty<Bytes>>,
}

impl Live {
    async fn open(browser: &Browser, last_seen: Option<u64>) -> Self {
        let client = Client::builder(TokioExecutor::new()).build(HttpConnector::new());
        let uri = format!("{}/dashboard/events", browser.api.origin);
        let mut request = Request::get(uri).header("cookie", &browser.cookie);
        if let Some(seen) = last_seen {
            request = request.header("last-event-id", seen);
        }
        let request = request.body(Empty::new()).expect("a request");
        let answer = client.request(request).await.expect("an answer");
        let status = answer.status().as_u16();
        if status == 200 {
            assert_eq!(answer.headers()["content-type"], "text/event-stream");
            assert_eq!(answer.headers()["cache-control"], "no-store");
        }
        Self { status, body: answer.into_body(), text: String::new(), _client: client }
    }

    /// The next message as it is on the wire, comments too; `None` at the end of the stream.
    async fn piece(&mut self) -> Option<String> {
        loop {
            if let Some((piece, rest)) = self.text.split_once("\n\n") {
                let (piece, rest) = (piece.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(piece);
            }
            let frame = tokio::time::timeout(Duration::from_secs(30), self.body.frame()).await;
            let frame = frame.expect("something within 30 s")?.expect("no fault");
            let data = frame.into_data().expect("data");
            self.text.push_str(std::str::from_utf8(&data).expect("text"));
        }
    }

    /// The next event with its id.
    async fn event(&mut self) -> Option<(u64, Value)> {
        loop {
            let piece = self.piece().await?;
            if piece.starts_with(':') {
                continue;
            }
            let (id, data) = piece.split_once('\n').expect("an id and data");
            let id = id.strip_prefix("id: ").expect("an id").parse().expect("a number");
            let data = data.strip_prefix("data: ").expect("data");
            return Some((id, serde_json::from_str(data).expect("JSON")));
        }
    }
}

#[tokio::test]
async fn each_event_is_told_as_it_happens_and_a_stream_goes_on_where_it_was() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 1_000).await;
    let mut live = Live::open(&browser, None).await;
    assert_eq!(live.piece().await.as_deref(), Some(": alive"));
    seller.one_time(contract, 2_000).await;
    let (first, told) = live.event().await.expect("an event");
    let kept = seller.billing.get(&format!("/events?afterSequence={}", first - 1)).await.is(200);
    assert_eq!(
        told,
        json!({
            "sequence": first, "eventType": kept["events"][0]["eventType"],
            "objectType": "contract", "objectId": contract,
        })
    );
    let (second, missed) = live.event().await.expect("another one");
    assert_eq!(second, first + 1);

    // Another seller's events are not told of; what was missed is.
    let other = server.seller().await;
    let foreign = other.contract("2027-01-15").await;
    other.one_time(foreign, 1_000).await;
    drop(live);
    let mut again = Live::open(&browser, Some(first)).await;
    let (id, told) = again.event().await.expect("what was missed");
    assert_eq!((id, told), (second, missed));
    server.close().await;
    // The end of the server is the end of its streams.
    while again.piece().await.is_some() {}
}

#[tokio::test]
async fn a_stream_is_bound_to_its_session() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let mut open = Vec::new();
    for _ in 0..5 {
        open.push(Live::open(&browser, None).await);
    }
    assert!(open.iter().all(|live| live.status == 200));
    // One more ends the oldest.
    open.push(Live::open(&browser, None).await);
    let mut oldest = open.remove(0);
    while oldest.piece().await.is_some() {}
    let other = server.owner_of(&seller).await;
    assert_eq!(Live::open(&other, None).await.status, 200);
    let wrong = [("last-event-id", "x")];
    browser
        .send(hyper::Method::GET, "/dashboard/events", &wrong, "")
        .await
        .refuses(400, "Last-Event-ID");

    // Whatever happens after it has ended is not told.
    let contract = seller.contract("2027-01-15").await;
    let kept = seller.billing.get("/events?afterSequence=0&limit=100").await.is(200);
    let last = kept["events"].as_array().and_then(|all| all.last()?["sequence"].as_u64());
    browser.post("/api/v1/logout", &json!({})).await.has_status(204);
    seller.one_time(contract, 1_000).await;
    while let Some((told, _)) = open[0].event().await {
        assert!(Some(told) <= last, "{told} {last:?}");
    }
    server.close().await;
}

#[tokio::test]
async fn whoever_was_away_for_too_long_reads_anew() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let mut live = Live::open(&browser, Some(1_000_000)).await;
    let piece = live.piece().await.expect("a message");
    assert!(piece.starts_with("event: reset\nid: "), "{piece}");
    server.close().await;
}
