//! `POST /invoices` with `credit_note` and `modified`, and that issued documents never change.

use hyper::Method;

use crate::support::make::{line, with};
use crate::support::response::{id, ids};
use crate::support::{Receiver, Seller, Server, Value, fresh, fresh_uuid, json};

fn correcting(kind: &str, invoice: &Value, lines: Value) -> Value {
    json!({"invoiceType": kind, "corrects": invoice["invoiceNumber"], "lines": lines})
}

async fn taxed(seller: &Seller, contract: u64) -> Value {
    let mut work = line("Work", 10_000);
    work["taxRate"] = json!("21");
    seller.invoice(json!({"contractId": contract, "origin": "one_time", "lines": [work]})).await
}

#[tokio::test]
async fn a_credit_note_takes_over_all_that_it_does_not_state() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = taxed(&seller, contract).await;
    let body = correcting("credit_note", &invoice, json!([line("Too much", 1000)]));
    let key = fresh("note");
    let note = seller.billing.create("/invoices", &key, &body).await.is(201);
    for field in ["origin", "contractId", "currency", "billTo", "sellerCustomerId"] {
        assert_eq!(note[field], invoice[field], "{field}");
    }
    assert_eq!(note["corrects"], invoice["invoiceNumber"]);
    assert_eq!((&note["invoiceType"], &note["status"]), (&json!("credit_note"), &json!("sent")));
    assert_eq!((&note["subtotalMinor"], &note["taxMinor"]), (&json!(-1000), &json!(-210)));
    assert_eq!((&note["grandTotalMinor"], &note["collectibleMinor"]), (&json!(-1210), &json!(0)));
    assert_eq!((note.get("dueDate"), note.get("paymentUrl")), (None, None));
    let first = &note["lines"][0];
    assert_eq!((&first["unitPriceMinor"], &first["amountMinor"]), (&json!(-1000), &json!(-1000)));
    assert_eq!(first["taxRate"], "21");
    let now = seller.invoice_now(id(&invoice)).await;
    assert_eq!((&now["outstandingMinor"], &now["status"]), (&json!(10_890), &json!("sent")));
    assert_eq!(
        (&now["grandTotalMinor"], &now["lines"]),
        (&invoice["grandTotalMinor"], &invoice["lines"])
    );

    let again = seller.billing.create("/invoices", &key, &body).await;
    assert!(again.is_replay());
    assert_eq!(id(&again.is(200)), id(&note));
    let other = with(&body, json!({"lines": [line("Too much", 999)]}));
    seller.billing.create("/invoices", &key, &other).await.refuses(422, "different lines");
    let list = format!("/invoices?corrects={}", invoice["invoiceNumber"].as_str().expect("text"));
    assert_eq!(ids(&seller.billing.get(&list).await.is(200), "invoices"), [id(&note)]);
    server.close().await;
}

#[tokio::test]
async fn a_line_of_a_note_is_taxed_as_the_line_that_it_takes_off() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let menu = |more: Value| with(&line("Menu", 10_000), more);
    let lines = json!([menu(json!({"taxRate": "19"})), menu(json!({"taxCategory": "E"}))]);
    let asked = json!({"contractId": contract, "origin": "one_time", "lines": lines});
    let invoice = seller.invoice(asked).await;
    let refused = correcting("credit_note", &invoice, json!([menu(json!({}))]));
    let refusal = seller.billing.create("/invoices", &fresh("note"), &refused).await;
    refusal.refuses(422, "lines[0].taxRate is required");
    let part = json!([menu(json!({"taxRate": "0", "unitPriceMinor": 1_000}))]);
    let note = seller.invoice(correcting("credit_note", &invoice, part)).await;
    assert_eq!(note["taxSummary"][0]["taxCategory"], "E");
    let other = json!({"contractId": contract, "origin": "one_time", "lines": lines});
    let invoice = seller.invoice(other).await;
    let whole = correcting("credit_note", &invoice, json!([menu(json!({})), menu(json!({}))]));
    let key = fresh("note");
    let note = seller.billing.create("/invoices", &key, &whole).await.is(201);
    assert_eq!(note["grandTotalMinor"], -21_900);
    assert!(seller.billing.create("/invoices", &key, &whole).await.is_replay());
    assert_eq!(seller.invoice_now(id(&invoice)).await["outstandingMinor"], 0);
    server.close().await;
}

