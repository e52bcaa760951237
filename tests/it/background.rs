//! What works by itself: passes, timers, messages between objects and their workers.

use actors::domain::ids::{ContractId, InvoiceId, MessageId, PaymentId, SellerId};
use actors::domain::messages::{ContractMessage, Envelope, PaymentNotice};
use actors::domain::money::{Currency, Money};
use actors::outbox::Outbox;
use storage::Batch;

#[cfg(feature = "faults")]
use crate::billing::csv::{Csv, done};
#[cfg(feature = "faults")]
use crate::support::meter::EARLIER;
use crate::support::orders::{order, reference};
use crate::support::receiver::Reply;
use crate::support::response::id;
use crate::support::stripe::{Fault, STRIPE_KEY, StripeFake};
use crate::support::{Receiver, Server, fresh_uuid, json, until};

/// The live seller's key, whose cards go to `fake`.
async fn live_key(server: &Server, fake: &StripeFake) -> String {
    server.live_seller_at(&fake.url(), STRIPE_KEY).await.key
}

#[tokio::test]
async fn a_processor_that_never_answers_keeps_nobody_else_waiting() {
    let fake = StripeFake::open().await;
    let server = Server::with(&[("passes.interval_seconds", "1")]).await;
    let live = server.payments().with_key(&live_key(&server, &fake).await);
    // Who waited for one after the other would wait longer than this test does.
    let taken = [(); 3].map(|()| order(json!({})));
    for order in &taken {
        live.create("/initialize-payment", &fresh_uuid(), order).await.is(202);
    }
    for asked in fake.asked() {
        let intent = asked.split(' ').nth(1).and_then(|path| path.strip_suffix("/confirm"));
        if let Some(intent) = intent {
            fake.goes_wrong(intent.to_owned().leak(), Fault::ActsAndHangs);
        }
    }

    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let weekly = json!({"frequency": "weekly"});
    let subscription = id(&seller.subscribe(contract, "2027-01-15", weekly).await);
    let demo = order(json!({}));
    seller.initiate(&demo).await.is(202);

    // The funds of the live payments are asked for every hour.
    server.pass_seconds(2 * 3600);
    let is_asked = async || {
        let figures = server.anonymous.get("/metrics").await.text;
        figures.contains("accrue_processor_calls 3").then_some(())
    };
    until("the questions for the funds", is_asked).await;
    server.pass_seconds(7 * 86_400);
    until("the renewal", async || {
        let now = seller.subscription(subscription).await;
        (now["currentPeriodStart"] == "2027-01-22").then_some(())
    })
    .await;
    until("the settlement", async || {
        let payment = seller.payment(reference(&demo)).await;
        (payment["status"] == "settled").then_some(())
    })
    .await;
    for order in &taken {
        let payment = live.get(&format!("/payments/{}", reference(order))).await.is(200);
        assert_eq!(payment["status"], "provider_completed");
    }
    drop(fake);
    server.close().await;
}

#[tokio::test]
async fn while_the_disk_is_nearly_full_what_is_due_waits_and_deliveries_go_on() {
    let server = Server::start().await;
    let (seller, receiver) = (server.seller().await, Receiver::start().await);
    receiver.always_replies(Reply::Status(500));
    let hook = json!({"webhookUrl": receiver.url("/hook")});
    seller.payments.create("/webhooks", &fresh_uuid(), &hook).await.is(201);
    let paid = order(json!({}));
    seller.initiate(&paid).await.is(202);
    receiver.wait_for_type("PaymentCompleted").await;

    server.app().store.pretend_free_space(Some(0));
    let refused = seller.initiate(&order(json!({}))).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("30")));
    assert!(server.anonymous.get("/readyz").await.text.contains("disk: only 0 MiB are free"));
    // What only reads goes on, whatever its method.
    server.operator.post("/verify", &json!({})).await.is(200);
    // The settlement is due, and so is the next attempt of the delivery.
    server.pass_seconds(30);
    until("another attempt", async || (receiver.of("PaymentCompleted").len() > 1).then_some(()))
        .await;
    assert_eq!(seller.payment(reference(&paid)).await["status"], "provider_completed");

    server.app().store.pretend_free_space(None);
    seller.wait_for_status(reference(&paid), "settled").await;
    server.close().await;
}

