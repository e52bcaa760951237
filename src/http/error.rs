//! What is answered when a request is not served.

use std::fmt;

use actors::domain::refusal::{Refusal, RefusalKind};
use actors::kernel::AskError;
use hyper::StatusCode;
use hyper::header::{CONNECTION, HeaderName, HeaderValue, RETRY_AFTER};
use serde::Serialize;

use super::response::Response;

/// Seconds a caller is asked to wait when the server is full.
const BUSY_SECONDS: u32 = 1;

/// Seconds a caller is asked to wait where somebody has to make room first: waiting alone is of no
/// use, and who asks again each second would send all of it each time.
const TOO_MANY_SECONDS: u32 = 3_600;

/// An answer other than success, with its text for the caller.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    body: Text,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// What the log is told of a fault, and the caller is not.
    cause: Option<String>,
}

#[derive(Debug)]
enum Text {
    /// `{"error": …}`.
    Error(String),
    /// Plain text, as the authentication layer speaks.
    Plain(&'static str),
    /// A whole JSON document with more than a text.
    Document(Vec<u8>),
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    error: &'a str,
}

impl ApiError {
    pub fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, body: Text::Error(text.into()), headers: Vec::new(), cause: None }
    }

    pub fn plain(status: StatusCode, text: &'static str) -> Self {
        Self { status, body: Text::Plain(text), headers: Vec::new(), cause: None }
    }

    /// An error whose body says more than a text; `body` has a field `error`.
    pub fn document(status: StatusCode, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(body) => {
                Self { status, body: Text::Document(body), headers: Vec::new(), cause: None }
            }
            Err(error) => Self::internal(&error),
        }
    }

    /// `400`: a value of the request is wrong.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    /// `403`: the caller is known, and this is not allowed.
    pub fn forbidden(text: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, text)
    }

    /// `404`: unknown, or another seller's.
    pub fn missing() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not found")
    }

    /// `409`: the present state forbids it.
    pub fn conflict(text: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, text)
    }

    /// `413`: the body is larger than the route takes.
    pub fn too_large(text: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, text)
    }

    /// `422`: the object exists, but the action does not apply to it.
    pub fn unprocessable(text: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, text)
    }

    /// `503`: not now, for the reason in `text`; ask again in `seconds`.
    pub fn unavailable(text: impl Into<String>, seconds: u32) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, text).retry_after(seconds)
    }

    /// `503`: more is under way than the server takes on.
    pub fn busy() -> Self {
        Self::unavailable("the server is busy, try again", BUSY_SECONDS)
    }

    /// `500`: a room gave no answer; the request may have been carried out all the same.
    pub fn unanswered() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "unanswered: the request may have been carried out",
        )
    }

    /// `500`: a fault of the server. `cause` goes to the log with the request, never to the caller.
    pub fn internal(cause: &dyn fmt::Display) -> Self {
        let error = Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error");
        Self { cause: Some(cause.to_string()), ..error }
    }

    #[must_use]
    pub fn retry_after(self, seconds: u32) -> Self {
        self.header(RETRY_AFTER, HeaderValue::from(seconds))
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The same, and the connection ends after it: the rest of the request was not read.
    #[must_use]
    pub(crate) fn closing(self) -> Self {
        self.header(CONNECTION, HeaderValue::from_static("close"))
    }

    /// The same answer with the body of `response`.
    pub(crate) fn shown_as(self, response: Response) -> Response {
        let response = response.caused_by(self.cause);
        let headers = self.headers.into_iter();
        headers.fold(response, |response, (name, value)| response.header(name, value))
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The text for the caller; empty when the body is a whole document.
    pub fn text(&self) -> &str {
        match &self.body {
            Text::Error(text) => text,
            Text::Plain(text) => text,
            Text::Document(_) => "",
        }
    }
}

/// The one place that turns a rule's refusal into a status.
impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal.kind {
            RefusalKind::Invalid => StatusCode::BAD_REQUEST,
            RefusalKind::Missing => StatusCode::NOT_FOUND,
            RefusalKind::Conflict => StatusCode::CONFLICT,
            RefusalKind::Unprocessable | RefusalKind::Stale => StatusCode::UNPROCESSABLE_ENTITY,
            RefusalKind::Forbidden => StatusCode::FORBIDDEN,
            RefusalKind::Disabled => StatusCode::NOT_IMPLEMENTED,
            RefusalKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
            RefusalKind::Fault => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let error = Self::new(status, refusal.text);
        match refusal.kind {
            RefusalKind::TooMany => error.retry_after(TOO_MANY_SECONDS),
            _ => error,
        }
    }
}

impl From<AskError> for ApiError {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Refused(refusal) => refusal.into(),
            AskError::Unanswered => Self::unanswered(),
            AskError::Busy => Self::busy(),
        }
    }
}

impl From<storage::ReadError> for ApiError {
    fn from(error: storage::ReadError) -> Self {
        Self::internal(&error)
    }
}

impl From<ApiError> for Response {
    fn from(error: ApiError) -> Self {
        let response = match &error.body {
            Text::Error(text) => Response::json(error.status, &ErrorBody { error: text }),
            Text::Plain(text) => Response::text(error.status, *text),
            Text::Document(body) => Response::json_bytes(error.status, body.clone()),
        };
        error.shown_as(response)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status.as_u16(), self.text())
    }
}
