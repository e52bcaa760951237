//! `POST /checkout` and its events.

mod events;

use hyper::Method;

use crate::support::make::with;
use crate::support::{Response, Seller, Server, Value, fresh, fresh_uuid, json};

/// A session that says no more than it must, under a reference of its own.
pub(crate) fn body() -> Value {
    json!({
        "externalOrderRef": fresh("order"), "amount": 49.9, "currencyCode": "EUR",
        "returnUrls": {
            "success": "http://shop.example.com/thanks?basket=7",
            "failure": "http://shop.example.com/sorry#top",
        },
    })
}

async fn open(seller: &Seller, body: &Value) -> Response {
    seller.payments.create("/checkout", &fresh_uuid(), body).await
}

async fn payment(seller: &Seller, body: &Value) -> Value {
    let reference = body["externalOrderRef"].as_str().expect("a reference");
    seller.payments.get(&format!("/payments/{reference}")).await.is(200)
}

#[tokio::test]
async fn a_session_is_a_payment_from_its_beginning() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let asked = body();
    let made = open(&seller, &asked).await.is(201);
    let session = made["sessionId"].as_str().expect("an id");
    assert!(session.len() >= 22, "{session} has 128 random bits");
    assert_eq!(made["checkoutUrl"], format!("{}/checkout/{session}", server.anonymous.origin));
    assert_eq!(made["expiresAt"], "2027-01-16T09:00:00Z");
    let payment = payment(&seller, &asked).await;
    assert_eq!(
        (&payment["status"], &payment["actionUrl"], &payment["amount"]),
        (&json!("provider_pending"), &made["checkoutUrl"], &json!(49.9))
    );
    assert_eq!((&payment["failureCode"], &payment["attempts"]), (&json!(0), &json!([])));
    server.anonymous.open_page(made["checkoutUrl"].as_str().expect("a page")).await.has_status(200);
    server.close().await;
}

#[tokio::test]
async fn the_key_is_checked_before_the_caller() {
    let server = Server::start().await;
    let stranger = server.payments();
    for (headers, said) in [
        (vec![], "Idempotency-Key header is required"),
        (vec![("idempotency-key", "order-1")], "Idempotency-Key must be a valid UUID"),
    ] {
        let response =
            stranger.send(Method::POST, "/checkout", &headers, &body().to_string()).await;
        response.refuses_saying(400, said);
    }
    let response = stranger.create("/checkout", &fresh_uuid(), &body()).await;
    assert_eq!((response.status, response.media_type()), (401, "text/plain"));
    server.close().await;
}

#[tokio::test]
async fn a_replay_answers_the_same_session_and_another_request_is_refused() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (asked, key) = (body(), fresh_uuid());
    let made = seller.payments.create("/checkout", &key, &asked).await.is(201);
    let again = seller.payments.create("/checkout", &key, &asked).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200), made);
    let other = with(&asked, json!({"amount": 50}));
    let response = seller.payments.create("/checkout", &key, &other).await;
    response.refuses_saying(409, "Idempotency-Key reused with a different amount");
    let response = open(&seller, &asked).await;
    response.refuses_saying(409, "externalOrderRef is already used");
    server.close().await;
}

#[tokio::test]
async fn one_key_at_once_opens_one_session() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (asked, key) = (body(), fresh_uuid());
    let open = || seller.payments.create("/checkout", &key, &asked);
    let answers = futures::future::join_all((0..8).map(|_| open())).await;
    let made: Vec<_> = answers.iter().filter(|response| response.status == 201).collect();
    assert_eq!(made.len(), 1);
    for response in &answers {
        assert!([200, 201].contains(&response.status), "{}", response.text);
        assert_eq!(response.body, made[0].body);
    }
    server.close().await;
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let urls = |success: Value, failure: Value| json!({"returnUrls": {"success": success, "failure": failure}});
    let good = "https://shop.example.com/";
    for (change, said) in [
        (json!({"externalOrderRef": null}), "externalOrderRef is required"),
        (json!({"amount": null}), "amount must be greater than 0"),
        (json!({"amount": 0}), "amount must be greater than 0"),
        (json!({"amount": 1.005}), "amount has more decimals than EUR has"),
        (json!({"amount": "1"}), "invalid request body"),
        (json!({"currencyCode": null}), "currencyCode is required"),
        (json!({"currencyCode": "eur"}), "currencyCode must be three capital letters"),
        (json!({"returnUrls": null}), "returnUrls.success is required"),
        (json!({"returnUrls": [good]}), "invalid request body"),
        (urls(json!(good), json!(null)), "returnUrls.failure is required"),
        (urls(json!("/thanks"), json!(good)), "returnUrls.success must be an absolute URL"),
        (
            urls(json!(good), json!("https://me@a.example/")),
            "returnUrls.failure must not have user",
        ),
        (json!({"logoUrl": "ftp://shop.example.com/"}), "logoUrl must use https"),
        (json!({"countryCode": "XX"}), "countryCode must be"),
        (json!({"locale": "?"}), "locale must be"),
        (
            json!({"orderData": {"totalAmount": 50}}),
            "orderData.totalAmount must be equal to amount",
        ),
        (
            json!({"orderData": {"payeeDistribution": [{"amount": 1}]}}),
            "orderData.payeeDistribution[0].payeeId is required",
        ),
    ] {
        let asked = with(&body(), change);
        open(&seller, &asked).await.refuses(400, said);
    }
    let unknown = json!({"orderData": {"payeeDistribution": [{"payeeId": 987_654, "amount": 1}]}});
    open(&seller, &with(&body(), unknown)).await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn a_currency_that_nobody_takes_shows_at_the_page_alone() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for code in ["JPY", "ABC"] {
        let asked = with(&body(), json!({"currencyCode": code, "amount": 500}));
        let made = open(&seller, &asked).await.is(201);
        let url = made["checkoutUrl"].as_str().expect("a page");
        let page = server.anonymous.open_page(url).await;
        assert!(page.text.contains("takes no payments of this kind"), "{}", page.text);
        assert!(page.text.contains("500"), "{}", page.text);
        server.anonymous.pay(url, crate::support::buyer::GOOD).await.refuses(400, "paymentMethod");
        let kept = payment(&seller, &asked).await;
        assert_eq!((&kept["currencyCode"], &kept["amount"]), (&json!(code), &json!(500)));
    }
    server.close().await;
}

#[tokio::test]
async fn what_payees_get_is_kept_with_the_session() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let share = json!([{"payeeId": seller.payee(0), "amount": 20}]);
    let asked =
        with(&body(), json!({"orderData": {"totalAmount": 49.9, "payeeDistribution": share}}));
    let made = open(&seller, &asked).await.is(201);
    assert_eq!(payment(&seller, &asked).await["payeeDistribution"], share);
    let url = made["checkoutUrl"].as_str().expect("a page");
    server.anonymous.pay(url, crate::support::buyer::GOOD).await.is(200);
    crate::support::until("the payee to get its share", async || {
        let wallet = seller.wallet_now(seller.wallet(0)).await;
        let came = wallet["pendingBalanceMinor"].as_i64().unwrap_or(0)
            + wallet["availableBalanceMinor"].as_i64().unwrap_or(0);
        (came == 2_000).then_some(())
    })
    .await;
    server.close().await;
}
