//! `POST /finalize-payment` (payments 2.3, 4; decisions 7, 13).

use crate::support::make::with;
use crate::support::orders::{action_of, local_order, order, reference};
use crate::support::{House, Seller, Value, fresh_uuid, json};

async fn approved(house: &House, seller: &Seller, more: Value) -> String {
    let body = with(&order(json!({"skip3DS": null})), more);
    let payment = seller.initiate(&body).await.is(202);
    house.open.answer_bank(action_of(&payment), "approve").await.is(200);
    reference(&payment).to_owned()
}

#[tokio::test]
async fn a_payment_goes_on_after_the_buyers_approval() {
    let house = House::open().await;
    let seller = house.seller().await;
    let payment = seller.initiate(&order(json!({"skip3DS": null}))).await.is(202);
    let name = reference(&payment);
    let early = seller.finalize(name).await;
    early.refuses_saying(502, "upstream card processor returned 400");
    assert_eq!(
        (&early["failureCode"], &early["status"]),
        (&json!(2002), &json!("provider_pending"))
    );
    assert_eq!(seller.payment(name).await["status"], "provider_pending");
    house.open.answer_bank(action_of(&payment), "approve").await.is(200);
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
    house.settle(&seller, name).await;
    assert_eq!(seller.finalize(name).await.is(200)["status"], "settled");
    house.close().await;
}

#[tokio::test]
async fn an_amount_is_taken_and_the_rest_let_go() {
    let house = House::open().await;
    let seller = house.seller().await;
    let name = approved(&house, &seller, json!({})).await;
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
    house.close().await;
}

#[tokio::test]
async fn manual_capture_is_authorized_and_takes_no_amount() {
    let house = House::open().await;
    let seller = house.seller().await;
    let manual = json!({"autoSettlement": false, "captureMode": "manual"});
    let name = approved(&house, &seller, manual).await;
    let body = json!({"externalOrderRef": name, "amount": 5});
    let stated = seller.payments.create("/finalize-payment", &fresh_uuid(), &body).await;
    stated.refuses_saying(400, "amount cannot be stated with manual capture");
    assert_eq!(seller.finalize(&name).await.is(200)["status"], "authorized");
    house.close().await;
}

#[tokio::test]
async fn only_open_card_payments_are_finalized() {
    let house = House::open().await;
    let seller = house.seller().await;
    seller.finalize("nothing").await.has_status(404);
    let none = seller.payments.create("/finalize-payment", &fresh_uuid(), &json!({})).await;
    none.refuses_saying(400, "externalOrderRef is required");
    let local = seller.initiate(&local_order("wero", "EUR", "DE", json!({}))).await.is(202);
    let heard = seller.finalize(reference(&local)).await;
    heard.refuses_saying(409, "invalid status transition from provider_pending to finalize");
    let lost = seller.initiate(&order(json!({"skip3DS": null}))).await.is(202);
    house.open.answer_bank(action_of(&lost), "decline").await.is(200);
    let heard = seller.finalize(reference(&lost)).await;
    heard.refuses_saying(409, "invalid status transition from failed to finalize");
    let stranger = house.seller().await;
    stranger.finalize(reference(&local)).await.has_status(404);
    house.close().await;
}
