//! `GET /invoices/{invoiceId}/pdf` and `/xml`.

use crate::support::make::{line, with};
use crate::support::response::id;
use crate::support::{Seller, Server, Value, json};

/// An invoice with all that an electronic one needs of its recipient.
async fn addressed(seller: &Seller, more: Value) -> Value {
    let body = json!({
        "origin": "adhoc", "currency": "EUR", "lines": [line("Talk", 1_000)],
        "billTo": {"email": "n@example.com", "name": "Łucja Ńemec", "country": "PL"},
    });
    seller.invoice(with(&body, more)).await
}

#[tokio::test]
async fn an_invoice_is_printed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let invoice = addressed(&seller, json!({})).await;
    let path = format!("/invoices/{}/pdf", id(&invoice));
    let file = seller.billing.get(&path).await;
    file.has_status(200);
    assert_eq!(file.media_type(), "application/pdf");
    assert!(file.bytes.starts_with(b"%PDF-1.7") && file.bytes.ends_with(b"%%EOF"));
    let number = invoice["invoiceNumber"].as_str().expect("a number");
    let name = format!("inline; filename=\"{number}.pdf\"");
    assert_eq!(file.header("content-disposition"), Some(name.as_str()));
    assert_eq!(seller.billing.get(&path).await.bytes, file.bytes, "the same file every time");
    server.close().await;
}

#[tokio::test]
async fn documents_of_others_are_not_found() {
    let server = Server::start().await;
    let (seller, other) = (server.seller().await, server.seller().await);
    let invoice = id(&addressed(&seller, json!({})).await);
    for file in ["pdf", "xml"] {
        let path = format!("/invoices/{invoice}/{file}");
        other.billing.get(&path).await.refuses_saying(404, "not found");
        seller.billing.without_key().get(&path).await.has_status(401);
        seller.billing.get(&format!("/invoices/x/{file}")).await.has_status(400);
    }
    server.close().await;
}
