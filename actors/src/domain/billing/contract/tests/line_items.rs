//! What a line item may be.

use serde_json::value::to_raw_value;

use super::*;

fn parsed(kind: &str, config: &Value) -> Result<(), LineProblem> {
    let config = to_raw_value(config).expect("JSON");
    LineItemContent::parse(Some(kind), Some("1"), Some(&config)).map(|_| ())
}

#[test]
fn every_type_is_known_by_its_name() {
    for kind in ComponentType::ALL {
        assert_eq!(ComponentType::parse(kind.name()), Some(*kind));
    }
    assert_eq!(ComponentType::ALL.len(), 9);
    assert_eq!(ComponentType::parse("Recurring"), None);
}

#[test]
fn type_and_quantity_are_required() {
    let parse = |kind, quantity| LineItemContent::parse(kind, quantity, None).map(|_| ());
    for (kind, quantity, expected) in [
        (Some("usage"), Some("2.5"), Ok(())),
        (None, Some("1"), Err(LineProblem::UnknownType)),
        (Some("fee"), Some("1"), Err(LineProblem::UnknownType)),
        (Some("usage"), None, Err(LineProblem::Quantity)),
        (Some("usage"), Some("-1"), Err(LineProblem::Quantity)),
        (Some("usage"), Some("1e3"), Err(LineProblem::Quantity)),
    ] {
        assert_eq!(parse(kind, quantity), expected);
    }
}

#[test]
fn configurations_are_checked_as_far_as_an_engine_reads_them() {
    use LineProblem::{
        Amount, ContradictoryTax, Description, Forbidden, NotAnObject, Status, TaxCategory,
        TaxKind, TaxRate,
    };
    let with = |mut config: Value, name: &str, value: Value| {
        config[name] = value;
        config
    };
    let paid = || json!({ "description": "Setup", "amountMinor": 5_000 });
    for (kind, config, expected) in [
        ("recurring", json!({ "amountMinor": "x", "anything": [1, { "b": null }] }), Ok(())),
        ("recurring", json!([]), Err(NotAnObject)),
        ("usage", json!("text"), Err(NotAnObject)),
        ("usage", Value::Null, Ok(())),
        ("hybrid", json!({ "projectRef": 1 }), Err(Forbidden("projectRef"))),
        ("usage", json!({ "splitRuleRef": null }), Err(Forbidden("splitRuleRef"))),
        (
            "milestone",
            json!({ "milestoneDefinitionRef": "" }),
            Err(Forbidden("milestoneDefinitionRef")),
        ),
        ("one_time", paid(), Ok(())),
        ("one_time", json!({}), Err(Amount)),
        ("one_time", with(paid(), "amountMinor", json!("5000")), Err(Amount)),
        ("adjustment", with(paid(), "amountMinor", json!(50.5)), Err(Amount)),
        ("adjustment", with(paid(), "amountMinor", json!(5_000.0)), Err(Amount)),
        ("adjustment", with(paid(), "amountMinor", json!(-5_000)), Ok(())),
        ("project", with(paid(), "amountMinor", json!(1_000_000_000_000_001_i64)), Err(Amount)),
        ("project", with(paid(), "amountMinor", json!(u64::MAX)), Err(Amount)),
        ("project", with(paid(), "status", json!("completed")), Ok(())),
        ("milestone", with(paid(), "status", json!("done")), Err(Status)),
        ("one_time", with(paid(), "status", json!("done")), Ok(())),
        ("one_time", with(paid(), "taxRate", json!("21.5")), Ok(())),
        ("one_time", with(paid(), "taxRate", json!(21)), Err(TaxRate)),
        ("one_time", with(paid(), "taxRate", json!("100.1")), Err(TaxRate)),
        ("one_time", with(paid(), "taxCategory", json!("AE")), Ok(())),
        ("one_time", with(paid(), "taxCategory", json!("X")), Err(TaxCategory)),
        ("project", with(paid(), "taxKind", json!("reduced")), Ok(())),
        ("project", with(paid(), "taxKind", json!("half")), Err(TaxKind)),
        (
            "one_time",
            with(with(paid(), "taxKind", json!("exempt")), "taxRate", json!("21")),
            Err(ContradictoryTax("above 0 needs taxCategory S")),
        ),
        ("one_time", with(paid(), "description", json!("")), Err(Description)),
        ("one_time", with(paid(), "description", json!("x".repeat(513))), Err(Description)),
    ] {
        assert_eq!(parsed(kind, &config), expected, "{kind} {config}");
    }
}

#[test]
fn a_configuration_has_at_most_16_kib() {
    // {"a":"…"} takes 8 bytes besides the text.
    let sized = |bytes: usize| json!({ "a": "x".repeat(bytes - 8) });
    assert_eq!(parsed("usage", &sized(16 * 1024)), Ok(()));
    assert_eq!(parsed("usage", &sized(16 * 1024 + 1)), Err(LineProblem::TooLarge));
}

#[test]
fn numbers_are_kept_digit_for_digit() {
    let config = |text: &str| {
        let raw = serde_json::from_str(text).expect("JSON");
        let item = LineItemContent::parse(Some("usage"), Some("1"), Some(raw));
        item.map(|item| item.component_config.as_str().to_owned())
    };
    for text in [
        r#"{"a":12345678901234567890123,"b":[1.0,1e400,-0.0]}"#,
        r#"{"a":12345678901234567890124,"b":[1,1e400,-0.0]}"#,
    ] {
        assert_eq!(config(text).as_deref(), Ok(text));
    }
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(64), "]".repeat(64));
    assert_eq!(config(&deep), Err(LineProblem::TooDeep(64)));
    assert_eq!(config(r#"{"a":"\ud800"}"#), Err(LineProblem::NotText));
}

#[test]
fn what_cannot_be_seen_is_left_out_of_a_configuration() {
    let config = |text: &str| {
        let raw = serde_json::from_str(text).expect("JSON");
        let item = LineItemContent::parse(Some("usage"), Some("1"), Some(raw));
        item.map(|item| item.component_config.as_str().to_owned())
    };
    let hidden = "{\"b\u{200B}\":[\"safe\u{202E}cod.exe\",1.50],\"a\":\"\\u2066x\"}";
    assert_eq!(config(hidden).as_deref(), Ok(r#"{"a":"x","b":["safecod.exe",1.50]}"#));
    assert_eq!(config(r#"{"a":"\u0007"}"#), Err(LineProblem::Control));
    let forbidden = config(r#"{"project\u200bRef":1}"#);
    assert_eq!(forbidden, Err(LineProblem::Forbidden("projectRef")));
}

#[test]
fn equal_objects_are_equal_whatever_the_order_of_their_names() {
    let parse = |text: &str| {
        let config = serde_json::from_str(text).expect("JSON");
        item("usage", "1.50", &config)
    };
    let first = parse(r#"{"b": {"y": 1, "x": [2, 3]}, "a": "ä"}"#);
    assert_eq!(first, parse(r#"{"a":"ä","b":{"x":[2,3],"y":1}}"#));
    assert_eq!(first.component_config.as_str(), r#"{"a":"ä","b":{"x":[2,3],"y":1}}"#);
    assert_ne!(first, parse(r#"{"a":"ä","b":{"x":[3,2],"y":1}}"#));
    let same_number = LineItemContent::parse(Some("usage"), Some("1.5"), None).expect("an item");
    assert_eq!(first.quantity, same_number.quantity);
}

#[test]
fn a_problem_names_its_place_and_field() {
    let text = LineProblem::Forbidden("projectRef").at(2).to_string();
    assert_eq!(text, "lineItems[2].componentConfig must not carry projectRef");
}