#[tokio::test]
async fn what_a_correction_may_not_say_is_refused() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let other = seller.contract("2027-01-15").await;
    let invoice = taxed(&seller, contract).await;
    let note = correcting("credit_note", &invoice, json!([line("x", 1000)]));
    let stranger = server.seller().await;
    let refused = async |seller: &Seller, more: Value, status: u16, text: &str| {
        let body = with(&note, more);
        seller.billing.create("/invoices", &fresh("note"), &body).await.refuses(status, text);
    };
    refused(&seller, json!({"corrects": null}), 400, "corrects is required").await;
    refused(&seller, json!({"corrects": "1-2701AAA"}), 422, "corrects is not the number").await;
    refused(&stranger, json!({}), 422, "corrects is not the number").await;
    refused(&seller, json!({"lines": null}), 400, "lines are required").await;
    refused(&seller, json!({"lines": [line("x", -1)]}), 400, "unitPriceMinor must not be").await;
    refused(&seller, json!({"lines": [line("x", 0)]}), 422, "more than 0").await;
    refused(&seller, json!({"lines": [line("x", 10_001)]}), 422, "12100 more minor units").await;
    refused(&seller, json!({"dueDate": "2027-02-01"}), 400, "dueDate is not accepted").await;
    refused(&seller, json!({"contractId": other}), 422, "contractId must be that of").await;
    refused(&seller, json!({"origin": "milestone"}), 422, "origin must be that of").await;
    refused(&seller, json!({"currency": "USD"}), 422, "currency must be that of").await;
    refused(&seller, json!({"billTo": {"name": "Eve"}}), 422, "billTo must be that of").await;
    refused(&seller, json!({"invoiceType": "standard"}), 400, "origin is required").await;
    let made = seller.invoice(note.clone()).await;
    let of_note = correcting("credit_note", &made, json!([line("x", 1)]));
    let refusal = seller.billing.create("/invoices", &fresh("note"), &of_note).await;
    refusal.refuses(422, "credit note, which cannot be corrected");
    server.close().await;
}

#[tokio::test]
async fn notes_discharge_an_invoice_and_give_back_what_was_paid() {
    let server = Server::start().await;
    let receiver = Receiver::start().await;
    let seller = server.seller().await;
    let hook = json!({"webhookUrl": receiver.url("/"), "eventTypes": ["InvoicePaid"]});
    seller.payments.create("/webhooks", &fresh_uuid(), &hook).await.is(201);
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1000).await;
    seller.invoice(correcting("credit_note", &invoice, json!([line("x", 1000)]))).await;
    let now = seller.invoice_now(id(&invoice)).await;
    assert_eq!((&now["status"], &now["outstandingMinor"]), (&json!("paid"), &json!(0)));
    let trail = seller.billing.get(&format!("/invoices/{}/settlement", id(&invoice))).await;
    assert_eq!(trail.is(200)["paidVia"], "credit_note");
    let told = receiver.wait_for_type("InvoicePaid").await.event;
    assert_eq!(told["payload"]["invoiceId"], invoice["id"]);

    let paid = seller.one_time(contract, 500).await;
    server.operator.post("/bank-deposits", &deposit(&seller, &paid, 500, "T1")).await.is(200);
    seller.invoice(correcting("credit_note", &paid, json!([line("x", 200)]))).await;
    let credits = seller.billing.get(&format!("/contracts/{contract}/credits")).await.is(200);
    let balance = json!({
        "currency": "EUR", "creditType": "purchased", "balanceMinor": 200, "isLiability": true,
    });
    assert_eq!(credits["balances"], json!([balance]));
    let reason = format!("credit note for {}", paid["invoiceNumber"].as_str().expect("text"));
    assert_eq!(credits["entries"][0]["reason"], json!(reason));

    server.switch("billing.credits", false).await;
    seller.invoice(correcting("credit_note", &paid, json!([line("x", 100)]))).await;
    let timeline = seller.billing.get(&format!("/contracts/{contract}/timeline")).await.is(200);
    let due = timeline["entries"].as_array().expect("entries").iter();
    let due: Vec<_> = due.filter(|entry| entry["kind"] == "refund_due").collect();
    assert_eq!((due.len(), &due[0]["amountMinor"]), (1, &json!(100)));
    server.close().await;
}

