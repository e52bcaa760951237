//! The seller's end of the webhooks: a server on loopback that verifies every delivery and
//! keeps each event once.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use actors::clock::Clock;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::cli::signature;

const DELIVERY_LIMIT: usize = 1 << 20;

/// The receiver; it serves until the program ends.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    address: SocketAddr,
    inbox: Arc<Mutex<Inbox>>,
}

#[derive(Debug, Default)]
struct Inbox {
    secret: Option<String>,
    /// Whether the next delivery is answered `500`, so that a retry can be seen.
    refuse_next: bool,
    /// Verified events by their `eventId`, with `deliveries` and `refused`: how many deliveries
    /// with a valid signature were taken, and turned away on purpose.
    events: BTreeMap<u64, Value>,
    /// Why deliveries were turned away, other than on purpose.
    forged: Vec<String>,
}

impl Receiver {
    /// Starts receiving on a free port of the loopback interface. With `refuse_first` the first
    /// valid delivery is answered `500`.
    pub(super) async fn start(clock: Clock, refuse_first: bool) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let inbox = Arc::new(Mutex::new(Inbox { refuse_next: refuse_first, ..Inbox::default() }));
        let receiver = Self { address: listener.local_addr()?, inbox };
        tokio::spawn(receiver.clone().serve(listener, clock));
        Ok(receiver)
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/accrue-events", self.address)
    }

    pub(super) fn trust(&self, secret: &str) {
        self.inbox.lock().secret = Some(secret.to_owned());
    }

    /// What came in so far: the verified `events` and why others were `forged`.
    pub(super) fn inbox(&self) -> Value {
        let inbox = self.inbox.lock();
        json!({"events": inbox.events.values().collect::<Vec<_>>(), "forged": inbox.forged})
    }

    async fn serve(self, listener: TcpListener, clock: Clock) {
        while let Ok((stream, _)) = listener.accept().await {
            let (receiver, clock) = (self.clone(), clock.clone());
            tokio::spawn(async move {
                let service = service_fn(|request| receiver.answer(request, &clock));
                let mut server = http1::Builder::new();
                server.timer(TokioTimer::new());
                // A connection that breaks is delivered again on another one.
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    }

    async fn answer(
        &self,
        request: Request<Incoming>,
        clock: &Clock,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        let (head, body) = request.into_parts();
        let status = match Limited::new(body, DELIVERY_LIMIT).collect().await {
            Ok(body) => {
                let now = clock.now().unix_seconds();
                self.inbox.lock().take(&head.headers, &body.to_bytes(), now)
            }
            Err(_) => StatusCode::BAD_REQUEST,
        };
        let mut answer = Response::new(Full::default());
        *answer.status_mut() = status;
        Ok(answer)
    }
}

impl Inbox {
    fn take(&mut self, headers: &HeaderMap, body: &[u8], now: i64) -> StatusCode {
        let Some(secret) = &self.secret else {
            return StatusCode::SERVICE_UNAVAILABLE;
        };
        let field = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
        let (timestamp, signed) = (field("x-service-timestamp"), field("x-service-signature"));
        if let Err(forged) = signature::verify(secret, timestamp, signed, body, now) {
            self.forged.push(forged.to_string());
            return StatusCode::UNAUTHORIZED;
        }
        let event: Value = serde_json::from_slice(body).unwrap_or_default();
        let Some(id) = event["eventId"].as_u64().filter(|_| event["eventType"].is_string()) else {
            self.forged.push("no eventId or eventType".to_owned());
            return StatusCode::BAD_REQUEST;
        };
        let refuse = std::mem::take(&mut self.refuse_next);
        let (count, status) = match refuse {
            true => ("refused", StatusCode::INTERNAL_SERVER_ERROR),
            false => ("deliveries", StatusCode::OK),
        };
        let event = self.events.entry(id).or_insert(event);
        event[count] = json!(event[count].as_u64().unwrap_or(0) + 1);
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(timestamp: &str, signature: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("x-service-timestamp", timestamp.parse().expect("a value"));
        headers.insert("x-service-signature", signature.parse().expect("a value"));
        headers
    }

    #[test]
    fn a_repeated_event_is_kept_once_and_a_forged_one_never() {
        let body = br#"{"eventId":7,"eventType":"InvoicePaid"}"#;
        let signed = headers(
            "1763700000",
            "sha256=bc856e0930f6bac3c3f26bd2d2b1ae1c9ceb9ec271ce5ea36c789822e9f18877",
        );
        let secret = Some("secret".to_owned());
        let mut inbox = Inbox { secret, refuse_next: true, ..Inbox::default() };
        let statuses: Vec<u16> =
            (0..3).map(|_| inbox.take(&signed, body, 1_763_700_010).as_u16()).collect();
        assert_eq!(statuses, [500, 200, 200]);
        assert_eq!(inbox.events.len(), 1);
        assert_eq!(
            (&inbox.events[&7]["deliveries"], &inbox.events[&7]["refused"]),
            (&json!(2), &json!(1))
        );
        let late = inbox.take(&signed, body, 1_763_800_000);
        assert_eq!((late.as_u16(), inbox.forged.len(), inbox.events.len()), (401, 1, 1));
    }
}
