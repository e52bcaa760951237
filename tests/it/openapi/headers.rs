//! The headers that are read and answered, and the parameters beside them.

use std::collections::BTreeMap;

use actors::domain::payments::failure::FailureCode;
use serde_json::Value;

use super::{document, operations, pages};
use crate::support::json;

/// The parameters of an operation, by name.
fn parameters<'d>(document: &'d Value, path: &str, method: &str) -> BTreeMap<&'d str, &'d Value> {
    let all = document["paths"][path][method]["parameters"].as_array().expect("parameters");
    all.iter().map(|one| (one["name"].as_str().expect("a name"), one)).collect()
}

#[tokio::test]
async fn headers_that_are_read_are_parameters() {
    let document = document().await;
    let header = |path: &str, method: &str, name: &str| {
        let parameters = parameters(&document, path, method);
        let found = parameters.get(name).unwrap_or_else(|| panic!("{path} takes no {name}"));
        assert_eq!((&found["in"], &found["required"]), (&json!("header"), &json!(false)), "{path}");
        found["schema"].clone()
    };
    let forced = header("/payments-api/v1/initialize-payment", "post", "Simulator");
    let failures = FailureCode::ALL.iter().map(|code| format!("force_failure={}", code.code()));
    assert_eq!(forced["enum"], json!(failures.collect::<Vec<_>>()));
    let refund = "/payments-api/v1/payments/{externalOrderRef}/refund";
    let forced = header(refund, "post", "Simulator");
    assert_eq!(forced["enum"], json!(["force_failure=2004", "force_refund=cancelled"]));
    let seen = header("/dashboard/events", "get", "Last-Event-ID");
    assert_eq!(seen["type"], "integer");
}

#[tokio::test]
async fn the_dashboards_export_has_the_parameters_of_the_apis() {
    let document = document().await;
    let [api, dashboard] = ["/billing-api/v1/invoices/export", "/dashboard/files/invoices/export"]
        .map(|path| parameters(&document, path, "get"));
    assert_eq!(dashboard, api);
    assert!(api.contains_key("format") && api.contains_key("invoiceType"), "{api:?}");
}

#[tokio::test]
async fn answers_name_the_headers_that_they_have() {
    let (document, pages) = (document().await, pages().await);
    let mut led_on = 0;
    for (name, operation) in operations(&document).into_iter().chain(operations(&pages)) {
        let answer = &operation["responses"]["303"];
        if answer.is_object() {
            assert!(answer["headers"]["Location"].is_object(), "{name}");
            led_on += 1;
        }
    }
    assert!(led_on > 5, "{led_on}");
    for path in [
        "/billing-api/v1/invoices/export",
        "/billing-api/v1/invoices/{invoiceId}/pdf",
        "/billing-api/v1/invoices/{invoiceId}/xml",
        "/dashboard/files/invoices/export",
        "/dashboard/files/invoices.csv",
    ] {
        let answer = &document["paths"][path]["get"]["responses"]["200"];
        assert!(answer["headers"]["Content-Disposition"].is_object(), "{path}");
    }
    let contracts = &document["paths"]["/billing-api/v1/contracts"]["get"]["responses"];
    for (status, told) in [("200", true), ("429", true), ("401", false), ("403", false)] {
        for name in ["X-RateLimit-Limit", "X-RateLimit-Reset", "RateLimit-Policy", "RateLimit"] {
            let header = contracts[status]["headers"][name]["$ref"].as_str();
            assert_eq!(header.is_some(), told, "{status} {name}");
            let place = header.unwrap_or_default().trim_start_matches('#');
            assert!(document.pointer(place).is_some_and(Value::is_object), "{header:?}");
        }
    }
}
