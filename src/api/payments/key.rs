//! Idempotency of the payments surface: path and body are the intent (decisions 13).

use actors::domain::platform::post_key::PostKey;
use actors::seller::SpendKey;
use actors::tables::POST_KEYS;
use serde_json::Value;

use crate::app::App;
use crate::http::{Call, Problem};

/// The request of a call under its key, for the write that spends it.
pub(super) fn spend(
    call: &Call,
    endpoint: &'static str,
    path: &[(&str, String)],
    object: u64,
) -> SpendKey {
    let body: Value = serde_json::from_slice(&call.body).unwrap_or(Value::Null);
    let key = call.idempotency_key().to_owned();
    SpendKey { endpoint, key, request: PostKey::of(path, &body, object) }
}

/// What the key of this request has made before, if it was spent. Answers behind the commit that
/// spent it: rows are read before they are synced, and caches forget when they are.
///
/// # Errors
/// `409` naming the field when it was spent on another request.
pub(super) async fn before(
    app: &App,
    call: &Call,
    spend: &SpendKey,
) -> Result<Option<u64>, Problem> {
    let row = (call.seller_id(), spend.endpoint.to_owned(), spend.key.clone());
    let Some(first) = app.store.get(POST_KEYS, &row)? else { return Ok(None) };
    app.store.barrier().await;
    match first.first_difference(&spend.request) {
        Some(field) => {
            let text = format!("Idempotency-Key reused with a different {field}");
            Err(Problem::conflict(text))
        }
        None => Ok(Some(first.object)),
    }
}
