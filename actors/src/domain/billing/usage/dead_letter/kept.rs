//! How much of an event is kept: all of it, unless it is so large that no row could hold it.

use serde_json::{Map, Value};

/// The largest event that is kept whole, in bytes of its JSON.
pub const MAX_EVENT_BYTES: usize = 32 * 1024;

/// How much is kept of each field of a larger one, in characters of its JSON.
const CUT_CHARS: usize = 1_000;

/// The fields of an event: what else a too large one says is dropped.
const FIELDS: [&str; 6] =
    ["contractId", "metric", "quantity", "occurredAt", "idempotencyKey", "metadata"];

/// The event, and whether something of it was cut away.
pub(super) fn kept(event: String) -> (String, bool) {
    if event.len() <= MAX_EVENT_BYTES {
        return (event, false);
    }
    let left = match serde_json::from_str(&event) {
        Ok(Value::Object(fields)) => {
            let known = FIELDS.into_iter().filter_map(|name| Some((name, fields.get(name)?)));
            Value::Object(known.map(|(name, value)| (name.to_owned(), short(value))).collect())
        }
        Ok(value) => short(&value),
        Err(_) => Value::Object(Map::new()),
    };
    (left.to_string(), true)
}

/// The value itself when it is small, else the beginning of its text and how long it was.
fn short(value: &Value) -> Value {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(CUT_CHARS) {
        None => value.clone(),
        Some((end, _)) => {
            let length = text.chars().count();
            Value::String(format!("{}… (cut, {length} characters)", &text[..end]))
        }
    }
}
