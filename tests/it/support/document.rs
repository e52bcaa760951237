//! The API document as a check: whatever a test sends, the status and the media type of the
//! response are ones that the document names for that operation, and `null` stands in it only where
//! the document lets it stand.

use std::sync::Arc;

use hyper::Method;
use serde_json::Value;

use super::response::Response;

/// The operations of the document and that of the pages, with the schemas that they name.
#[derive(Clone, Debug)]
pub(crate) struct ApiDocument {
    paths: Arc<Vec<(String, Value)>>,
    schemas: Arc<Vec<Value>>,
    /// What is told, by the name of the event type.
    webhooks: Arc<Value>,
}

impl ApiDocument {
    /// Of the documents that a server serves.
    pub(crate) fn of(documents: &[Value]) -> Self {
        let paths = documents.iter().map(|document| document["paths"].as_object().expect("paths"));
        let mut paths: Vec<_> =
            paths.flatten().map(|(path, item)| (path.clone(), item.clone())).collect();
        // Fixed paths before patterns: `/invoices/export` before `/invoices/{id}`.
        paths.sort_by_key(|(path, _)| path.matches('{').count());
        let schemas = documents.iter().map(|document| document["components"]["schemas"].clone());
        let mut told = documents.iter().map(|document| &document["webhooks"]);
        let webhooks = told.find(|webhooks| webhooks.is_object()).cloned().unwrap_or_default();
        let schemas = Arc::new(schemas.collect());
        Self { paths: Arc::new(paths), schemas, webhooks: Arc::new(webhooks) }
    }

    pub(super) fn webhook(&self, event_type: &str) -> &Value {
        &self.webhooks[event_type]
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
        if let (Some(json), Ok(body)) =
            (content.get("application/json"), serde_json::from_str(&response.text))
        {
            let nulls = self.nulls(&json["schema"], &body, "");
            assert!(nulls.is_empty(), "{method} {pattern}: {nulls:?} must not be null: {body}");
        }
    }

    /// Where `null` stands in `value` though no schema lets it.
    fn nulls(&self, schema: &Value, value: &Value, place: &str) -> Vec<String> {
        match value {
            Value::Null if !self.may_be_null(schema) => vec![place.to_owned()],
            Value::Array(items) => {
                let item = self.parts(schema).into_iter().find(|part| part["items"].is_object());
                let Some(item) = item else { return Vec::new() };
                items.iter().flat_map(|one| self.nulls(&item["items"], one, place)).collect()
            }
            Value::Object(fields) => {
                let parts = self.parts(schema);
                let of = |name: &str| {
                    let mut fields = parts.iter().map(|part| &part["properties"][name]);
                    fields.find(|field| field.is_object())
                };
                let told = fields.iter().filter_map(|(name, one)| Some((of(name)?, name, one)));
                told.flat_map(|(field, name, one)| {
                    self.nulls(field, one, &format!("{place}/{name}"))
                })
                .collect()
            }
            _ => Vec::new(),
        }
    }

    /// A schema with all that it is made of.
    pub(super) fn parts<'s>(&'s self, schema: &'s Value) -> Vec<&'s Value> {
        let mut all = vec![schema];
        if let Some(name) = schema["$ref"].as_str().and_then(|to| to.rsplit('/').next()) {
            let named = self.schemas.iter().map(|schemas| &schemas[name]);
            all.extend(named.filter(|one| one.is_object()).take(1).flat_map(|one| self.parts(one)));
        }
        for key in ["oneOf", "anyOf", "allOf"] {
            let items = schema[key].as_array().map(Vec::as_slice).unwrap_or_default();
            all.extend(items.iter().flat_map(|one| self.parts(one)));
        }
        all
    }

    fn may_be_null(&self, schema: &Value) -> bool {
        let is_null = |kind: &Value| *kind == "null";
        self.parts(schema).into_iter().any(|part| {
            let listed = part["type"].as_array().is_some_and(|kinds| kinds.iter().any(is_null));
            let says = ["type", "$ref", "oneOf", "anyOf", "allOf"];
            let is_free = says.iter().all(|key| part[*key].is_null());
            listed || is_null(&part["type"]) || is_free
        })
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
