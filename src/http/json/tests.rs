use serde::Deserialize;
use serde_json::value::RawValue;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    #[expect(dead_code, reason = "read by name in the refusals")]
    line_items: Vec<Item>,
    #[expect(dead_code, reason = "read by name in the refusals")]
    kind: Option<Kind>,
    free: Option<Box<RawValue>>,
    any: Option<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
struct Item {
    #[expect(dead_code, reason = "read by name in the refusals")]
    quantity: String,
    #[expect(dead_code, reason = "read by name in the refusals")]
    days: Option<u8>,
    #[expect(dead_code, reason = "read by name in the refusals")]
    version: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Kind {
    Small,
    Large {
        #[expect(dead_code, reason = "read by name in the refusals")]
        size: u32,
    },
}

fn shape(body: &str) -> String {
    match read::<Order>(body.as_bytes()) {
        Err(Wrong::Shape(why)) => why,
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn a_refusal_names_the_field() {
    let cases = [
        (
            r#"{"lineItems": [{"quantity": "1"}, {"quantity": 5}]}"#,
            "lineItems[1].quantity: expected a string, not a number",
        ),
        (r#"{"lineItems": [{}]}"#, "lineItems[0]: missing field `quantity`"),
        (r#"{}"#, "missing field `lineItems`"),
        (r#"{"lineItems": [], "lineItems": []}"#, "duplicate field `lineItems`"),
        (r#"{"lineItems": {}}"#, "lineItems: expected a list, not an object"),
        (
            r#"{"lineItems": [{"quantity": "1", "days": -1}]}"#,
            "lineItems[0].days: expected an integer from 0 to 255",
        ),
        (
            r#"{"lineItems": [{"quantity": "1", "days": 1.5}]}"#,
            "lineItems[0].days: expected an integer, not a number with a point, an exponent or too many digits",
        ),
        (
            r#"{"lineItems": [{"quantity": "1", "version": -1}]}"#,
            "lineItems[0].version: expected an integer of at least 0",
        ),
        (
            r#"{"lineItems": [{"quantity": "1", "version": 100000000000000000000}]}"#,
            "lineItems[0].version: expected an integer, not a number with a point, an exponent or too many digits",
        ),
        (r#"{"lineItems": [], "kind": "tiny"}"#, "kind: expected `small` or `large`"),
    ];
    for (body, expected) in cases {
        assert_eq!(shape(body), expected, "{body}");
    }
}

#[test]
fn a_list_is_no_object_at_any_depth() {
    let cases = [
        (r#"[[{"quantity": "1"}]]"#, "expected an object, not a list"),
        ("null", "expected an object, not null"),
        ("\"text\"", "expected an object, not a string"),
        (r#"{"lineItems": [["1", 2]]}"#, "lineItems[0]: expected an object, not a list"),
        (
            r#"{"lineItems": [], "kind": {"large": [3]}}"#,
            "kind.large: expected an object, not a list",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(shape(body), expected, "{body}");
    }
}

#[test]
fn what_is_free_is_kept_as_it_came() {
    let body = r#"{"lineItems": [], "kind": {"large": {"size": 3}},
        "free": {"a": [1.50, {"b": []}]}, "any": [{"c": null}], "other": [[1], {}]}"#;
    let order: Order = read(body.as_bytes()).expect("an order");
    assert_eq!(order.free.expect("kept").get(), r#"{"a": [1.50, {"b": []}]}"#);
    assert_eq!(order.any, Some(serde_json::json!([{"c": null}])));
    assert!(read::<Order>(br#"{"lineItems": [], "kind": "small"}"#).is_ok());
}

#[test]
fn texts_are_read_as_they_look() {
    #[derive(Debug, Deserialize)]
    struct Letter {
        name: Option<String>,
        #[serde(default, deserialize_with = "lines")]
        memo: Option<String>,
        free: Option<Box<RawValue>>,
    }
    let letter = |body: &str| read::<Letter>(body.as_bytes());
    let kept = letter(
        "{\"name\": \"A\u{202e}d\u{200b}a\", \"memo\": \"a\\n\\tb\\u200b\",\n\t\
         \"free\": {\n\t\"text\": \"\\u0000\u{200b}\"}}",
    );
    let kept = kept.expect("a letter");
    assert_eq!(kept.name.as_deref(), Some("Ada"));
    assert_eq!(kept.memo.as_deref(), Some("a\n\tb"));
    let free = "{\n\t\"text\": \"\\u0000\u{200b}\"}";
    assert_eq!(kept.free.expect("kept").get(), free);
    let control = "must not contain control characters";
    for (body, field) in [
        (r#"{"name": "a\u0000b"}"#, "name"),
        (r#"{"name": "a\nb"}"#, "name"),
        (r#"{"memo": "a\rb"}"#, "memo"),
    ] {
        let refusal = Wrong::Text(format!("{field} {control}"));
        assert_eq!(letter(body).expect_err("a refusal"), refusal);
    }
    assert!(letter(r#"{"memo": null}"#).expect("a letter").memo.is_none());
}

#[test]
fn what_is_no_json_is_said_to_be_none() {
    let deep = format!("{{\"lineItems\":{}", "[".repeat(100_000));
    for body in ["", "{", "{'a': 1}", "{} {}", "\u{feff}{}", deep.as_str(), "[1"] {
        let why = shape(body);
        assert!(
            ["not JSON", "lineItems", "expected an object"].iter().any(|text| why.contains(text)),
            "{why}"
        );
    }
}
