//! `/device-intelligence/token`.

use crate::support::{Response, Seller, Server, Value, fresh_uuid, json};

async fn ask(seller: &Seller, key: &str, body: &Value) -> Response {
    seller.payments.create("/device-intelligence/token", key, body).await
}

#[tokio::test]
async fn a_session_is_begun_and_its_token_refreshed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let key = fresh_uuid();
    let begun = ask(&seller, &key, &json!({})).await.is(200);
    let session = begun["sessionId"].as_str().expect("a session");
    assert!(session.len() >= 22, "fewer than 128 bits: {session}");
    assert_eq!(begun["expiresIn"], 3_600);

    server.pass_seconds(60);
    let body = json!({"sessionId": session});
    let fresh = ask(&seller, &fresh_uuid(), &body).await.is(200);
    assert_eq!(fresh["sessionId"], session);
    assert_ne!(fresh["accessToken"], begun["accessToken"]);

    let again = ask(&seller, &key, &json!({})).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200)["sessionId"], session);
    let other = ask(&seller, &key, &body).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different sessionId");
    let second = ask(&seller, &fresh_uuid(), &json!({})).await.is(200);
    assert_ne!(second["sessionId"], session);
    server.close().await;
}

#[tokio::test]
async fn a_session_that_is_not_the_sellers_is_missing() {
    let server = Server::start().await;
    let (seller, other) = (server.seller().await, server.seller().await);
    let foreign = ask(&other, &fresh_uuid(), &json!({})).await.is(200)["sessionId"].clone();
    for session in [foreign, json!("unheard-of"), json!("x")] {
        let body = json!({"sessionId": session});
        ask(&seller, &fresh_uuid(), &body).await.refuses_saying(404, "not found");
    }
    let malformed = ask(&seller, &fresh_uuid(), &json!({"sessionId": 7})).await;
    malformed.refuses_saying(400, "invalid request body");
    ask(&seller, "no-uuid", &json!({})).await.refuses(400, "UUID");
    server.close().await;
}
