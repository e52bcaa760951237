//! One endpoint's HTTP client: posts to an address that was checked, with the name of the host
//! in its header and in TLS, keeps connections, follows no redirect.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use hyper::{Request, Response, Uri};
use hyper_rustls::{
    ConfigBuilderExt, FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder,
};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;

use crate::connection_error;
use crate::domain::platform::webhook::signature::{SIGNATURE_HEADER, TIMESTAMP_HEADER};
use crate::domain::platform::webhook::url::{UrlParts, WebhookUrl};

/// Shorter than what common servers keep, so that a connection is rarely used as it closes.
const IDLE_CONNECTION: Duration = Duration::from_secs(4);

/// The most that is read of a response body, so that its connection can be used again.
const READ_BYTES: usize = 16 * 1024;
const READ_TIME: Duration = Duration::from_secs(1);

/// How long one address may take to accept a connection, so that there is time for another. A
/// first packet that is lost is sent twice more within it.
const CONNECT_TIME: Duration = Duration::from_secs(4);

const WRONG_HOST: &str = "the host is not valid";

const REASON_CHARS: usize = 200;

/// A client for one URL. It connects to nothing but the addresses it is given.
#[derive(Debug)]
pub(super) struct EndpointClient {
    url: WebhookUrl,
    parts: UrlParts,
    host: HeaderValue,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

#[derive(Debug)]
pub(super) struct PostError {
    /// Whether no connection came about, so that another address may be tried.
    pub(super) connecting: bool,
    pub(super) reason: String,
}

pub(super) struct Post<'a> {
    pub(super) body: &'a Bytes,
    pub(super) signature: &'a str,
    pub(super) timestamp: &'a str,
}

/// An answer of which the status is there.
pub(super) struct Answer(Response<Incoming>);

impl EndpointClient {
    pub(super) fn new(
        url: WebhookUrl,
        tls: &ClientConfig,
        connections: usize,
    ) -> Result<Self, String> {
        let parts = url.parts();
        let host = HeaderValue::from_str(&parts.authority).map_err(|_| WRONG_HOST.to_owned())?;
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIME));
        let mut connector =
            HttpsConnectorBuilder::new().with_tls_config(tls.clone()).https_or_http();
        if parts.https {
            // The connection goes to an address; the certificate must be the name's.
            let name = parts.host.trim_end_matches('.').to_owned();
            let name = ServerName::try_from(name).map_err(|_| WRONG_HOST.to_owned())?;
            connector = connector.with_server_name_resolver(FixedServerNameResolver::new(name));
        }
        let connector = connector.enable_http1().wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE_CONNECTION)
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(connections)
            .build(connector);
        Ok(Self { url, parts, host, client })
    }

    pub(super) fn url(&self) -> &WebhookUrl {
        &self.url
    }

    pub(super) fn parts(&self) -> &UrlParts {
        &self.parts
    }

    /// Posts to `address`. There is no timeout here: the caller sets one.
    pub(super) async fn post(&self, address: IpAddr, post: &Post<'_>) -> Result<Answer, PostError> {
        let request = self.request(address, post).map_err(|error| PostError {
            connecting: false,
            reason: shortened(&error.to_string()),
        })?;
        let response = self.client.request(request).await.map_err(|error| PostError {
            connecting: error.is_connect(),
            reason: shortened(&connection_error::words(&error)),
        })?;
        Ok(Answer(response))
    }

    fn request(
        &self,
        address: IpAddr,
        post: &Post<'_>,
    ) -> Result<Request<Full<Bytes>>, http::Error> {
        let uri = Uri::builder()
            .scheme(if self.parts.https { "https" } else { "http" })
            .authority(SocketAddr::new(address, self.parts.port).to_string())
            .path_and_query(self.parts.path_and_query.as_str())
            .build()?;
        Request::post(uri)
            .header(HOST, self.host.clone())
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(USER_AGENT, HeaderValue::from_static("Accrue"))
            .header(SIGNATURE_HEADER, post.signature)
            .header(TIMESTAMP_HEADER, post.timestamp)
            .body(Full::new(post.body.clone()))
    }
}

/// Verifies certificates against the roots of Mozilla that are built in.
pub(crate) fn tls() -> ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has suites for the default protocol versions")
        .with_webpki_roots()
        .with_no_client_auth()
}

impl Answer {
    /// The status. Reads a small body to its end, so that the connection can be used again: an
    /// endpoint that sends too much, or too slowly, loses its connection, and has answered.
    pub(super) async fn status(self) -> u16 {
        let status = self.0.status().as_u16();
        let mut body = self.0.into_body();
        let read = async {
            let mut left = READ_BYTES;
            while let Some(Ok(frame)) = body.frame().await {
                let size = frame.data_ref().map_or(0, Bytes::len);
                if size > left {
                    break;
                }
                left -= size;
            }
        };
        let _ = tokio::time::timeout(READ_TIME, read).await;
        status
    }
}

fn shortened(reason: &str) -> String {
    reason.chars().take(REASON_CHARS).collect()
}
