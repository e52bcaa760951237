//! `POST /initialize-payment`: what is begun, and what is refused before.

use crate::support::buyer::CHALLENGED;
use crate::support::orders::{action_of, card_data, local_order, order, reference};
use crate::support::response::id;
use crate::support::{Receiver, Server, Value, fresh, fresh_uuid, json, until};

#[tokio::test]
async fn a_card_is_charged_at_once_without_a_challenge() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let receiver = Receiver::start().await;
    let hook = json!({"webhookUrl": receiver.url("/")});
    seller.payments.create("/webhooks", &fresh_uuid(), &hook).await.is(201);
    let body = order(json!({"externalOrderRef": "first", "countryCode": "DE"}));
    let payment = seller.initiate(&body).await.is(202);
    let expected = json!({
        "paymentId": "first", "status": "provider_completed", "amount": 12.5,
        "currencyCode": "EUR", "paymentType": "card", "paymentMethod": "card",
        "countryCode": "DE", "captureMode": "automatic", "requiresAction": false,
        "failureCode": 0, "capturedAmount": 12.5, "refundedAmount": 0, "refunds": [],
        "card": {"brand": "visa", "last4": "4242", "expMonth": 12, "expYear": 2030},
        "mode": "demo", "createdAt": "2027-01-15T09:00:00Z", "updatedAt": "2027-01-15T09:00:00Z",
    });
    assert_eq!(payment, expected);
    assert_eq!(seller.payment("first").await, expected);
    let payload = receiver.wait_for_type("PaymentCompleted").await.event["payload"].clone();
    assert_eq!((&payload["paymentId"], &payload["amountMinor"]), (&json!("first"), &json!(1250)));
    let settled = server.settle(&seller, "first").await;
    assert_eq!(settled["settledAt"], "2027-01-15T09:00:06Z");
    server.close().await;
}

#[tokio::test]
async fn a_card_with_a_challenge_waits_for_the_buyer() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let payment = seller.initiate(&order(json!({"skip3DS": null}))).await.is(202);
    assert_eq!(payment["status"], "provider_pending");
    assert_eq!(payment["requiresAction"], true);
    assert_eq!(payment["redirectFullPage"], true);
    assert_eq!(payment["expiresAt"], "2027-01-15T09:15:00Z");
    let page = server.anonymous.open_page(action_of(&payment)).await;
    page.has_status(200);
    let name = reference(&payment);
    server.pass_seconds(15 * 60);
    let over = seller.wait_for_status(name, "cancelled").await;
    assert_eq!((&over["failureCode"], &over["failureCategory"]), (&json!(0), &json!("cancelled")));
    assert_eq!(over.get("actionUrl"), None);
    assert_eq!(over.get("expiresAt"), None);
    server.close().await;
}

#[tokio::test]
async fn local_methods_lead_to_their_scheme() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (method, currency, country, wait) in [
        ("bancontact", "EUR", "BE", "2027-01-15T09:15:00Z"),
        ("wero", "EUR", "DE", "2027-01-15T09:15:00Z"),
        ("swish", "SEK", "SE", "2027-01-15T09:15:00Z"),
        ("mbway", "EUR", "PT", "2027-01-15T09:04:00Z"),
        ("multibanco", "EUR", "PT", "2027-01-18T09:00:00Z"),
    ] {
        let body = local_order(method, currency, country, json!({}));
        let payment = seller.initiate(&body).await.is(202);
        assert_eq!(payment["status"], "provider_pending", "{method}");
        assert_eq!(payment["paymentType"], "apm");
        assert_eq!(payment["requiresAction"], true, "{method}");
        assert_eq!(payment["expiresAt"], wait, "{method}");
        let voucher = &payment["paymentInstructions"];
        let digits = |name: &str| voucher[name].as_str().map(str::len);
        match method {
            "multibanco" => {
                assert_eq!(voucher["type"], "payment_reference");
                assert_eq!((digits("entity"), digits("reference")), (Some(5), Some(9)));
            }
            _ => assert!(voucher.is_null(), "{method}: {voucher}"),
        }
        server.anonymous.answer_bank(action_of(&payment), "approve").await.is(200);
        let paid = seller.payment(reference(&payment)).await;
        assert_eq!(paid["status"], "provider_completed", "{method}");
        assert_eq!(paid.get("paymentInstructions"), None);
    }
    server.close().await;
}

#[tokio::test]
async fn an_app_asks_the_telephone_number() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let asks = json!({"apmData": {"phone": "+351912345678"}});
    let body = local_order("mbway", "EUR", "PT", asks);
    let payment = seller.initiate(&body).await.is(202);
    let expected = json!({"type": "app_notification", "phone": "+351912345678"});
    assert_eq!(payment["paymentInstructions"], expected);
    assert!(payment["actionUrl"].is_string());
    server.pass_seconds(4 * 60);
    let over = seller.wait_for_status(reference(&payment), "failed").await;
    assert_eq!(
        (&over["failureCode"], &over["failureStage"]),
        (&json!(2001), &json!("authorization"))
    );
    let short = local_order("mbway", "EUR", "PT", json!({"apmData": {"phone": "912345678"}}));
    let refused = seller.initiate(&short).await;
    refused.refuses_saying(400, "apmData.phone must be + and 8 to 15 digits");
    server.close().await;
}

