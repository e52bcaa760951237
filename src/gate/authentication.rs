//! Who is calling: the client behind proxies, the bearer token, the seller it belongs to, the
//! person of a session, and the operator. This layer speaks plain text, and says no more than it
//! must.

#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use actors::directory::{SellerSnapshot, SessionHolder};
use actors::domain::ids::{ApiKeyId, SellerId};
use actors::domain::platform::limits::AddressKind;
use actors::domain::platform::person::Person;
use actors::domain::platform::seller::{Admission, KeyHash, Scope, Scopes, SellerStatus};
use actors::domain::time::Timestamp;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use hyper::{HeaderMap, Method, StatusCode};
use ipnet::IpNet;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::cookies::SessionCookie;
use super::policy::Access;
use super::{Request, Route, cookies, limits};
use crate::app::App;
use crate::http::ApiError;

const NOT_AUTHORIZED: &str = "not authorized";

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Who sent a request, as its handler asks for it.
#[derive(Default)]
pub struct Caller {
    pub(crate) seller: Option<Arc<SellerSnapshot>>,
    /// With which key it calls, on a route that demands one.
    pub(crate) api_key: Option<ApiKeyId>,
    /// What it may do there; of a person that is said by their role, and looked at before.
    pub(crate) scopes: Option<Scopes>,
    /// Who signed in, on a route of the dashboard.
    pub(crate) person: Option<Person>,
    /// The hash of their session's token.
    pub(crate) session: Option<KeyHash>,
    pub(crate) key: Option<String>,
}

impl Request {
    /// The seller who calls.
    ///
    /// # Panics
    /// On a route that anybody may call; its handler has no seller to ask for.
    pub fn seller(&self) -> &Arc<SellerSnapshot> {
        self.context.seller.as_ref().expect("a route that demands a key has a seller")
    }

    /// # Panics
    /// As [`Request::seller`].
    pub fn seller_id(&self) -> SellerId {
        self.seller().seller.id
    }

    /// What the caller may do, for a route that several scopes open.
    ///
    /// # Panics
    /// As [`Request::seller`].
    pub fn scopes(&self) -> Scopes {
        self.context.scopes.expect("a route that demands a key knows its scopes")
    }

    /// The person who calls.
    ///
    /// # Panics
    /// On a route that demands no session.
    pub fn person(&self) -> &Person {
        self.context.person.as_ref().expect("a route that demands a session has a person")
    }

    /// The session by which the person calls.
    ///
    /// # Panics
    /// As [`Request::person`].
    pub fn session(&self) -> KeyHash {
        self.context.session.expect("a route that demands a session has one")
    }

    /// The `Idempotency-Key`, of the form its route demands; a UUID is in lower case.
    ///
    /// # Panics
    /// On a route that demands none.
    pub fn idempotency_key(&self) -> &str {
        self.context.key.as_deref().expect("a route that demands a key has one")
    }

    /// The idempotency key of a route that takes one and does not demand it.
    pub fn stated_key(&self) -> Option<&str> {
        self.context.key.as_deref()
    }
}

/// The client of a request that came over a connection from `peer`: the right-most address of
/// `X-Forwarded-For` that is not in `trusted`. Whoever is not trusted is not believed, and what a
/// trusted proxy passed on without understanding it ends the search.
pub(super) fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|net| net.contains(&address));
    let mut client = peer;
    if trusted.is_empty() {
        return client;
    }
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    let mut hops = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
    while is_trusted(client) {
        match hops.next().and_then(|hop| address(hop.trim())) {
            Some(hop) => client = hop,
            None => return client,
        }
    }
    client
}

/// An address as proxies write it: alone, in brackets, or with a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse().or_else(|_| text.parse().map(|addr: SocketAddr| addr.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

/// Lets a caller in: the seller where the route demands a key, the person too where it demands a
/// session, nobody elsewhere.
///
/// # Errors
/// `401` when the token is missing or no use, `403` when the seller's account is not active or the
/// key lacks a scope, `404` for the operator's routes while there is no operator's token, `429`
/// when `client` tries one operator's token after the other.
pub(super) fn admit(app: &App, route: &Route, request: &Request) -> Result<Caller, ApiError> {
    let (headers, now) = (&request.headers, request.now);
    match route.access() {
        Access::Open => Ok(Caller::default()),
        Access::SellerKey => seller(app, route, headers, now),
        Access::Session => person(app, headers, now),
        Access::Operator => operator(app, request).map(|()| Caller::default()),
    }
}

