//! The payloads of events, and their list.

use crate::support::buyer::{DECLINED, GOOD, page_of};
use crate::support::response::id;
use crate::support::{Receiver, Seller, Server, Value, fresh_uuid, json, until};

async fn listening(server: &Server) -> (Seller, Receiver) {
    let (seller, receiver) = (server.seller().await, Receiver::start().await);
    let body = json!({"webhookUrl": receiver.url("/")});
    seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    (seller, receiver)
}

/// The payload of the one event of this type about this subscription.
async fn payload_of(receiver: &Receiver, kind: &str, subscription: u64) -> Value {
    let came = receiver
        .wait_for(kind, |one| {
            one.event["eventType"] == kind && one.event["payload"]["subscriptionId"] == subscription
        })
        .await;
    came.event["payload"].clone()
}

#[tokio::test]
async fn every_step_of_a_subscription_is_reported() {
    let server = Server::start().await;
    let (seller, receiver) = listening(&server).await;
    let contract = seller.contract("2027-01-15").await;
    let more = json!({"trialDays": 10, "priceMinor": 2900});
    let sub = id(&seller.subscribe(contract, "2027-01-15", more).await);
    let created = payload_of(&receiver, "BillingSubscriptionCreated", sub).await;
    let expected = json!({
        "subscriptionId": sub, "contractId": contract, "sellerCustomerId": seller.customer(),
        "status": "trialing", "priceMinor": 2900, "currency": "EUR",
        "currentPeriodStart": "2027-01-15", "currentPeriodEnd": "2027-01-25",
    });
    assert_eq!(created, expected);
    seller.advance(contract, "2027-01-25T00:00:00Z").await;
    let begun = payload_of(&receiver, "BillingSubscriptionActivated", sub).await;
    assert_eq!(
        (&begun["status"], &begun["currentPeriodEnd"]),
        (&json!("active"), &json!("2027-02-25"))
    );
    seller.advance(contract, "2027-02-25T00:00:00Z").await;
    let renewed = payload_of(&receiver, "BillingSubscriptionRenewed", sub).await;
    assert_eq!(renewed["currentPeriodStart"], "2027-02-25");
    seller.act(sub, "change-plan", json!({"priceMinor": 3900})).await;
    let changed = payload_of(&receiver, "BillingSubscriptionPlanChanged", sub).await;
    assert_eq!(changed["priceMinor"], 3900);
    seller.act(sub, "pause", json!({})).await;
    assert_eq!(payload_of(&receiver, "BillingSubscriptionPaused", sub).await["status"], "paused");
    seller.act(sub, "resume", json!({})).await;
    assert_eq!(payload_of(&receiver, "BillingSubscriptionResumed", sub).await["status"], "active");
    seller.act(sub, "cancel", json!({"mode": "immediately"})).await;
    assert_eq!(
        payload_of(&receiver, "BillingSubscriptionCanceled", sub).await["status"],
        "canceled"
    );
    let ending = json!({"endDate": "2027-03-10"});
    let ending = id(&seller.subscribe(contract, "2027-02-25", ending).await);
    let needy = json!({"trialDays": 5, "requirePaymentMethod": true});
    let needy = id(&seller.subscribe(contract, "2027-02-25", needy).await);
    seller.advance(contract, "2027-03-11T00:00:00Z").await;
    assert_eq!(
        payload_of(&receiver, "BillingSubscriptionExpired", ending).await["status"],
        "expired"
    );
    assert_eq!(
        payload_of(&receiver, "BillingSubscriptionPastDue", needy).await["status"],
        "past_due"
    );
    // Each once, with an id and a place of its own.
    let all = receiver.deliveries();
    let mut places: Vec<u64> =
        all.iter().map(|one| one.event["sequence"].as_u64().expect("a sequence")).collect();
    places.sort_unstable();
    assert_eq!(places, (1..=all.len() as u64).collect::<Vec<_>>());
    let mut ids: Vec<u64> = all.iter().map(|one| one.event_id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all.len());
    server.close().await;
}

#[tokio::test]
async fn a_payment_reports_its_outcome_in_minor_units() {
    let server = Server::start().await;
    let (seller, receiver) = listening(&server).await;
    let contract = seller.contract("2027-01-15").await;
    let page = page_of(&seller.one_time(contract, 1234).await);
    server.anonymous.pay(&page, DECLINED).await.is(200);
    let failed = receiver.wait_for_type("PaymentCompleted").await.event["payload"].clone();
    assert_eq!((&failed["status"], &failed["failureCode"]), (&json!("failed"), &json!(2001)));
    assert_eq!((&failed["retry"], &failed["failureCategory"]), (&json!("never"), &json!("hard")));
    assert!(failed["failureDescription"].is_string());
    let paid = server.anonymous.pay(&page, GOOD).await.is(200);
    let event = receiver
        .wait_for("a completed payment", |one| {
            one.event["payload"]["status"] == "provider_completed"
        })
        .await;
    let payload = &event.event["payload"];
    assert_eq!(payload["paymentId"], paid["paymentId"]);
    assert_eq!((&payload["amountMinor"], &payload["currencyCode"]), (&json!(1234), &json!("EUR")));
    assert_eq!((&payload["failureCode"], payload.get("retry")), (&json!(0), None));
    assert_eq!(payload.get("amount"), None, "money is in minor units");
    let invoice = receiver.wait_for_type("InvoicePaid").await.event["payload"].clone();
    assert_eq!((&invoice["status"], &invoice["outstandingMinor"]), (&json!("paid"), &json!(0)));
    server.close().await;
}

