//! Who is calling: the bearer token, the seller it belongs to, and the operator. This layer
//! speaks plain text, and says no more than it must.

use std::net::IpAddr;
use std::sync::Arc;

use actors::directory::SellerSnapshot;
use actors::domain::platform::limits::AddressKind;
use actors::domain::platform::seller::Admission;
use actors::domain::time::Timestamp;
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use hyper::{HeaderMap, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::limits;
use super::policy::Access;
use crate::app::App;
use crate::http::ApiError;

/// Lets a caller in: the seller where the route demands a key, `None` elsewhere.
///
/// # Errors
/// `401` when the token is missing or no use, `403` when the seller's account is not active,
/// `404` for the operator's routes while there is no operator's token, `429` when `client` tries
/// one operator's token after the other.
pub(super) fn admit(
    app: &App,
    access: Access,
    headers: &HeaderMap,
    client: IpAddr,
    now: Timestamp,
) -> Result<Option<Arc<SellerSnapshot>>, ApiError> {
    match access {
        Access::Open => Ok(None),
        Access::SellerKey => seller(app, headers, now).map(Some),
        Access::Operator => operator(app, headers, client, now).map(|()| None),
    }
}

fn seller(app: &App, headers: &HeaderMap, now: Timestamp) -> Result<Arc<SellerSnapshot>, ApiError> {
    let token = bearer(headers).ok_or_else(not_authorized)?;
    match app.directory.authenticate(token, now)? {
        Some((Admission::Ok, seller)) => Ok(seller),
        Some((Admission::NotActive, _)) => {
            Err(ApiError::plain(StatusCode::FORBIDDEN, "seller account is not active"))
        }
        Some((Admission::NotAuthorized, _)) | None => Err(not_authorized()),
    }
}

/// The right token is never held up, whatever was tried from its address before.
fn operator(
    app: &App,
    headers: &HeaderMap,
    client: IpAddr,
    now: Timestamp,
) -> Result<(), ApiError> {
    let token = app.settings.operator_token.as_ref().ok_or_else(ApiError::missing)?;
    let sent = bearer(headers).ok_or_else(not_authorized)?;
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

fn not_authorized() -> ApiError {
    ApiError::plain(StatusCode::UNAUTHORIZED, "not authorized")
        .header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_bearer_header_with_a_token_counts() {
        let token = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, value.parse().expect("a header"));
            }
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(token(&["Bearer sk_test_1"]).as_deref(), Some("sk_test_1"));
        assert_eq!(token(&["bearer  sk_test_1 "]).as_deref(), Some("sk_test_1"));
        let none: [&[&str]; 5] =
            [&[], &["Bearer"], &["Bearer "], &["Basic sk_test_1"], &["Bearer a", "Bearer a"]];
        for values in none {
            assert_eq!(token(values), None, "{values:?}");
        }
    }

    #[test]
    fn the_operators_token_is_compared_whole() {
        let token = SecretString::from("open sesame");
        assert!(is_same(&token, "open sesame"));
        assert!(!is_same(&token, "open sesam"));
        assert!(!is_same(&token, "open sesame!"));
    }
}
