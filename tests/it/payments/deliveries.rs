//! Deliveries of events: envelope, signature, attempts, isolation, redelivery.

use crate::support::receiver::Reply;
use crate::support::response::{column, id};
use crate::support::{Receiver, Seller, Server, Value, fresh_uuid, json, until};

/// A webhook that subscribes only to issued invoices: its id and its secret.
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
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    let (_, secret) = listen(&seller, receiver.url("/hook")).await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1234).await;
    let came = receiver.wait_for_type("InvoiceIssued").await;
    came.verifies(&secret, server.now().unix_seconds());
    assert_eq!(came.header("content-type").split(';').next(), Some("application/json"));
    assert_eq!(came.event["sellerAccountUuid"], seller.minted["sellerAccountUuid"]);
    assert_eq!(came.event["occurredAt"], "2027-01-15T09:00:00Z");
    assert!(came.event_id() > 0);
    assert_eq!(came.event["sequence"], 1);
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
    let shown = settles(&seller, "delivered").await;
    assert_eq!(
        (&shown["eventId"], &shown["eventType"]),
        (&json!(came.event_id()), &json!("InvoiceIssued"))
    );
    server.close().await;
}

#[tokio::test]
async fn figures_tell_how_deliveries_ended() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    listen(&seller, receiver.url("/hook")).await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 1234).await;
    let lines = [
        "accrue_deliveries_held 0\n",
        "accrue_deliveries_waiting 0\n",
        "accrue_delivery_attempts_total 1\n",
        "accrue_deliveries_delivered_total 1\n",
        "accrue_deliveries_failed_total 0\n",
    ];
    until("figures of one delivery", async || {
        let figures = server.anonymous.get("/metrics").await.text;
        lines.iter().all(|line| figures.contains(line)).then_some(())
    })
    .await;
    server.close().await;
}

#[tokio::test]
async fn a_failed_attempt_is_made_again_with_the_same_event_and_a_fresh_signature() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    let (_, secret) = listen(&seller, receiver.url("/")).await;
    receiver.next_replies(&[Reply::Status(500), Reply::Status(204)]);
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    receiver.wait_for_count(1).await;
    attempted(&seller, 1).await;
    let waiting = newest(&seller).await;
    assert_eq!(waiting["status"], "pending");
    // Only 200 is success. Demo accounts wait 10 and 60 seconds, with some jitter.
    server.pass_seconds(30);
    receiver.wait_for_count(2).await;
    attempted(&seller, 2).await;
    assert_eq!(newest(&seller).await["status"], "pending");
    server.pass_seconds(180);
    let came = receiver.wait_for_count(3).await;
    settles(&seller, "delivered").await;
    for one in &came {
        assert_eq!(one.raw, came[0].raw, "identical body bytes");
    }
    let stamps: Vec<&str> = came.iter().map(|one| one.header("x-service-timestamp")).collect();
    assert!(stamps[0] < stamps[1] && stamps[1] < stamps[2], "{stamps:?}");
    let now = server.now().unix_seconds();
    for (one, at) in came.iter().zip([now - 210, now - 180, now]) {
        one.verifies(&secret, at);
    }
    server.close().await;
}

