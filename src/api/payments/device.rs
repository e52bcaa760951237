//! Device-intelligence tokens: what a checkout of the seller's own shows when it reports the
//! buyer's device.
//!
//! A session needs no row: its id carries the server's mark over the seller and itself. The random
//! bits of a new one come from the server's key and the idempotency key, so that a replay is
//! answered with the session that the first request was given.

use std::sync::Arc;

use actors::domain::ids::SellerId;
use actors::domain::time::Timestamp;
use actors::kernel::Once;
use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

use super::idempotency_key;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};
use crate::signed_link::{SIGNATURE_BYTES, TokenKey};

const ENDPOINT: &str = "device-intelligence/token";

/// How long an access token is good, in seconds.
const EXPIRES_IN: i64 = 3_600;

const RANDOM_BYTES: usize = 16;
const SESSION_BYTES: usize = RANDOM_BYTES + SIGNATURE_BYTES;

/// What is asked of the device service.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceBody {
    /// The session to go on with; left out on the first call.
    session_id: Option<String>,
}

/// A token for one session.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceToken {
    session_id: String,
    access_token: String,
    /// Seconds for which the token is good.
    expires_in: i64,
}

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let body: DeviceBody = request.json()?;
    let (seller, key) = (request.seller_id(), &app.page_key);
    let stated = body.session_id.filter(|id| !id.is_empty());
    let session = match stated {
        Some(id) => Session::open(key, seller, &id).ok_or_else(ApiError::missing)?,
        None => Session::begin(key, seller, request.idempotency_key()),
    };
    let claim = idempotency_key::claim(&app, &request, ENDPOINT, &[], 0);
    let replayed = match idempotency_key::used(&app, &request, &claim).await? {
        Some(_) => true,
        None => match app.sellers.use_key(seller, claim.clone()).await? {
            Once::Made(()) => false,
            // Somebody was first, perhaps with another request.
            Once::Before => idempotency_key::used(&app, &request, &claim).await?.is_some(),
        },
    };
    let token = session.token(key, seller, request.now);
    let response = if replayed { Response::replayed(&token) } else { Response::ok(&token) };
    Ok(response.unstored())
}

/// A device's session of one seller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Session([u8; RANDOM_BYTES]);

impl Session {
    /// The session that the first call under `idempotency_key` begins.
    fn begin(key: &TokenKey, seller: SellerId, idempotency_key: &str) -> Self {
        let first = said(seller, idempotency_key.as_bytes());
        Self(key.mark("the random part of a device session", &first))
    }

    /// The session of this id; `None` when it is not this seller's.
    fn open(key: &TokenKey, seller: SellerId, id: &str) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(id.as_bytes()).ok()?;
        let bytes: &[u8; SESSION_BYTES] = bytes.as_slice().try_into().ok()?;
        let (random, mark) = bytes.split_at(RANDOM_BYTES);
        let session = Self(random.try_into().ok()?);
        bool::from(session.mark(key, seller).ct_eq(mark)).then_some(session)
    }

    fn mark(self, key: &TokenKey, seller: SellerId) -> [u8; SIGNATURE_BYTES] {
        key.mark("a device session", &said(seller, &self.0))
    }

    fn token(self, key: &TokenKey, seller: SellerId, now: Timestamp) -> DeviceToken {
        let expires = (now.unix_seconds() + EXPIRES_IN).to_be_bytes();
        let access = [self.0.as_slice(), &expires].concat();
        let mark = key.mark("a device access token", &said(seller, &access));
        DeviceToken {
            session_id: BASE64URL_NOPAD.encode(&[self.0, self.mark(key, seller)].concat()),
            access_token: BASE64URL_NOPAD.encode(&[access.as_slice(), &mark].concat()),
            expires_in: EXPIRES_IN,
        }
    }
}

/// What a mark is put on: always the seller's.
fn said(seller: SellerId, more: &[u8]) -> Vec<u8> {
    [seller.0.to_be_bytes().as_slice(), more].concat()
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/device-intelligence/token", create)
            .named("createDeviceToken")
            .summary("Get a device token")
            .describe(
                "Leave `sessionId` out on the first call; state it to refresh the token of that \
                 session.",
            )
            .idempotent()
            .body::<DeviceBody>()
            .answer::<DeviceToken>(200, "A token; of a replay, for the same session.")
            .refuses(400, "The body is malformed.")
            .refuses(404, "The session is not one of yours.")
            .refuses(409, "The key was used for a different request."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_opened_by_its_seller_alone() {
        let key = TokenKey::derive(b"secret");
        let (seller, now) = (SellerId(3), Timestamp::from_micros(0));
        let session = Session::begin(&key, seller, "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d");
        let id = session.token(&key, seller, now).session_id;
        assert_eq!(Session::open(&key, seller, &id), Some(session));
        assert_eq!(Session::open(&key, SellerId(4), &id), None);
        assert_eq!(Session::open(&TokenKey::derive(b"other"), seller, &id), None);
        for wrong in ["", "x", &id[1..], &format!("{id}AAAA")] {
            assert_eq!(Session::open(&key, seller, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_first_call_begins_a_session_of_its_own() {
        let key = TokenKey::derive(b"secret");
        let of = |seller, idempotency| Session::begin(&key, SellerId(seller), idempotency);
        assert_eq!(of(3, "one"), of(3, "one"));
        assert_ne!(of(3, "one"), of(3, "two"));
        assert_ne!(of(3, "one"), of(4, "one"));
    }

    #[test]
    fn a_token_is_of_its_hour() {
        let key = TokenKey::derive(b"secret");
        let session = Session::begin(&key, SellerId(3), "one");
        let at = |second: i64| {
            let now = Timestamp::from_micros(second * 1_000_000);
            session.token(&key, SellerId(3), now).access_token
        };
        assert_eq!(at(5), at(5));
        assert_ne!(at(5), at(6));
    }
}
