//! Money that comes for an invoice which is paid already goes back by itself.

use futures::future::join_all;

use crate::support::buyer::{CHALLENGED, GOOD, page_of};
use crate::support::response::{column, id};
use crate::support::{Seller, Server, Value, json, until};

async fn trail(seller: &Seller, invoice: &Value) -> Value {
    seller.billing.get(&format!("/invoices/{}/settlement", id(invoice))).await.is(200)
}

async fn told(seller: &Seller, kind: &str) -> Vec<Value> {
    let list = seller.billing.get(&format!("/events?eventType={kind}&limit=100")).await.is(200);
    list["events"].as_array().expect("events").clone()
}

#[tokio::test]
async fn of_many_payments_at_once_one_pays() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1_000).await;
    let page = page_of(&invoice);
    let answers = join_all((0..8).map(|_| server.anonymous.pay(&page, GOOD))).await;
    let taken = answers.iter().filter(|answer| answer.status == 200).count();
    assert!(taken == 1 && answers.iter().all(|one| [200, 409].contains(&one.status)));
    until("it is paid", async || {
        (seller.invoice_now(id(&invoice)).await["status"] == "paid").then_some(())
    })
    .await;
    let trail = trail(&seller, &invoice).await;
    assert_eq!(column(&trail, "payments", "status"), ["provider_completed"]);
    let [paid] = &told(&seller, "PaymentLinkPaid").await[..] else { panic!("one event") };
    assert_eq!(paid["payload"]["paymentId"], trail["payments"][0]["paymentId"]);
    assert_eq!(paid["payload"]["paymentLinkId"], trail["paymentLinkId"]);
    let [made] = &told(&seller, "PaymentLinkCreated").await[..] else { panic!("one event") };
    assert_eq!(made["payload"]["recipientEmail"], invoice["billTo"]["email"]);
    server.close().await;
}

#[tokio::test]
async fn a_payment_that_a_deposit_was_faster_than_is_refunded() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1_000).await;
    let asked = server.anonymous.pay(&page_of(&invoice), CHALLENGED).await.is(200);
    let bank = asked["actionUrl"].as_str().expect("the bank");
    let deposit = json!({
        "invoiceNumber": invoice["invoiceNumber"], "sellerAccountId": seller.id,
        "amountMinor": 1_000, "currency": "EUR", "reference": "T1",
    });
    server.operator.post("/bank-deposits", &deposit).await.is(200);
    server.anonymous.answer_bank(bank, "approve").await.is(200);
    server.restart().await;
    let seller = server.again(&seller);
    let refunded = until("the refund", async || {
        server.pass_seconds(10);
        let trail = trail(&seller, &invoice).await;
        let payment = trail["payments"][0].clone();
        (payment["status"] == "refunded").then_some(payment)
    })
    .await;
    let now = seller.invoice_now(id(&invoice)).await;
    assert_eq!((&now["status"], &now["outstandingMinor"]), (&json!("paid"), &json!(0)));
    assert_eq!(trail(&seller, &invoice).await["paidVia"], "bank_deposit");
    let path = format!("/payments/{}", refunded["paymentId"].as_str().expect("text"));
    let payment = seller.payments.get(&path).await.is(200);
    let [refund] = &payment["refunds"].as_array().expect("refunds")[..] else { panic!("one") };
    let reason = format!("{} is paid already", invoice["invoiceNumber"].as_str().expect("text"));
    assert_eq!((&refund["amount"], &refund["reason"]), (&json!(10), &json!(reason)));
    let timeline = seller.billing.get(&format!("/contracts/{contract}/timeline")).await.is(200);
    let entries = timeline["entries"].as_array().expect("entries").iter();
    let back: Vec<_> = entries.filter(|entry| entry["kind"] == "payment_returned").collect();
    assert_eq!((back.len(), &back[0]["amountMinor"]), (1, &json!(1_000)));
    assert_eq!(told(&seller, "PaymentRefunded").await.len(), 1);
    assert_eq!(told(&seller, "PaymentLinkPaid").await.len(), 0);
    let credits = seller.billing.get(&format!("/contracts/{contract}/credits")).await.is(200);
    assert_eq!(credits["entries"], json!([]));
    server.close().await;
}
