//! Signing in and out.

use hyper::Method;

use crate::support::{Browser, OPERATOR, Server, json};

const LOGIN: &str = "/api/v1/login/dashboard";
/// What only a session opens and needs no more than one.
const INSIDE: &str = "/api/v1/onboarding/complete";

#[tokio::test]
async fn a_login_gives_a_cookie_that_lasts_a_day_and_a_logout_ends_it() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let login = seller.minted["dashboard"].clone();
    let answer = server.anonymous.post(LOGIN, &login).await;
    let body = answer.clone().is(200);
    assert_eq!(body, json!({"sellerAccountId": seller.id, "expiresAt": "2027-01-16T09:00:00Z"}));
    let cookie = answer.header("set-cookie").expect("a cookie");
    for part in ["dashboard_session=", "; Path=/", "; HttpOnly", "; SameSite=Lax"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "{cookie}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));

    // A sandbox account is complete: the session is let in, and the account has no need of it.
    let organization = json!({"name": "Byron Ltd", "country": "DE"});
    let browser = Browser::of(&server.anonymous, &answer);
    browser.post(INSIDE, &organization).await.refuses_saying(409, "onboarding is complete");
    server.restart().await;
    let browser = Browser { cookie: browser.cookie, ..server.owner_of(&seller).await };
    browser.post(INSIDE, &organization).await.has_status(409);

    let out = browser.post("/api/v1/logout", &json!({})).await;
    assert_eq!(
        (out.has_status(204).text.as_str(), out.headers.get_all("set-cookie").iter().count()),
        ("", 2)
    );
    browser.post(INSIDE, &organization).await.has_status(401);
    browser.post("/api/v1/logout", &json!({})).await.has_status(204);
    server.anonymous.post("/api/v1/logout", &json!({})).await.has_status(204);

    let again = server.owner_of(&seller).await;
    server.pass_seconds(86_399);
    again.post(INSIDE, &organization).await.has_status(409);
    server.pass_seconds(1);
    let over = again.post(INSIDE, &organization).await;
    assert_eq!((over.status, over.text.as_str()), (401, "not authorized"));
    server.close().await;
}

#[tokio::test]
async fn a_cookie_is_secure_where_the_server_is_no_demo() {
    let server = Server::with(&[("demo", "false")]).await;
    let body = json!({"name": "Byron Ltd", "email": "ada@example.com"});
    let made = server.operator.post("/sellers", &body).await.is(201);
    let answer = server.anonymous.post(LOGIN, &made["dashboard"]).await;
    answer.has_status(200);
    assert!(answer.header("set-cookie").is_some_and(|cookie| cookie.ends_with("; Secure")));
    server.close().await;
}

#[tokio::test]
async fn whoever_is_not_known_is_answered_like_a_wrong_password() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let email = &seller.minted["dashboard"]["email"];
    let mut refused = Vec::new();
    for (email, password) in [
        (email.clone(), json!("wrong")),
        (email.clone(), json!("x".repeat(2_000))),
        (json!("nobody@example.com"), json!("wrong")),
        (json!("no address"), json!("wrong")),
        (json!(""), json!("")),
    ] {
        let body = json!({"email": email, "password": password});
        let answer = server.anonymous.post(LOGIN, &body).await;
        answer.refuses_saying(401, "invalid email or password");
        assert_eq!(answer.header("set-cookie"), None);
        refused.push(answer.bytes);
    }
    assert!(refused.iter().all(|bytes| *bytes == refused[0]));
    server.anonymous.post(LOGIN, &json!({"email": email})).await.refuses(400, "password");

    // Capitals do not matter.
    let login = json!({
        "email": email.as_str().expect("text").to_uppercase(),
        "password": seller.minted["dashboard"]["password"],
    });
    server.anonymous.post(LOGIN, &login).await.has_status(200);

    // The account's end is the end of its logins, as of its keys.
    let browser = server.owner_of(&seller).await;
    server.pass_seconds(14 * 86_400);
    browser.post(INSIDE, &json!({})).await.has_status(401);
    server.anonymous.post(LOGIN, &login).await.refuses_saying(401, "invalid email or password");
    server.close().await;
}

#[tokio::test]
async fn failed_logins_are_slowed_and_a_right_password_waits_too() {
    let server = Server::start().await;
    let (one, other) = (server.seller().await, server.seller().await);
    let wrong = json!({"email": one.minted["dashboard"]["email"], "password": "wrong"});
    // A right password is no attempt.
    for _ in 0..12 {
        server.anonymous.post(LOGIN, &one.minted["dashboard"]).await.has_status(200);
    }
    for _ in 0..10 {
        server.anonymous.post(LOGIN, &wrong).await.has_status(401);
    }
    let refused = server.anonymous.post(LOGIN, &one.minted["dashboard"]).await;
    assert_eq!(refused.has_status(429).header("retry-after"), Some("60"));
    server.anonymous.post(LOGIN, &other.minted["dashboard"]).await.has_status(429);
    server.pass_seconds(60);
    server.anonymous.post(LOGIN, &other.minted["dashboard"]).await.has_status(200);
    let refused = server.anonymous.post(LOGIN, &one.minted["dashboard"]).await;
    assert_eq!(refused.has_status(429).header("retry-after"), Some("840"));
    server.pass_seconds(840);
    server.anonymous.post(LOGIN, &one.minted["dashboard"]).await.has_status(200);
    server.close().await;
}