fn seller(
    app: &App,
    route: &Route,
    headers: &HeaderMap,
    now: Timestamp,
) -> Result<Caller, ApiError> {
    let token = bearer(headers).ok_or_else(not_authorized)?;
    let Some(holder) = app.directory.authenticate(token, now)? else {
        return Err(not_authorized());
    };
    match holder.admission {
        Admission::Ok if route.scopes().any(|scope| holder.scopes.allow(scope)) => {
            let (seller, api_key) = (Some(holder.seller), Some(holder.key));
            Ok(Caller { seller, api_key, scopes: Some(holder.scopes), ..Caller::default() })
        }
        Admission::Ok => {
            let scopes: Vec<_> = route.scopes().map(Scope::name).collect();
            let scopes = scopes.join(" or ");
            Err(ApiError::forbidden(format!("the key lacks the scope {scopes}")))
        }
        Admission::NotActive => Err(not_active()),
        Admission::NotAuthorized => Err(not_authorized()),
    }
}

/// Whoever has a session; the account may still wait to be opened.
fn person(app: &App, headers: &HeaderMap, now: Timestamp) -> Result<Caller, ApiError> {
    let holder = session(app, headers, now)?;
    let holder = holder.ok_or_else(|| ApiError::plain(StatusCode::UNAUTHORIZED, NOT_AUTHORIZED))?;
    if holder.seller.seller.status == SellerStatus::Inactive {
        return Err(not_active());
    }
    Ok(Caller {
        seller: Some(holder.seller),
        person: Some(holder.person),
        session: Some(holder.session),
        ..Caller::default()
    })
}

/// The session that a browser presents, if it is open.
pub fn session(
    app: &App,
    headers: &HeaderMap,
    now: Timestamp,
) -> Result<Option<SessionHolder>, ApiError> {
    match SessionCookie::Dashboard.presented(headers) {
        Some(token) => Ok(app.directory.session(&token, now)?),
        None => Ok(None),
    }
}

/// The right token is never held up, whatever was tried from its address before. A session that
/// was begun with it does as well, from pages of this server.
fn operator(app: &App, request: &Request) -> Result<(), ApiError> {
    let token = app.settings.operator_token.as_ref().ok_or_else(ApiError::missing)?;
    let (headers, now) = (&request.headers, request.now);
    if let Some(sent) = bearer(headers) {
        return check_operator_token(app, token, sent, request.peer, now);
    }
    let presented = SessionCookie::Backoffice.presented(headers).ok_or_else(not_authorized)?;
    if !app.directory.is_operator(&presented, token, now)? {
        return Err(not_authorized());
    }
    match request.method {
        Method::GET | Method::HEAD => Ok(()),
        _ => cookies::check_origin(headers, &request.uri, app.public_url()),
    }
}

/// Whether `sent` is the operator's token; a wrong one counts for its address.
pub fn check_operator_token(
    app: &App,
    token: &SecretString,
    sent: &str,
    client: IpAddr,
    now: Timestamp,
) -> Result<(), ApiError> {
    if is_same(token, sent) {
        return Ok(());
    }
    limits::address(app, AddressKind::WrongToken, client, now)?;
    Err(not_authorized())
}

/// Compares in a time that depends on neither of the two.
fn is_same(token: &SecretString, sent: &str) -> bool {
    let digest = |text: &str| -> [u8; 32] { Sha256::digest(text.as_bytes()).into() };
    digest(token.expose_secret()).ct_eq(&digest(sent)).into()
}

/// The token of the one `Authorization: Bearer` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

fn not_active() -> ApiError {
    ApiError::plain(StatusCode::FORBIDDEN, "seller account is not active")
}

fn not_authorized() -> ApiError {
    ApiError::plain(StatusCode::UNAUTHORIZED, NOT_AUTHORIZED)
        .header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
}
