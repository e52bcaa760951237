use actors::domain::billing::invoice::{CollectionMethod, InvoiceType, Origin};
use serde_json::{Value, json};

use super::super::NewInvoiceBody;

fn least() -> Value {
    json!({
        "contractId": 7, "origin": "one_time",
        "lines": [{"description": "Work", "quantity": "1.50", "unitPriceMinor": 1000}],
    })
}

fn with(mut body: Value, field: &str, value: Value) -> Value {
    body[field] = value;
    body
}

fn refusal(body: Value) -> String {
    match serde_json::from_value::<NewInvoiceBody>(body) {
        Ok(body) => body.parse(None).expect_err("a refusal").text().to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_not_stated_has_its_default() {
    let body: NewInvoiceBody = serde_json::from_value(least()).expect("a body");
    let request = body.parse(None).expect("valid");
    assert_eq!(request.invoice_type(), InvoiceType::Standard);
    assert_eq!(request.known_collection_method(), Some(CollectionMethod::PaymentLink));
    assert_eq!(request.known_send(), Some(true));
    assert_eq!(request.lines()[0].quantity.to_string(), "1.5");
    let by_bank = with(least(), "collectionMethod", json!("bank_transfer"));
    let body: NewInvoiceBody = serde_json::from_value(by_bank).expect("a body");
    assert_eq!(body.parse(None).expect("valid").known_send(), Some(false));
}

#[test]
fn the_older_name_of_recurring_is_taken() {
    let body = json!({"contractId": 7, "origin": "subscription", "memo": ""});
    let body: NewInvoiceBody = serde_json::from_value(body).expect("a body");
    let request = body.parse(None).expect("valid");
    assert_eq!((request.origin, request.memo), (Origin::Recurring, None));
}

#[test]
fn a_wrong_field_is_refused_by_its_name() {
    let line = |field: &str, value: Value| json!([with(least()["lines"][0].clone(), field, value)]);
    for (field, value, expected) in [
        ("origin", json!("gift"), "expected recurring, usage"),
        ("contractId", Value::Null, "contractId is required"),
        ("contractId", json!("7"), "invalid type: string"),
        ("invoiceType", json!("modified"), "corrects is required"),
        ("corrects", json!("1-2611AAA"), "corrects is not accepted"),
        ("lines", Value::Null, "lines are required"),
        ("lines", line("description", json!(" ")), "lines[0].description"),
        ("lines", line("unitPriceMinor", json!(1.5)), "floating point"),
        ("lines", line("discountMinor", json!(1501)), "lines[0].discountMinor"),
        ("lines", line("periodStart", json!("x")), "expected a date"),
        ("memo", json!("x".repeat(1025)), "memo may have at most 1024"),
        ("billTo", json!({"email": "Ada <ada@example.com>"}), "billTo.email"),
        ("billTo", json!({"taxId": "x".repeat(65)}), "billTo.taxId"),
        ("send", json!("no"), "expected a boolean"),
    ] {
        let text = refusal(with(least(), field, value));
        assert!(text.contains(expected), "{field}: {text}");
    }
    let adhoc = with(with(least(), "origin", json!("adhoc")), "contractId", Value::Null);
    assert!(refusal(adhoc.clone()).contains("billTo.email is required"));
    let addressed = with(adhoc, "billTo", json!({"email": "ada@example.com"}));
    assert!(refusal(addressed.clone()).contains("currency is required"));
    let named = with(with(addressed, "currency", json!("EUR")), "contractId", json!(7));
    assert!(refusal(named).contains("contractId is not accepted"));
}
