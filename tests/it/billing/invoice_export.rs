//! `GET /invoices/export`.

use crate::support::document::ApiDocument;
use crate::support::make::{line, with};
use crate::support::response::{id, ids};
use crate::support::{Seller, Server, Value, fresh, fresh_uuid, json};

const YEAR: &str = "issuedFrom=2027-01-01&issuedTo=2028-01-01";

/// The rows of a CSV file, each with the names of its columns.
fn rows(text: &str) -> Vec<Value> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let row = |row: Result<std::collections::BTreeMap<String, String>, _>| json!(row.expect("row"));
    reader.deserialize().map(row).collect()
}

async fn csv(seller: &Seller, query: &str) -> Vec<Value> {
    let file = seller.billing.get(&format!("/invoices/export?{query}")).await;
    file.has_status(200);
    assert_eq!(file.media_type(), "text/csv");
    rows(&file.text)
}

async fn ndjson(seller: &Seller, query: &str) -> Vec<Value> {
    let file = seller.billing.get(&format!("/invoices/export?format=ndjson&{query}")).await;
    file.has_status(200);
    assert_eq!(file.media_type(), "application/x-ndjson");
    file.text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

fn numbers(rows: &[Value]) -> Vec<u64> {
    let number = |row: &Value| match &row["id"] {
        Value::String(text) => text.parse().expect("an id"),
        number => number.as_u64().expect("an id"),
    };
    rows.iter().map(number).collect()
}

#[tokio::test]
async fn every_invoice_of_the_period_is_in_the_file_as_the_list_serves_it() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    for amount in 1..=7 {
        seller.one_time(contract, amount).await;
    }
    server.seller().await.contract("2027-01-15").await;
    let listed = seller.billing.all("/invoices", "invoices").await;
    assert_eq!(ndjson(&seller, YEAR).await, listed);
    let cells = csv(&seller, YEAR).await;
    assert_eq!(cells.len(), 7);
    for (row, invoice) in cells.iter().zip(&listed) {
        for (column, cell) in row.as_object().expect("cells") {
            let expected = match column.as_str() {
                "customerName" => &invoice["billTo"]["name"],
                "customerEmail" => &invoice["billTo"]["email"],
                column => &invoice[column],
            };
            let expected = match expected {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(cell, &json!(expected), "{column}");
        }
    }
    server.close().await;
}

#[tokio::test]
async fn the_filters_of_the_list_hold() {
    let server = Server::at("2027-01-30T12:00:00Z", &[]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-30").await;
    let one = id(&seller.one_time(contract, 100).await);
    server.pass_seconds(2 * 86_400);
    let adhoc = json!({
        "origin": "adhoc", "currency": "EUR", "billTo": {"email": "n@example.com"},
        "lines": [line("Talk", 100)], "invoiceType": "simplified", "send": false,
    });
    let adhoc = id(&seller.invoice(adhoc).await);
    let of = format!("contractId={contract}");
    for (query, expected) in [
        ("", vec![adhoc, one]),
        (of.as_str(), vec![one]),
        ("origin=adhoc", vec![adhoc]),
        ("status=sent", vec![one]),
        ("invoiceType=simplified", vec![adhoc]),
        ("contractId=x", vec![]),
        ("sellerCustomerId=999999999", vec![]),
    ] {
        let query = format!("{YEAR}&{query}");
        assert_eq!(numbers(&csv(&seller, &query).await), expected, "{query}");
        assert_eq!(numbers(&ndjson(&seller, &query).await), expected, "{query}");
    }
    for (period, expected) in [
        ("issuedFrom=2027-02-01&issuedTo=2027-02-02", vec![adhoc]),
        ("issuedFrom=2027-01-30T12:00:00Z&issuedTo=2027-02-01", vec![one]),
        ("issuedFrom=2027-01-01&issuedTo=2027-01-30T12:00:00Z", vec![]),
        ("issuedFrom=2027-02-01&issuedTo=2027-02-01", vec![]),
    ] {
        assert_eq!(numbers(&csv(&seller, period).await), expected, "{period}");
    }
    server.close().await;
}

#[tokio::test]
async fn top_up_invoices_are_found_by_their_origin_and_their_statuses() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 100).await["invoiceNumber"].clone();
    let mut topups = Vec::new();
    for received in [0, 400] {
        let body = json!({"amountMinor": 1_000, "currency": "EUR"});
        let made = seller.payments.create("/topup-invoices", &fresh_uuid(), &body).await;
        let made = made.is(201)["invoiceNumber"].clone();
        if received > 0 {
            let body = json!({
                "invoiceNumber": made, "sellerAccountId": seller.id, "amountMinor": received,
                "currency": "EUR", "reference": fresh("deposit"),
            });
            server.operator.post("/bank-deposits", &body).await.is(200);
        }
        topups.push(made);
    }
    let [whole, part] = &topups[..] else { unreachable!() };
    for (query, expected) in [
        ("origin=topup", vec![part, whole]),
        ("origin=topup&status=issued", vec![whole]),
        ("status=partially_paid", vec![part]),
        ("origin=topup&status=written_off", vec![]),
        ("origin=one_time", vec![&invoice]),
        ("origin=one_time&status=expired", vec![]),
    ] {
        let of_all_time = format!("issuedFrom=2020-01-01&issuedTo=2100-01-01&{query}");
        let rows = ndjson(&seller, &of_all_time).await;
        let found: Vec<_> = rows.iter().map(|row| &row["invoiceNumber"]).collect();
        assert_eq!(found, expected, "{query}");
    }
    server.close().await;
}

