//! Declined, declined by the bank, overdue, and paid in the end; every webhook verified and in
//! agreement with the API, with a restart in the middle.

use crate::support::buyer::{CHALLENGED, DECLINED, GOOD, page_of};
use crate::support::make::line;
use crate::support::response::id;
use crate::support::{Receiver, Server, fresh_uuid, json, until};

#[tokio::test]
async fn an_invoice_is_paid_in_the_end() {
    let mut server = Server::start().await;
    let receiver = Receiver::start().await;
    let seller = server.seller().await;
    let body = json!({"webhookUrl": receiver.url("/hook")});
    let webhook = seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    let secret = webhook["secretKey"].as_str().expect("a secret").to_owned();
    let contract = seller.contract("2027-01-15").await;
    let body = json!({
        "contractId": contract, "origin": "one_time", "lines": [line("Piano", 250_000)],
        "dueDate": "2027-01-18",
    });
    let invoice = seller.invoice(body).await;
    let page = page_of(&invoice);
    let failed = server.anonymous.pay(&page, DECLINED).await.is(200);
    assert_eq!(failed["failureCode"], 2001);
    let asked = server.anonymous.pay(&page, CHALLENGED).await.is(200);
    let bank = asked["actionUrl"].as_str().expect("the bank");
    server.anonymous.answer_bank(bank, "decline").await.is(200);

    server.pass_seconds(4 * 86_400);
    server.operator.post("/passes/invoice.overdue/run", &json!({})).await.is(200);
    assert_eq!(seller.invoice_now(id(&invoice)).await["status"], "overdue");

    server.restart().await;
    let seller = server.again(&seller);
    let page = page.rsplit_once('/').expect("a token").1;
    let page = format!("{}/pay/{page}", server.anonymous.origin);
    server.anonymous.pay(&page, GOOD).await.is(200);
    let paid = until("the invoice to be paid", async || {
        let now = seller.invoice_now(id(&invoice)).await;
        (now["status"] == "paid").then_some(now)
    })
    .await;
    assert_eq!(paid["invoiceNumber"], invoice["invoiceNumber"]);
    server.pass_seconds(10);

    let event = receiver.wait_for_type("InvoicePaid").await;
    for field in ["invoiceId", "grandTotalMinor", "outstandingMinor", "status", "invoiceNumber"] {
        let name = if field == "invoiceId" { "id" } else { field };
        assert_eq!(event.event["payload"][field], paid[name], "{field}");
    }
    receiver
        .wait_for("a settled payment", |one| {
            one.event["eventType"] == "PaymentCompleted"
                && one.event["payload"]["status"] == "settled"
        })
        .await;
    let mut kinds = Vec::new();
    for one in receiver.deliveries() {
        let sent: i64 = one.header("x-service-timestamp").parse().expect("seconds");
        one.verifies(&secret, sent);
        kinds.push(one.event["eventType"].as_str().expect("a type").to_owned());
    }
    for kind in ["InvoiceIssued", "InvoiceSent", "InvoiceOverdue", "InvoicePaid"] {
        let count = kinds.iter().filter(|one| *one == kind).count();
        assert_eq!(count, 1, "{kind} in {kinds:?}");
    }
    let outcomes = receiver.of("PaymentCompleted");
    let statuses: Vec<&str> = outcomes
        .iter()
        .map(|one| one.event["payload"]["status"].as_str().expect("a status"))
        .collect();
    let count = |status: &str| statuses.iter().filter(|one| **one == status).count();
    assert_eq!((count("failed"), count("provider_completed"), count("settled")), (2, 1, 1));
    for one in &outcomes {
        assert_eq!(one.event["payload"]["amountMinor"], 250_000);
        assert_eq!(one.event["payload"]["currencyCode"], "EUR");
    }
    let path = format!("/invoices/{}/settlement", id(&invoice));
    let trail = seller.billing.get(&path).await.is(200);
    assert_eq!(trail["payments"].as_array().map(Vec::len), Some(3));
    assert_eq!(trail["payments"][0]["status"], "settled");
    server.close().await;
}