#[tokio::test]
async fn after_three_attempts_it_has_failed_until_somebody_sends_it_again() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    let (webhook, _) = listen(&seller, receiver.url("/")).await;
    receiver.always_replies(Reply::Status(503));
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    for attempt in 1..=3 {
        receiver.wait_for_count(attempt).await;
        attempted(&seller, attempt as u64).await;
        server.pass_seconds(600);
    }
    let failed = settles(&seller, "failed").await;
    assert_eq!(failed["attempts"], 3);
    server.pass_seconds(86_400);
    receiver.always_replies(Reply::Status(200));
    let path = format!("/webhook-deliveries/{}/redeliver", id(&failed));
    seller.payments.create(&path, &fresh_uuid(), &json!({})).await.is(200);
    let came = receiver.wait_for_count(4).await;
    assert_eq!(came[3].event_id(), came[0].event_id(), "a redelivery keeps its eventId");
    settles(&seller, "delivered").await;
    assert_eq!(receiver.deliveries().len(), 4, "nothing was sent in between");
    let path = format!("/webhooks/{webhook}/redeliver-failed");
    let body = json!({"since": "2027-01-01T00:00:00Z"});
    seller.payments.create(&path, &fresh_uuid(), &body).await.is(200);
    let missing = "/webhook-deliveries/999999999/redeliver";
    seller.payments.create(missing, &fresh_uuid(), &json!({})).await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn what_failed_since_a_time_is_sent_again_in_one_go() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    let (webhook, _) = listen(&seller, receiver.url("/")).await;
    receiver.always_replies(Reply::Status(500));
    let contract = seller.contract("2027-01-15").await;
    for _ in 0..3 {
        seller.one_time(contract, 100).await;
    }
    until("three failed deliveries", async || {
        server.pass_seconds(120);
        let query = "/webhook-deliveries?status=failed";
        let list = seller.payments.get(query).await.is(200);
        (list["deliveries"].as_array().map(Vec::len) == Some(3)).then_some(())
    })
    .await;
    receiver.always_replies(Reply::Status(200));
    let path = format!("/webhooks/{webhook}/redeliver-failed");
    let late = json!({"since": "2030-01-01T00:00:00Z"});
    let none = seller.payments.create(&path, &fresh_uuid(), &late).await.is(200);
    assert_eq!(none["redelivered"], 0);
    let (key, body) = (fresh_uuid(), json!({"since": "2027-01-15T00:00:00Z"}));
    let sent = seller.payments.create(&path, &key, &body).await.is(200);
    assert_eq!(sent["redelivered"], 3);
    let replay = seller.payments.create(&path, &key, &body).await;
    assert!(replay.is_replay());
    assert_eq!(replay.is(200)["redelivered"], 3);
    let (key, body) = (fresh_uuid(), json!({"since": "2030-01-01T00:00:00Z"}));
    let once = async || seller.payments.create(&path, &key, &body).await;
    let (one, other, third) = tokio::join!(once(), once(), once());
    let replays = [&one, &other, &third].into_iter().filter(|answer| answer.is_replay()).count();
    assert_eq!(replays, 2);
    until("three delivered ones", async || {
        let query = "/webhook-deliveries?status=delivered";
        let list = seller.payments.get(query).await.is(200);
        (list["deliveries"].as_array().map(Vec::len) == Some(3)).then_some(())
    })
    .await;
    server.close().await;
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_is_no_success() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    listen(&seller, receiver.url("/")).await;
    receiver.next_replies(&[Reply::Status(302)]);
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    let first = attempted(&seller, 1).await;
    assert_eq!(first["status"], "pending");
    server.close().await;
}

#[tokio::test]
async fn an_endpoint_that_hangs_delays_no_other() {
    let server = Server::with(&[("webhooks.timeout_seconds", "30")]).await;
    let seller = server.seller().await;
    let (silent, prompt) = (Receiver::start().await, Receiver::start().await);
    silent.always_replies(Reply::Never);
    listen(&seller, silent.url("/")).await;
    listen(&seller, prompt.url("/")).await;
    let contract = seller.contract("2027-01-15").await;
    for _ in 0..20 {
        seller.one_time(contract, 100).await;
    }
    prompt.wait_for_count(20).await;
    assert!(silent.deliveries().len() <= 20);
    server.close().await;
}

#[tokio::test]
async fn an_answer_that_does_not_come_in_time_is_a_failed_attempt() {
    let server = Server::with(&[("webhooks.timeout_seconds", "1")]).await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    receiver.next_replies(&[Reply::Never]);
    listen(&seller, receiver.url("/")).await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    let first = attempted(&seller, 1).await;
    assert_eq!(first["status"], "pending");
    server.pass_seconds(60);
    receiver.wait_for_count(2).await;
    settles(&seller, "delivered").await;
    server.close().await;
}

#[tokio::test]
async fn deliveries_are_found_by_webhook_type_and_status() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (good, bad) = (Receiver::start().await, Receiver::start().await);
    bad.always_replies(Reply::Status(500));
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
    server.close().await;
}

