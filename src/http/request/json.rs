//! A JSON body as a typed value, with words that name the field when it is not one.

use serde::de::DeserializeOwned;
use serde_json::error::Category;

pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if first.is_some_and(|&byte| byte != b'{') {
        // A list would be taken for the fields of a struct in order.
        return match serde_json::from_slice::<serde::de::IgnoredAny>(body) {
            Ok(_) => Err("expected an object".to_owned()),
            Err(error) => Err(reason(&error)),
        };
    }
    serde_json::from_slice(body).map_err(|error| explain::<T>(body, &error))
}

/// Reads again with the path recorded, which costs time only when the first reading failed.
fn explain<T: DeserializeOwned>(body: &[u8], error: &serde_json::Error) -> String {
    let mut reader = serde_json::Deserializer::from_slice(body);
    match serde_path_to_error::deserialize::<_, T>(&mut reader) {
        Ok(_) => reason(error),
        Err(error) => {
            let path = error.path().to_string();
            let why = reason(error.inner());
            if path == "." || path == "?" { why } else { format!("{path}: {why}") }
        }
    }
}

/// What is wrong, without line and column: bodies are seldom read by line.
fn reason(error: &serde_json::Error) -> String {
    if matches!(error.classify(), Category::Syntax | Category::Eof) {
        return format!("not JSON ({error})");
    }
    let mut text = error.to_string();
    if let Some(end) = text.rfind(" at line ") {
        text.truncate(end);
    }
    // The names of Rust's types mean nothing to the caller.
    ["u64", "i64", "u32", "i32", "u16", "u8"]
        .iter()
        .fold(text, |text, kind| text.replace(&format!("expected {kind}"), "expected an integer"))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Order {
        #[expect(dead_code, reason = "read by name in the refusals")]
        line_items: Vec<Item>,
    }

    #[derive(Debug, Deserialize)]
    struct Item {
        #[expect(dead_code, reason = "read by name in the refusals")]
        quantity: String,
    }

    #[test]
    fn a_refusal_names_the_field() {
        let cases = [
            (
                r#"{"lineItems": [{"quantity": "1"}, {"quantity": 5}]}"#,
                "lineItems[1].quantity: invalid type: integer `5`, expected a string",
            ),
            (r#"{"lineItems": [{}]}"#, "lineItems[0]: missing field `quantity`"),
            (r#"{}"#, "missing field `lineItems`"),
            (r#"[[{"quantity": "1"}]]"#, "expected an object"),
            ("null", "expected an object"),
            (r#"{"lineItems": [], "lineItems": []}"#, "duplicate field `lineItems`"),
        ];
        for (body, expected) in cases {
            assert_eq!(read::<Order>(body.as_bytes()).expect_err("a refusal"), expected);
        }
    }

    #[test]
    fn what_is_no_json_is_said_to_be_none() {
        let deep = format!("{{\"lineItems\":{}", "[".repeat(100_000));
        for body in ["", "{", "{'a': 1}", "{} {}", "\u{feff}{}", deep.as_str(), "[1"] {
            let why = read::<Order>(body.as_bytes()).expect_err("a refusal");
            assert!(why.contains("not JSON") || why.contains("lineItems"), "{why}");
        }
    }
}
