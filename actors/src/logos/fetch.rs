//! One request for an image, to an address that was checked: the host is resolved once, and the
//! connection goes to the checked address. No redirect is followed.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::header::{ACCEPT, HOST, HeaderValue, USER_AGENT};
use hyper::{Request, StatusCode, Uri};
use hyper_rustls::{FixedServerNameResolver, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::pki_types::ServerName;
use tokio::time::timeout;

use super::MAX_LOGO_BYTES;
use crate::connection_error;
use crate::delivery::{self, Place, Standing, resolve_in, tls};
use crate::domain::ids::SellerId;
use crate::domain::payments::logo::Image;
use crate::domain::platform::address::AddressGuard;
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::url::{UrlParts, WebhookUrl};

/// How long a fetch may take in all, and how long there may be no place to look its host up in.
const TIMEOUT: Duration = Duration::from_secs(5);

const WRONG_HOST: &str = "the host is not valid";

/// The place to look a host up in, none for an address; `None` where other names of the seller have
/// all of them, and nothing is known of the host.
pub(super) async fn place(seller: SellerId, url: &WebhookUrl) -> Option<Option<Place>> {
    timeout(TIMEOUT, delivery::place(seller, &url.parts(), Standing::Unknown)).await.ok()
}

/// Fetches the image at `url`; the error is for the log.
pub(super) async fn fetch(
    guard: &AddressGuard,
    mode: Mode,
    url: &WebhookUrl,
    place: Option<Place>,
) -> Result<Image, String> {
    let fetched = timeout(TIMEOUT, fetch_now(guard, mode, &url.parts(), place)).await;
    let bytes = fetched.map_err(|_| "no answer in time".to_owned())??;
    Image::of(bytes.into()).ok_or_else(|| "no PNG, JPEG or WebP".to_owned())
}

async fn fetch_now(
    guard: &AddressGuard,
    mode: Mode,
    parts: &UrlParts,
    place: Option<Place>,
) -> Result<Bytes, String> {
    let addresses = resolve_in(place, parts).await?;
    let mut refusal = "the host has no address".to_owned();
    for address in addresses {
        match guard.check(address, mode, &[]) {
            Ok(()) => return request_image(address, parts).await,
            Err(refused) => refusal = refused.to_string(),
        }
    }
    Err(refusal)
}

async fn request_image(address: IpAddr, parts: &UrlParts) -> Result<Bytes, String> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    let mut connector = HttpsConnectorBuilder::new().with_tls_config(tls()).https_or_http();
    if parts.https {
        // The connection goes to an address; the certificate must be the name's.
        let name = parts.host.trim_end_matches('.').to_owned();
        let name = ServerName::try_from(name).map_err(|_| WRONG_HOST.to_owned())?;
        connector = connector.with_server_name_resolver(FixedServerNameResolver::new(name));
    }
    let connector = connector.enable_http1().wrap_connector(tcp);
    let client = Client::builder(TokioExecutor::new()).build(connector);
    let request = request(address, parts).map_err(|error| error.to_string())?;
    let answer = client.request(request).await.map_err(|error| connection_error::words(&error))?;
    if answer.status() != StatusCode::OK {
        return Err(format!("the host answered {}", answer.status().as_u16()));
    }
    let body = Limited::new(answer.into_body(), MAX_LOGO_BYTES).collect().await;
    body.map(|body| body.to_bytes()).map_err(|error| error.to_string())
}

fn request(address: IpAddr, parts: &UrlParts) -> Result<Request<Empty<Bytes>>, http::Error> {
    let uri = Uri::builder()
        .scheme(if parts.https { "https" } else { "http" })
        .authority(SocketAddr::new(address, parts.port).to_string())
        .path_and_query(parts.path_and_query.as_str())
        .build()?;
    Request::get(uri)
        .header(HOST, parts.authority.as_str())
        .header(ACCEPT, HeaderValue::from_static("image/png, image/jpeg, image/webp"))
        .header(USER_AGENT, HeaderValue::from_static("Accrue"))
        .body(Empty::new())
}
