//! A request as handlers see it: within its size, with an id of its own, and with what the
//! pipeline found out about it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use actors::domain::ids::ID_LIMIT;
use actors::domain::text;
use actors::domain::time::Timestamp;
use actors::entropy::Entropy;
use actors::query::Paging;
use bytes::Bytes;
use hyper::header::HeaderValue;
use hyper::{HeaderMap, Method, Uri};
use serde::de::DeserializeOwned;
use uuid::Builder;

use super::State;
use super::budget::Share;
use super::error::ApiError;
use super::json::{self, Wrong};
use super::query;
use super::route::Route;
use super::router::{Place, Router};
use super::upload::Upload;

/// How many ids of requests are drawn from the operating system at once.
const AT_ONCE: usize = 64;
const ID_BYTES: usize = 16;
const ID_CHARS: usize = 40;

pub struct Request<S: State> {
    /// The address of the client.
    pub peer: IpAddr,
    /// The method; a `HEAD` stays one, and is served by the route of `GET`.
    pub method: Method,
    /// Path and query as they were sent.
    pub uri: Uri,
    pub headers: HeaderMap,
    /// The body, whole and within the route's limit; empty where the handler is to read it.
    pub body: Bytes,
    /// What the body takes of the budget, as long as the request is there.
    pub(crate) share: Option<Share<IpAddr>>,
    /// The body of a route whose handler reads it while it comes.
    pub(crate) upload: Option<Upload>,
    /// The id that the answer carries.
    pub id: RequestId,
    /// The instant at which the request is taken up, read once.
    pub now: Timestamp,
    pub(crate) router: Arc<Router<S>>,
    pub(crate) place: Place,
    pub(crate) context: S::Context,
}

impl<S: State> Request<S> {
    /// The path parameter `name` as an id, made with its newtype: `request.id("contractId",
    /// ContractId)`; `400` when it is no positive integer below 2^53.
    pub fn id<T>(&self, name: &str, make: fn(u64) -> T) -> Result<T, ApiError> {
        parse_id(name, self.path_part(name)?).map(make)
    }

    /// The path parameter `name`, percent-decoded and read as texts of bodies are; `404` when it
    /// does not decode or holds a control character: no such text was ever given out or taken.
    pub fn text_param(&self, name: &str) -> Result<Cow<'_, str>, ApiError> {
        let part = self.path_part(name)?;
        if !part.contains('%') {
            return Ok(Cow::Borrowed(part));
        }
        let decoded = percent_decoded(part).ok_or_else(ApiError::missing)?;
        let text = text::line(&decoded).map_err(|_| ApiError::missing())?;
        Ok(Cow::Owned(text.into_owned()))
    }

    /// The query parameter `name`; `400` when it is repeated or is no text.
    pub fn query_text(&self, name: &str) -> Result<Option<Cow<'_, str>>, ApiError> {
        query::value(self.query(), name)
    }

    /// The query parameter `name`, read by `read`; `400 <name> must be <expected>` when that finds
    /// nothing in it, and `400` when repeated.
    pub fn query_as<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        let Some(text) = self.query_text(name)? else { return Ok(None) };
        match read(&text) {
            Some(value) => Ok(Some(value)),
            None => Err(ApiError::invalid(format!("{name} must be {expected}"))),
        }
    }

    /// The query parameter `name` as an id; `400` when repeated, or no positive integer below 2^53.
    pub fn query_id<T>(&self, name: &str, make: fn(u64) -> T) -> Result<Option<T>, ApiError> {
        match self.query_text(name)? {
            Some(text) => parse_id(name, &text).map(|id| Some(make(id))),
            None => Ok(None),
        }
    }

    /// Which page of a list is asked for; `original` is the other name of its cursor, `afterId` or
    /// `beforeId`. `400` when limit or cursor is malformed, or the two cursors differ.
    pub fn paging(&self, original: &str) -> Result<Paging, ApiError> {
        query::paging(self.query(), original)
    }

    /// The JSON body as a `T`; unknown fields are ignored. The `400` names the field and why,
    /// unless the route is terse.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        let route = self.route();
        let body: &[u8] = if self.body.is_empty() && route.empty_body { b"{}" } else { &self.body };
        json::read(body).map_err(|wrong| match wrong {
            Wrong::Shape(_) if route.terse => ApiError::invalid("invalid request body"),
            wrong => wrong.into(),
        })
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body, to be read while it comes.
    ///
    /// # Panics
    /// On a route that does not say so, and when it was taken before.
    pub fn take_upload(&mut self) -> Upload {
        self.upload.take().expect("a streamed route has a body to be read once")
    }

    pub fn api_document(&self) -> Bytes {
        self.router.document()
    }

    pub fn pages_document(&self) -> Bytes {
        self.router.pages_document()
    }

    fn route(&self) -> &Route<S> {
        self.router.route(&self.place)
    }

    fn query(&self) -> &str {
        self.uri.query().unwrap_or_default()
    }

    fn path_part(&self, name: &str) -> Result<&str, ApiError> {
        self.router.parameter(&self.place, self.uri.path(), name).ok_or_else(|| {
            ApiError::internal(&format!("{} has no parameter {name}", self.route().path))
        })
    }
}

