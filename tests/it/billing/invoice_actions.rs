//! `POST /invoices/{invoiceId}/send`, `GET /invoices/{invoiceId}/settlement`, and invoices that
//! fall overdue.

use crate::support::make::line;
use crate::support::response::id;
use crate::support::{Server, Value, json};

#[tokio::test]
async fn an_issued_invoice_is_sent_once_and_mailed_again() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let body = json!({
        "contractId": contract, "origin": "one_time", "lines": [line("x", 100)], "send": false,
    });
    let invoice = id(&seller.invoice(body).await);
    server.pass_seconds(60);
    let path = format!("/invoices/{invoice}/send");
    let sent = seller.billing.post(&path, &json!({})).await.is(200);
    assert_eq!(
        (&sent["status"], &sent["sentAt"]),
        (&json!("sent"), &json!("2027-01-15T09:01:00Z"))
    );
    assert!(sent["paymentUrl"].is_string());
    server.pass_seconds(60);
    let again = seller.billing.post(&path, &json!({})).await.is(200);
    assert_eq!((&again["sentAt"], &again["paymentUrl"]), (&sent["sentAt"], &sent["paymentUrl"]));
    seller.billing.post("/invoices/999999999/send", &json!({})).await.has_status(404);
    seller.billing.post("/invoices/x/send", &json!({})).await.has_status(400);
    server.close().await;
}

#[tokio::test]
async fn a_bank_transfer_invoice_is_not_sent() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let body = json!({
        "contractId": contract, "origin": "one_time", "lines": [line("x", 100)],
        "collectionMethod": "bank_transfer",
    });
    let invoice = id(&seller.invoice(body).await);
    let path = format!("/invoices/{invoice}/send");
    seller.billing.post(&path, &json!({})).await.refuses(422, "bank transfer");
    server.close().await;
}

#[tokio::test]
async fn what_is_outstanding_after_its_due_date_is_overdue() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let make = async |more: Value| {
        let body = json!({
            "contractId": contract, "origin": "one_time", "lines": [line("x", 100)],
            "dueDate": "2027-01-20",
        });
        id(&seller.invoice(crate::support::make::with(&body, more)).await)
    };
    let sent = make(json!({})).await;
    let bank = make(json!({"collectionMethod": "bank_transfer"})).await;
    let later = make(json!({"dueDate": "2027-01-25"})).await;
    let run = async || {
        let path = "/passes/invoice.overdue/run";
        server.operator.post(path, &json!({})).await.is(200)
    };
    server.pass_seconds(5 * 86_400);
    let report = run().await;
    assert_eq!(
        (&report["pass"], &report["passDisabled"]),
        (&json!("invoice.overdue"), &json!(false))
    );
    assert_eq!(report["counts"], json!({"overdue": 0}), "the due date is a good day");
    server.pass_seconds(86_400);
    assert_eq!(run().await["counts"], json!({"overdue": 2}));
    for invoice in [sent, bank] {
        let now = seller.invoice_now(invoice).await;
        assert_eq!((&now["status"], &now["outstandingMinor"]), (&json!("overdue"), &json!(100)));
    }
    assert_eq!(seller.invoice_now(later).await["status"], "sent");
    assert_eq!(run().await["counts"], json!({"overdue": 0}));
    let path = format!("/invoices/{sent}/send");
    assert_eq!(seller.billing.post(&path, &json!({})).await.is(200)["status"], "overdue");
    server.close().await;
}

#[tokio::test]
async fn an_advance_past_the_due_date_makes_overdue_too() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = id(&seller.one_time(contract, 100).await);
    seller.advance(contract, "2027-01-29T23:00:00Z").await;
    server.operator.post("/passes/invoice.overdue/run", &json!({})).await.is(200);
    assert_eq!(seller.invoice_now(invoice).await["status"], "sent");
    seller.advance(contract, "2027-01-30T00:00:00Z").await;
    server.operator.post("/passes/invoice.overdue/run", &json!({})).await.is(200);
    assert_eq!(seller.invoice_now(invoice).await["status"], "overdue");
    server.close().await;
}

#[tokio::test]
async fn the_settlement_trail_of_an_unpaid_invoice_says_why_it_is_empty() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let body = json!({
        "contractId": contract, "origin": "one_time", "lines": [line("x", 100)], "send": false,
    });
    let invoice = seller.invoice(body).await;
    let path = format!("/invoices/{}/settlement", id(&invoice));
    let trail = seller.billing.get(&path).await.is(200);
    assert_eq!(trail["invoiceId"], invoice["id"]);
    assert_eq!(trail["invoiceNumber"], invoice["invoiceNumber"]);
    assert_eq!(
        (&trail["payments"], &trail["note"]),
        (&json!([]), &json!("invoice was never sent"))
    );
    assert_eq!(trail.get("paidVia"), None);
    let sent = id(&seller.one_time(contract, 100).await);
    let trail = seller.billing.get(&format!("/invoices/{sent}/settlement")).await.is(200);
    assert_eq!((&trail["payments"], trail.get("note")), (&json!([]), None));
    seller.billing.get("/invoices/999999999/settlement").await.has_status(404);
    seller.billing.get("/invoices/x/settlement").await.has_status(400);
    server.close().await;
}
