use serde_json::{Value, json};

use super::*;

fn least() -> Value {
    json!({
        "contractId": "12", "metric": "api.calls", "quantity": "1.50",
        "occurredAt": "2027-01-15T08:30:00Z", "idempotencyKey": "key 1",
    })
}

fn with(field: &str, value: Value) -> Value {
    let mut body = least();
    body[field] = value;
    body
}

fn read(body: &Value) -> (ContractId, NewEvent) {
    from_json(&body.to_string()).expect("an event")
}

fn refused(text: &str) -> String {
    from_json(text).expect_err("a refusal").to_string()
}

/// The hash of an event whose metadata is `metadata`, as it lies in the body.
fn hash(metadata: &str) -> [u8; 8] {
    let mut text = least().to_string();
    text.truncate(text.len() - 1);
    let (_, event) = from_json(&format!("{text}, \"metadata\": {metadata}}}")).expect("an event");
    event.payload.0
}

#[test]
fn an_event_is_read_whole() {
    let (contract, event) = read(&with("metadata", json!({"region": "eu"})));
    assert_eq!(contract, ContractId(12));
    assert_eq!((event.metric.as_str(), event.key.as_str()), ("api.calls", "key 1"));
    assert_eq!(event.quantity.to_string(), "1.5");
    assert_eq!(event.occurred_at.to_string(), "2027-01-15T08:30:00Z");
    assert_eq!(event.metadata.expect("metadata").get(), r#"{"region":"eu"}"#);
    let (_, foreign) = read(&with("idempotencyKey", json!("ü".repeat(255))));
    assert_eq!(foreign.key.as_str().chars().count(), 255);
    let (_, bare) = read(&with("metadata", Value::Null));
    assert!(bare.metadata.is_none());
    // Escapes, unknown fields and blanks do not matter.
    let text = r#" {"contractId":"\u00312","metric":"api.calls","quantity":"1.5","more":[{}],
        "occurredAt":"2027-01-15T09:30:00+01:00","idempotencyKey":"key\u00201"} "#;
    let (contract, same) = from_json(text).expect("an event");
    assert_eq!(contract, ContractId(12));
    assert_eq!((same.fingerprint, same.payload), (bare.fingerprint, bare.payload));
}

#[test]
fn a_wrong_field_is_refused_by_its_name() {
    let long = "ü".repeat(256);
    for (field, value, expected) in [
        ("contractId", json!(12), "contractId: expected a string"),
        ("contractId", json!("x"), "contractId: expected a string of digits"),
        ("contractId", json!("-1"), "contractId: expected a string of digits"),
        ("contractId", json!(""), "contractId: expected a string of digits"),
        ("contractId", json!("0"), "contractId: unknown contract"),
        ("contractId", json!("9007199254740992"), "contractId: unknown contract"),
        ("metric", json!(["x"]), "metric: expected a string"),
        ("metric", json!("a b"), "metric: expected the name of a metric"),
        ("quantity", json!(1), "quantity: expected a string"),
        ("quantity", json!(1.5), "quantity: expected a string"),
        ("quantity", json!("-1"), "quantity: expected a decimal string"),
        ("quantity", json!("1e3"), "quantity: expected a decimal string"),
        ("quantity", json!("1.0000000001"), "quantity: expected a decimal string"),
        ("occurredAt", json!(true), "occurredAt: expected a string"),
        ("occurredAt", json!("2027-01-15"), "occurredAt: expected an RFC 3339 timestamp"),
        ("idempotencyKey", json!({"a": 1}), "idempotencyKey: expected a string"),
        ("idempotencyKey", json!(""), "idempotencyKey: expected 1 to 255 characters"),
        ("idempotencyKey", json!(long), "idempotencyKey: expected 1 to 255 characters"),
        ("idempotencyKey", json!("a\u{7}"), "idempotencyKey: expected 1 to 255 characters"),
        ("metadata", json!([]), "metadata: expected a JSON object"),
        ("metadata", json!("x"), "metadata: expected a JSON object"),
        ("metadata", json!({"a": "x".repeat(16384)}), "metadata: expected at most 16384 bytes"),
    ] {
        let text = refused(&with(field, value).to_string());
        assert!(text.starts_with(expected), "{field}: {text}");
    }
    for field in ["contractId", "metric", "quantity", "occurredAt", "idempotencyKey"] {
        let mut body = least();
        body.as_object_mut().expect("fields").remove(field);
        assert_eq!(refused(&body.to_string()), format!("missing field `{field}`"));
        assert_eq!(
            refused(&with(field, Value::Null).to_string()),
            format!("missing field `{field}`")
        );
    }
}

