//! Questions over HTTP, and what may be known when one is not answered.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use hyper::http::response::Parts;
use hyper::{Method, Request, StatusCode};
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde::de::DeserializeOwned;
use tracing::Instrument;
use zeroize::Zeroizing;

use super::error::{Declined, ErrorAnswer};
use super::form::Form;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::ProviderOutcome;
use crate::domain::payments::terminal::BaseUrl;

/// The client of all processors outside; clones share its connections.
pub(in crate::connector) type HttpClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// The version of Stripe's API whose answers are read here.
const VERSION: &str = "2022-11-15";

const IDEMPOTENCY_KEY: &str = "idempotency-key";
const REPLAYED: &str = "idempotent-replayed";
const STRIPE_VERSION: &str = "stripe-version";

/// How long one answer may take; what is asked in several steps is bounded by its caller.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// How long a connection may take to come about.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// Shorter than what common servers keep, so that a connection is rarely used as it closes.
const IDLE_CONNECTION: Duration = Duration::from_secs(4);

const ANSWER_BYTES: usize = 4 * 1024 * 1024;

pub(super) struct Endpoint {
    client: HttpClient,
    base_url: String,
    authorization: HeaderValue,
}

/// An object, as it was when the answer was first given.
#[derive(Debug)]
pub(super) struct Answered<T> {
    pub(super) object: T,
    /// Whether it was given before: the object may have changed since.
    pub(super) is_repeated: bool,
}

/// Why a question has no object for an answer.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Nobody can tell whether it was acted on: a time-out, a lost connection, a processor in
    /// trouble or still at it.
    Unknown(FailureCode),
    /// The same, told before under the key: it will be told again for as long as that is kept.
    Kept,
    /// It was turned away, and nothing was done.
    Refused(Box<Declined>),
}

/// A client that trusts the roots of Mozilla that are built in.
pub(in crate::connector) fn http_client() -> HttpClient {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has suites for the default protocol versions")
        .with_webpki_roots()
        .with_no_client_auth();
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(CONNECT_WITHIN));
    let connector =
        HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
    Client::builder(TokioExecutor::new())
        .pool_idle_timeout(IDLE_CONNECTION)
        .pool_timer(TokioTimer::new())
        .build(connector.wrap_connector(tcp))
}

impl Endpoint {
    /// A key that no header can carry is sent as none, and refused by the processor.
    pub(super) fn new(client: HttpClient, base_url: &BaseUrl, secret_key: &str) -> Self {
        let bearer = Zeroizing::new(format!("Bearer {secret_key}"));
        let mut authorization =
            HeaderValue::from_str(&bearer).unwrap_or(HeaderValue::from_static("Bearer"));
        authorization.set_sensitive(true);
        Self { client, base_url: base_url.as_str().to_owned(), authorization }
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Trouble> {
        self.send(Method::GET, path, None, Bytes::new()).await.map(|answered| answered.object)
    }

    /// Asks for something to be done, once however often it is asked under `key`.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: Form,
    ) -> Result<T, Trouble> {
        self.send(Method::POST, path, Some(key), form.into_bytes())
            .await
            .map(|answered| answered.object)
    }

    pub(super) async fn post_noting<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: Form,
    ) -> Result<Answered<T>, Trouble> {
        self.send(Method::POST, path, Some(key), form.into_bytes()).await
    }

    async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Bytes,
    ) -> Result<Answered<T>, Trouble> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base_url))
            .header(AUTHORIZATION, self.authorization.clone())
            .header(STRIPE_VERSION, VERSION)
            .header(USER_AGENT, "Accrue");
        if let Some(key) = key {
            let form = HeaderValue::from_static("application/x-www-form-urlencoded");
            request = request.header(IDEMPOTENCY_KEY, key).header(CONTENT_TYPE, form);
        }
        let request = request.body(Full::new(body)).map_err(|error| {
            tracing::error!(%error, path, key, "the request to the processor is not valid HTTP");
            Trouble::Unknown(FailureCode::ProviderError)
        })?;
        // As high as the lines in it, which name no call without it.
        let span = tracing::warn_span!("processor", url = %self.base_url, path, key);
        let answer = self.answer(request).instrument(span.clone());
        match tokio::time::timeout(ANSWER_WITHIN, answer).await {
            Ok(Ok((head, body))) => {
                let is_repeated = head.headers.contains_key(REPLAYED);
                let object = span.in_scope(|| read(head.status, &body));
                let object = object.map_err(|trouble| match trouble {
                    Trouble::Unknown(_) if is_repeated => Trouble::Kept,
                    trouble => trouble,
                })?;
                Ok(Answered { object, is_repeated })
            }
            Ok(Err(trouble)) => Err(trouble),
            Err(_) => Err(Trouble::Unknown(FailureCode::ProviderTimeout)),
        }
    }

    async fn answer(&self, request: Request<Full<Bytes>>) -> Result<(Parts, Bytes), Trouble> {
        let lost = |what: &str| {
            tracing::warn!(what, "no answer of the processor arrived");
            Trouble::Unknown(FailureCode::ProviderError)
        };
        let response = self.client.request(request).await.map_err(|error| {
            lost(if error.is_connect() { "no connection" } else { "connection lost" })
        })?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, ANSWER_BYTES).collect().await;
        Ok((head, body.map_err(|_| lost("answer cut short"))?.to_bytes()))
    }
}

/// Tells an answer from a refusal, and that from none. A processor that is busy with the same
/// key, or asks for patience, has not refused.
fn read<T: DeserializeOwned>(status: StatusCode, body: &[u8]) -> Result<T, Trouble> {
    if status.is_success() {
        return serde_json::from_slice(body).map_err(|_| {
            tracing::warn!(status = status.as_u16(), "the answer of the processor is not readable");
            Trouble::Unknown(FailureCode::ProviderError)
        });
    }
    let answer: ErrorAnswer = serde_json::from_slice(body).unwrap_or_default();
    let error = answer.error;
    // The text of the error is left out of the log: it may name what was sent.
    tracing::warn!(
        status = status.as_u16(),
        kind = error.kind.as_deref(),
        code = error.code.as_deref(),
        "the processor refused the request"
    );
    let refused = status.is_client_error() && !matches!(status.as_u16(), 408 | 409 | 425 | 429);
    match refused {
        true => Err(Trouble::Refused(Box::new(Declined { status: status.as_u16(), error }))),
        false => Err(Trouble::Unknown(FailureCode::ProviderError)),
    }
}

impl Trouble {
    /// What a payment is told, when a refusal means `refused`.
    pub(super) fn outcome(
        self,
        refused: impl FnOnce(Declined) -> ProviderOutcome,
    ) -> ProviderOutcome {
        match self {
            Self::Unknown(doubt) => ProviderOutcome::Unknown { doubt },
            Self::Kept => ProviderOutcome::Unknown { doubt: FailureCode::ProviderError },
            Self::Refused(declined) => refused(*declined),
        }
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}
