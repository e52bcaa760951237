//! What a server answered.

use bytes::Bytes;
use hyper::{HeaderMap, Method, StatusCode, header};
use serde_json::Value;

use super::CallError;

/// The most characters of a body that are told when a call is refused.
const TOLD: usize = 600;

#[derive(Clone, Debug)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The body as JSON; `null` when it is empty or no JSON.
    pub body: Value,
    pub bytes: Bytes,
}

impl Response {
    pub(crate) fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body of a 2xx; everything else as an error that names the call.
    pub fn success(self, method: Method, path: &str) -> Result<Value, CallError> {
        if self.status.is_success() {
            return Ok(self.body);
        }
        let body = self.text();
        Err(CallError::Refused { method, path: path.to_owned(), status: self.status, body })
    }

    /// Why it is a refusal, in the server's words.
    pub(super) fn reason(&self) -> String {
        match self.body["error"].as_str() {
            Some(reason) => reason.to_owned(),
            None if self.bytes.is_empty() => self.status.to_string(),
            None => self.text(),
        }
    }

    /// The seconds to wait before the same call, at most a minute at a time.
    pub(super) fn pause(&self) -> Option<u64> {
        let busy = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE];
        if !busy.contains(&self.status) {
            return None;
        }
        let seconds = self.header(header::RETRY_AFTER)?.parse().ok()?;
        // A quota of a whole day cannot be waited out: that is a refusal.
        (1..=60).contains(&seconds).then_some(seconds)
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).chars().take(TOLD).collect()
    }
}
