//! `POST /checkout` and its events (payments 2.3, 4, 5.6; decisions 7, 11, 13, 14).

mod events;

use hyper::Method;

use crate::support::make::with;
use crate::support::{Heard, House, Seller, Value, fresh, fresh_uuid, json};

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

async fn open(seller: &Seller, body: &Value) -> Heard {
    seller.payments.create("/checkout", &fresh_uuid(), body).await
}

async fn payment(seller: &Seller, body: &Value) -> Value {
    let reference = body["externalOrderRef"].as_str().expect("a reference");
    seller.payments.get(&format!("/payments/{reference}")).await.is(200)
}

#[tokio::test]
async fn a_session_is_a_payment_from_its_beginning() {
    let house = House::open().await;
    let seller = house.seller().await;
    let asked = body();
    let made = open(&seller, &asked).await.is(201);
    let session = made["sessionId"].as_str().expect("an id");
    assert!(session.len() >= 22, "{session} has 128 random bits");
    assert_eq!(made["checkoutUrl"], format!("{}/checkout/{session}", house.open.origin));
    assert_eq!(made["expiresAt"], "2027-01-16T09:00:00Z");
    let payment = payment(&seller, &asked).await;
    assert_eq!(
        (&payment["status"], &payment["actionUrl"], &payment["amount"]),
        (&json!("provider_pending"), &made["checkoutUrl"], &json!(49.9))
    );
    assert_eq!((&payment["failureCode"], &payment["attempts"]), (&json!(0), &json!([])));
    house.open.open_page(made["checkoutUrl"].as_str().expect("a page")).await.has_status(200);
    house.close().await;
}

#[tokio::test]
async fn the_key_is_checked_before_the_caller() {
    let house = House::open().await;
    let stranger = house.payments();
    for (headers, said) in [
        (vec![], "Idempotency-Key header is required"),
        (vec![("idempotency-key", "order-1")], "Idempotency-Key must be a valid UUID"),
    ] {
        let heard = stranger.send(Method::POST, "/checkout", &headers, &body().to_string()).await;
        heard.refuses_saying(400, said);
    }
    let heard = stranger.create("/checkout", &fresh_uuid(), &body()).await;
    assert_eq!((heard.status, heard.media_type()), (401, "text/plain"));
    house.close().await;
}

#[tokio::test]
async fn a_replay_answers_the_same_session_and_another_request_is_refused() {
    let house = House::open().await;
    let seller = house.seller().await;
    let (asked, key) = (body(), fresh_uuid());
    let made = seller.payments.create("/checkout", &key, &asked).await.is(201);
    let again = seller.payments.create("/checkout", &key, &asked).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200), made);
    let other = with(&asked, json!({"amount": 50}));
    let heard = seller.payments.create("/checkout", &key, &other).await;
    heard.refuses_saying(409, "Idempotency-Key reused with a different amount");
    let heard = open(&seller, &asked).await;
    heard.refuses_saying(409, "externalOrderRef is already used");
    house.close().await;
}

#[tokio::test]
async fn one_key_at_once_opens_one_session() {
    let house = House::open().await;
    let seller = house.seller().await;
    let (asked, key) = (body(), fresh_uuid());
    let open = || seller.payments.create("/checkout", &key, &asked);
    let answers = futures::future::join_all((0..8).map(|_| open())).await;
    let made: Vec<_> = answers.iter().filter(|heard| heard.status == 201).collect();
    assert_eq!(made.len(), 1);
    for heard in &answers {
        assert!([200, 201].contains(&heard.status), "{}", heard.text);
        assert_eq!(heard.body, made[0].body);
    }
    house.close().await;
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let house = House::open().await;
    let seller = house.seller().await;
    let urls = |success: Value, failure: Value| json!({"returnUrls": {"success": success, "failure": failure}});
    let good = "https://shop.example.com/";
    for (change, said) in [
        (json!({"externalOrderRef": null}), "externalOrderRef is required"),
        (json!({"amount": null}), "amount must be greater than 0"),
        (json!({"amount": 0}), "amount must be greater than 0"),
        (json!({"amount": 1.005}), "amount has more decimals than EUR has"),
        (json!({"amount": "1"}), "invalid request body"),
        (json!({"currencyCode": null}), "currencyCode is required"),
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
    house.close().await;
}

#[tokio::test]
async fn a_currency_that_nobody_takes_shows_at_the_page_alone() {
    let house = House::open().await;
    let seller = house.seller().await;
    let asked = with(&body(), json!({"currencyCode": "JPY", "amount": 500}));
    let made = open(&seller, &asked).await.is(201);
    let url = made["checkoutUrl"].as_str().expect("a page");
    let page = house.open.open_page(url).await;
    assert!(page.text.contains("takes no payments of this kind"), "{}", page.text);
    house.open.pay(url, crate::support::buyer::GOOD).await.refuses(400, "paymentMethod");
    house.close().await;
}

#[tokio::test]
async fn what_payees_get_is_kept_with_the_session() {
    let house = House::open().await;
    let seller = house.seller().await;
    let share = json!([{"payeeId": seller.payee(0), "amount": 20}]);
    let asked =
        with(&body(), json!({"orderData": {"totalAmount": 49.9, "payeeDistribution": share}}));
    let made = open(&seller, &asked).await.is(201);
    assert_eq!(payment(&seller, &asked).await["payeeDistribution"], share);
    let url = made["checkoutUrl"].as_str().expect("a page");
    house.open.pay(url, crate::support::buyer::GOOD).await.is(200);
    crate::support::until("the payee to get its share", async || {
        let wallet = seller.wallet_now(seller.wallet(0)).await;
        let came = wallet["pendingBalanceMinor"].as_i64().unwrap_or(0)
            + wallet["availableBalanceMinor"].as_i64().unwrap_or(0);
        (came == 2_000).then_some(())
    })
    .await;
    house.close().await;
}
