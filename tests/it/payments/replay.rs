//! The same `Idempotency-Key` again.

use futures::future::join_all;

use crate::support::make::with;
use crate::support::orders::{action_of, card_data, local_order, order, reference};
use crate::support::response::id;
use crate::support::{Server, fresh_uuid, json, until};

#[tokio::test]
async fn a_replay_answers_the_payment_as_it_is_now() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (key, body) = (fresh_uuid(), order(json!({"skip3DS": null})));
    let send = async || seller.payments.create("/initialize-payment", &key, &body).await;
    let first = send().await.is(202);
    server.pass_seconds(60);
    let again = send().await;
    assert!(again.is_replay());
    let again = again.is(200);
    assert_eq!(again["status"], "provider_pending");
    assert_eq!(again["requiresAction"], true);
    server.anonymous.answer_bank(action_of(&again), "approve").await.is(200);
    seller.finalize(reference(&first)).await.is(200);
    let paid = send().await.is(200);
    assert_eq!(paid["status"], "provider_completed");
    assert_eq!(paid.get("actionUrl"), None);
    server.close().await;
}

#[tokio::test]
async fn another_intent_under_one_key_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let asks = json!({"apmData": {"phone": "+351912345678"}, "externalOrderRef": "one"});
    let body = local_order("mbway", "EUR", "PT", asks);
    let key = fresh_uuid();
    let send = async |more| {
        let body = with(&body, more);
        seller.payments.create("/initialize-payment", &key, &body).await
    };
    send(json!({})).await.is(202);
    for (more, text) in [
        (json!({"amount": 13}), "amount: original=12.5, request=13"),
        (
            json!({"paymentMethod": "swish", "currencyCode": "SEK", "countryCode": "SE"}),
            "currencyCode: original=EUR, request=SEK",
        ),
        (
            json!({"paymentMethod": "wero", "countryCode": "DE"}),
            "countryCode: original=PT, request=DE",
        ),
        (json!({"externalOrderRef": "two"}), "externalOrderRef: original=one, request=two"),
        (
            json!({"paymentType": "card", "paymentMethod": "card", "cardData": card_data("4242424242424242")}),
            "paymentType: original=apm, request=card",
        ),
        (
            json!({"paymentMethod": "multibanco"}),
            "paymentMethod: original=mbway, request=multibanco",
        ),
        (
            json!({"apmData": {"phone": "+351912345679"}}),
            "apmData.phone: original=+351912345678, request=+351912345679",
        ),
    ] {
        let text = format!("Idempotency-Key reused with a different {text}");
        send(more).await.refuses_saying(409, &text);
    }
    let (key, body) = (fresh_uuid(), order(json!({})));
    seller.payments.create("/initialize-payment", &key, &body).await.is(202);
    let card = json!({"cardData": card_data("5555555555554444")});
    let other = with(&body, card);
    let other = seller.payments.create("/initialize-payment", &key, &other).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different cardData");
    let unasked = json!({"skip3DS": false, "billingDetails": null, "metadata": 1});
    let same = with(&body, unasked);
    assert!(seller.payments.create("/initialize-payment", &key, &same).await.is_replay());
    let stranger = server.seller().await;
    stranger.payments.create("/initialize-payment", &key, &body).await.is(202);
    server.close().await;
}

#[tokio::test]
async fn a_replay_is_answered_where_the_seller_has_changed_its_return_hosts() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let (key, body) = (fresh_uuid(), local_order("wero", "EUR", "DE", json!({})));
    seller.payments.create("/initialize-payment", &key, &body).await.is(202);
    let hosts = "mutation { setReturnHosts(input: {hosts: [\"shop.example.com\"]}) {
        allowedReturnHosts } }";
    browser.query(hosts).await;
    let again = seller.payments.create("/initialize-payment", &key, &body).await;
    assert!(again.is_replay(), "{}", again.text);
    assert_eq!(again.is(200)["status"], "provider_pending");
    let other = with(&body, json!({"amount": 13}));
    let other = seller.payments.create("/initialize-payment", &key, &other).await;
    other.refuses_saying(
        409,
        "Idempotency-Key reused with a different amount: original=12.5, request=13",
    );
    let new = seller.initiate(&local_order("wero", "EUR", "DE", json!({}))).await;
    new.refuses(400, "returnUrl cannot be used");
    server.close().await;
}

#[tokio::test]
async fn what_failed_for_a_passing_reason_is_tried_again() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for code in [1006, 2002, 2003] {
        let (key, body) = (fresh_uuid(), order(json!({})));
        let force = format!("force_failure={code}");
        let first = seller.simulate("/initialize-payment", &force, &key, &body).await;
        assert_eq!(first["failureCode"], code);
        let again = seller.payments.create("/initialize-payment", &key, &body).await;
        assert!(!again.is_replay());
        let paid = again.is(202);
        assert_eq!(paid["status"], "provider_completed", "{code}");
        assert_eq!((&paid["failureCode"], &paid["capturedAmount"]), (&json!(0), &json!(12.5)));
        seller.payments.create("/initialize-payment", &key, &body).await.is(200);
    }
    server.close().await;
}

#[tokio::test]
async fn what_failed_for_good_stays_failed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for code in [1002, 1003, 2001, 2005, 3002] {
        let (key, body) = (fresh_uuid(), order(json!({})));
        let force = format!("force_failure={code}");
        seller.simulate("/initialize-payment", &force, &key, &body).await;
        let again = seller.payments.create("/initialize-payment", &key, &body).await;
        assert!(again.is_replay(), "{code}: {}", again.text);
        let again = again.is(200);
        assert_eq!((&again["status"], &again["failureCode"]), (&json!("failed"), &json!(code)));
    }
    server.close().await;
}

#[tokio::test]
async fn a_request_that_was_refused_does_not_spend_its_key() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (key, body) = (fresh_uuid(), order(json!({})));
    let wrong = with(&body, json!({"amount": 0}));
    seller.payments.create("/initialize-payment", &key, &wrong).await.has_status(400);
    seller.payments.create("/initialize-payment", &key, &body).await.is(202);
    server.close().await;
}

#[tokio::test]
async fn one_key_many_times_at_once_makes_one_payment() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (key, body) = (fresh_uuid(), order(json!({})));
    let sent = (0..20).map(|_| seller.payments.create("/initialize-payment", &key, &body));
    let responses = join_all(sent).await;
    let made = responses.iter().filter(|one| one.status == 202).count();
    assert_eq!(made, 1);
    for one in responses.iter().filter(|one| one.status != 202) {
        one.has_status(200);
        assert!(one.is_replay());
        assert_eq!(one["status"], "provider_completed");
    }
    assert_eq!(seller.payments.all("/payments", "payments").await.len(), 1);
    server.settle(&seller, reference(&body)).await;
    let main = id(&seller.minted["wallets"][0]);
    until("one credit", async || {
        let wallet = seller.wallet_now(main).await;
        (wallet["availableBalanceMinor"] == 1250).then_some(())
    })
    .await;
    server.close().await;
}

#[tokio::test]
async fn one_reference_under_many_keys_at_once_makes_one_payment() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let body = order(json!({}));
    let responses = join_all((0..20).map(|_| seller.initiate(&body))).await;
    assert_eq!(responses.iter().filter(|one| one.status == 202).count(), 1);
    for one in responses.iter().filter(|one| one.status != 202) {
        one.refuses_saying(502, "upstream card processor returned 409");
    }
    assert_eq!(seller.payments.all("/payments", "payments").await.len(), 1);
    server.close().await;
}
