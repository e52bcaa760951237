//! Deliveries of events: envelope, signature, attempts, isolation, redelivery
//! (payments 6.1, decisions 7, 13).

use crate::support::heard::{column, id};
use crate::support::inbox::Manner;
use crate::support::{House, Inbox, Seller, Value, fresh_uuid, json, until};

/// A webhook that hears only of issued invoices: its id and its secret.
async fn listen(seller: &Seller, url: String) -> (u64, String) {
    let body = json!({"webhookUrl": url, "eventTypes": ["InvoiceIssued"]});
    let made = seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    (id(&made), made["secretKey"].as_str().expect("a secret").to_owned())
}

async fn newest(seller: &Seller) -> Value {
    let list = seller.payments.get("/webhook-deliveries").await.is(200);
    list["deliveries"][0].clone()
}

async fn settles(seller: &Seller, status: &str) -> Value {
    until(&format!("a delivery that is {status}"), async || {
        let newest = newest(seller).await;
        (newest["status"] == status).then_some(newest)
    })
    .await
}

async fn attempted(seller: &Seller, attempts: u64) -> Value {
    until(&format!("attempt {attempts}"), async || {
        let newest = newest(seller).await;
        (newest["attempts"].as_u64() >= Some(attempts)).then_some(newest)
    })
    .await
}

#[tokio::test]
async fn a_delivery_is_enveloped_and_signed() {
    let house = House::open().await;
    let seller = house.seller().await;
    let inbox = Inbox::open().await;
    let (_, secret) = listen(&seller, inbox.url("/hook")).await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1234).await;
    let came = inbox.wait_for_type("InvoiceIssued").await;
    came.verifies(&secret, house.now().unix_seconds());
    assert_eq!(came.header("content-type").split(';').next(), Some("application/json"));
    assert_eq!(came.event["sellerAccountUuid"], seller.minted["sellerAccountUuid"]);
    assert_eq!(came.event["occurredAt"], "2027-01-15T09:00:00Z");
    assert!(came.event_id() > 0);
    let payload = &came.event["payload"];
    assert_eq!(payload["invoiceId"], invoice["id"]);
    for field in [
        "invoiceNumber",
        "contractId",
        "sellerCustomerId",
        "origin",
        "invoiceType",
        "currency",
        "grandTotalMinor",
        "collectibleMinor",
        "outstandingMinor",
        "issueDate",
        "dueDate",
    ] {
        assert_eq!(payload[field], invoice[field], "{field}");
    }
    assert!(payload["status"].is_string());
    let told = settles(&seller, "delivered").await;
    assert_eq!(
        (&told["eventId"], &told["eventType"]),
        (&json!(came.event_id()), &json!("InvoiceIssued"))
    );
    house.close().await;
}

#[tokio::test]
async fn a_failed_attempt_is_made_again_with_the_same_event_and_a_fresh_signature() {
    let house = House::open().await;
    let seller = house.seller().await;
    let inbox = Inbox::open().await;
    let (_, secret) = listen(&seller, inbox.url("/")).await;
    inbox.answers(&[Manner::Status(500), Manner::Status(204)]);
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    inbox.wait_for_count(1).await;
    attempted(&seller, 1).await;
    let waiting = newest(&seller).await;
    assert_eq!(waiting["status"], "pending");
    // Only 200 is success. Demo accounts wait 10 and 60 seconds, with some jitter.
    house.pass_seconds(30);
    inbox.wait_for_count(2).await;
    attempted(&seller, 2).await;
    assert_eq!(newest(&seller).await["status"], "pending");
    house.pass_seconds(180);
    let came = inbox.wait_for_count(3).await;
    settles(&seller, "delivered").await;
    for one in &came {
        assert_eq!(one.raw, came[0].raw, "identical body bytes");
    }
    let stamps: Vec<&str> = came.iter().map(|one| one.header("x-service-timestamp")).collect();
    assert!(stamps[0] < stamps[1] && stamps[1] < stamps[2], "{stamps:?}");
    let now = house.now().unix_seconds();
    for (one, at) in came.iter().zip([now - 210, now - 180, now]) {
        one.verifies(&secret, at);
    }
    house.close().await;
}