#[test]
fn what_is_no_object_is_no_event() {
    for text in ["[]", " 7", "null", "\"x\""] {
        assert_eq!(refused(text), "expected an object", "{text}");
    }
    for text in ["", "{", "x", "[}", "{} {}"] {
        assert!(refused(text).starts_with("not JSON"), "{text}");
    }
    assert!(from_body(b"{\"metric\":\"\xff\"}").is_err());
    let list = r#"["12","m","1","2027-01-15T08:30:00Z","k",null]"#;
    assert_eq!(refused(list), "expected an object");
    let twice = r#"{"metric":"a","metric":"b"}"#;
    assert_eq!(refused(twice), "duplicate field `metric`");
}

#[test]
fn equal_metadata_has_one_hash_and_other_metadata_another() {
    for (a, b) in [
        (r#"{"a":1,"b":2}"#, r#"{ "b" : 2, "a" : 1 }"#),
        (r#"{"a":{"x":1,"y":[1,{"p":1,"q":2}]}}"#, r#"{"a":{"y":[1,{"q":2,"p":1}],"x":1}}"#),
        (r#"{"a":1}"#, r#"{"a":1.0}"#),
        (r#"{"a":1}"#, r#"{"a":1e0}"#),
        (r#"{"a":1}"#, r#"{"a":10E-1}"#),
        (r#"{"a":100}"#, r#"{"a":1e+2}"#),
        (r#"{"a":10000000000000000}"#, r#"{"a":1e16}"#),
        (r#"{"a":0}"#, r#"{"a":-0.00e9}"#),
        (r#"{"a":0}"#, r#"{"a":0e99999999999999999999}"#),
        (r#"{"a":-1.5}"#, r#"{"a":-15e-1}"#),
        (r#"{"é":"ü\n"}"#, r#"{"\u00e9":"\u00fc\u000a"}"#),
        (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
    ] {
        assert_eq!(hash(a), hash(b), "{a} and {b}");
    }
    for (a, b) in [
        (r#"{}"#, "null"),
        (r#"{"a":1}"#, r#"{"a":"1"}"#),
        (r#"{"a":1}"#, r#"{"a":10}"#),
        (r#"{"a":1}"#, r#"{"a":-1}"#),
        (r#"{"a":100000000000000000000001}"#, r#"{"a":100000000000000000000000}"#),
        (r#"{"a":0.1}"#, r#"{"a":0.1000000000000000000001}"#),
        (r#"{"a":null}"#, r#"{}"#),
        (r#"{"a":true}"#, r#"{"a":false}"#),
        (r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#),
        (r#"{"a":[[1],2]}"#, r#"{"a":[[1,2]]}"#),
        (r#"{"a":"\""}"#, r#"{"a":"\\"}"#),
    ] {
        assert_ne!(hash(a), hash(b), "{a} and {b}");
    }
}

#[test]
fn metadata_is_bounded_in_depth() {
    let nested = |levels: usize| {
        let inner = "[".repeat(levels - 1) + &"]".repeat(levels - 1);
        serde_json::from_str(&format!(r#"{{"a":{inner}}}"#)).expect("JSON")
    };
    read(&with("metadata", nested(32)));
    let deep: Value = nested(33);
    assert_eq!(
        refused(&with("metadata", deep).to_string()),
        "metadata: expected at most 32 levels of nesting"
    );
    let mut text = least().to_string();
    text.truncate(text.len() - 1);
    let split = format!("{text}, \"metadata\": {{\"a\": \"\\ud800\"}}}}");
    assert_eq!(refused(&split), "metadata: expected strings of Unicode characters");
}

#[test]
fn the_contract_belongs_to_what_an_event_says_and_its_key_does_not() {
    let (_, event) = read(&least());
    let (_, other) = read(&with("contractId", json!("13")));
    assert_eq!(event.fingerprint, other.fingerprint);
    assert_ne!(event.payload, other.payload);
    let (_, renamed) = read(&with("idempotencyKey", json!("key 2")));
    assert_eq!(event.payload, renamed.payload);
    for (field, value) in
        [("metric", "b"), ("quantity", "2"), ("occurredAt", "2027-01-15T08:30:01Z")]
    {
        assert_ne!(event.payload, read(&with(field, json!(value))).1.payload, "{field}");
    }
    assert_eq!(event.payload, read(&with("quantity", json!("1.5"))).1.payload);
}