fn deposit(seller: &Seller, invoice: &Value, minor: i64, reference: &str) -> Value {
    json!({
        "invoiceNumber": invoice["invoiceNumber"], "sellerAccountId": seller.id,
        "amountMinor": minor, "currency": "EUR", "reference": reference,
    })
}

#[tokio::test]
async fn a_deposit_pays_an_invoice_and_what_is_more_becomes_credit() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller
        .invoice(json!({
            "contractId": contract, "origin": "one_time", "lines": [line("x", 1000)],
            "collectionMethod": "bank_transfer",
        }))
        .await;
    let of = async |minor: i64, reference: &str| {
        let body = deposit(&seller, &invoice, minor, reference);
        server.operator.post("/bank-deposits", &body).await
    };
    let part = of(400, "T1").await.is(200);
    assert_eq!(
        (&part["invoiceKind"], &part["invoiceStatus"]),
        (&json!("invoice"), &json!("issued"))
    );
    assert_eq!((&part["receivedMinor"], &part["outstandingMinor"]), (&json!(400), &json!(600)));
    assert_eq!(of(400, "T1").await.is(200), part);
    of(300, "T1").await.refuses(409, "already used for another amount");
    server.switch("billing.credits", false).await;
    of(700, "T2").await.refuses(422, "stored credits are off");
    server.switch("billing.credits", true).await;
    let rest = of(700, "T2").await.is(200);
    assert_eq!((&rest["invoiceStatus"], &rest["receivedMinor"]), (&json!("paid"), &json!(1000)));
    let trail = seller.billing.get(&format!("/invoices/{}/settlement", id(&invoice))).await.is(200);
    assert_eq!(trail["paidVia"], "bank_deposit");
    assert_eq!(trail["note"], "settled by a matched bank deposit");
    let credits = seller.billing.get(&format!("/contracts/{contract}/credits")).await.is(200);
    let entry = &credits["entries"][0];
    assert_eq!(
        (&entry["creditType"], &entry["signedDeltaMinor"]),
        (&json!("purchased"), &json!(100))
    );
    server.close().await;
}

#[tokio::test]
async fn a_modified_document_stands_beside_the_one_it_corrects() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    seller.subscribe(contract, "2027-01-15", json!({})).await;
    let invoice = seller.recurring(contract).await;
    let modified = correcting("modified", &invoice, json!([line("Plan", 900)]));
    let modified = seller.invoice(modified).await;
    assert_eq!((&modified["origin"], &modified["status"]), (&json!("recurring"), &json!("sent")));
    assert_eq!(
        (&modified["collectibleMinor"], &modified["corrects"]),
        (&json!(900), &invoice["invoiceNumber"])
    );
    assert_eq!(seller.invoice_now(id(&invoice)).await, invoice);
    // The pass goes on from the recurring one.
    let advanced = seller.advance(contract, "2027-02-15T12:00:00Z").await;
    assert_eq!(advanced["invoices"]["issued"], 1);
    server.close().await;
}

#[tokio::test]
async fn an_issued_invoice_cannot_be_changed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1000).await;
    let path = format!("/invoices/{}", id(&invoice));
    let body = with(&invoice, json!({"grandTotalMinor": 1, "status": "draft"})).to_string();
    for method in [Method::PUT, Method::PATCH, Method::DELETE, Method::POST] {
        let answer = seller.billing.send(method.clone(), &path, &[], &body).await;
        assert_eq!(answer.status, 405, "{method}: {}", answer.text);
    }
    assert_eq!(seller.invoice_now(id(&invoice)).await, invoice);
    server.close().await;
}
