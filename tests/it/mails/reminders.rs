//! Reminders of invoices that are to be paid.

use super::kept::mails;
use crate::support::response::id;
use crate::support::{Seller, Server, Value, json};

const PASS: &str = "/passes/billing.dunning.reminders/run";

async fn reminders(seller: &Seller, contract: u64) -> Vec<Value> {
    let path = format!("/contracts/{contract}/timeline?limit=100");
    let timeline = seller.billing.get(&path).await.is(200);
    let entries = timeline["entries"].as_array().expect("entries").clone();
    entries.into_iter().filter(|entry| entry["kind"] == "reminder_sent").collect()
}

async fn told(seller: &Seller) -> Vec<Value> {
    let list = seller.billing.get("/events?eventType=InvoiceReminderSent&limit=100").await.is(200);
    let events = list["events"].as_array().expect("events").iter();
    events.map(|event| event["payload"]["reminderDay"].clone()).collect()
}

#[tokio::test]
async fn a_buyer_is_reminded_on_the_sellers_days() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let terms = json!({"paymentTermsDays": 4});
    server.operator.patch(&format!("/sellers/{}", seller.id), &terms).await.is(200);
    let contract = seller.contract("2027-01-15").await;
    // Due on 2027-01-19.
    let invoice = seller.one_time(contract, 1_000).await;
    let unsent = json!({
        "contractId": contract, "origin": "one_time", "send": false,
        "lines": [{"description": "Work", "quantity": "1", "unitPriceMinor": 100}],
    });
    seller.billing.create("/invoices", "unsent", &unsent).await.is(201);
    let run = async || server.operator.post(PASS, &json!({})).await.is(200)["counts"].clone();
    for (days, reminded) in [(0, 0), (1, 1), (1, 0), (5, 1)] {
        server.pass_seconds(days * 86_400);
        assert_eq!(run().await, json!({"reminded": reminded}), "{}", server.now());
    }
    let entries = reminders(&seller, contract).await;
    assert_eq!(entries.len(), 2);
    assert_eq!(
        (&entries[0]["invoiceId"], &entries[0]["amountMinor"]),
        (&invoice["id"], &json!(1000))
    );
    assert_eq!(told(&seller).await.len(), 2);
    let all = mails(&server, &seller).await;
    let kinds: Vec<_> = all.iter().map(|mail| mail["kind"].clone()).collect();
    assert_eq!(kinds, ["overdue_reminder", "reminder", "invoice"].map(Value::from));
    assert!(all[0]["subject"].as_str().is_some_and(|subject| subject.starts_with("Overdue: ")));
    // Off for everybody, nothing goes out; and never once it is paid.
    server.switch("billing.dunning.reminders", false).await;
    server.pass_seconds(5 * 86_400);
    let off = server.operator.post(PASS, &json!({})).await.is(200);
    assert_eq!(off["passDisabled"], true);
    server.switch("billing.dunning.reminders", true).await;
    let page = crate::support::buyer::page_of(&invoice);
    seller.payments.pay(&page, crate::support::buyer::GOOD).await.is(200);
    crate::support::until("the invoice is paid", async || {
        (seller.invoice_now(id(&invoice)).await["status"] == "paid").then_some(())
    })
    .await;
    server.pass_seconds(86_400);
    assert_eq!(run().await, json!({"reminded": 0}));
    assert_eq!(reminders(&seller, contract).await.len(), 2);
    server.close().await;
}

#[tokio::test]
async fn a_test_clock_that_jumps_sends_the_latest_reminder_only() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let days = json!({"reminderDays": [1, 5, 10], "paymentTermsDays": 1});
    server.operator.patch(&format!("/sellers/{}", seller.id), &days).await.is(200);
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 1_000).await;
    let advance = async |to: &str| {
        let path = format!("/contracts/{contract}/test-clock/advance");
        seller.billing.post(&path, &json!({"to": to})).await.is(200);
    };
    // Due on 2027-01-16: the days 1 and 5 are behind.
    advance("2027-01-23T12:00:00Z").await;
    assert_eq!(told(&seller).await, [json!(5)]);
    let [entry] = &reminders(&seller, contract).await[..] else { panic!("one reminder") };
    assert_eq!(entry["occurredAt"], "2027-01-23T12:00:00Z");
    let invoices = seller.billing.get("/invoices").await.is(200);
    assert_eq!(invoices["invoices"][0]["status"], "overdue");
    // The wall clock passes the days of a contract on a test clock by.
    server.pass_seconds(12 * 86_400);
    let run = server.operator.post(PASS, &json!({})).await.is(200);
    assert_eq!(run["counts"], json!({"reminded": 0}));
    advance("2027-12-01T00:00:00Z").await;
    assert_eq!(told(&seller).await.len(), 2);
    server.close().await;
}
