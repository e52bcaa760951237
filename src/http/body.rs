//! Request bodies: read whole, within a limit, a time and a budget of memory.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actors::domain::platform::limits::client;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, EXPECT, HeaderValue};
use hyper::{HeaderMap, StatusCode, Version};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::error::ApiError;

/// How much of a body that is too large is still read and thrown away, so that its sender is
/// listening when the answer comes.
const DRAINED_BYTES: usize = 4 * 1024 * 1024;

/// Seconds after which most bodies that fill the budget have been served.
const RETRY_SECONDS: u32 = 1;

/// Which part of the budget one client may hold.
const SHARE_OF_ONE: usize = 4;

/// How long a body, or its next piece, may still take once the server is told to stop.
const LAST_CALL: Duration = Duration::from_secs(5);

/// How a body is read.
#[derive(Clone)]
pub(crate) struct Terms {
    /// The most bytes of it.
    pub(crate) limit: usize,
    /// Until it has come, or until its next piece comes where it is read by pieces.
    pub(crate) patience: Duration,
    /// Cancelled when the server is told to stop: what has not come by then has begun nothing.
    pub(crate) stop: CancellationToken,
    pub(crate) version: Version,
}

impl Terms {
    /// What reads the body comes to, if it comes in time.
    pub(crate) async fn in_time<T>(&self, read: impl Future<Output = T>) -> Option<T> {
        let last_call = async {
            self.stop.cancelled().await;
            sleep(LAST_CALL).await;
        };
        tokio::select! {
            biased;
            read = timeout(self.patience, read) => read.ok(),
            () = last_call => None,
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
    share: &mut BodyShare,
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
    share: &mut BodyShare,
) -> Result<Bytes, ApiError> {
    let mut joined = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame.map_err(|_| broken())?.into_data() else { continue };
        let kept = if joined.len() + piece.len() > terms.limit {
            Err(too_large(terms.limit))
        } else {
            share.grow(piece.len())
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

pub(crate) fn too_large(limit: usize) -> ApiError {
    ApiError::too_large(format!("the request body is larger than {limit} bytes")).closing()
}

/// Memory for bodies: what all of them may take together, and those of one client.
pub(crate) struct BodyBudget {
    most: usize,
    held: Mutex<HeldBytes>,
}

#[derive(Default)]
struct HeldBytes {
    all: usize,
    by_client: HashMap<IpAddr, usize>,
}

/// The bytes of one body that have come. They are free again when this is dropped.
pub(crate) struct BodyShare {
    budget: Arc<BodyBudget>,
    client: IpAddr,
    bytes: usize,
}

impl BodyBudget {
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { most: bytes, held: Mutex::default() })
    }

    pub(crate) fn share(self: &Arc<Self>, address: IpAddr) -> BodyShare {
        BodyShare { budget: self.clone(), client: client(address), bytes: 0 }
    }
}

impl BodyShare {
    /// Counts `bytes` that came, before they are kept.
    fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        let most = self.budget.most;
        let mut held = self.budget.held.lock().unwrap_or_else(PoisonError::into_inner);
        let own = held.by_client.get(&self.client).copied().unwrap_or_default();
        if held.all + bytes > most || own + bytes > most / SHARE_OF_ONE {
            let text = "too many request bodies are under way, try again";
            return Err(ApiError::unavailable(text, RETRY_SECONDS).closing());
        }
        held.all += bytes;
        held.by_client.insert(self.client, own + bytes);
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for BodyShare {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut held = self.budget.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.all -= self.bytes;
        let own = held.by_client.get(&self.client).copied().unwrap_or_default();
        match own.checked_sub(self.bytes) {
            None | Some(0) => held.by_client.remove(&self.client),
            Some(left) => held.by_client.insert(self.client, left),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_share_a_budget_and_one_has_a_quarter() {
        let budget = BodyBudget::new(1_000);
        let mut shares: Vec<BodyShare> = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"]
            .into_iter()
            .map(|address| budget.share(address.parse().expect("an address")))
            .collect();
        let again = "192.0.2.1".parse().expect("an address");
        for share in &mut shares {
            share.grow(200).expect("room");
            share.grow(51).expect_err("more than a quarter");
            share.grow(50).expect("a quarter");
        }
        budget.share(again).grow(1).expect_err("the quarter is taken");
        let other = "192.0.2.9".parse().expect("an address");
        budget.share(other).grow(1).expect_err("all is taken");
        shares.remove(0);
        budget.share(other).grow(250).expect("room again");
        drop(shares);
        let held = budget.held.lock().expect("whole");
        assert!(held.all == 0 && held.by_client.is_empty());
    }
}
