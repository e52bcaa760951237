//! Registering, and telling for which organization.

use hyper::Method;

use crate::support::{Browser, Server, json};

const START: &str = "/api/v1/onboarding/start";
const COMPLETE: &str = "/api/v1/onboarding/complete";

#[tokio::test]
async fn on_a_demo_server_an_account_is_open_at_once() {
    let server = Server::start().await;
    let ada = json!({"email": "ada@example.com", "password": "correct horse"});
    let started = server.anonymous.post(START, &ada).await;
    let id = started.clone().is(201)["sellerAccountId"].as_u64().expect("an id");
    let browser = Browser::of(&server.anonymous, &started);
    let early =
        browser.send(Method::POST, "/dashboard/graphql", &[], r#"{"query": "{ me { id } }"}"#);
    early.await.refuses_saying(403, "onboarding is not complete");

    for (body, status, part) in [
        (json!({"name": "Byron Ltd"}), 400, "country"),
        (json!({"name": "", "country": "DE"}), 400, "name"),
        (json!({"name": "Byron Ltd", "country": "Germany"}), 400, "country"),
        (json!({"name": "Byron Ltd", "country": ""}), 400, "country"),
    ] {
        browser.post(COMPLETE, &body).await.refuses(status, part);
    }
    let body = json!({"name": "Byron Ltd", "country": "DE", "taxId": "DE136695976"});
    let done = browser.post(COMPLETE, &body).await.is(200);
    let expected =
        json!({"sellerAccountId": id, "name": "Byron Ltd", "mode": "demo", "status": "active"});
    assert_eq!(done, expected);
    browser.post(COMPLETE, &body).await.refuses_saying(409, "onboarding is complete");
    assert_eq!(browser.query("{ account { name } }").await["account"]["name"], "Byron Ltd");

    let seller = server.operator.get("/sellers").await.is(200)["sellers"][0].clone();
    assert_eq!((&seller["name"], &seller["taxId"]), (&json!("Byron Ltd"), &json!("DE136695976")));
    assert!(seller.get("expiresAt").is_none());
    server.sign_in("Ada@Example.com", "correct horse").await;
    server.close().await;
}

#[tokio::test]
async fn elsewhere_it_waits_for_the_operator() {
    let server = Server::with(&[("demo", "false")]).await;
    let ada = json!({"email": "ada@example.com", "password": "correct horse"});
    let started = server.anonymous.post(START, &ada).await;
    started.has_status(201);
    let browser = Browser::of(&server.anonymous, &started);
    let body = json!({"name": "Byron Ltd", "country": "DE"});
    let done = browser.post(COMPLETE, &body).await.is(200);
    assert_eq!((&done["mode"], &done["status"]), (&json!("demo"), &json!("pending")));
    let path = format!("/sellers/{}", done["sellerAccountId"]);
    let opened = server.operator.patch(&path, &json!({"status": "active"})).await.is(200);
    assert_eq!(opened["status"], "active");
    server.close().await;
}

#[tokio::test]
async fn an_email_belongs_to_one_login() {
    let server = Server::start().await;
    let ada = json!({"email": "ada@example.com", "password": "correct horse"});
    server.anonymous.post(START, &ada).await.has_status(201);
    let again = json!({"email": "ADA@example.com", "password": "another horse"});
    let taken = "email belongs to another account";
    server.anonymous.post(START, &again).await.refuses_saying(409, taken);
    let body = json!({"name": "Byron Ltd", "email": "ada@example.com"});
    server.operator.post("/sellers", &body).await.refuses_saying(409, taken);
    for (email, password, part) in
        [("no address", "correct horse", "email"), ("b@example.com", "short", "password")]
    {
        let body = json!({"email": email, "password": password});
        server.anonymous.post(START, &body).await.refuses(400, part);
    }
    server.close().await;
}

#[tokio::test]
async fn an_address_registers_so_many_accounts_an_hour() {
    let server = Server::with(&[("limits.sandbox_per_hour", "2")]).await;
    server.seller().await;
    let register = async |number: u32| {
        let body = json!({"email": format!("p{number}@example.com"), "password": "correct horse"});
        server.anonymous.post(START, &body).await
    };
    register(1).await.has_status(201);
    let refused = register(2).await;
    assert!(refused.has_status(429).header("retry-after").is_some());
    server.close().await;
}
