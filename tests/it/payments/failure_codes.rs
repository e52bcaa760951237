//! What each failure code answers, forced by header and by card.

use crate::support::orders::{action_of, card_data, local_order, order, reference};
use crate::support::{Server, Value, fresh_uuid, json};

/// Code, status of the answer, text of a refusal, and what the payment says: retry, category,
/// stage.
type Row = (u16, u16, &'static str, [&'static str; 3]);

/// The codes that a payment ends with at once.
const AT_ONCE: [Row; 12] = [
    (1001, 202, "", ["fix_first", "integration_error", "validation"]),
    (1002, 202, "", ["never", "hard", "screening"]),
    (
        1003,
        502,
        "no active terminal found for seller account",
        ["fix_first", "integration_error", "routing"],
    ),
    (1004, 202, "", ["never", "hard", "screening"]),
    (1005, 202, "", ["never", "hard", "screening"]),
    (1006, 503, "the payment was interrupted, try again", ["safe", "transient", "initialization"]),
    (1007, 202, "", ["fix_first", "requires_change", "validation"]),
    (2001, 502, "payment declined", ["never", "hard", "authorization"]),
    (2002, 502, "upstream card processor returned 500", ["safe", "transient", "authorization"]),
    (2003, 502, "upstream card processor timed out", ["safe", "transient", "authorization"]),
    (2005, 502, "billing address mismatch", ["fix_first", "requires_change", "authorization"]),
    (3002, 502, "authentication required", ["fix_first", "requires_change", "authorization"]),
];

fn failure_of(payment: &Value) -> (&Value, [&Value; 3]) {
    let why = ["retry", "failureCategory", "failureStage"].map(|name| &payment[name]);
    (&payment["failureCode"], why)
}

#[tokio::test]
async fn every_code_is_forced_by_the_header() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (code, status, text, why) in AT_ONCE {
        let body = order(json!({}));
        let force = format!("force_failure={code}");
        let response = seller.simulate("/initialize-payment", &force, &fresh_uuid(), &body).await;
        response.has_status(status);
        if status != 202 {
            response.refuses_saying(status, text);
        }
        if status == 503 {
            assert!(response.header("retry-after").is_some());
        }
        let expected = json!([code, why]);
        assert_eq!(json!(failure_of(&response.body)), expected, "{}", response.text);
        assert_eq!(response["status"], "failed", "{code}");
        let payment = seller.payment(reference(&body)).await;
        assert_eq!(json!(failure_of(&payment)), expected);
        assert_eq!(payment["status"], "failed", "{code}");
        assert_eq!(payment["capturedAmount"], 0, "{code}");
        assert!(payment["failureDescription"].is_string());
    }
    server.close().await;
}

#[tokio::test]
async fn cards_of_demo_mode_fail_as_they_are_known_to() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let expired = json!({
        "cardNumber": "4242424242424242", "cvv": "123", "expMonth": 12, "expYear": 2026,
    });
    for (card, code) in [
        (card_data("4000000000000002"), 2001),
        (card_data("4000000000000119"), 2002),
        (card_data("4000000000000259"), 2003),
        (card_data("4000000000000036"), 2005),
        (card_data("4000000000000101"), 1002),
        (card_data("4000000000003220"), 3002),
        (expired, 1007),
    ] {
        let (_, status, text, why) =
            *AT_ONCE.iter().find(|row| row.0 == code).expect("a known code");
        let body = order(json!({"cardData": card}));
        let response = seller.initiate(&body).await;
        response.has_status(status);
        if status != 202 {
            response.refuses_saying(status, text);
        }
        let payment = seller.payment(reference(&body)).await;
        assert_eq!(json!(failure_of(&payment)), json!([code, why]));
    }
    for good in ["4242424242424242", "5555555555554444"] {
        let body = order(json!({"cardData": card_data(good)}));
        assert_eq!(seller.initiate(&body).await.is(202)["status"], "provider_completed");
    }
    server.close().await;
}

