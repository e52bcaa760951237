//! The API document as a check: whatever a test sends, the status and the media type of the
//! response are ones that `/openapi.json` names for that operation.

use std::sync::Arc;

use hyper::Method;
use serde_json::Value;

use super::response::Response;

/// The operations of the document.
#[derive(Clone, Debug)]
pub(crate) struct ApiDocument {
    paths: Arc<Vec<(String, Value)>>,
}

impl ApiDocument {
    /// Of the document that a server serves.
    pub(crate) fn of(document: &Value) -> Self {
        let paths = document["paths"].as_object().expect("paths");
        let mut paths: Vec<_> =
            paths.iter().map(|(path, item)| (path.clone(), item.clone())).collect();
        // Fixed paths before patterns: `/invoices/export` before `/invoices/{id}`.
        paths.sort_by_key(|(path, _)| path.matches('{').count());
        Self { paths: Arc::new(paths) }
    }

    /// Asserts that the response to `method` on `target` is a documented one.
    pub(crate) fn check(&self, method: &Method, target: &str, response: &Response) {
        let path = target.split('?').next().unwrap_or_default();
        let Some((pattern, item)) = self.paths.iter().find(|(pattern, _)| fits(pattern, path))
        else {
            return;
        };
        let method = method.as_str().to_ascii_lowercase();
        let Some(operation) = item.get(&method) else { return };
        let answer = &operation["responses"][response.status.to_string()];
        assert!(
            answer.is_object(),
            "{} {pattern} answered {} which the API document does not name: {}",
            method,
            response.status,
            response.text
        );
        let Some(content) = answer.get("content").and_then(Value::as_object) else { return };
        let kind = response.media_type();
        let named = content.keys().any(|named| named == kind || named == "*/*");
        assert!(
            named || response.text.is_empty(),
            "{method} {pattern} answered {} as {kind}, the document names {:?}",
            response.status,
            content.keys()
        );
    }
}

fn fits(pattern: &str, path: &str) -> bool {
    let (mut pattern, mut path) = (pattern.split('/'), path.split('/'));
    loop {
        match (pattern.next(), path.next()) {
            (None, None) => return true,
            (Some(part), Some(sent)) => {
                let open = part.starts_with('{') && part.ends_with('}') && !sent.is_empty();
                if !open && part != sent {
                    return false;
                }
            }
            _ => return false,
        }
    }
}
