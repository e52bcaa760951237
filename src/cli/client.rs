//! A small HTTP/1.1 client for the program's own commands: pooled connections, JSON in and
//! out, errors that say which call went wrong.

mod error;
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

#[derive(Clone, Debug)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The body as JSON; `null` when it is empty or no JSON.
    pub body: Value,
    pub bytes: Bytes,
}

impl Client {
    pub fn new(base: &str) -> Self {
        let pool = Pool::builder(TokioExecutor::new()).build(connector());
        Self {
            way: Way::Net(Box::new(pool)),
            base: base.trim_end_matches('/').to_owned(),
            key: None,
            patience: CALL_TIMEOUT,
        }
    }

    /// A client of the server that this program is, known at `base`: `carrier` says for whom.
    pub(crate) fn inside(base: &str, carrier: Carrier) -> Self {
        Self { way: Way::Inside(carrier), base: base.to_owned(), key: None, patience: CALL_TIMEOUT }
    }

    /// The same client sending `Authorization: Bearer <key>`.
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self.clone() }
    }

    /// The same client, for calls that may take this long.
    pub fn with_patience(&self, patience: Duration) -> Self {
        Self { patience, ..self.clone() }
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
        for _ in 0..MAX_WAITS {
            let answer = self.once(&method, path, headers, body.clone()).await?;
            match pause(&answer) {
                Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
                None => return Ok(answer),
            }
        }
        Err(CallError::Busy { method, path: path.to_owned() })
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

impl Response {
    pub(crate) fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body of a 2xx; everything else as an error that names the call.
    pub fn success(self, method: Method, path: &str) -> Result<Value, CallError> {
        if self.status.is_success() {
            return Ok(self.body);
        }
        let body = String::from_utf8_lossy(&self.bytes).chars().take(600).collect();
        Err(CallError::Refused { method, path: path.to_owned(), status: self.status, body })
    }
}

/// The seconds to wait before the same call, at most a minute at a time.
fn pause(answer: &Response) -> Option<u64> {
    let busy = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE];
    if !busy.contains(&answer.status) {
        return None;
    }
    let seconds = answer.headers.get(header::RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    // A quota of a whole day cannot be waited out: that is a refusal.
    (1..=60).contains(&seconds).then_some(seconds)
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
