//! The order of checks, on real routes: of two things that are wrong, the earlier
//! one is reported.

use hyper::Method;

use crate::support::{OPERATOR, Server, json};

/// A body over 1 MiB.
fn huge() -> String {
    format!("\"{}\"", "x".repeat(1024 * 1024))
}

#[tokio::test]
async fn of_two_things_that_are_wrong_the_earlier_is_reported() {
    let settings = [("limits.billing_per_hour", "3600"), ("limits.billing_burst", "1000")];
    let server = Server::with(&settings).await;
    let seller = server.seller().await;
    let shut = server.seller().await;
    let path = format!("/sellers/{}", shut.id);
    server.operator.patch(&path, &json!({"status": "inactive"})).await.is(200);
    let spent = server.seller().await;
    let none = json!({"rateLimits": {"billingPerHour": 1, "billingBurst": 1}});
    server.operator.patch(&format!("/sellers/{}", spent.id), &none).await.is(200);
    spent.billing.get("/contracts").await.is(200);
    let contract = seller.contract("2027-01-15").await;
    let close = json!({"expectedBaseVersion": 1, "status": "closed"});
    let own = format!("/contracts/{contract}");
    seller.billing.post(&format!("{own}/amendments"), &close).await.is(200);

    let good_key = [("idempotency-key", "k")];
    let bad_key = [("idempotency-key", "no key")];
    let post = Method::POST;
    let stranger = server.billing();
    // Size, then authentication.
    let response =
        stranger.send(post.clone(), "/contracts/x/subscriptions", &bad_key, &huge()).await;
    response.has_status(413);
    // Authentication, then key syntax and path.
    let response = stranger.send(post.clone(), "/contracts/x/subscriptions", &bad_key, "{").await;
    response.has_status(401);
    // Account, then everything of the request.
    let response =
        shut.billing.send(post.clone(), "/contracts/x/subscriptions", &bad_key, "{").await;
    response.has_status(403);
    // Rate, then the key.
    let response =
        spent.billing.send(post.clone(), "/contracts/x/subscriptions", &bad_key, "{").await;
    response.has_status(429);
    // Key syntax, then path ids.
    let response =
        seller.billing.send(post.clone(), "/contracts/x/subscriptions", &bad_key, "{").await;
    response.refuses(400, "Idempotency-Key");
    // Path ids, then existence and body.
    let response =
        seller.billing.send(post.clone(), "/contracts/x/subscriptions", &good_key, "{").await;
    response.refuses(400, "contractId");
    // Existence, then the body.
    let missing = "/contracts/999999999/subscriptions";
    let response = seller.billing.send(post.clone(), missing, &good_key, "{").await;
    response.refuses_saying(404, "not found");
    // The body, then the state.
    let path = format!("{own}/subscriptions");
    let response = seller.billing.send(post.clone(), &path, &good_key, "{").await;
    response.refuses(400, "invalid request body");
    let response = seller.billing.create(&path, "k", &json!({"frequency": "daily"})).await;
    response.has_status(400);
    // And the state at last.
    let body = json!({
        "frequency": "monthly", "priceMinor": 1, "currency": "EUR", "startDate": "2027-01-15",
    });
    seller.billing.create(&path, "k", &body).await.has_status(422);
    server.close().await;
}

#[tokio::test]
async fn a_body_that_does_not_parse_names_the_field_on_billing_and_nothing_on_payments() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let customers =
        async |body: &str| seller.billing.send(Method::POST, "/customers", &[], body).await;
    customers("").await.refuses(400, "invalid request body: ");
    customers("{\"email\":").await.refuses(400, "invalid request body: ");
    customers("{\"email\":[]}").await.refuses(400, "invalid request body: email");
    customers("[]").await.refuses(400, "invalid request body: ");
    // Unknown fields are ignored, the content type is not looked at.
    customers("{\"email\":\"a@example.com\",\"colour\":\"red\"}").await.is(200);
    let plain = [("content-type", "text/plain")];
    let body = "{\"email\":\"a@example.com\"}";
    seller.billing.send(Method::POST, "/customers", &plain, body).await.is(200);
    let key = crate::support::fresh_uuid();
    let headers = [("idempotency-key", key.as_str())];
    let response = seller.payments.send(Method::POST, "/webhooks", &headers, "{").await;
    response.refuses_saying(400, "invalid request body");
    server.close().await;
}

#[tokio::test]
async fn only_a_well_formed_authorization_counts() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let get = async |headers: &[(&str, &str)]| {
        let response = server.billing().send(Method::GET, "/contracts", headers, "").await;
        (response.status, response.media_type().to_owned())
    };
    let refused = (401, "text/plain".to_owned());
    let bearer = format!("Bearer {}", seller.key);
    assert_eq!(get(&[("authorization", &bearer)]).await.0, 200);
    let lower = format!("bearer {}", seller.key);
    assert_eq!(get(&[("authorization", &lower)]).await.0, 200);
    let basic = format!("Basic {}", seller.key);
    let cut = &bearer[..bearer.len() - 1];
    let longer = format!("{bearer}x");
    let operator = format!("Bearer {OPERATOR}");
    for wrong in [&seller.key, &basic, cut, &longer, "Bearer", "Bearer ", "", &operator] {
        assert_eq!(get(&[("authorization", wrong)]).await, refused, "{wrong:?}");
    }
    assert_eq!(get(&[]).await, refused);
    assert_eq!(get(&[("authorization", &bearer), ("authorization", &bearer)]).await, refused);
    server.close().await;
}
