//! What an idempotency key of the payments surface stands for: path and body of its first
//! request, and what that made. The room that carries the request out writes the record in the same
//! batch.

use std::collections::BTreeMap;

use serde_json::Value;
use sha2::{Digest, Sha256};
use storage::CborRecord;

/// The first request of a key, as digests of its fields, and the object it made.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct IdempotencyRecord {
    /// Each field that was stated, with the SHA-256 of its value.
    #[n(0)]
    fields: BTreeMap<String, Vec<u8>>,
    #[n(1)]
    pub object: u64,
}

impl IdempotencyRecord {
    /// The key of a request: `path` names what stands in the path beside the endpoint, `body` is
    /// the JSON object that was sent. A field that is `null` counts as not stated.
    pub fn of(path: &[(&str, String)], body: &Value, object: u64) -> Self {
        let mut fields = BTreeMap::new();
        for (name, value) in path {
            fields.insert((*name).to_owned(), digest(value.as_bytes()));
        }
        for (name, value) in body.as_object().into_iter().flatten() {
            if !value.is_null() {
                // The map of a JSON value is sorted, so equal objects print alike.
                fields.insert(name.clone(), digest(value.to_string().as_bytes()));
            }
        }
        Self { fields, object }
    }

    #[must_use]
    pub fn made(&self, object: u64) -> Self {
        Self { object, ..self.clone() }
    }

    /// The first field, in order of names, in which two requests under one key differ.
    pub fn first_difference(&self, again: &Self) -> Option<String> {
        let names = self.fields.keys().chain(again.fields.keys());
        names.filter(|name| self.fields.get(*name) != again.fields.get(*name)).min().cloned()
    }
}

fn digest(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

impl CborRecord for IdempotencyRecord {}

#[cfg(test)]
mod tests {
    use storage::Record;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_difference_is_named_by_its_field_and_order_is_none() {
        let first = IdempotencyRecord::of(&[], &json!({"a": 1, "b": {"x": 1, "y": [2]}}), 7);
        let again = |body: Value| first.first_difference(&IdempotencyRecord::of(&[], &body, 0));
        assert_eq!(again(json!({"b": {"y": [2], "x": 1}, "a": 1, "c": null})), None);
        assert_eq!(again(json!({"a": 2, "b": {"x": 1, "y": [2]}})).as_deref(), Some("a"));
        assert_eq!(again(json!({"a": 1})).as_deref(), Some("b"));
        let elsewhere = IdempotencyRecord::of(&[("webhookId", "3".to_owned())], &json!({}), 0);
        assert_eq!(elsewhere.first_difference(&elsewhere.clone().made(9)), None);
        assert_eq!(IdempotencyRecord::decode(1, &first.encode()), Ok(first));
    }
}
