//! A field carried out: its arguments become a request to the route behind it, and the answer a
//! value or an error.

use std::collections::BTreeMap;
use std::fmt::Write;

use async_graphql::{Error, ErrorExtensionValues, ErrorExtensions, Value as GraphValue};
use bytes::Bytes;
use hyper::header::RETRY_AFTER;
use hyper::{HeaderMap, Method, StatusCode};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::digits;
use crate::gate::audit::is_news;
use crate::gate::{Behalf, Inside};
use crate::http::Response;

/// A route as a field reaches it.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// Names of the path's parameters.
    pub(super) in_path: Vec<String>,
    /// Names of parameters of the query.
    pub(super) in_query: Vec<String>,
}

/// What a route has answered.
pub(super) struct Answered {
    pub(super) found: Result<Value, Error>,
    /// Whether it tells of what was done by this, or may have been.
    pub(super) is_news: bool,
}

/// The parameter that is filled in with the account of the caller.
pub(super) const OWN_ACCOUNT: &str = "sellerAccountId";

impl Target {
    /// Asks the route under `key` with `arguments` by the route's own names.
    pub(super) async fn ask(
        &self,
        inside: &Inside,
        by: &Behalf,
        key: Option<Uuid>,
        mut arguments: Map<String, Value>,
    ) -> Result<Answered, Error> {
        let mut target = self.path.to_owned();
        for name in &self.in_path {
            let value = match name.as_str() {
                OWN_ACCOUNT => by.seller.to_string(),
                name => text(arguments.remove(name)),
            };
            target = target.replace(&format!("{{{name}}}"), &encoded(&value));
        }
        let mut glue = '?';
        for name in &self.in_query {
            if let Some(value) = arguments.remove(name).filter(|value| !value.is_null()) {
                let value = encoded(&text(Some(value)));
                let _ = write!(target, "{glue}{name}={value}");
                glue = '&';
            }
        }
        let body = match self.method {
            Method::GET => Bytes::new(),
            _ => body(arguments)?.into(),
        };
        let answer = inside.ask(by, (self.method.clone(), &target), key, body).await;
        Ok(Answered { is_news: is_news(answer.status(), answer.is_replay()), found: read(answer) })
    }
}

fn read(answer: Response) -> Result<Value, Error> {
    if !answer.status().is_success() {
        return Err(refusal(answer));
    }
    let (_, body) = answer.into_whole();
    Ok(serde_json::from_slice(&digits::hidden(&body)).unwrap_or(Value::Null))
}

/// A refusal as an error with REST's text, status, a word for it, and for how long to wait.
pub(super) fn refusal(answer: Response) -> Error {
    let (status, headers, body) = answer.into_parts();
    let value: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let text = match value["error"].as_str() {
        Some(text) => text.to_owned(),
        None => String::from_utf8_lossy(&body).into_owned(),
    };
    let more = match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    refused(status, &text).extend_with(|_, extensions| {
        for (name, value) in more.into_iter().filter(|(name, _)| name != "error") {
            // `status` is that of the answer; some answers have one of their object beside it.
            let name = if name == "status" { "objectStatus".to_owned() } else { name };
            if let Ok(value) = GraphValue::from_json(value) {
                extensions.set(name, value);
            }
        }
        if let Some(seconds) = seconds_to_wait(&headers) {
            extensions.set("retryAfter", seconds);
        }
    })
}

fn seconds_to_wait(headers: &HeaderMap) -> Option<u32> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()
}

/// An error with its code and the status that REST has for it.
pub(super) fn refused(status: StatusCode, text: &str) -> Error {
    let mut error = Error::new(text);
    let mut extensions = ErrorExtensionValues::default();
    extensions.set("code", code(status));
    extensions.set("status", status.as_u16());
    error.extensions = Some(extensions);
    error
}

fn code(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 => "BAD_REQUEST",
        401 => "UNAUTHENTICATED",
        403 => "FORBIDDEN",
        404 => "NOT_FOUND",
        409 => "CONFLICT",
        422 => "UNPROCESSABLE",
        429 => "TOO_MANY_REQUESTS",
        501 => "NOT_AVAILABLE",
        502 => "UPSTREAM_FAILED",
        503 => "UNAVAILABLE",
        507 => "STORAGE_FULL",
        status if status < 500 => "REFUSED",
        _ => "INTERNAL",
    }
}

fn text(value: Option<Value>) -> String {
    match value {
        Some(Value::String(text)) => text,
        Some(Value::Null) | None => String::new(),
        Some(value) => value.to_string(),
    }
}

/// Percent-encoded, but for what stands for itself everywhere.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// A body in JSON. An amount that came in minor units is written in major ones, as the payments
/// API takes them: all its currencies have two decimals.
fn body(arguments: Map<String, Value>) -> Result<String, Error> {
    let mut fields: BTreeMap<String, Box<RawValue>> = BTreeMap::new();
    for (name, value) in arguments {
        let raw = match value.as_i64().filter(|_| name == "amount") {
            Some(minor) => RawValue::from_string(major(minor))?,
            None => RawValue::from_string(digits::shown(serde_json::to_string(&value)?))?,
        };
        fields.insert(name, raw);
    }
    Ok(serde_json::to_string(&fields)?)
}

fn major(minor: i64) -> String {
    let (sign, whole) = (if minor < 0 { "-" } else { "" }, minor.unsigned_abs());
    format!("{sign}{}.{:02}", whole / 100, whole % 100)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_encoded_and_amounts_turned_over() {
        assert_eq!(encoded("a b/ü"), "a%20b%2F%C3%BC");
        let arguments = json!({"amount": 1_005, "reason": "late"});
        let Value::Object(arguments) = arguments else { unreachable!() };
        assert_eq!(body(arguments).expect("JSON"), r#"{"amount":10.05,"reason":"late"}"#);
        assert_eq!(major(-7), "-0.07");
    }

    #[test]
    fn a_refusal_keeps_its_text_and_says_its_status() {
        let error = refusal(Response::json(
            StatusCode::BAD_GATEWAY,
            &json!({"error": "payment declined", "failureCode": 2001, "status": "failed"}),
        ));
        let extensions = error.extensions.expect("extensions");
        assert_eq!(error.message, "payment declined");
        assert_eq!(extensions.get("code"), Some(&GraphValue::from("UPSTREAM_FAILED")));
        assert_eq!(extensions.get("status"), Some(&GraphValue::from(502)));
        assert_eq!(extensions.get("failureCode"), Some(&GraphValue::from(2001)));
        assert_eq!(extensions.get("objectStatus"), Some(&GraphValue::from("failed")));
    }
}