#[tokio::test]
async fn after_three_attempts_it_has_failed_until_somebody_sends_it_again() {
    let house = House::open().await;
    let seller = house.seller().await;
    let inbox = Inbox::open().await;
    let (webhook, _) = listen(&seller, inbox.url("/")).await;
    inbox.always_answers(Manner::Status(503));
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    for attempt in 1..=3 {
        inbox.wait_for_count(attempt).await;
        attempted(&seller, attempt as u64).await;
        house.pass_seconds(600);
    }
    let failed = settles(&seller, "failed").await;
    assert_eq!(failed["attempts"], 3);
    house.pass_seconds(86_400);
    inbox.always_answers(Manner::Status(200));
    let path = format!("/webhook-deliveries/{}/redeliver", id(&failed));
    seller.payments.create(&path, &fresh_uuid(), &json!({})).await.is(200);
    let came = inbox.wait_for_count(4).await;
    assert_eq!(came[3].event_id(), came[0].event_id(), "a redelivery keeps its eventId");
    settles(&seller, "delivered").await;
    assert_eq!(inbox.deliveries().len(), 4, "nothing was sent in between");
    let path = format!("/webhooks/{webhook}/redeliver-failed");
    let body = json!({"since": "2027-01-01T00:00:00Z"});
    seller.payments.create(&path, &fresh_uuid(), &body).await.is(200);
    let missing = "/webhook-deliveries/999999999/redeliver";
    seller.payments.create(missing, &fresh_uuid(), &json!({})).await.has_status(404);
    house.close().await;
}