#[tokio::test]
async fn a_voucher_that_nobody_pays_fails() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = local_order("multibanco", "EUR", "PT", json!({}));
    let payment = seller.initiate(&body).await.is(202);
    server.pass_seconds(3 * 24 * 3600);
    let over = seller.wait_for_status(reference(&payment), "failed").await;
    assert_eq!((&over["failureCode"], &over["failureStage"]), (&json!(5001), &json!("deposit")));
    let paid = seller.initiate(&local_order("multibanco", "EUR", "PT", json!({}))).await.is(202);
    server.anonymous.answer_bank(action_of(&paid), "approve").await.is(200);
    server.pass_seconds(6);
    seller.wait_for_status(reference(&paid), "deposit_confirmed").await;
    server.close().await;
}

#[tokio::test]
async fn wallet_tokens_are_charged_and_never_shown() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let token = json!({
        "decryptedData": {"applicationPrimaryAccountNumber": "4109370251004320"},
        "paymentMethod": {"displayName": "Visa 4320", "network": "Visa", "type": "debit"},
        "transactionIdentifier": "a1b2",
    });
    let body = order(json!({
        "cardData": null, "billingDetails": null, "paymentMethod": "apple_pay",
        "walletData": {"paymentToken": token, "label": "Shop", "requestBillingAddress": true},
    }));
    let response = seller.initiate(&body).await;
    assert!(!response.text.contains("4109370251004320"));
    let payment = response.is(202);
    assert_eq!(payment["status"], "provider_completed");
    assert_eq!(payment["paymentMethod"], "apple_pay");
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let refused = async |more: Value| seller.initiate(&order(more)).await;
    for (more, text) in [
        (json!({"currencyCode": null}), "currencyCode is required"),
        (json!({"amount": null}), "amount must be greater than 0"),
        (json!({"amount": 0}), "amount must be greater than 0"),
        (json!({"amount": -3}), "amount must be greater than 0"),
        (json!({"amount": 1.005}), "amount has more decimals than EUR has"),
        (json!({"externalOrderRef": null}), "externalOrderRef is required"),
        (json!({"cardData": null}), "cardData is required"),
        (json!({"paymentMethod": "apple_pay"}), "walletData is required"),
        (json!({"paymentType": "apm"}), "paymentMethod is required"),
        (json!({"paymentType": "apm", "paymentMethod": "wero"}), "countryCode is required"),
        (
            json!({"paymentType": "apm", "paymentMethod": "wero", "countryCode": "SE"}),
            "paymentMethod wero is not supported for currency EUR and country SE",
        ),
        (
            json!({"paymentType": "apm", "paymentMethod": "wero", "countryCode": "DE"}),
            "valid returnLinks are required",
        ),
        (
            json!({"returnLinks": [{"rel": "home", "href": "https://example.com", "method": "GET"}]}),
            "valid returnLinks are required",
        ),
        (
            json!({"returnUrl": "https://elsewhere.example"}),
            "returnUrl cannot be used until allowed return hosts are configured",
        ),
        (
            json!({"captureMode": "manual"}),
            "manual capture needs captureMode manual and autoSettlement false",
        ),
        (
            json!({"autoSettlement": false}),
            "manual capture needs captureMode manual and autoSettlement false",
        ),
        (
            json!({"cardData": {"cardNumber": "4242424242424241", "cvv": "123", "expMonth": 1, "expYear": 2030}}),
            "cardNumber is not a valid card number",
        ),
        (
            json!({"cardData": {"cardNumber": "4242424242424242", "cvv": "123", "expMonth": 1, "expYear": 2030, "holderName": "Zoë"}}),
            "holderName must consist of ASCII letters, spaces, apostrophes, dots and hyphens only",
        ),
    ] {
        refused(more).await.refuses_saying(400, text);
    }
    for more in [
        json!({"amount": "12.50"}),
        json!({"returnLinks": {"rel": "default", "href": "https://example.com", "method": "GET"}}),
        json!({"cardData": "4242424242424242"}),
        json!({"skip3DS": "yes"}),
    ] {
        refused(more).await.refuses_saying(400, "invalid request body");
    }
    let listed = seller.payments.get("/payments").await.is(200);
    assert_eq!(listed["payments"], json!([]));
    server.close().await;
}

#[tokio::test]
async fn a_key_is_demanded_and_unknown_fields_are_dropped() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = order(json!({}));
    let without = seller.payments.post("/initialize-payment", &body).await;
    without.refuses_saying(400, "Idempotency-Key header is required");
    let other = seller.payments.create("/initialize-payment", "seven", &body).await;
    other.refuses_saying(400, "Idempotency-Key must be a valid UUID");
    let more = json!({
        "metadata": {"a": [1]}, "saveCard": 7, "customerEmail": false, "splitRules": "x",
        "successUrl": {}, "cancelUrl": 1,
    });
    let payment = seller.initiate(&order(more)).await.is(202);
    assert_eq!(payment.get("metadata"), None);
    server.close().await;
}