/// `req_` and a UUID, on every answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

thread_local! {
    /// Random bytes of this thread that no id has used yet: one system call serves many.
    static POOL: RefCell<(usize, [u8; ID_BYTES * AT_ONCE])> =
        const { RefCell::new((AT_ONCE, [0; ID_BYTES * AT_ONCE])) };
}

impl RequestId {
    pub(crate) fn draw(entropy: Entropy) -> Self {
        let bytes = POOL.with_borrow_mut(|(used, pool)| {
            if *used == AT_ONCE {
                *pool = entropy.bytes();
                *used = 0;
            }
            let mut id = [0; ID_BYTES];
            id.copy_from_slice(&pool[*used * ID_BYTES..(*used + 1) * ID_BYTES]);
            *used += 1;
            id
        });
        let mut text = [0; ID_CHARS];
        text[..4].copy_from_slice(b"req_");
        Builder::from_random_bytes(bytes).into_uuid().hyphenated().encode_lower(&mut text[4..]);
        Self(HeaderValue::from_bytes(&text).expect("hexadecimal digits and dashes"))
    }

    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(crate) fn value(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `text` as the id that `name` is to be: a positive integer below 2^53 in digits only.
pub(crate) fn parse_id(name: &str, text: &str) -> Result<u64, ApiError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .then(|| text.parse().ok())
        .flatten()
        .filter(|id| (1..ID_LIMIT).contains(id))
        .ok_or_else(|| ApiError::invalid(format!("{name} must be a positive integer")))
}

/// `text` with each `%` and two hexadecimal digits turned into their byte.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            bytes.push(plain.then(|| u8::from_str_radix(digits, 16).ok())??);
            rest = &after[2..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_requests_differ_beyond_one_pool() {
        let ids: std::collections::HashSet<String> =
            (0..AT_ONCE * 3).map(|_| RequestId::draw(Entropy).to_string()).collect();
        assert_eq!(ids.len(), AT_ONCE * 3);
        assert!(ids.iter().all(|id| id.len() == ID_CHARS && id.starts_with("req_")));
    }

    #[test]
    fn only_positive_integers_below_2_to_the_53_are_ids() {
        assert_eq!(parse_id("id", "1").ok(), Some(1));
        assert_eq!(parse_id("id", "9007199254740991").ok(), Some(9_007_199_254_740_991));
        for text in ["", "0", "-1", "+1", "1.0", "abc", "9007199254740992", "99999999999999999999"]
        {
            let problem = parse_id("contractId", text).expect_err("no id");
            assert_eq!(problem.to_string(), "400 contractId must be a positive integer", "{text}");
        }
    }

    #[test]
    fn percent_signs_are_decoded_once() {
        assert_eq!(percent_decoded("a%2Fb%25").as_deref(), Some("a/b%"));
        assert_eq!(percent_decoded("%C3%BC").as_deref(), Some("ü"));
        for broken in ["%", "%2", "%zz", "%+1", "%FF"] {
            assert_eq!(percent_decoded(broken), None, "{broken}");
        }
    }
}