#[tokio::test]
async fn codes_of_what_comes_later_come_later() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let forced = async |code: u16, body: &Value| {
        let force = format!("force_failure={code}");
        seller.simulate("/initialize-payment", &force, &fresh_uuid(), body).await
    };
    // Settlement.
    let body = order(json!({}));
    assert_eq!(forced(4001, &body).await.is(202)["status"], "provider_completed");
    server.pass_seconds(6);
    let failed = seller.wait_for_status(reference(&body), "failed").await;
    assert_eq!(json!(failure_of(&failed)), json!([4001, ["never", "hard", "settlement"]]));
    // Settlement, after a refund that failed.
    let body = order(json!({}));
    assert_eq!(forced(4001, &body).await.is(202)["status"], "provider_completed");
    let (path, key) = (format!("/payments/{}/refund", reference(&body)), fresh_uuid());
    let refund = seller.simulate(&path, "force_failure=2004", &key, &json!({})).await.is(202);
    let shown = seller.payment(reference(&body)).await["refunds"].clone();
    assert_eq!(
        (&shown[0]["refundId"], &shown[0]["failureCode"]),
        (&refund["refundId"], &json!(2004))
    );
    server.pass_seconds(6);
    let failed = seller.wait_for_status(reference(&body), "failed").await;
    assert_eq!((&failed["failureCode"], &failed["refunds"]), (&json!(4001), &shown));
    assert!(seller.payments.create(&path, &key, &json!({})).await.is_replay());
    // A deposit.
    let body = local_order("multibanco", "EUR", "PT", json!({}));
    assert_eq!(forced(5001, &body).await.is(202)["status"], "provider_pending");
    server.pass_seconds(3 * 24 * 3600);
    let failed = seller.wait_for_status(reference(&body), "failed").await;
    assert_eq!(json!(failure_of(&failed)), json!([5001, ["never", "hard", "deposit"]]));
    // A refund.
    let body = order(json!({}));
    assert_eq!(forced(2004, &body).await.is(202)["status"], "provider_completed");
    let refund = seller.act_on(reference(&body), "refund", &json!({})).await.is(202);
    assert_eq!((&refund["status"], &refund["failureCode"]), (&json!("failed"), &json!(2004)));
    assert_eq!(seller.payment(reference(&body)).await["status"], "refund_failed");
    // A capture, by the seller and by itself.
    let manual = order(json!({"autoSettlement": false, "captureMode": "manual"}));
    assert_eq!(forced(3001, &manual).await.is(202)["status"], "authorized");
    let capture = seller.act_on(reference(&manual), "capture", &json!({})).await;
    capture.refuses_saying(502, "capture failed");
    assert_eq!(capture["failureCode"], 3001);
    let held = seller.payment(reference(&manual)).await;
    assert_eq!(held["status"], "authorized");
    assert_eq!(json!(failure_of(&held)), json!([3001, ["safe", "transient", "capture"]]));
    let automatic = order(json!({}));
    let response = forced(3001, &automatic).await;
    response.refuses_saying(502, "capture failed");
    let failed = seller.payment(reference(&automatic)).await;
    assert_eq!(failed["status"], "failed");
    assert_eq!(json!(failure_of(&failed)), json!([3001, ["safe", "transient", "capture"]]));
    server.close().await;
}

#[tokio::test]
async fn a_decline_at_the_bank_fails_and_an_abandoned_challenge_is_cancelled() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (action, status, code) in [("decline", "failed", 2001), ("cancel", "cancelled", 0)] {
        let payment = seller.initiate(&order(json!({"skip3DS": null}))).await.is(202);
        server.anonymous.answer_bank(action_of(&payment), action).await.is(200);
        let after = seller.payment(reference(&payment)).await;
        assert_eq!((&after["status"], &after["failureCode"]), (&json!(status), &json!(code)));
    }
    server.close().await;
}

#[tokio::test]
async fn the_simulator_is_for_demo_accounts() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = order(json!({}));
    for word in ["force_failure=1234", "force_failure=0", "force_refund=cancelled", "fail"] {
        let response = seller.simulate("/initialize-payment", word, &fresh_uuid(), &body).await;
        let text = "Simulator must be force_failure=<code> with a known failure code";
        response.refuses_saying(400, text);
    }
    let live = json!({"name": "Live", "email": "live@example.com"});
    let live = server.operator.post("/sellers", &live).await.is(201);
    let key = live["apiKey"].as_str().expect("a key").to_owned();
    let payments = server.payments().with_key(&key);
    let headers = [("idempotency-key", &*fresh_uuid()), ("simulator", "force_failure=1234")];
    let response = payments
        .send(hyper::Method::POST, "/initialize-payment", &headers, &body.to_string())
        .await;
    response.refuses_saying(502, "no active terminal found for seller account");
    assert_eq!(response["failureCode"], 1003);
    server.close().await;
}
