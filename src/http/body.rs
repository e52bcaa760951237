//! Request bodies: read whole, within a limit, a time and a budget of memory.

use std::net::IpAddr;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, EXPECT, HeaderValue};
use hyper::{HeaderMap, StatusCode, Version};
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::budget::{Share, Spent};
use super::connection::last_call;
use super::error::ApiError;

/// How much of a body that is too large is still read and thrown away, so that its sender is
/// listening when the answer comes.
const DRAINED_BYTES: usize = 4 * 1024 * 1024;

/// Seconds after which most bodies that fill the budget have been served.
const RETRY_SECONDS: u32 = 1;

/// How a body is read.
#[derive(Clone)]
pub(crate) struct Terms {
    /// The most bytes of it.
    pub(crate) limit: usize,
    /// Until it has come, or until its next piece comes where it is read by pieces.
    pub(crate) patience: Duration,
    /// Cancelled when the server is told to stop: what has not come by then has begun nothing.
    pub(crate) stop: CancellationToken,
    /// How long a body, or its next piece, may still take then.
    pub(crate) last_call: Duration,
    pub(crate) version: Version,
}

impl Terms {
    /// What reads the body comes to, if it comes in time.
    pub(crate) async fn in_time<T>(&self, read: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            read = timeout(self.patience, read) => read.ok(),
            () = last_call(&self.stop, self.last_call) => None,
        }
    }
}

/// Reads a body whole, as far as `share` has room for it.
///
/// # Errors
/// `413` when it is larger, whether it said so or not; `503` when too much is held already; `408`
/// when it does not come; `400` when it ends early.
pub(crate) async fn read(
    body: Incoming,
    terms: Terms,
    share: &mut Share<IpAddr>,
) -> Result<Bytes, ApiError> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    terms.in_time(collect(body, &terms, share)).await.unwrap_or_else(|| Err(silent()))
}

/// Reads the body of a request that is refused already: it is counted and dropped, and holds no
/// memory.
///
/// # Errors
/// As [`read`], but for the budget.
pub(crate) async fn discard(body: Incoming, terms: Terms) -> Result<(), ApiError> {
    if body.is_end_stream() {
        return Ok(());
    }
    terms.in_time(count(body, &terms)).await.unwrap_or_else(|| Err(silent()))
}

/// Hands the body back unless it says of itself that it is too large.
pub(crate) async fn announced(
    body: Incoming,
    headers: &HeaderMap,
    terms: &Terms,
) -> Result<Incoming, ApiError> {
    let declared =
        headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if declared.is_none_or(|length: u64| length <= terms.limit as u64) {
        return Ok(body);
    }
    // Who waits for leave to send sends nothing now.
    if !headers.contains_key(EXPECT) && terms.version != Version::HTTP_2 {
        let _ = terms.in_time(drain(body, terms.limit)).await;
    }
    Err(too_large(terms.limit))
}

/// Refuses a body that is compressed, which is not taken (RFC 9110, 15.5.16).
pub(crate) fn check_encoding(headers: &HeaderMap) -> Result<(), ApiError> {
    let is_plain = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(CONTENT_ENCODING).iter().all(is_plain) {
        return Ok(());
    }
    let text = "bodies are taken as they are: send it without Content-Encoding";
    let refusal = ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, text);
    Err(refusal.header(ACCEPT_ENCODING, HeaderValue::from_static("identity")))
}

async fn collect(
    mut body: Incoming,
    terms: &Terms,
    share: &mut Share<IpAddr>,
) -> Result<Bytes, ApiError> {
    let mut joined = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame.map_err(|_| broken())?.into_data() else { continue };
        let kept = if joined.len() + piece.len() > terms.limit {
            Err(too_large(terms.limit))
        } else {
            share.grow(piece.len()).map_err(|Spent| too_many())
        };
        if let Err(refusal) = kept {
            drain_behind(body, terms.clone());
            return Err(refusal);
        }
        // Most bodies come in one piece and are not copied. Where more comes, a small piece may
        // hold a large buffer, so that none is kept.
        if joined.is_empty() && body.is_end_stream() {
            return Ok(piece);
        }
        joined.extend_from_slice(&piece);
    }
    Ok(joined.freeze())
}

async fn count(mut body: Incoming, terms: &Terms) -> Result<(), ApiError> {
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        length += frame.map_err(|_| broken())?.data_ref().map_or(0, Bytes::len);
        if length > terms.limit {
            drain_behind(body, terms.clone());
            return Err(too_large(terms.limit));
        }
    }
    Ok(())
}

/// Throws away the body of a request for what is not there, as far as one is on its way.
pub(crate) fn throw_away(body: Incoming, headers: &HeaderMap, terms: Terms) {
    // Who waits for leave to send sends nothing now.
    if !body.is_end_stream() && !headers.contains_key(EXPECT) {
        drain_behind(body, terms);
    }
}

/// Throws away what is left of a body behind the answer, so that its sender is listening when the
/// answer comes. Over HTTP/2 the rest is called off instead.
pub(crate) fn drain_behind(body: Incoming, terms: Terms) {
    let Ok(runtime) = Handle::try_current() else { return };
    if terms.version != Version::HTTP_2 {
        runtime.spawn(async move {
            let _ = terms.in_time(drain(body, terms.limit)).await;
        });
    }
}

/// Throws away what is left of a body, as far as that is worth the while: up to `limit` bytes, or
/// [`DRAINED_BYTES`] where these are more.
async fn drain(mut body: Incoming, limit: usize) {
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

fn too_many() -> ApiError {
    let text = "too many request bodies are under way, try again";
    ApiError::unavailable(text, RETRY_SECONDS).closing()
}

pub(crate) fn too_large(limit: usize) -> ApiError {
    ApiError::too_large(format!("the request body is larger than {limit} bytes")).closing()
}
