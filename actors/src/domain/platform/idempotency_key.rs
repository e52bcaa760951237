//! What an idempotency key of the payments surface stands for: path and body of its first
//! request, and what that made. The room that carries the request out writes the record in the same
//! batch.

mod digest;

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use storage::CborRecord;

use self::digest::{digest, digest_of_json};

/// Fields that a record names one by one, in order of their names, with names of so many bytes at
/// most. All others share one digest, so that a record stays small whatever is sent.
const NAMED_FIELDS: usize = 64;
const NAME_BYTES: usize = 64;

/// What stands for the fields that are not named.
const OTHERS: &str = "body";

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
    pub fn of(path: &[(&str, String)], body: &[u8], object: u64) -> Self {
        let mut fields = BTreeMap::new();
        for (name, value) in path {
            fields.insert((*name).to_owned(), digest(value.as_bytes()));
        }
        match serde_json::from_slice::<BTreeMap<String, &RawValue>>(body) {
            Ok(stated) => fields.extend(digests(stated)),
            // Nothing that a handler has read as an object comes here.
            Err(_) if body.is_empty() => {}
            Err(_) => drop(fields.insert(OTHERS.to_owned(), digest(body))),
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

fn digests(stated: BTreeMap<String, &RawValue>) -> BTreeMap<String, Vec<u8>> {
    let (mut named, mut others) = (BTreeMap::new(), Vec::new());
    for (name, value) in stated {
        if value.get() == "null" {
            continue;
        }
        let value = digest_of_json(value.get());
        if named.len() < NAMED_FIELDS && name.len() <= NAME_BYTES && name != OTHERS {
            named.insert(name, value);
        } else {
            others.extend(digest(name.as_bytes()).into_iter().chain(value));
        }
    }
    if !others.is_empty() {
        named.insert(OTHERS.to_owned(), digest(&others));
    }
    named
}

impl CborRecord for IdempotencyRecord {}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use storage::Record;

    use super::*;

    fn difference(first: &str, again: &str) -> Option<String> {
        let of = |body: &str| IdempotencyRecord::of(&[], body.as_bytes(), 0);
        of(first).first_difference(&of(again))
    }

    #[test]
    fn a_difference_is_named_by_its_field_and_order_is_none() {
        let first = r#"{"a": 1, "b": {"x": 1, "y": [2]}}"#;
        assert_eq!(difference(first, r#"{"b": {"y": [2], "x": 1}, "a": 1, "c": null}"#), None);
        let other = r#"{"a": 2, "b": {"x": 1, "y": [2]}}"#;
        assert_eq!(difference(first, other).as_deref(), Some("a"));
        assert_eq!(difference(first, r#"{"a": 1}"#).as_deref(), Some("b"));
        let elsewhere = IdempotencyRecord::of(&[("webhookId", "3".to_owned())], b"{}", 0);
        assert_eq!(elsewhere.first_difference(&elsewhere.clone().made(9)), None);
        let record = IdempotencyRecord::of(&[], first.as_bytes(), 7);
        assert_eq!(IdempotencyRecord::decode(1, &record.encode()), Ok(record));
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_exactly() {
        for same in ["20.00", "2e1", "0.2E+2", "2000e-2"] {
            let body = format!(r#"{{"amount": {same}, "of": [{{"x": {same}}}]}}"#);
            assert_eq!(difference(r#"{"amount": 20, "of": [{"x": 20}]}"#, &body), None, "{same}");
        }
        assert_eq!(difference(r#"{"n": 0.0}"#, r#"{"n": -0}"#), None);
        for other in ["21", "-20", "20.0000000000000000000000001", "\"20\"", "1e999", "[20]"] {
            let body = format!(r#"{{"amount": {other}}}"#);
            assert_eq!(difference(r#"{"amount": 20}"#, &body).as_deref(), Some("amount"));
        }
    }

    #[test]
    fn a_body_that_json_values_cannot_hold_counts_all_the_same() {
        let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for odd in ["1e999", "-1e99999999999999999999", &nested, r#""\ud800""#] {
            let body = |name| format!(r#"{{"displayName": "{name}", "x": {odd}}}"#);
            assert_eq!(difference(&body("One"), &body("One")), None, "{odd}");
            let named = difference(&body("One"), &body("TWO"));
            assert_eq!(named.as_deref(), Some("displayName"), "{odd}");
        }
    }

    #[test]
    fn a_record_stays_small_and_knows_every_field_all_the_same() {
        let mut many = String::from("{\"amount\": 1");
        for n in 0..3_000 {
            write!(many, ", \"f{n}\": 1").expect("written");
        }
        let long = format!("{{\"{}\": 1", "n".repeat(70_000));
        for body in [many, long] {
            let (one, other) = (format!("{body}, \"z\": 1}}"), format!("{body}, \"z\": 2}}"));
            assert_eq!(difference(&one, &one), None);
            assert!(difference(&one, &other).is_some());
            let record = IdempotencyRecord::of(&[], one.as_bytes(), 7);
            assert!(record.encode().len() < 8 * 1024);
        }
    }
}
