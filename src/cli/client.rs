//! A small HTTP/1.1 client for the program's own commands: pooled connections, JSON in and
//! out, errors that say which call went wrong.

mod error;
mod response;
mod wire;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{HeaderMap, Method, Request, StatusCode, header};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client as Pool, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

pub use error::CallError;
pub use response::Response;
pub use wire::{Wire, WireError};

/// The longest answer that is read, in bytes.
const ANSWER_LIMIT: usize = 64 << 20;
const CALL_TIMEOUT: Duration = Duration::from_secs(120);
/// How often a request is repeated when the server asks to come back later.
const MAX_WAITS: u32 = 100;
const MAX_PAGES: usize = 100_000;

/// Takes a request to where it is answered, with its whole answer.
pub(crate) type Carrier =
    Arc<dyn Fn(Request<Bytes>) -> BoxFuture<'static, Whole> + Send + Sync + 'static>;

type Whole = (StatusCode, HeaderMap, Bytes);

#[derive(Clone)]
enum Way {
    Net(Box<Pool<HttpsConnector<HttpConnector>, Full<Bytes>>>),
    /// To the server that this program is.
    Inside(Carrier),
}

#[derive(Clone, Debug)]
pub struct Client {
    way: Way,
    base: String,
    key: Option<String>,
    /// How long a call may take.
    patience: Duration,
    /// How often a call is repeated when the server asks to come back later, and who is told of it.
    waits: u32,
    tell: fn(&str),
}

/// Connects to plain addresses, and to those of servers whose certificate is publicly trusted.
pub(super) fn connector() -> HttpsConnector<HttpConnector> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(Duration::from_secs(5)));
    connector.enforce_http(false);
    HttpsConnectorBuilder::new()
        .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
        .expect("the provider has the default versions")
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector)
}

impl Client {
    pub fn new(base: &str) -> Self {
        let pool = Pool::builder(TokioExecutor::new()).build(connector());
        Self::by(Way::Net(Box::new(pool)), base.trim_end_matches('/'))
    }

    /// A client of the server that this program is, known at `base`: `carrier` says for whom.
    pub(crate) fn inside(base: &str, carrier: Carrier) -> Self {
        Self::by(Way::Inside(carrier), base)
    }

    fn by(way: Way, base: &str) -> Self {
        let (patience, waits) = (CALL_TIMEOUT, MAX_WAITS);
        Self { way, base: base.to_owned(), key: None, patience, waits, tell: |_| {} }
    }

