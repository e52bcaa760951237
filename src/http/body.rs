//! Request bodies: read whole, within a limit and a time.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_LENGTH, EXPECT};
use hyper::{HeaderMap, StatusCode};
use tokio::time::timeout;

use super::error::ApiError;

/// How much of a body that is too large is still read and thrown away, so that its sender is
/// listening when the answer comes.
const DRAINED_BYTES: usize = 4 * 1024 * 1024;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Keep,
    /// They are counted and dropped: the request is refused already, and holds no memory.
    Count,
}

/// Reads a body of at most `limit` bytes within `patience`.
///
/// # Errors
/// `413` when it is larger, whether it said so or not; `408` when it does not come; `400` when
/// it ends early.
pub(crate) async fn read(
    body: Incoming,
    headers: &HeaderMap,
    limit: usize,
    patience: Duration,
    purpose: Use,
) -> Result<Bytes, ApiError> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let body = announced(body, headers, limit, patience).await?;
    match timeout(patience, collect(body, limit, purpose)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(silent()),
    }
}

/// Hands the body back unless it says of itself that it is larger than `limit` bytes.
pub(crate) async fn announced(
    body: Incoming,
    headers: &HeaderMap,
    limit: usize,
    patience: Duration,
) -> Result<Incoming, ApiError> {
    let declared =
        headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if declared.is_none_or(|length: u64| length <= limit as u64) {
        return Ok(body);
    }
    // Who waits for leave to send sends nothing now.
    if !headers.contains_key(EXPECT) {
        let _ = timeout(patience, drain(body, limit)).await;
    }
    Err(too_large(limit))
}

async fn collect(mut body: Incoming, limit: usize, purpose: Use) -> Result<Bytes, ApiError> {
    let mut first = Bytes::new();
    let mut joined = BytesMut::new();
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame.map_err(|_| broken())?.into_data() else { continue };
        length += piece.len();
        if length > limit {
            drain(body, limit).await;
            return Err(too_large(limit));
        }
        if purpose == Use::Count {
            continue;
        }
        // Most bodies come in one piece and are not copied.
        if first.is_empty() && joined.is_empty() {
            first = piece;
        } else {
            if joined.is_empty() {
                joined.extend_from_slice(&std::mem::take(&mut first));
            }
            joined.extend_from_slice(&piece);
        }
    }
    Ok(if joined.is_empty() { first } else { joined.freeze() })
}

/// Throws away what is left of a body, as far as that is worth the while: up to `limit` bytes, or
/// [`DRAINED_BYTES`] where these are more.
pub(crate) async fn drain(mut body: Incoming, limit: usize) {
    let (mut length, most) = (0, limit.max(DRAINED_BYTES));
    while let Some(Ok(frame)) = body.frame().await {
        length += frame.data_ref().map_or(0, Bytes::len);
        if length > most {
            return;
        }
    }
}

pub(crate) fn broken() -> ApiError {
    ApiError::invalid("the request body ended early").closing()
}

pub(crate) fn silent() -> ApiError {
    ApiError::new(StatusCode::REQUEST_TIMEOUT, "the request body did not come").closing()
}

pub(crate) fn too_large(limit: usize) -> ApiError {
    ApiError::too_large(format!("the request body is larger than {limit} bytes")).closing()
}
