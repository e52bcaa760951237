//! `GET /payments` and `GET /payments/{externalOrderRef}`.

use crate::support::orders::order;
use crate::support::response::column;
use crate::support::{Server, Value, json};

#[tokio::test]
async fn payments_are_listed_newest_first() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let mut names: Vec<String> = Vec::new();
    for number in 0..5 {
        let more = json!({"externalOrderRef": format!("order {number}/ü")});
        names.insert(0, seller.paid(more).await);
    }
    let all = seller.payments.all("/payments", "payments").await;
    assert_eq!(all.iter().map(|one| one["paymentId"].clone()).collect::<Vec<_>>(), names);
    let page = seller.payments.get("/payments?limit=2").await.is(200);
    assert_eq!(column(&page, "payments", "paymentId"), [&names[0], &names[1]]);
    assert_eq!((&page["hasMore"], &page["nextCursor"]), (&json!(true), &page["nextBeforeId"]));
    let rest = format!("/payments?limit=3&beforeId={}", page["nextBeforeId"]);
    let rest = seller.payments.get(&rest).await.is(200);
    assert_eq!(column(&rest, "payments", "paymentId"), [&names[2], &names[3], &names[4]]);
    assert_eq!((&rest["hasMore"], rest.get("nextCursor")), (&json!(false), None));
    let held = seller.held(json!({})).await;
    let some = seller.payments.get("/payments?status=authorized").await.is(200);
    assert_eq!(column(&some, "payments", "paymentId"), [&held]);
    seller.payments.get("/payments?status=captured").await.refuses(400, "status");
    let stranger = server.seller().await;
    assert_eq!(stranger.payments.get("/payments").await.is(200)["payments"], json!([]));
    server.close().await;
}

#[tokio::test]
async fn references_are_read_from_the_path_as_they_are() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (name, path) in [
        ("7", "7"),
        ("a/b", "a%2Fb"),
        ("50% off", "50%25%20off"),
        ("Größe?", "Gr%C3%B6%C3%9Fe%3F"),
        ("Case", "Case"),
    ] {
        seller.initiate(&order(json!({"externalOrderRef": name}))).await.is(202);
        assert_eq!(seller.payment(path).await["paymentId"], name);
    }
    for unknown in ["8", "case", "%FF", "a%2fb%2fc"] {
        let response = seller.payments.get(&format!("/payments/{unknown}")).await;
        response.refuses_saying(404, "not found");
    }
    let stranger = server.seller().await;
    stranger.payments.get("/payments/7").await.has_status(404);
    for name in [".", "..", "", &"r".repeat(129), "a\nb"] {
        let response = seller.initiate(&order(json!({"externalOrderRef": name}))).await;
        response.refuses(400, "externalOrderRef");
    }
    server.close().await;
}

#[tokio::test]
async fn nothing_of_a_card_is_shown_beyond_its_end() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.paid(json!({})).await;
    let response = seller.payments.get(&format!("/payments/{name}")).await;
    for secret in ["4242424242", "424242", "\"123\"", "Lovelace", "10115"] {
        assert!(!response.text.contains(secret), "{secret} in {}", response.text);
    }
    let Value::Object(card) = &response.body["card"] else {
        panic!("no card in {}", response.text)
    };
    assert_eq!(card.keys().collect::<Vec<_>>(), ["brand", "expMonth", "expYear", "last4"]);
    server.close().await;
}

#[tokio::test]
async fn payments_outlive_a_restart() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let name = seller.held(json!({})).await;
    let before = seller.payment(&name).await;
    server.restart().await;
    let seller = server.again(&seller);
    assert_eq!(seller.payment(&name).await, before);
    seller.act_on(&name, "capture", &json!({})).await.is(200);
    server.close().await;
}