    /// The same client sending `Authorization: Bearer <key>`.
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self.clone() }
    }

    /// The same client, for calls that may take this long.
    pub fn with_patience(&self, patience: Duration) -> Self {
        Self { patience, ..self.clone() }
    }

    /// The same client, which tells `tell` when it waits, and why.
    pub fn telling(&self, tell: fn(&str)) -> Self {
        Self { tell, ..self.clone() }
    }

    /// The server's address as it was given, without a slash at its end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// `GET path`; anything but a 2xx is an error, as in `post`, `put`, `patch` and `upload`.
    pub async fn get(&self, path: &str) -> Result<Value, CallError> {
        self.good(Method::GET, path, &[], None).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, CallError> {
        self.good(Method::POST, path, &[], Some(body)).await
    }

    /// `POST path` under an idempotency key.
    pub async fn create(&self, path: &str, key: &str, body: &Value) -> Result<Value, CallError> {
        self.good(Method::POST, path, &[("idempotency-key", key)], Some(body)).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Result<Value, CallError> {
        self.good(Method::PUT, path, &[], Some(body)).await
    }

    pub async fn upload(
        &self,
        path: &str,
        content_type: &str,
        body: Bytes,
    ) -> Result<Value, CallError> {
        let answer = self.send_bytes(Method::POST, path, &[], Some((content_type, body))).await?;
        answer.success(Method::POST, path)
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Result<Value, CallError> {
        self.good(Method::PATCH, path, &[], Some(body)).await
    }

    /// Every row of the list at `path`, page after page; `array` names its array.
    pub async fn list(&self, path: &str, array: &str) -> Result<Vec<Value>, CallError> {
        let mut rows = Vec::new();
        let mut cursor = 0;
        let glue = if path.contains('?') { '&' } else { '?' };
        for _ in 0..MAX_PAGES {
            let page = format!("{path}{glue}limit=100&cursor={cursor}");
            let mut answer = self.get(&page).await?;
            if let Some(found) = answer.get_mut(array).and_then(Value::as_array_mut) {
                rows.append(found);
            }
            match answer.get("nextCursor").and_then(Value::as_u64) {
                Some(next) if answer["hasMore"] == true => cursor = next,
                _ => break,
            }
        }
        Ok(rows)
    }

    /// `POST path` with a JSON body that is text already, under an idempotency key if there is one.
    pub(crate) async fn post_text(
        &self,
        path: &str,
        key: Option<&str>,
        body: Bytes,
    ) -> Result<Response, CallError> {
        let headers: Vec<_> = key.map(|key| ("idempotency-key", key)).into_iter().collect();
        self.send_bytes(Method::POST, path, &headers, Some(("application/json", body))).await
    }

    /// Sends one request and answers whatever status came. `path` is under the server's address
    /// unless it is an absolute `http://` one. Answers of 429 and 503 that name a time to come
    /// back are waited out.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Response, CallError> {
        let body = body.map(|json| ("application/json", Bytes::from(json.to_string())));
        self.send_bytes(method, path, headers, body).await
    }

    pub(crate) async fn send_bytes(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<(&str, Bytes)>,
    ) -> Result<Response, CallError> {
        let mut told = String::new();
        let mut waits = self.waits;
        loop {
            let answer = self.once(&method, path, headers, body.clone()).await?;
            let Some(seconds) = answer.pause() else { return Ok(answer) };
            let reason = answer.reason();
            let Some(fewer) = waits.checked_sub(1) else {
                return Err(CallError::Busy { method, path: path.to_owned(), reason });
            };
            waits = fewer;
            if reason != told {
                (self.tell)(&format!("the server says: {reason}; asking again in {seconds} s"));
                told = reason;
            }
            tokio::time::sleep(Duration::from_secs(seconds)).await;
        }
    }

    async fn good(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Value, CallError> {
        let answer = self.send(method.clone(), path, headers, body).await?;
        answer.success(method, path)
    }

    async fn once(
        &self,
        method: &Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<(&str, Bytes)>,
    ) -> Result<Response, CallError> {
        let unreachable = |cause: String| CallError::Unreachable {
            method: method.clone(),
            path: path.to_owned(),
            cause,
        };
        let request =
            self.request(method, path, headers, body).map_err(|e| unreachable(e.to_string()))?;
        let call = async {
            let pool = match &self.way {
                Way::Net(pool) => pool,
                Way::Inside(carrier) => return Ok(carrier(request).await),
            };
            let answer = pool.request(request.map(Full::new)).await.map_err(|e| chain(&e))?;
            let (head, body) = answer.into_parts();
            let bytes = Limited::new(body, ANSWER_LIMIT).collect().await.map_err(|e| chain(&*e))?;
            Ok::<Whole, String>((head.status, head.headers, bytes.to_bytes()))
        };
        let (status, headers, bytes) = tokio::time::timeout(self.patience, call)
            .await
            .map_err(|_| unreachable("no answer in time".to_owned()))?
            .map_err(unreachable)?;
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Response { status, headers, body, bytes })
    }

    fn request(
        &self,
        method: &Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<(&str, Bytes)>,
    ) -> Result<Request<Bytes>, hyper::http::Error> {
        let own = !path.starts_with("http://") && !path.starts_with("https://");
        let uri = if own { format!("{}{path}", self.base) } else { path.to_owned() };
        let mut request = Request::builder().method(method).uri(uri);
        request = request.header(header::ACCEPT, "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        // The seller's key goes to the seller's API, never to a page or another host.
        if let Some(key) = self.key.as_ref().filter(|_| own) {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        let bytes = match body {
            Some((content_type, bytes)) => {
                request = request.header(header::CONTENT_TYPE, content_type);
                bytes
            }
            None => Bytes::new(),
        };
        request.body(bytes)
    }
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Net(_) => "Net",
            Self::Inside(_) => "Inside",
        })
    }
}

fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        text = format!("{text}: {deeper}");
        cause = deeper.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures::FutureExt as _;
    use hyper::header::{HeaderValue, RETRY_AFTER};
    use tokio::sync::Notify;

    use super::*;

    /// A client of a server that never has time.
    fn of_busy_server() -> Client {
        let answer: Whole = (
            StatusCode::SERVICE_UNAVAILABLE,
            HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static("30"))]),
            Bytes::from_static(br#"{"error":"the disk is nearly full"}"#),
        );
        let carrier = move |_: Request<Bytes>| std::future::ready(answer.clone()).boxed();
        Client::inside("http://a", Arc::new(carrier))
    }

    #[tokio::test]
    async fn who_waits_for_a_busy_server_is_told_why() {
        static TOLD: Mutex<String> = Mutex::new(String::new());
        static IS_TOLD: Notify = Notify::const_new();
        let client = of_busy_server().telling(|text| {
            text.clone_into(&mut TOLD.lock().expect("whole"));
            IS_TOLD.notify_one();
        });
        tokio::select! {
            answer = client.get("/verify") => panic!("it did not wait: {answer:?}"),
            () = IS_TOLD.notified() => {}
        }
        let told = TOLD.lock().expect("whole").clone();
        assert_eq!(told, "the server says: the disk is nearly full; asking again in 30 s");
    }

    #[tokio::test]
    async fn a_server_that_stays_busy_has_said_why() {
        let client = Client { waits: 0, ..of_busy_server() };
        let error = client.get("/verify").await.expect_err("busy");
        let expected = "GET /verify: the server stayed busy: the disk is nearly full";
        assert_eq!(error.to_string(), expected);
    }
}
