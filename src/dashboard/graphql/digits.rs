//! Numbers that stay as they were written. JSON of a seller's own may hold some that a `Value`
//! would change, such as `1.50` or one with more digits than a float has. They go through `Value`s,
//! and through those of the library, as an object of one member, whose name no such JSON may have,
//! and are numbers again where they are written.

use std::borrow::Cow;

use async_graphql::Value as GraphValue;
use serde_json::Number;
use serde_json::value::RawValue;

const NAME: &str = "\0";
/// What stands around a number in the text of such an object.
const BEFORE: &str = r#"{"\u0000":""#;
const BEHIND: &str = r#""}"#;

/// Digits that a number may have and is certain to keep.
const CERTAIN_DIGITS: usize = 15;

/// A text of JSON in which no number is changed by being read.
pub(super) fn hidden(json: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let (mut at, mut copied) = (0, 0);
    while at < json.len() {
        let end = at + length(&json[at..]);
        if is_changed(&json[at..end]) {
            for piece in [&json[copied..at], BEFORE.as_bytes(), &json[at..end], BEHIND.as_bytes()] {
                out.extend_from_slice(piece);
            }
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.extend_from_slice(&json[copied..]);
    Cow::Owned(out)
}

/// The same with its numbers again.
pub(super) fn shown(json: String) -> String {
    if !json.contains(BEFORE) {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut pieces = json.split(BEFORE);
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        match piece.split_once(BEHIND).filter(|(number, _)| is_number(number)) {
            Some((number, rest)) => out.extend([number, rest]),
            // Somebody's own, however strange.
            None => out.extend([BEFORE, piece]),
        }
    }
    out
}

/// A value where numbers are what the library knows: those of a float.
pub(super) fn rounded(value: GraphValue) -> GraphValue {
    match value {
        GraphValue::List(items) => items.into_iter().map(rounded).collect(),
        GraphValue::Object(members) => match members.get(NAME) {
            Some(GraphValue::String(text)) if is_number(text) => {
                serde_json::from_str(text).map_or(GraphValue::Null, GraphValue::Number)
            }
            _ => {
                let members = members.into_iter().map(|(name, value)| (name, rounded(value)));
                GraphValue::Object(members.collect())
            }
        },
        other => other,
    }
}

/// Bytes of the text or number that begins here; what is neither has one.
fn length(json: &[u8]) -> usize {
    match json[0] {
        b'"' => {
            let mut escaped = false;
            let end = json[1..].iter().position(|byte| {
                let ends = *byte == b'"' && !escaped;
                escaped = *byte == b'\\' && !escaped;
                ends
            });
            end.map_or(json.len(), |end| end + 2)
        }
        b'-' | b'0'..=b'9' => {
            let within = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
            json.iter().position(|byte| !within(byte)).unwrap_or(json.len())
        }
        _ => 1,
    }
}

/// Whether it is a number that is written otherwise once it was read.
fn is_changed(text: &[u8]) -> bool {
    let is_certain = || text.len() <= CERTAIN_DIGITS && text.iter().all(u8::is_ascii_digit);
    if !(text[0] == b'-' || text[0].is_ascii_digit()) || is_certain() {
        return false;
    }
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let read = serde_json::from_str::<Number>(text);
    is_number(text) && read.map_or(true, |number| number.to_string() != text)
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(text).is_ok_and(|raw| raw.get() == text)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// How a text is written that was read as a value.
    fn through(json: &str) -> String {
        let value: Value = serde_json::from_slice(&hidden(json.as_bytes())).expect("JSON");
        let value = GraphValue::from_json(value).expect("a value");
        shown(serde_json::to_string(&value).expect("JSON"))
    }

    #[test]
    fn numbers_come_through_digit_for_digit() {
        for number in [
            "0",
            "-0",
            "7",
            "1.5",
            "1.50",
            "10.00",
            "1e2",
            "1E+2",
            "-1.0e-7",
            "1e999",
            "9007199254740993",
            "18446744073709551616",
            "12345678901234567890123",
            "0.1234567890123456789",
        ] {
            let json = format!(r#"{{"a":[{number},{{"b":{number}}}],"c":{number}}}"#);
            assert_eq!(through(&json), json);
            assert_eq!(through(number), number);
        }
    }

    #[test]
    fn texts_are_no_numbers_whatever_stands_in_them() {
        for text in [
            r#"{"1.50":"ü","a":"1.50","b":"\" 1.50","c":"\\","d":1.50}"#,
            r#"{"a":"{\"\\u0000\":\"1.50\"}"}"#,
            r#"{"\u0000":"no number"}"#,
            r#"{"\u0000":"1},{\"x\":2"}"#,
            r#"{"\u0000":" 1"}"#,
            r#"{"\u0000":"1.50","b":2}"#,
        ] {
            assert_eq!(through(text), text);
        }
    }

    #[test]
    fn where_a_float_is_meant_it_is_one() {
        let read = |json: &str| {
            let value: Value = serde_json::from_slice(&hidden(json.as_bytes())).expect("JSON");
            let value = rounded(GraphValue::from_json(value).expect("a value"));
            serde_json::to_string(&value).expect("JSON")
        };
        assert_eq!(read(r#"{"a":[10.50,1e999]}"#), r#"{"a":[10.5,null]}"#);
    }
}