#[tokio::test]
async fn a_line_is_as_the_document_says_of_invoices_and_of_top_ups_what_is_said_of_them() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    let body = json!({"amountMinor": 1_000, "currency": "EUR"});
    seller.payments.create("/topup-invoices", &fresh_uuid(), &body).await.is(201);
    let document = server.anonymous.get("/openapi.json").await.is(200);
    let operation = &document["paths"]["/billing-api/v1/invoices/export"]["get"];
    let said = operation["description"].as_str().expect("a description").to_owned();
    let document = ApiDocument::of(&[document]);
    let rows = ndjson(&seller, YEAR).await;
    assert_eq!(rows.len(), 2);
    for row in rows {
        let mut unlike = document.unlike("InvoiceView", &row);
        if row["origin"] == "topup" {
            for lacks in
                ["contractId", "sellerCustomerId", "seller", "billTo", "taxSummary", "eInvoice"]
            {
                assert!(said.contains(&format!("`{lacks}`")), "{lacks} is not said to be lacking");
                unlike.retain(|one| *one != format!("InvoiceView/{lacks} is missing"));
            }
            unlike.retain(|one| one != "InvoiceView/origin is \"topup\"");
        }
        assert!(unlike.is_empty(), "{unlike:?}");
    }
    server.close().await;
}

#[tokio::test]
async fn what_is_wrong_in_the_query_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (query, field) in [
        ("", "issuedFrom is required"),
        ("issuedFrom=2027-01-01", "issuedTo is required"),
        ("issuedTo=2027-01-01", "issuedFrom is required"),
        ("issuedFrom=2027-01-02&issuedTo=2027-01-01", "issuedTo must not be before issuedFrom"),
        ("issuedFrom=soon&issuedTo=2027-01-01", "issuedFrom must be"),
        ("issuedFrom=2027-01-01&issuedTo=2027-02-30", "issuedTo must be"),
        ("issuedFrom=2027-01-01&issuedTo=2027-02-01&format=xlsx", "format must be"),
        ("issuedFrom=2027-01-01&issuedTo=2027-02-01&origin=gift", "origin must be"),
        ("issuedFrom=2027-01-01&issuedTo=2027-02-01&status=open", "status must be"),
        ("issuedFrom=2027-01-01&issuedTo=2027-02-01&invoiceType=x", "invoiceType must be"),
    ] {
        seller.billing.get(&format!("/invoices/export?{query}")).await.refuses(400, field);
    }
    let path = format!("/invoices/export?{YEAR}");
    seller.billing.without_key().get(&path).await.has_status(401);
    server.close().await;
}

#[tokio::test]
async fn no_cell_is_run_as_a_formula() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = json!({
        "origin": "adhoc", "currency": "EUR", "lines": [line("Talk", 100)],
        "billTo": {"email": "n@example.com", "name": "=HYPERLINK(\"http://example.com\";\"x\")"},
    });
    seller.invoice(body.clone()).await;
    let comma = json!({"billTo": {"email": "+a@example.com", "name": "A, \"B\"\tund C"}});
    seller.billing.create("/invoices", "k", &with(&body, comma)).await.has_status(400);
    let comma = json!({"billTo": {"email": "+a@example.com", "name": "A, \"B\" und C"}});
    seller.invoice(with(&body, comma)).await;
    let rows = csv(&seller, YEAR).await;
    assert_eq!(rows[0]["customerName"], "A, \"B\" und C");
    assert_eq!(rows[0]["customerEmail"], "'+a@example.com");
    assert_eq!(rows[1]["customerName"], "'=HYPERLINK(\"http://example.com\";\"x\")");
    server.close().await;
}

/// One file is as of one moment, however others write.
#[tokio::test]
async fn an_order_stays_while_others_write() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    for amount in 1..=20 {
        seller.one_time(contract, amount).await;
    }
    let before = ids(&seller.billing.get("/invoices?limit=100").await.is(200), "invoices");
    let (files, ()) = tokio::join!(
        async {
            let mut files = Vec::new();
            for _ in 0..20 {
                files.push(numbers(&csv(&seller, YEAR).await));
            }
            files
        },
        async {
            for amount in 1..=20 {
                seller.one_time(contract, amount).await;
            }
        }
    );
    for file in files {
        assert!(file.windows(2).all(|pair| pair[0] > pair[1]), "newest first, none twice");
        assert!(file.ends_with(&before));
    }
    server.close().await;
}
