//! `POST /finalize-payment`.

use crate::support::make::with;
use crate::support::orders::{action_of, local_order, order, reference};
use crate::support::{Seller, Server, Value, fresh_uuid, json};

async fn approved(server: &Server, seller: &Seller, more: Value) -> String {
    let body = with(&order(json!({"skip3DS": null})), more);
    let payment = seller.initiate(&body).await.is(202);
    server.anonymous.answer_bank(action_of(&payment), "approve").await.is(200);
    reference(&payment).to_owned()
}

#[tokio::test]
async fn a_payment_goes_on_after_the_buyers_approval() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let payment = seller.initiate(&order(json!({"skip3DS": null}))).await.is(202);
    let name = reference(&payment);
    let early = seller.finalize(name).await;
    early.refuses_saying(502, "upstream card processor returned 400");
    assert_eq!(
        (&early["failureCode"], &early["status"]),
        (&json!(2002), &json!("provider_pending"))
    );
    assert_eq!(seller.payment(name).await["status"], "provider_pending");
    server.anonymous.answer_bank(action_of(&payment), "approve").await.is(200);
    assert_eq!(seller.payment(name).await["status"], "provider_pending");
    let key = fresh_uuid();
    let body = json!({"externalOrderRef": name});
    let done = seller.payments.create("/finalize-payment", &key, &body).await.is(200);
    assert_eq!(
        (&done["status"], &done["capturedAmount"]),
        (&json!("provider_completed"), &json!(12.5))
    );
    let replay = seller.payments.create("/finalize-payment", &key, &body).await;
    assert!(replay.is_replay());
    seller.finalize(name).await.is(200);
    server.settle(&seller, name).await;
    assert_eq!(seller.finalize(name).await.is(200)["status"], "settled");
    server.close().await;
}

#[tokio::test]
async fn an_amount_is_taken_and_the_rest_let_go() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = approved(&server, &seller, json!({})).await;
    let body = |amount: Value| json!({"externalOrderRef": name, "amount": amount});
    let post = async |amount| {
        seller.payments.create("/finalize-payment", &fresh_uuid(), &body(amount)).await
    };
    post(json!(0)).await.refuses_saying(400, "amount must be greater than 0");
    post(json!(1.001)).await.refuses_saying(400, "amount has more decimals than EUR has");
    post(json!(12.51))
        .await
        .refuses_saying(409, "capture amount exceeds remaining authorized amount");
    let done = post(json!(10)).await.is(200);
    assert_eq!((&done["amount"], &done["capturedAmount"]), (&json!(12.5), &json!(10)));
    server.close().await;
}

#[tokio::test]
async fn manual_capture_is_authorized_and_takes_no_amount() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let manual = json!({"autoSettlement": false, "captureMode": "manual"});
    let name = approved(&server, &seller, manual).await;
    let body = json!({"externalOrderRef": name, "amount": 5});
    let stated = seller.payments.create("/finalize-payment", &fresh_uuid(), &body).await;
    stated.refuses_saying(400, "amount cannot be stated with manual capture");
    assert_eq!(seller.finalize(&name).await.is(200)["status"], "authorized");
    server.close().await;
}

#[tokio::test]
async fn only_open_card_payments_are_finalized() {
    let server = Server::start().await;
    let seller = server.seller().await;
    seller.finalize("nothing").await.has_status(404);
    let none = seller.payments.create("/finalize-payment", &fresh_uuid(), &json!({})).await;
    none.refuses_saying(400, "externalOrderRef is required");
    let local = seller.initiate(&local_order("wero", "EUR", "DE", json!({}))).await.is(202);
    let response = seller.finalize(reference(&local)).await;
    response.refuses_saying(409, "invalid status transition from provider_pending to finalize");
    let lost = seller.initiate(&order(json!({"skip3DS": null}))).await.is(202);
    server.anonymous.answer_bank(action_of(&lost), "decline").await.is(200);
    let response = seller.finalize(reference(&lost)).await;
    response.refuses_saying(409, "invalid status transition from failed to finalize");
    let stranger = server.seller().await;
    stranger.finalize(reference(&local)).await.has_status(404);
    server.close().await;
}
