//! A response, with the ways in which tests read it.

use std::ops::Index;

use bytes::Bytes;
use hyper::HeaderMap;
use serde_json::Value;

#[derive(Clone, Debug)]
pub(crate) struct Response {
    /// Method, path and the beginning of the body, for messages.
    pub(crate) request: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
    /// The body as text.
    pub(crate) text: String,
    /// The body as JSON; `null` when it is none.
    pub(crate) body: Value,
}

impl Response {
    /// Asserts a status, and returns the body.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Value {
        self.has_status(status);
        self.body
    }

    /// Asserts a status.
    #[track_caller]
    pub(crate) fn has_status(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{} answered {}", self.request, self.text);
        self
    }

    /// Asserts a refusal: a status, and an error text that contains `part`.
    #[track_caller]
    pub(crate) fn refuses(&self, status: u16, part: &str) {
        self.has_status(status);
        let text = self.error();
        assert!(text.contains(part), "{}: {text:?} does not contain {part:?}", self.request);
    }

    /// Asserts a refusal with exactly this error text.
    #[track_caller]
    pub(crate) fn refuses_saying(&self, status: u16, text: &str) {
        self.has_status(status);
        assert_eq!(self.error(), text, "{}", self.request);
    }

    /// The text of `{"error": …}`.
    #[track_caller]
    pub(crate) fn error(&self) -> &str {
        let text = self.body.get("error").and_then(Value::as_str);
        text.unwrap_or_else(|| panic!("{} answered no error text: {}", self.request, self.text))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The media type, without parameters.
    pub(crate) fn media_type(&self) -> &str {
        self.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default().trim()
    }

    /// Whether it is marked as the replay of an earlier response.
    pub(crate) fn is_replay(&self) -> bool {
        self.header("idempotent-replayed") == Some("true")
    }
}

impl Index<&str> for Response {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        &self.body[name]
    }
}

/// The id of a created object.
#[track_caller]
pub(crate) fn id(body: &Value) -> u64 {
    body["id"].as_u64().unwrap_or_else(|| panic!("no id in {body}"))
}

/// The texts of one field over all rows of a list.
#[track_caller]
pub(crate) fn column<'a>(body: &'a Value, list: &str, field: &str) -> Vec<&'a Value> {
    let rows = body[list].as_array().unwrap_or_else(|| panic!("no list {list} in {body}"));
    rows.iter().map(|row| &row[field]).collect()
}

/// The ids of the rows of a list.
#[track_caller]
pub(crate) fn ids(body: &Value, list: &str) -> Vec<u64> {
    column(body, list, "id").into_iter().map(|id| id.as_u64().expect("an id")).collect()
}
