//! The order of checks (decisions 1), on real routes: of two things that are wrong, the earlier
//! one is told.

use hyper::Method;

use crate::support::{House, OPERATOR, json};

/// A body over 1 MiB.
fn huge() -> String {
    format!("\"{}\"", "x".repeat(1024 * 1024))
}

#[tokio::test]
async fn of_two_things_that_are_wrong_the_earlier_is_told() {
    let settings = [("limits.billing_per_hour", "3600"), ("limits.billing_burst", "1000")];
    let house = House::with(&settings).await;
    let seller = house.seller().await;
    let shut = house.seller().await;
    let path = format!("/sellers/{}", shut.id);
    house.operator.patch(&path, &json!({"status": "inactive"})).await.is(200);
    let spent = house.seller().await;
    let none = json!({"rateLimits": {"billingPerHour": 1, "billingBurst": 1}});
    house.operator.patch(&format!("/sellers/{}", spent.id), &none).await.is(200);
    spent.billing.get("/contracts").await.is(200);
    let contract = seller.contract("2027-01-15").await;
    let close = json!({"expectedBaseVersion": 1, "status": "closed"});
    let own = format!("/contracts/{contract}");
    seller.billing.post(&format!("{own}/amendments"), &close).await.is(200);

    let good_key = [("idempotency-key", "k")];
    let bad_key = [("idempotency-key", "no key")];
    let post = Method::POST;
    let stranger = house.billing();
    // Size, then authentication.
    let heard = stranger.send(post.clone(), "/contracts/x/subscriptions", &bad_key, &huge()).await;
    heard.has_status(413);
    // Authentication, then key syntax and path.
    let heard = stranger.send(post.clone(), "/contracts/x/subscriptions", &bad_key, "{").await;
    heard.has_status(401);
    // Account, then everything of the request.
    let heard = shut.billing.send(post.clone(), "/contracts/x/subscriptions", &bad_key, "{").await;
    heard.has_status(403);
    // Rate, then the key.
    let heard = spent.billing.send(post.clone(), "/contracts/x/subscriptions", &bad_key, "{").await;
    heard.has_status(429);
    // Key syntax, then path ids.
    let heard =
        seller.billing.send(post.clone(), "/contracts/x/subscriptions", &bad_key, "{").await;
    heard.refuses(400, "Idempotency-Key");
    // Path ids, then existence and body.
    let heard =
        seller.billing.send(post.clone(), "/contracts/x/subscriptions", &good_key, "{").await;
    heard.refuses(400, "contractId");
    // Existence, then the body.
    let missing = "/contracts/999999999/subscriptions";
    let heard = seller.billing.send(post.clone(), missing, &good_key, "{").await;
    heard.refuses_saying(404, "not found");
    // The body, then the state.
    let path = format!("{own}/subscriptions");
    let heard = seller.billing.send(post.clone(), &path, &good_key, "{").await;
    heard.refuses(400, "invalid request body");
    let heard = seller.billing.create(&path, "k", &json!({"frequency": "daily"})).await;
    heard.has_status(400);
    // And the state at last.
    let body = json!({
        "frequency": "monthly", "priceMinor": 1, "currency": "EUR", "startDate": "2027-01-15",
    });
    seller.billing.create(&path, "k", &body).await.has_status(422);
    house.close().await;
}

#[tokio::test]
async fn a_body_that_does_not_parse_names_the_field_on_billing_and_nothing_on_payments() {
    let house = House::open().await;
    let seller = house.seller().await;
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
    let heard = seller.payments.send(Method::POST, "/webhooks", &headers, "{").await;
    heard.refuses_saying(400, "invalid request body");
    house.close().await;
}

#[tokio::test]
async fn only_a_well_formed_authorization_counts() {
    let house = House::open().await;
    let seller = house.seller().await;
    let get = async |headers: &[(&str, &str)]| {
        let heard = house.billing().send(Method::GET, "/contracts", headers, "").await;
        (heard.status, heard.media_type().to_owned())
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
    house.close().await;
}