#[tokio::test]
async fn an_invoice_that_is_paid_when_it_is_issued_is_reported_twice_and_never_sent() {
    let server = Server::start().await;
    let (seller, receiver) = listening(&server).await;
    let contract = seller.contract("2027-01-15").await;
    seller.subscribe(contract, "2027-01-15", json!({"priceMinor": 0})).await;
    seller.recurring(contract).await;
    receiver.wait_for_type("InvoicePaid").await;
    receiver.wait_for_type("InvoiceIssued").await;
    assert_eq!(receiver.of("InvoiceSent").len(), 0);
    server.close().await;
}

/// All events by following the list, some at a time.
async fn listed(seller: &Seller, query: &str) -> Vec<Value> {
    let (mut events, mut after) = (Vec::new(), 0);
    loop {
        let path = format!("/events?limit=3&afterSequence={after}{query}");
        let page = seller.billing.get(&path).await.is(200);
        events.extend(page["events"].as_array().expect("events").iter().cloned());
        let next = page["nextSequence"].as_u64().expect("where to go on");
        if page["hasMore"] == false {
            return events;
        }
        assert_eq!(page["nextCursor"], next);
        assert!(next > after);
        after = next;
    }
}

#[tokio::test]
async fn what_a_receiver_has_missed_it_finds_in_the_list() {
    let mut server = Server::start().await;
    let (seller, receiver) = listening(&server).await;
    let deaf = server.seller().await;
    for seller in [&seller, &deaf] {
        let contract = seller.contract("2027-01-15").await;
        let page = page_of(&seller.one_time(contract, 1234).await);
        server.anonymous.pay(&page, DECLINED).await.is(200);
        server.anonymous.pay(&page, GOOD).await.is(200);
    }
    receiver.wait_for_type("InvoicePaid").await;
    let mut came: Vec<Value> = receiver.deliveries().iter().map(|one| one.event.clone()).collect();
    came.sort_by_key(|event| event["sequence"].as_u64());
    let events = listed(&seller, "").await;
    assert_eq!(events, came, "the list tells what the webhook was told");
    let places: Vec<_> = events.iter().map(|event| event["sequence"].clone()).collect();
    assert_eq!(places, (1..=events.len()).map(|place| json!(place)).collect::<Vec<_>>());

    // Without any webhook it is the same.
    let kinds = |events: &[Value]| {
        let mut kinds: Vec<_> = events.iter().map(|event| event["eventType"].to_string()).collect();
        kinds.sort();
        kinds
    };
    assert_eq!(kinds(&listed(&deaf, "").await), kinds(&events));
    let completed = listed(&seller, "&eventType=PaymentCompleted").await;
    assert_eq!(kinds(&completed), ["\"PaymentCompleted\"", "\"PaymentCompleted\""]);

    let last = events.len();
    let path = format!("/events?afterSequence={last}");
    let end = json!({"events": [], "hasMore": false, "nextSequence": last});
    assert_eq!(seller.billing.get(&path).await.is(200), end);
    for wrong in ["eventType=Nothing", "afterSequence=x", "afterSequence=-1", "limit=0"] {
        seller.billing.get(&format!("/events?{wrong}")).await.has_status(400);
    }
    server.restart().await;
    assert_eq!(listed(&server.again(&seller), "").await, events);
    server.close().await;
}

#[tokio::test]
async fn events_are_deleted_when_they_were_kept_for_their_days() {
    let server = Server::with(&[("events.keep_days", "1")]).await;
    let (seller, receiver) = listening(&server).await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 100).await;
    receiver.wait_for_count(3).await;
    assert_eq!(listed(&seller, "").await.len(), 3);
    server.pass_seconds(2 * 24 * 3_600);
    until("the events are gone", async || listed(&seller, "").await.is_empty().then_some(())).await;
    let list = seller.payments.get("/webhook-deliveries").await.is(200);
    assert_eq!(list["deliveries"], json!([]));
    seller.one_time(contract, 100).await;
    assert_eq!(listed(&seller, "").await[0]["sequence"], 4, "the sequence goes on");
    server.close().await;
}
