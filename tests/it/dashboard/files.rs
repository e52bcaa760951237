//! Files by the session's cookie.

use std::collections::BTreeMap;

use crate::support::orders::order;
use crate::support::{Server, Value, json};

/// The rows of a CSV file by the names of its columns.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

/// Whether a schema of the API document has a field, by dots below each other.
fn has(document: &Value, schema: &Value, column: &str) -> bool {
    let schema = match schema["$ref"].as_str() {
        Some(target) => document.pointer(target.trim_start_matches('#')).expect("a schema"),
        None => schema,
    };
    let (name, below) = column.split_once('.').map_or((column, None), |(a, b)| (a, Some(b)));
    let found = &schema["properties"][name];
    let itself = match below {
        _ if !found.is_object() => false,
        None => true,
        Some(below) => {
            let choices = found["oneOf"].as_array().into_iter().flatten().chain([found]);
            choices.into_iter().any(|one| has(document, one, below))
        }
    };
    let parts = schema["allOf"].as_array().into_iter().flatten();
    itself || parts.into_iter().any(|part| has(document, part, column))
}

#[tokio::test]
async fn documents_come_as_the_api_makes_them() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1_000).await;
    let pdf = browser.get(&format!("/dashboard/files/invoices/{}/pdf", invoice["id"])).await;
    assert_eq!(pdf.has_status(200).media_type(), "application/pdf");
    assert!(pdf.bytes.starts_with(b"%PDF"));
    let api = seller.billing.get(&format!("/invoices/{}/xml?syntax=ubl", invoice["id"])).await;
    let path = format!("/dashboard/files/invoices/{}/xml?syntax=ubl", invoice["id"]);
    let xml = browser.get(&path).await;
    assert_eq!((xml.status, &xml.text), (api.status, &api.text));
    let period = "issuedFrom=2027-01-01&issuedTo=2027-02-01";
    let export = browser.get(&format!("/dashboard/files/invoices/export?{period}")).await;
    let same = seller.billing.get(&format!("/invoices/export?{period}")).await;
    assert_eq!(
        (export.has_status(200).text.as_str(), export.media_type()),
        (same.text.as_str(), "text/csv")
    );

    let other = server.owner_of(&server.seller().await).await;
    for path in [format!("/dashboard/files/invoices/{}/pdf", invoice["id"]), path] {
        other.get(&path).await.refuses_saying(404, "not found");
        server.anonymous.get(&path).await.has_status(401);
    }
    server.close().await;
}

#[tokio::test]
async fn a_list_is_a_file_with_its_filters() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    // More than a page.
    for number in 1..=120 {
        seller.one_time(contract, number).await;
    }
    let file = browser.get("/dashboard/files/invoices.csv").await;
    assert_eq!(file.has_status(200).media_type(), "text/csv");
    let named = file.header("content-disposition");
    assert_eq!(named, Some("attachment; filename=\"invoices.csv\""));
    let listed = seller.billing.all("/invoices", "invoices").await;
    let found = rows(&file.text);
    assert_eq!(found.len(), 120);
    for (row, invoice) in found.iter().zip(&listed) {
        assert_eq!(row["id"], invoice["id"].to_string());
        assert_eq!(row["invoiceNumber"], invoice["invoiceNumber"].as_str().expect("a number"));
        assert_eq!(row["grandTotalMinor"], invoice["grandTotalMinor"].to_string());
        assert_eq!(row["billTo.email"], invoice["billTo"]["email"].as_str().expect("an e-mail"));
    }
    let paid = browser.get("/dashboard/files/invoices.csv?status=paid&limit=1").await;
    assert_eq!(rows(&paid.has_status(200).text).len(), 0);
    let wrong = browser.get("/dashboard/files/invoices.csv?status=nothing").await;
    wrong.refuses(400, "status must be one of");
    server.anonymous.get("/dashboard/files/invoices.csv").await.has_status(401);
    server.close().await;
}

#[tokio::test]
async fn a_file_that_is_under_way_when_the_server_is_told_to_end_comes_whole() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    for number in 1..=3 {
        seller.one_time(contract, number).await;
    }
    server.app().stopping().cancel();
    let list = browser.get("/dashboard/files/invoices.csv").await;
    assert_eq!(rows(&list.has_status(200).text).len(), 3);
    let period = "issuedFrom=2027-01-01&issuedTo=2027-02-01&format=ndjson";
    let export = seller.billing.get(&format!("/invoices/export?{period}")).await;
    assert_eq!(export.has_status(200).text.lines().count(), 3);
    server.close().await;
}

#[tokio::test]
async fn no_cell_is_a_formula_and_no_column_is_made_up() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let body = json!({"email": "eve@example.com", "name": "=HYPERLINK(1)", "phone": "+4930123"});
    seller.billing.post("/customers", &body).await.has_status(200);
    let contract = seller.contract("2027-01-15").await;
    seller.subscribe(contract, "2027-01-15", json!({})).await;
    seller.initiate(&order(json!({}))).await.is(202);
    let document = server.anonymous.get("/openapi.json").await.is(200);
    for (list, item, filled) in [
        ("contracts", "ContractView", 1),
        ("subscriptions", "SubscriptionView", 1),
        ("invoices", "InvoiceView", 0),
        ("customers", "CustomerView", 4),
        ("payments", "PaymentView", 1),
        ("payouts", "PayoutView", 0),
        ("credits", "BalanceView", 0),
        ("credit-entries", "CreditEntryView", 0),
    ] {
        let path = format!("/dashboard/files/{list}.csv?contractId={contract}");
        let file = browser.get(&path).await;
        let found = rows(&file.has_status(200).text);
        assert!(found.len() >= filled, "{list}: {}", file.text);
        let schema = &document["components"]["schemas"][item];
        assert!(schema.is_object(), "{item}");
        for column in file.text.lines().next().expect("a head").split(',') {
            assert!(has(&document, schema, column), "{list}: {column}");
        }
        if list == "customers" {
            let eve = found.iter().find(|row| row["email"] == "eve@example.com");
            let eve = eve.expect("a customer");
            assert_eq!(
                (eve["name"].as_str(), eve["phone"].as_str()),
                ("'=HYPERLINK(1)", "'+4930123")
            );
        }
    }
    let refused = browser.get("/dashboard/files/credit-entries.csv").await;
    refused.refuses_saying(400, "contractId is required");
    server.close().await;
}