#[tokio::test]
async fn what_failed_since_a_time_is_sent_again_in_one_go() {
    let house = House::open().await;
    let seller = house.seller().await;
    let inbox = Inbox::open().await;
    let (webhook, _) = listen(&seller, inbox.url("/")).await;
    inbox.always_answers(Manner::Status(500));
    let contract = seller.contract("2027-01-15").await;
    for _ in 0..3 {
        seller.one_time(contract, 100).await;
    }
    until("three failed deliveries", async || {
        house.pass_seconds(120);
        let query = "/webhook-deliveries?status=failed";
        let list = seller.payments.get(query).await.is(200);
        (list["deliveries"].as_array().map(Vec::len) == Some(3)).then_some(())
    })
    .await;
    inbox.always_answers(Manner::Status(200));
    let path = format!("/webhooks/{webhook}/redeliver-failed");
    let late = json!({"since": "2030-01-01T00:00:00Z"});
    seller.payments.create(&path, &fresh_uuid(), &late).await.is(200);
    let body = json!({"since": "2027-01-15T00:00:00Z"});
    seller.payments.create(&path, &fresh_uuid(), &body).await.is(200);
    until("three delivered ones", async || {
        let query = "/webhook-deliveries?status=delivered";
        let list = seller.payments.get(query).await.is(200);
        (list["deliveries"].as_array().map(Vec::len) == Some(3)).then_some(())
    })
    .await;
    house.close().await;
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_is_no_success() {
    let house = House::open().await;
    let seller = house.seller().await;
    let inbox = Inbox::open().await;
    listen(&seller, inbox.url("/")).await;
    inbox.answers(&[Manner::Status(302)]);
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    let first = attempted(&seller, 1).await;
    assert_eq!(first["status"], "pending");
    house.close().await;
}

#[tokio::test]
async fn an_endpoint_that_hangs_delays_no_other() {
    let house = House::with(&[("webhooks.timeout_seconds", "30")]).await;
    let seller = house.seller().await;
    let (silent, prompt) = (Inbox::open().await, Inbox::open().await);
    silent.always_answers(Manner::Silence);
    listen(&seller, silent.url("/")).await;
    listen(&seller, prompt.url("/")).await;
    let contract = seller.contract("2027-01-15").await;
    for _ in 0..20 {
        seller.one_time(contract, 100).await;
    }
    prompt.wait_for_count(20).await;
    assert!(silent.deliveries().len() <= 20);
    house.close().await;
}

#[tokio::test]
async fn an_answer_that_does_not_come_in_time_is_a_failed_attempt() {
    let house = House::with(&[("webhooks.timeout_seconds", "1")]).await;
    let seller = house.seller().await;
    let inbox = Inbox::open().await;
    inbox.answers(&[Manner::Silence]);
    listen(&seller, inbox.url("/")).await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    let first = attempted(&seller, 1).await;
    assert_eq!(first["status"], "pending");
    house.pass_seconds(60);
    inbox.wait_for_count(2).await;
    settles(&seller, "delivered").await;
    house.close().await;
}

#[tokio::test]
async fn deliveries_are_found_by_webhook_type_and_status() {
    let house = House::open().await;
    let seller = house.seller().await;
    let (good, bad) = (Inbox::open().await, Inbox::open().await);
    bad.always_answers(Manner::Status(500));
    let (first, _) = listen(&seller, good.url("/")).await;
    let (second, _) = listen(&seller, bad.url("/")).await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    until("one delivered and one waiting", async || {
        let list = seller.payments.get("/webhook-deliveries").await.is(200);
        let rows = list["deliveries"].as_array().expect("rows");
        let tried = rows.iter().filter(|row| row["attempts"].as_u64() >= Some(1)).count();
        (tried == 2).then_some(())
    })
    .await;
    let find = async |query: &str| {
        let list = seller.payments.get(&format!("/webhook-deliveries?{query}")).await.is(200);
        let found = column(&list, "deliveries", "webhookId");
        found.into_iter().map(|id| id.as_u64().expect("an id")).collect::<Vec<_>>()
    };
    assert_eq!(find(&format!("webhookId={first}")).await, [first]);
    assert_eq!(find("status=delivered").await, [first]);
    assert_eq!(find("status=pending").await, [second]);
    assert_eq!(find("eventType=InvoiceIssued").await.len(), 2);
    assert_eq!(find("eventType=InvoicePaid").await.len(), 0);
    for wrong in ["status=lost", "eventType=Nothing", "webhookId=x", "limit=0"] {
        seller.payments.get(&format!("/webhook-deliveries?{wrong}")).await.has_status(400);
    }
    house.close().await;
}

#[tokio::test]
async fn disabling_ends_what_waits() {
    let house = House::open().await;
    let seller = house.seller().await;
    let inbox = Inbox::open().await;
    inbox.always_answers(Manner::Status(500));
    let (webhook, _) = listen(&seller, inbox.url("/")).await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    attempted(&seller, 1).await;
    let path = format!("/webhooks/{webhook}");
    seller.payments.patch(&path, &json!({"status": "disabled"})).await.is(200);
    house.pass_seconds(600);
    settles(&seller, "failed").await;
    assert_eq!(inbox.deliveries().len(), 1);
    house.close().await;
}

#[tokio::test]
async fn a_restart_in_the_middle_loses_no_event() {
    let mut house = House::open().await;
    let seller = house.seller().await;
    let inbox = Inbox::open().await;
    let (_, secret) = listen(&seller, inbox.url("/")).await;
    inbox.always_answers(Manner::Status(500));
    let contract = seller.contract("2027-01-15").await;
    let mut numbers = Vec::new();
    for _ in 0..5 {
        let invoice = seller.one_time(contract, 100).await;
        numbers.push(invoice["invoiceNumber"].as_str().expect("a number").to_owned());
    }
    inbox.wait_for_count(5).await;
    inbox.always_answers(Manner::Status(200));
    house.restart().await;
    house.pass_seconds(30);
    let seller = house.again(&seller);
    until("five delivered events", async || {
        let query = "/webhook-deliveries?status=delivered";
        let list = seller.payments.get(query).await.is(200);
        (list["deliveries"].as_array().map(Vec::len) == Some(5)).then_some(())
    })
    .await;
    for number in numbers {
        let came = inbox
            .wait_for(&number, |one| one.event["payload"]["invoiceNumber"] == number.as_str())
            .await;
        came.verifies(&secret, house.now().unix_seconds());
    }
    house.close().await;
}
