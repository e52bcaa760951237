//! Live payments over the API at `localstripe`, which the test command starts and names in
//! `LOCALSTRIPE_URL`: from the seller's request to the processor and back.

use crate::support::orders::{order, reference};
use crate::support::{Seller, Server, Value, fresh_uuid, json, until};

/// A live seller whose cards go to the processor at `url`.
pub(super) async fn live_at(server: &Server, url: &str, secret_key: &str) -> Seller {
    server.live_seller_at(url, secret_key).await
}

#[tokio::test]
async fn a_live_card_is_charged_captured_given_back_and_let_go() {
    let Ok(url) = std::env::var("LOCALSTRIPE_URL") else { return };
    let server = Server::start().await;
    let seller = live_at(&server, &url, "sk_test_12345").await;
    let act = async |body: &Value, what: &str, asked: Value| {
        let path = format!("/payments/{}/{what}", reference(body));
        seller.payments.create(&path, &fresh_uuid(), &asked).await
    };

    let at_once = order(json!({}));
    let paid = seller.initiate(&at_once).await.is(202);
    assert_eq!((&paid["status"], &paid["mode"]), (&json!("provider_completed"), &json!("live")));
    act(&at_once, "refund", json!({"amount": 5})).await.is(202);
    until("the refund", async || {
        let payment = seller.payment(reference(&at_once)).await;
        (payment["refundedAmount"] == 5).then_some(())
    })
    .await;

    let manual = json!({"captureMode": "manual", "autoSettlement": false});
    let by_hand = order(manual.clone());
    assert_eq!(seller.initiate(&by_hand).await.is(202)["status"], "authorized");
    let captured = act(&by_hand, "capture", json!({})).await.is(200);
    assert_eq!(
        (&captured["status"], &captured["capturedAmount"]),
        (&json!("provider_completed"), &json!(12.5))
    );

    let given_up = order(manual);
    assert_eq!(seller.initiate(&given_up).await.is(202)["status"], "authorized");
    assert_eq!(act(&given_up, "cancel", json!({})).await.is(200)["status"], "cancelled");

    let mut declined = order(json!({}));
    declined["cardData"]["cardNumber"] = json!("4000000000000341");
    let refused = seller.initiate(&declined).await;
    refused.refuses_saying(502, "payment declined");
    assert_eq!(refused["failureCode"], 2001);
    server.close().await;
}