#[tokio::test]
async fn cards_need_country_and_zip() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for billing in [Value::Null, json!({"country": "DE"}), json!({"postalCode": "10115"})] {
        let body = order(json!({"billingDetails": billing}));
        let key = fresh_uuid();
        for _ in 0..2 {
            let response = seller.payments.create("/initialize-payment", &key, &body).await;
            response.refuses_saying(502, "upstream card processor returned 400");
            assert_eq!(response["failureCode"], 2002);
        }
        let payment = seller.payment(reference(&body)).await;
        assert_eq!(payment["status"], "failed");
        assert_eq!(payment["failureCode"], 2002);
        assert_eq!(payment["failureStage"], "authorization");
    }
    let named = json!({"billingDetails": {"countryCode": "DE", "postalCode": "10115"}});
    seller.initiate(&order(named)).await.is(202);
    server.close().await;
}

#[tokio::test]
async fn a_payment_may_state_who_shares_it() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (first, second) = (seller.payee(0), seller.payee(1));
    let shared = json!({"orderData": {"totalAmount": 12.50, "payeeDistribution": [
        {"payeeId": first, "amount": 4.25}, {"payeeId": second, "amount": 0.5},
    ]}});
    let payment = seller.initiate(&order(shared)).await.is(202);
    let expected = json!([{"payeeId": first, "amount": 4.25}, {"payeeId": second, "amount": 0.5}]);
    assert_eq!(payment["payeeDistribution"], expected);
    server.settle(&seller, reference(&payment)).await;
    for (which, minor) in [(0, 425), (1, 50)] {
        until("a share", async || {
            let wallet = seller.wallet_now(seller.wallet(which)).await;
            (wallet["availableBalanceMinor"] == minor).then_some(())
        })
        .await;
    }
    let split = |lines: Value| json!({"orderData": {"payeeDistribution": lines}});
    for (more, status, text) in [
        (
            json!({"orderData": {"totalAmount": 12}}),
            400,
            "orderData.totalAmount must be equal to amount",
        ),
        (
            split(json!([{"payeeId": first}])),
            400,
            "orderData.payeeDistribution[0].amount is required",
        ),
        (
            split(json!([{"payeeId": first, "amount": 0}])),
            400,
            "orderData.payeeDistribution[0].amount must be greater than 0",
        ),
        (
            split(json!([{"payeeId": first, "amount": 12.51}])),
            400,
            "the amounts of orderData.payeeDistribution must not exceed amount",
        ),
        (split(json!([{"payeeId": 999_999_999, "amount": 1}])), 404, "payeeId not found"),
    ] {
        seller.initiate(&order(more)).await.refuses_saying(status, text);
    }
    let crowns = with_currency(split(json!([{"payeeId": first, "amount": 1}])), "SEK");
    seller.initiate(&order(crowns)).await.refuses_saying(400, "currency SEK cannot be split");
    let gone = json!({"displayName": "Gone", "role": "contractor"});
    let gone = id(&seller.payments.create("/payees", &fresh_uuid(), &gone).await.is(201));
    seller.payments.delete(&format!("/payees/{gone}")).await.is(200);
    let archived = split(json!([{"payeeId": gone, "amount": 1}]));
    seller.initiate(&order(archived)).await.refuses_saying(409, "payee is archived");
    server.close().await;
}

fn with_currency(mut body: Value, code: &str) -> Value {
    body["currencyCode"] = json!(code);
    body
}

#[tokio::test]
async fn a_used_reference_leaves_its_payment_alone() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = order(json!({"externalOrderRef": fresh("taken")}));
    let first = seller.initiate(&body).await.is(202);
    let taken = json!({"externalOrderRef": body["externalOrderRef"], "amount": 99});
    let second = seller.initiate(&order(taken)).await;
    second.refuses_saying(502, "upstream card processor returned 409");
    assert_eq!(second["failureCode"], 2002);
    assert_eq!(seller.payment(reference(&first)).await, first);
    let stranger = server.seller().await;
    stranger.initiate(&body).await.is(202);
    server.close().await;
}

#[tokio::test]
async fn a_card_that_wants_a_challenge_gets_it_only_when_it_may() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let skipping = order(json!({"cardData": card_data(CHALLENGED)}));
    let response = seller.initiate(&skipping).await;
    response.refuses_saying(502, "authentication required");
    assert_eq!(response["failureCode"], 3002);
    let asking = order(json!({"cardData": card_data(CHALLENGED), "skip3DS": false}));
    let payment = seller.initiate(&asking).await.is(202);
    assert_eq!(payment["requiresAction"], true);
    server.close().await;
}