#[tokio::test]
async fn a_message_that_is_refused_too_often_is_shown_and_tried_again() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    server.makes_up_rows();
    // A process that ended has left a message for somebody who is not there.
    let nobody = SellerId(seller.id + 1_000);
    let notice = PaymentNotice {
        payment: PaymentId(1),
        reference: "order-1".to_owned(),
        invoice: InvoiceId(1),
        amount: Money::new(500, Currency::EUR).expect("money"),
        at: server.now(),
        attempt: None,
    };
    let message = ContractMessage::PaymentSucceeded(notice);
    let mut batch = Batch::new();
    let envelope = Envelope::to_contract(nobody, ContractId(7), message);
    Outbox::stage(&mut batch, MessageId(9), &envelope);
    server.app().store.write(batch).await.expect("durable");
    server.restart().await;

    let parked = until("the parked message", async || {
        let list = server.operator.get("/parked").await.is(200);
        list["parked"].as_array().and_then(|parked| parked.first().cloned())
    });
    let parked = parked.await;
    assert_eq!(parked["queue"], "messages");
    assert_eq!((&parked["object"], &parked["objectId"]), (&json!("contract"), &json!(7)));
    assert_eq!((&parked["sellerAccountId"], &parked["waiting"]), (&json!(nobody.0), &json!(1)));
    assert_eq!(parked["work"], "a payment succeeded");
    let figures = server.anonymous.get("/metrics").await.text;
    let line = "accrue_queue_lines{queue=\"messages\",state=\"parked\"} 1";
    assert!(figures.contains(line), "{figures}");
    for queue in ["uploads", "cards to forget"] {
        let line = format!("accrue_queue_lines{{queue=\"{queue}\",state=\"ready\"}} 0");
        assert!(figures.contains(&line), "{figures}");
    }

    let failures = parked["failures"].as_u64().expect("a number");
    assert_eq!(server.operator.post("/parked/retry", &json!({})).await.is(200)["retried"], 1);
    until("another try", async || {
        let list = server.operator.get("/parked").await.is(200);
        (list["parked"][0]["failures"].as_u64() > Some(failures)).then_some(())
    })
    .await;
    server.close().await;
}

#[cfg(feature = "faults")]
#[tokio::test]
async fn a_worker_that_panics_is_told_of_counted_and_started_again() {
    let server = Server::start().await;
    let seller = server.seller().await;
    server.anonymous.get("/readyz").await.has_status(200);
    server.app().background.break_worker("payment timers", true);
    let told = until("word of it", async || {
        let response = server.anonymous.get("/readyz").await;
        (response.status == 503).then_some(response)
    });
    let told = told.await;
    assert!(told.text.contains("payment timers: "), "{}", told.text);
    assert_eq!(told.header("retry-after"), Some("1"));
    let figures = server.anonymous.get("/metrics").await.text;
    let restarts = figures.lines().find_map(|line| {
        line.strip_prefix("accrue_worker_restarts_total{worker=\"payment timers\"} ")
    });
    assert!(restarts.and_then(|count| count.parse::<u64>().ok()) > Some(0), "{figures}");

    server.app().background.break_worker("payment timers", false);
    let paid = order(json!({}));
    seller.initiate(&paid).await.is(202);
    server.pass_seconds(3600);
    until("the settlement", async || {
        let payment = seller.payment(reference(&paid)).await;
        (payment["status"] == "settled").then_some(())
    })
    .await;
    server.anonymous.get("/readyz").await.has_status(200);
    server.close().await;
}

#[cfg(feature = "faults")]
#[tokio::test]
async fn an_upload_is_recorded_although_what_looks_for_it_panics() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let background = &server.app().background;
    for worker in ["uploads", "upload backlog"] {
        background.break_worker(worker, true);
    }
    until("word of both", async || {
        let told = server.anonymous.get("/readyz").await.text;
        (told.contains("uploads: ") && told.contains("upload backlog: ")).then_some(())
    })
    .await;
    let file = format!("contract,quantity,key\n{contract},1,k1\n{contract},2,k2\n");
    let mapping = json!({
        "contractId": "contract", "metric": {"const": "api.calls"}, "quantity": "quantity",
        "occurredAt": {"const": EARLIER}, "idempotencyKey": "key",
    });
    let accepted = Csv::of(&file, &mapping).send(&seller.billing).await.is(202);
    assert_eq!(done(&seller, &accepted).await["ingested"], 2);
    for worker in ["uploads", "upload backlog"] {
        background.break_worker(worker, false);
    }
    until("health", async || (server.anonymous.get("/readyz").await.status == 200).then_some(()))
        .await;
    server.close().await;
}
