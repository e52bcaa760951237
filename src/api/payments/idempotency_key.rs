//! What happens to a repeated `Idempotency-Key` on the payments surface, and to what the dashboard
//! makes of its kind.
//!
//! A key stands for the path and body of the request that used it first, and for the object that
//! this made or acted on. A handler [`claim`]s the key and asks whether it was [`used`]; if so, the
//! answer is a replay, or `409` naming the field in which the requests differ. Otherwise the room
//! writes the claim together with what is made. Two requests may come at once: the one that finds
//! its key spent by then asks for the [`winner`]'s object. [`once`] is all of this for a
//! request that makes something.

use actors::domain::platform::idempotency_key::KeyedRequest;
use actors::kernel::{KeyClaim, Once};
use actors::tables::POST_KEYS;

use crate::app::App;
use crate::gate::Request;
use crate::http::ApiError;

/// What a request under its key has come to.
pub(crate) enum Done<T> {
    Now(T),
    /// It was carried out before, and made or acted on this object.
    Before(u64),
}

/// Carries a request out, once for its key. `carry_out` is given the claim, which a room writes
/// together with what it makes.
pub(crate) async fn once<T, E, F>(
    app: &App,
    call: &Request,
    endpoint: &'static str,
    carry_out: impl FnOnce(KeyClaim) -> F,
) -> Result<Done<T>, ApiError>
where
    F: Future<Output = Result<Once<T>, E>>,
    ApiError: From<E>,
{
    let claim = claim(app, call, endpoint, &[], 0);
    if let Some(before) = used(app, call, &claim).await? {
        return Ok(Done::Before(before));
    }
    match carry_out(claim.clone()).await? {
        Once::Made(made) => Ok(Done::Now(made)),
        Once::Before => winner(app, call, &claim).await.map(Done::Before),
    }
}

/// The request of a call under its key. `path` names what stands in the path beside the endpoint,
/// `object` what the request acts on, or 0 when it makes it.
pub(crate) fn claim(
    app: &App,
    call: &Request,
    endpoint: &'static str,
    path: &[(&str, String)],
    object: u64,
) -> KeyClaim {
    let key = call.idempotency_key();
    let request = KeyedRequest::of(&app.body_key, key, path, &call.body, object);
    KeyClaim { endpoint, key: key.to_owned(), request }
}

/// The object of the request that used the key before, if one did; `409` naming the field when that
/// was another request. Answers behind the commit that spent it: rows are read before they are
/// synced, and caches forget when they are.
pub(crate) async fn used(
    app: &App,
    call: &Request,
    claim: &KeyClaim,
) -> Result<Option<u64>, ApiError> {
    let row = (call.seller_id(), claim.endpoint.to_owned(), claim.key.clone());
    let Some(first) = app.store.get(POST_KEYS, &row)? else { return Ok(None) };
    app.store.barrier().await;
    match claim.request.first_difference(&first) {
        Some(field) => Err(reused(&field)),
        None => Ok(Some(first.object)),
    }
}

/// The object of the request that was faster than this one. Fails as [`used`], and when the key is
/// free again, because that request failed.
pub(crate) async fn winner(app: &App, call: &Request, claim: &KeyClaim) -> Result<u64, ApiError> {
    used(app, call, claim).await?.ok_or_else(ApiError::unanswered)
}

/// The key was used for another request, which differs in this field.
pub(super) fn reused(field: &str) -> ApiError {
    ApiError::conflict(format!("Idempotency-Key reused with a different {field}"))
}
