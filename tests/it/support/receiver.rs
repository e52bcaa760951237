//! A seller's end of the webhooks: a server on loopback that keeps every delivery as it came,
//! answers as a test sets it, and checks signatures.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::{HeaderMap, Request, Response};
use parking_lot::Mutex;
use serde_json::Value;
use sha2::Sha256;
use tokio::task::JoinHandle;

use super::listening::listen;
use super::wait::until;

/// One delivery as it came.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    /// The path it was posted to.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) raw: Bytes,
    /// The envelope.
    pub(crate) event: Value,
}

/// How the next delivery is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    /// With this status.
    Status(u16),
    /// Not at all, until the other side goes away.
    Never,
}

/// The receiver; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Receiver {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct State {
    deliveries: Vec<Delivery>,
    replies: VecDeque<Reply>,
    always: Option<Reply>,
}

impl Receiver {
    /// Listens on a free port.
    pub(crate) async fn start() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let (address, task) = listen(&state, take).await;
        Self { address, state, task }
    }

    /// The address to register, with `path`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// How the next deliveries are answered, one after the other; then with 200.
    pub(crate) fn next_replies(&self, replies: &[Reply]) {
        self.state.lock().replies.extend(replies);
    }

    /// How every delivery from now on is answered.
    pub(crate) fn always_replies(&self, reply: Reply) {
        self.state.lock().always = Some(reply);
    }

    /// What came so far, in order.
    pub(crate) fn deliveries(&self) -> Vec<Delivery> {
        self.state.lock().deliveries.clone()
    }

    /// What came so far of one type.
    pub(crate) fn of(&self, kind: &str) -> Vec<Delivery> {
        let mut all = self.deliveries();
        all.retain(|delivery| delivery.event["eventType"] == kind);
        all
    }

    /// Waits for a delivery that `fits`.
    pub(crate) async fn wait_for(&self, what: &str, fits: impl Fn(&Delivery) -> bool) -> Delivery {
        until(&format!("a delivery of {what}"), async || {
            self.deliveries().into_iter().find(|delivery| fits(delivery))
        })
        .await
    }

    /// Waits for the first delivery of a type.
    pub(crate) async fn wait_for_type(&self, kind: &str) -> Delivery {
        self.wait_for(kind, |delivery| delivery.event["eventType"] == kind).await
    }

    /// Waits until `count` deliveries came.
    pub(crate) async fn wait_for_count(&self, count: usize) -> Vec<Delivery> {
        until(&format!("{count} deliveries"), async || {
            let all = self.deliveries();
            (all.len() >= count).then_some(all)
        })
        .await
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Delivery {
    /// A header.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// `eventId`.
    pub(crate) fn event_id(&self) -> u64 {
        self.event["eventId"].as_u64().expect("an eventId")
    }

    /// Checks the signature, HMAC-SHA256 over the timestamp, a dot and the raw body; `now` is in unix seconds.
    #[track_caller]
    pub(crate) fn verifies(&self, secret: &str, now: i64) {
        let stamp = self.header("x-service-timestamp");
        let sent: i64 = stamp.parse().expect("unix seconds");
        assert!(sent.abs_diff(now) <= 300, "stamped {sent}, received at {now}");
        let claimed = self.header("x-service-signature");
        let claimed = claimed.strip_prefix("sha256=").expect("sha256=");
        let claimed = HEXLOWER.decode(claimed.as_bytes()).expect("lowercase hex");
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length");
        mac.update(stamp.as_bytes());
        mac.update(b".");
        mac.update(&self.raw);
        mac.verify_slice(&claimed).expect("the signature matches");
    }
}

async fn take(
    state: Arc<Mutex<State>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let raw = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let event = serde_json::from_slice(&raw).unwrap_or_default();
    let path = head.uri.path().to_owned();
    let reply = {
        let mut state = state.lock();
        state.deliveries.push(Delivery { path, headers: head.headers, raw, event });
        state.replies.pop_front().or(state.always).unwrap_or(Reply::Status(200))
    };
    match reply {
        Reply::Status(status) => {
            let answer = Response::builder().status(status).body(Full::default());
            Ok(answer.expect("an answer"))
        }
        Reply::Never => std::future::pending().await,
    }
}