#[tokio::test]
async fn pages_of_other_origins_reach_nothing() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let own = server.anonymous.origin.clone();
    let body = r#"{"name": "Byron Ltd", "country": "DE"}"#;
    for headers in [
        &[("origin", "https://evil.example")][..],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("origin", own.as_str()), ("sec-fetch-site", "cross-site")],
    ] {
        let refused = browser.send(Method::POST, INSIDE, headers, body).await;
        refused.refuses_saying(403, "requests of other origins are not taken");
        let login = seller.minted["dashboard"].to_string();
        let refused = server.anonymous.send(Method::POST, LOGIN, headers, &login).await;
        refused.refuses_saying(403, "requests of other origins are not taken");
        let out = server.anonymous.send(Method::POST, "/api/v1/logout", headers, "").await;
        out.has_status(204);
    }
    let own = [("origin", own.as_str()), ("sec-fetch-site", "same-origin")];
    browser.send(Method::POST, INSIDE, &own, body).await.has_status(409);
    server.close().await;
}

#[tokio::test]
async fn a_key_opens_no_session_and_a_session_no_api() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    for path in ["/billing-api/v1/contracts", "/payments-api/v1/payees", "/backoffice/v1/sellers"] {
        let refused = browser.get(path).await;
        assert_eq!((refused.status, refused.media_type()), (401, "text/plain"), "{path}");
    }
    let with_key = server.anonymous.with_key(&seller.key);
    with_key.post(INSIDE, &json!({})).await.has_status(401);
    server.close().await;
}

#[tokio::test]
async fn the_page_signs_in_without_a_script() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let form = [("content-type", "application/x-www-form-urlencoded"), ("accept", "text/html")];
    let page = server.anonymous.get("/dashboard").await;
    assert!(page.has_status(200).text.contains("action=\"/api/v1/login/dashboard\""));
    let text = |name: &str| seller.minted["dashboard"][name].as_str().expect("text").to_owned();
    let wrong = format!("email={}&password=wrong", text("email"));
    let refused = server.anonymous.send(Method::POST, LOGIN, &form, &wrong).await;
    assert!(refused.has_status(401).text.contains("invalid email or password"));
    assert!(refused.text.contains(&text("email")) && !refused.text.contains("value=\"wrong\""));
    let right = format!("email={}&password={}", text("email"), text("password"));
    let led = server.anonymous.send(Method::POST, LOGIN, &form, &right).await;
    assert_eq!(led.has_status(303).header("location"), Some("/dashboard"));
    let browser = Browser::of(&server.anonymous, &led);
    let home = browser.get("/dashboard").await;
    assert!(home.has_status(200).text.contains("type=\"module\""));
    let out = browser.send(Method::POST, "/api/v1/logout", &form, "").await;
    assert_eq!(out.has_status(303).header("location"), Some("/dashboard"));
    assert!(browser.get("/dashboard").await.text.contains("Sign in"));
    server.close().await;
}

#[tokio::test]
async fn the_operators_session_opens_the_back_office_to_its_own_pages() {
    let server = Server::start().await;
    let login = "/api/v1/login/backoffice";
    let wrong = server.anonymous.post(login, &json!({"token": "wrong"})).await;
    assert_eq!((wrong.status, wrong.media_type()), (401, "text/plain"));
    let answer = server.anonymous.post(login, &json!({"token": OPERATOR})).await;
    assert_eq!(answer.clone().is(200), json!({"expiresAt": "2027-01-16T09:00:00Z"}));
    let browser = Browser::of(&server.anonymous, &answer);
    assert!(browser.cookie.starts_with("backoffice_session="));
    browser.get("/backoffice/v1/sellers").await.has_status(200);
    let body = r#"{"name": "Byron Ltd", "email": "ada@example.com"}"#;
    let foreign = [("origin", "https://evil.example")];
    let sellers = "/backoffice/v1/sellers";
    let refused = browser.send(Method::POST, sellers, &foreign, body).await;
    refused.refuses_saying(403, "requests of other origins are not taken");
    browser.send(Method::POST, sellers, &[], body).await.has_status(201);
    browser.post(INSIDE, &json!({})).await.has_status(401);
    browser.post("/api/v1/logout", &json!({})).await.has_status(204);
    browser.get(sellers).await.has_status(401);
    server.close().await;

    let none = Server::with(&[("operator_token", "")]).await;
    none.anonymous.post(login, &json!({"token": OPERATOR})).await.refuses_saying(404, "not found");
    none.close().await;
}

#[tokio::test]
async fn the_operators_session_ends_with_the_token_it_was_begun_with() {
    let mut server = Server::start().await;
    let begin = |server: &Server, token: &str| {
        let anonymous = server.anonymous.clone();
        let body = json!({"token": token});
        async move { anonymous.post("/api/v1/login/backoffice", &body).await }
    };
    let answer = begin(&server, OPERATOR).await;
    let cookie = Browser::of(&server.anonymous, &answer).cookie;
    server.restart().await;
    let sellers = "/backoffice/v1/sellers";
    let browser = |server: &Server, cookie: &str| {
        let mut browser = Browser::of(&server.anonymous, &answer);
        browser.cookie = cookie.to_owned();
        browser
    };
    browser(&server, &cookie).get(sellers).await.has_status(200);
    let other = "another token of the operator";
    server.set("operator_token", other);
    server.restart().await;
    browser(&server, &cookie).get(sellers).await.has_status(401);
    let anew = begin(&server, other).await;
    let anew = Browser::of(&server.anonymous, &anew);
    anew.get(sellers).await.has_status(200);
    server.close().await;
}
