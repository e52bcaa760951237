//! An answer as handlers make it.

mod payload;

use std::net::IpAddr;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use hyper::StatusCode;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    LOCATION, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use serde::Serialize;

pub use self::payload::{BodyError, Payload};
use super::budget::Share;
use super::error::ApiError;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// What a page may load and do when it says nothing else: everything from this origin only,
/// no frames around it, no inline script.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
     frame-ancestors 'none'",
);

/// Room for a usual JSON answer, so that it is written without growing.
const USUAL_JSON_BYTES: usize = 1024;

pub struct Response {
    status: StatusCode,
    headers: HeaderMap,
    payload: Payload,
    /// What the log is told of a fault.
    cause: Option<String>,
}

impl Response {
    pub fn json<T: Serialize + ?Sized>(status: StatusCode, body: &T) -> Self {
        let mut bytes = Vec::with_capacity(USUAL_JSON_BYTES);
        match serde_json::to_writer(&mut bytes, body) {
            Ok(()) => Self::json_bytes(status, bytes),
            Err(error) => ApiError::internal(&error).into(),
        }
    }

    /// `status` with a body that is JSON already.
    pub fn json_bytes(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self::bytes(status, JSON, body)
    }

    pub fn ok<T: Serialize + ?Sized>(body: &T) -> Self {
        Self::json(StatusCode::OK, body)
    }

    pub fn created<T: Serialize + ?Sized>(body: &T) -> Self {
        Self::json(StatusCode::CREATED, body)
    }

    pub fn accepted<T: Serialize + ?Sized>(body: &T) -> Self {
        Self::json(StatusCode::ACCEPTED, body)
    }

    /// `200` with `body` as JSON, marked as the replay of an earlier write.
    pub fn replayed<T: Serialize + ?Sized>(body: &T) -> Self {
        Self::ok(body).header(REPLAYED, HeaderValue::from_static("true"))
    }

    pub(crate) fn is_replay(&self) -> bool {
        self.headers.contains_key(REPLAYED)
    }

    pub fn text(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self::bytes(status, TEXT, body)
    }

    /// `status` with a page. It is never stored, loads from its own origin only and sends no
    /// referrer; [`Response::policy`] states another content security policy.
    pub fn html(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self::bytes(status, HTML, body)
            .header(CONTENT_SECURITY_POLICY, PAGE_POLICY)
            .header(REFERRER_POLICY, NO_REFERRER)
            .header(CACHE_CONTROL, NO_STORE)
    }

    pub fn bytes(status: StatusCode, kind: HeaderValue, body: impl Into<Bytes>) -> Self {
        Self::with(status, Payload::Whole(body.into(), None)).header(CONTENT_TYPE, kind)
    }

    pub fn empty(status: StatusCode) -> Self {
        Self::with(status, Payload::EMPTY)
    }

    /// `303` to `location`, as a form is answered.
    pub fn see_other(location: &str) -> Self {
        match HeaderValue::from_str(location) {
            Ok(to) => Self::empty(StatusCode::SEE_OTHER).header(LOCATION, to),
            Err(error) => ApiError::internal(&error).into(),
        }
    }

    /// `302` to `location`, which may be another server's.
    pub fn found(location: &str) -> Self {
        match HeaderValue::from_str(location) {
            Ok(to) => Self::empty(StatusCode::FOUND).header(LOCATION, to),
            Err(error) => ApiError::internal(&error).into(),
        }
    }

    pub fn stream(
        kind: HeaderValue,
        pieces: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
    ) -> Self {
        Self::with(StatusCode::OK, Payload::Stream(pieces.boxed())).header(CONTENT_TYPE, kind)
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// The same with one more value of the header `name`, such as a second cookie.
    #[must_use]
    pub fn also(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    #[must_use]
    pub fn policy(self, policy: &'static str) -> Self {
        self.header(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy))
    }

    /// The same, kept by no cache: for answers that carry a secret.
    #[must_use]
    pub fn unstored(self) -> Self {
        self.header(CACHE_CONTROL, NO_STORE)
    }

    #[must_use]
    pub(crate) fn caused_by(mut self, cause: Option<String>) -> Self {
        self.cause = cause;
        self
    }

    pub(crate) fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    fn with(status: StatusCode, payload: Payload) -> Self {
        let mut headers = HeaderMap::with_capacity(12);
        headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        Self { status, headers, payload, cause: None }
    }

    pub(crate) fn headers_mut(&mut self) -> &mut HeaderMap {
        &mut self.headers
    }

    /// Bytes that it takes as long as it waits for its client, where they are worth counting.
    pub(crate) fn weight(&self) -> Option<usize> {
        self.payload.weight()
    }

    /// The same, with the room that was found for it.
    #[must_use]
    pub(crate) fn within(mut self, share: Share<IpAddr>) -> Self {
        self.payload.keep(share);
        self
    }

    /// Status and body, of an answer that is known as a whole.
    pub(crate) fn into_whole(self) -> (StatusCode, Bytes) {
        match self.payload {
            Payload::Whole(body, _) => (self.status, body),
            Payload::Stream(_) => (self.status, Bytes::new()),
        }
    }

    /// The same with its headers.
    pub(crate) fn into_parts(mut self) -> (StatusCode, HeaderMap, Bytes) {
        let headers = std::mem::take(&mut self.headers);
        let (status, body) = self.into_whole();
        (status, headers, body)
    }

    /// The answer as the wire takes it; a `HEAD` keeps the length and loses the body.
    pub(crate) fn into_response(mut self, head: bool) -> hyper::Response<Payload> {
        if head {
            if let Some(length) = self.payload.len() {
                self.headers.insert(hyper::header::CONTENT_LENGTH, HeaderValue::from(length));
            }
            self.payload = Payload::EMPTY;
        }
        let mut response = hyper::Response::new(self.payload);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}
