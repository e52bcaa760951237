//! `POST /payments/{externalOrderRef}/capture` and `/cancel`.

use futures::future::join_all;

use crate::support::orders::{action_of, order, reference};
use crate::support::{Server, fresh_uuid, json};

#[tokio::test]
async fn what_is_held_is_captured_in_parts() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.held(json!({})).await;
    let first = seller.act_on(&name, "capture", &json!({"amount": 5})).await.is(200);
    assert_eq!(
        (&first["status"], &first["capturedAmount"]),
        (&json!("provider_completed"), &json!(5))
    );
    let above = seller.act_on(&name, "capture", &json!({"amount": 7.51})).await;
    above.refuses_saying(409, "capture amount exceeds remaining authorized amount");
    let rest = seller.act_on(&name, "capture", &json!({})).await.is(200);
    assert_eq!(rest["capturedAmount"], 12.5);
    let more = seller.act_on(&name, "capture", &json!({})).await;
    more.refuses_saying(409, "capture amount exceeds remaining authorized amount");
    server.settle(&seller, &name).await;
    let late = seller.act_on(&name, "capture", &json!({"amount": 1})).await;
    late.refuses_saying(409, "invalid status transition from settled to capture");
    server.close().await;
}

#[tokio::test]
async fn the_last_capture_lets_the_rest_go() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.held(json!({})).await;
    let last = json!({"amount": 5, "final": true});
    assert_eq!(seller.act_on(&name, "capture", &last).await.is(200)["capturedAmount"], 5);
    let more = seller.act_on(&name, "capture", &json!({"amount": 1})).await;
    more.refuses_saying(409, "capture amount exceeds remaining authorized amount");
    server.close().await;
}

#[tokio::test]
async fn a_capture_repeated_under_its_key_takes_nothing_more() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.held(json!({})).await;
    let (path, key) = (format!("/payments/{name}/capture"), fresh_uuid());
    let body = json!({"amount": 5});
    let responses = join_all((0..10).map(|_| seller.payments.create(&path, &key, &body))).await;
    for one in &responses {
        one.has_status(200);
        assert_eq!(one["capturedAmount"], 5, "{}", one.text);
    }
    assert_eq!(responses.iter().filter(|one| !one.is_replay()).count(), 1);
    let other = seller.payments.create(&path, &key, &json!({"amount": 6})).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different amount");
    assert_eq!(seller.payment(&name).await["capturedAmount"], 5);
    server.close().await;
}

#[tokio::test]
async fn only_manual_payments_that_hold_money_are_captured() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let automatic = seller.paid(json!({})).await;
    let response = seller.act_on(&automatic, "capture", &json!({})).await;
    response.refuses_saying(409, "manual settlement required");
    seller.act_on("nothing", "capture", &json!({})).await.has_status(404);
    let manual = json!({"autoSettlement": false, "captureMode": "manual", "skip3DS": null});
    let pending = seller.initiate(&order(manual)).await.is(202);
    let response = seller.act_on(reference(&pending), "capture", &json!({})).await;
    response.refuses_saying(409, "invalid status transition from provider_pending to capture");
    let held = seller.held(json!({})).await;
    for (body, text) in [
        (json!({"amount": 0}), "amount must be greater than 0"),
        (json!({"amount": 0.001}), "amount has more decimals than EUR has"),
        (json!({"amount": "5"}), "invalid request body"),
        (json!({"final": 1}), "invalid request body"),
    ] {
        seller.act_on(&held, "capture", &body).await.refuses_saying(400, text);
    }
    seller.act_on(&held, "capture", &json!({"amount": 5})).await.is(200);
    seller.act_on(&held, "refund", &json!({"amount": 1})).await.is(202);
    let during = seller.act_on(&held, "capture", &json!({"amount": 1})).await;
    during.refuses_saying(409, "capture is not allowed while a refund is in progress");
    server.pass_seconds(3);
    seller.wait_for_status(&held, "provider_completed").await;
    let after = seller.act_on(&held, "capture", &json!({"amount": 1})).await;
    after.refuses_saying(409, "capture is not allowed after a successful refund");
    server.close().await;
}

#[tokio::test]
async fn the_key_of_a_capture_that_failed_can_be_used_again() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let manual = order(json!({"autoSettlement": false, "captureMode": "manual"}));
    let force = "force_failure=3001";
    seller.simulate("/initialize-payment", force, &fresh_uuid(), &manual).await.is(202);
    let (path, key) = (format!("/payments/{}/capture", reference(&manual)), fresh_uuid());
    for _ in 0..2 {
        let response = seller.payments.create(&path, &key, &json!({})).await;
        assert!(!response.is_replay());
        response.refuses_saying(502, "capture failed");
        assert_eq!(
            (&response["retry"], &response["failureStage"]),
            (&json!("safe"), &json!("capture"))
        );
    }
    server.close().await;
}

#[tokio::test]
async fn pending_and_held_payments_are_cancelled() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let pending = seller.initiate(&order(json!({"skip3DS": null}))).await.is(202);
    let held = seller.held(json!({})).await;
    for name in [reference(&pending), &held] {
        let (path, key) = (format!("/payments/{name}/cancel"), fresh_uuid());
        let cancelled = seller.payments.create(&path, &key, &json!({})).await.is(200);
        assert_eq!(cancelled["status"], "cancelled");
        assert_eq!(cancelled["failureCategory"], "cancelled");
        assert!(seller.payments.create(&path, &key, &json!({})).await.is_replay());
        let again = seller.act_on(name, "cancel", &json!({})).await;
        again.refuses_saying(409, "invalid status transition from cancelled to cancel");
    }
    let page = server.anonymous.answer_bank(action_of(&pending), "approve").await;
    assert_ne!(page.status, 500);
    assert_eq!(seller.payment(reference(&pending)).await["status"], "cancelled");
    let paid = seller.paid(json!({})).await;
    let response = seller.act_on(&paid, "cancel", &json!({})).await;
    response.refuses_saying(409, "invalid status transition from provider_completed to cancel");
    server.close().await;
}

#[tokio::test]
async fn a_hold_that_is_not_used_lapses() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.held(json!({})).await;
    server.pass_seconds(7 * 24 * 3600);
    let over = seller.wait_for_status(&name, "cancelled").await;
    assert_eq!(over["failureCode"], 0);
    server.close().await;
}
