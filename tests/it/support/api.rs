//! A client of one surface, with or without a key. It retries nothing and waits for nothing;
//! what every response must have is checked here, once for all tests.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper::{Method, Request};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use super::document::ApiDocument;
use super::response::Response;

/// A client of the paths under one prefix.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    pool: Client<HttpConnector, Full<Bytes>>,
    /// `http://host:port`.
    pub(crate) origin: String,
    prefix: &'static str,
    key: Option<String>,
    document: Option<ApiDocument>,
}

impl Api {
    /// A client of the server at `origin` with no prefix and no key.
    pub(crate) fn new(origin: &str) -> Self {
        let pool = Client::builder(TokioExecutor::new()).build(HttpConnector::new());
        let origin = origin.trim_end_matches('/').to_owned();
        Self { pool, origin, prefix: "", key: None, document: None }
    }

    /// The same for the paths under `prefix`.
    pub(crate) fn under(&self, prefix: &'static str) -> Self {
        Self { prefix, ..self.clone() }
    }

    /// The same with a key.
    pub(crate) fn with_key(&self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self.clone() }
    }

    /// The same without a key.
    pub(crate) fn without_key(&self) -> Self {
        Self { key: None, ..self.clone() }
    }

    /// The same, holding every answer against the API document.
    pub(crate) fn checked_against(self, document: ApiDocument) -> Self {
        Self { document: Some(document), ..self }
    }

    /// `GET`.
    pub(crate) async fn get(&self, path: &str) -> Response {
        self.send(Method::GET, path, &[], "").await
    }

    /// `DELETE`.
    pub(crate) async fn delete(&self, path: &str) -> Response {
        self.send(Method::DELETE, path, &[], "").await
    }

    /// `POST` of a JSON body.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Response {
        self.send(Method::POST, path, &[], &body.to_string()).await
    }

    /// `PUT` of a JSON body.
    pub(crate) async fn put(&self, path: &str, body: &Value) -> Response {
        self.send(Method::PUT, path, &[], &body.to_string()).await
    }

    /// `PATCH` with a JSON body.
    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Response {
        self.send(Method::PATCH, path, &[], &body.to_string()).await
    }

    /// `POST` of a JSON body under an idempotency key.
    pub(crate) async fn create(&self, path: &str, key: &str, body: &Value) -> Response {
        self.send(Method::POST, path, &[("idempotency-key", key)], &body.to_string()).await
    }

    /// Any request. `path` may be a whole address of the same server.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response {
        let request = format!("{method} {path} {}", body.chars().take(300).collect::<String>());
        match self.try_send(method, path, headers, body).await {
            Ok(response) => response,
            Err(why) => panic!("{request}: no response: {why}"),
        }
    }

    /// Any request to a server that may be gone before it answers.
    pub(crate) async fn try_send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Response, String> {
        let sent = format!("{method} {path} {}", body.chars().take(300).collect::<String>());
        let whole = path.starts_with("http://");
        let uri = match whole {
            true => path.to_owned(),
            false => format!("{}{}{path}", self.origin, self.prefix),
        };
        let mut request = Request::builder().method(method.clone()).uri(&uri);
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept")) {
            request = request.header("accept", "application/json");
        }
        if !body.is_empty() && !headers.iter().any(|(name, _)| *name == "content-type") {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        if let Some(key) = self.key.as_ref().filter(|_| !whole) {
            request = request.header(AUTHORIZATION, format!("Bearer {key}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = Full::new(Bytes::copy_from_slice(body.as_bytes()));
        let request = request.body(body).map_err(|error| error.to_string())?;
        let answer = self.pool.request(request).await.map_err(|error| format!("{error:?}"))?;
        let (head, body) = answer.into_parts();
        let bytes = body.collect().await.map_err(|error| format!("{error:?}"))?.to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let response = Response {
            request: sent,
            status: head.status.as_u16(),
            headers: head.headers,
            bytes,
            text,
            body,
        };
        carries_a_request_id(&response);
        says_when_to_come_back(&response);
        if let Some(document) = &self.document {
            document.check(&method, uri.trim_start_matches(&self.origin), &response);
        }
        Ok(response)
    }

    /// Every row of a list, page after page.
    pub(crate) async fn all(&self, path: &str, list: &str) -> Vec<Value> {
        let glue = if path.contains('?') { '&' } else { '?' };
        let (mut rows, mut cursor) = (Vec::new(), 0);
        loop {
            let page = self.get(&format!("{path}{glue}limit=100&cursor={cursor}")).await.is(200);
            rows.extend(page[list].as_array().expect("a list").iter().cloned());
            match page["nextCursor"].as_u64() {
                Some(next) if page["hasMore"] == true => cursor = next,
                _ => return rows,
            }
        }
    }
}

/// Every answer of every surface carries `X-Request-Id: req_<uuid>`.
fn carries_a_request_id(response: &Response) {
    let id = response.header("x-request-id").unwrap_or_default();
    let uuid = id.strip_prefix("req_").unwrap_or_default();
    assert!(uuid::Uuid::parse_str(uuid).is_ok(), "{}: X-Request-Id is {id:?}", response.request);
}

/// Whoever is told that it is too much is told how long to wait.
fn says_when_to_come_back(response: &Response) {
    if response.status == 429 {
        let seconds = response.header("retry-after").unwrap_or_default();
        let whole = seconds.parse::<u32>().is_ok_and(|seconds| seconds > 0);
        assert!(whole, "{}: Retry-After is {seconds:?}", response.request);
    }
}
