//! The API document as a check of what is told: the payload of every event has the fields that the
//! document gives its type, all that must be there and no other ones.

use serde_json::{Value, json};

use super::document::ApiDocument;

impl ApiDocument {
    /// Where the payload of an event is not as the document says.
    pub(crate) fn untold(&self, kind: &str, payload: &Value) -> Vec<String> {
        let body = &self.webhook(kind)["post"]["requestBody"]["content"]["application/json"];
        let parts = self.parts(&body["schema"]);
        let mut payloads = parts.into_iter().map(|part| &part["properties"]["payload"]);
        match payloads.rfind(|schema| schema.is_object()) {
            Some(schema) => self.differs(schema, payload, kind),
            None => vec![format!("{kind} is not told of")],
        }
    }

    /// Where a value is not as the document says of what it names so.
    pub(crate) fn unlike(&self, name: &str, value: &Value) -> Vec<String> {
        let schema = json!({"$ref": format!("#/components/schemas/{name}")});
        self.differs(&schema, value, name)
    }

    fn differs(&self, schema: &Value, value: &Value, place: &str) -> Vec<String> {
        let parts = self.parts(schema);
        let kinds = parts.iter().find_map(|part| part["oneOf"].as_array());
        if let Some(kinds) = kinds {
            let all = kinds.iter().map(|kind| self.differs(kind, value, place));
            return all.min_by_key(Vec::len).unwrap_or_default();
        }
        let Value::Object(fields) = value else {
            let fits = parts.iter().any(|part| is_of(part, value));
            return if fits { Vec::new() } else { vec![format!("{place} is {value}")] };
        };
        let of = |name: &str| {
            let mut fields = parts.iter().map(|part| &part["properties"][name]);
            fields.find(|field| field.is_object())
        };
        let needed = parts.iter().filter_map(|part| part["required"].as_array()).flatten();
        let needed = needed.filter_map(Value::as_str).filter(|name| !fields.contains_key(*name));
        let missing = needed.map(|name| format!("{place}/{name} is missing"));
        let wrong = fields.iter().flat_map(|(name, value)| {
            let place = format!("{place}/{name}");
            match of(name) {
                Some(field) => self.differs(field, value, &place),
                None => vec![format!("{place} is not in the document")],
            }
        });
        missing.chain(wrong).collect()
    }
}

/// Whether a plain value is of the type, and one of the words, of a schema.
fn is_of(schema: &Value, value: &Value) -> bool {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) | Value::Object(_) => return true,
    };
    let named = schema["enum"].as_array().is_none_or(|words| words.contains(value));
    let listed = schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind));
    named && (schema["type"] == kind || listed)
}

#[test]
fn a_payload_that_is_not_as_documented_is_found() {
    let integer = json!({"type": "integer"});
    let of = |name: &str| json!({"required": [name], "properties": {name: integer}});
    let payload =
        json!({"allOf": [of("a"), {"properties": {"word": {"enum": ["x"], "type": "string"}}}]});
    let own = json!({"properties": {"payload": {"oneOf": [payload, of("b")]}}});
    let told = json!({"requestBody": {"content": {"application/json": {"schema": own}}}});
    let document = ApiDocument::of(&[json!({"paths": {}, "webhooks": {"Told": {"post": told}}})]);
    for (payload, found) in [
        (json!({"a": 1, "word": "x"}), &[][..]),
        (json!({"b": 1}), &[]),
        (json!({"a": 1, "word": "y"}), &["Told/word is \"y\""]),
        (json!({"b": null}), &["Told/b is null"]),
        (json!({"b": 1, "c": 2}), &["Told/c is not in the document"]),
        (json!({"word": "x"}), &["Told/a is missing"]),
    ] {
        assert_eq!(document.untold("Told", &payload), found, "{payload}");
    }
    assert_eq!(document.untold("Other", &json!({})), ["Other is not told of"]);
}