#[tokio::test]
async fn disabling_ends_what_waits() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    receiver.always_replies(Reply::Status(500));
    let (webhook, _) = listen(&seller, receiver.url("/")).await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    attempted(&seller, 1).await;
    let path = format!("/webhooks/{webhook}");
    seller.payments.patch(&path, &json!({"status": "disabled"})).await.is(200);
    server.pass_seconds(600);
    settles(&seller, "failed").await;
    assert_eq!(receiver.deliveries().len(), 1);
    server.close().await;
}

#[tokio::test]
async fn a_restart_in_the_middle_loses_no_event() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    let (_, secret) = listen(&seller, receiver.url("/")).await;
    receiver.always_replies(Reply::Status(500));
    let contract = seller.contract("2027-01-15").await;
    let mut numbers = Vec::new();
    for _ in 0..5 {
        let invoice = seller.one_time(contract, 100).await;
        numbers.push(invoice["invoiceNumber"].as_str().expect("a number").to_owned());
    }
    receiver.wait_for_count(5).await;
    receiver.always_replies(Reply::Status(200));
    server.restart().await;
    server.pass_seconds(30);
    let seller = server.again(&seller);
    until("five delivered events", async || {
        let query = "/webhook-deliveries?status=delivered";
        let list = seller.payments.get(query).await.is(200);
        (list["deliveries"].as_array().map(Vec::len) == Some(5)).then_some(())
    })
    .await;
    for number in numbers {
        let came = receiver
            .wait_for(&number, |one| one.event["payload"]["invoiceNumber"] == number.as_str())
            .await;
        came.verifies(&secret, server.now().unix_seconds());
    }
    server.close().await;
}

#[tokio::test]
async fn deliveries_of_an_account_that_is_not_active_wait() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    receiver.always_replies(Reply::Status(500));
    listen(&seller, receiver.url("/")).await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    attempted(&seller, 1).await;
    let account = format!("/sellers/{}", seller.id);
    server.operator.patch(&account, &json!({"status": "inactive"})).await.is(200);
    receiver.always_replies(Reply::Status(200));
    server.pass_seconds(3_600);
    // Another seller's deliveries are made meanwhile, so this one's have had their time.
    let other = server.seller().await;
    let elsewhere = Receiver::start().await;
    listen(&other, elsewhere.url("/")).await;
    let contract = other.contract("2027-01-15").await;
    other.one_time(contract, 100).await;
    settles(&other, "delivered").await;
    assert_eq!(receiver.deliveries().len(), 1);
    server.operator.patch(&account, &json!({"status": "active"})).await.is(200);
    server.pass_seconds(30);
    settles(&seller, "delivered").await;
    server.close().await;
}

#[tokio::test]
async fn a_webhook_that_keeps_order_hears_of_each_contract_in_order() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    // Links are in no order with their contracts.
    let body = json!({
        "webhookUrl": receiver.url("/"), "ordered": true,
        "eventTypes": ["InvoiceIssued", "InvoiceSent"],
    });
    let made = seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    assert_eq!(made["ordered"], true);
    let (first, second) =
        (seller.contract("2027-01-15").await, seller.contract("2027-01-15").await);
    receiver.next_replies(&[Reply::Status(500)]);
    seller.one_time(first, 100).await;
    receiver.wait_for_count(1).await;
    seller.one_time(first, 200).await;
    seller.one_time(second, 300).await;
    let of = |contract: u64| {
        let came = receiver.deliveries();
        let of = came.iter().filter(|one| one.event["payload"]["contractId"] == contract);
        of.map(|one| one.event["sequence"].as_u64().expect("a sequence")).collect::<Vec<_>>()
    };
    until("the other contract's events", async || (of(second) == [7, 9]).then_some(())).await;
    assert_eq!(of(first), [1]);
    server.pass_seconds(30);
    until("all events", async || (of(first).len() == 5).then_some(())).await;
    assert_eq!(of(first), [1, 1, 3, 4, 6]);
    server.close().await;
}
