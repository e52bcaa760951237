//! The start page, and an account that is filled.

use std::time::Duration;

use hyper::Method;

use crate::support::wait::until_within;
use crate::support::{Browser, Server, Value, json};

const FORM: [(&str, &str); 2] =
    [("content-type", "application/x-www-form-urlencoded"), ("accept", "text/html")];

#[tokio::test]
async fn an_account_is_made_and_filled_without_a_script() {
    let server = Server::start().await;
    let page = server.anonymous.get("/").await;
    let policy = page.has_status(200).header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(page.text.contains("action=\"/start\"") && page.text.contains("curl -X POST"));
    assert!(!page.text.contains("action=\"/api/v1/demo/fill\""));

    let made = server.anonymous.send(Method::POST, "/start", &FORM, "").await;
    made.has_status(201);
    assert_eq!(made.header("cache-control"), Some("no-store"));
    let shown = |label: &str| {
        let rest = made.text.split(&format!("<dt>{label}</dt><dd><code>")).nth(1).expect(label);
        rest.split('<').next().expect("a value").to_owned()
    };
    let key = shown("API key");
    server.billing().with_key(&key).get("/contracts").await.has_status(200);
    // The address at which a browser stands then is asked for again.
    let back = server.anonymous.get("/start").await;
    assert_eq!(back.has_status(303).header("location"), Some("/"));
    server.sign_in(&shown("E-mail"), &shown("Password")).await;
    let browser = Browser::of(&server.anonymous, &made);
    let page = browser.get("/").await;
    assert!(page.text.contains("action=\"/api/v1/demo/fill\"") && !page.text.contains(&key));

    let led = browser.send(Method::POST, "/api/v1/demo/fill", &FORM, "").await;
    assert_eq!(led.has_status(303).header("location"), Some("/"));
    let again = browser.post("/api/v1/demo/fill", &json!({})).await;
    again.refuses_saying(409, "the account was filled before");
    let state = async || {
        let found = browser.query("{ demoFill { status done total } }").await;
        found["demoFill"].clone()
    };
    let now = state().await;
    assert_eq!(now["status"], "running", "{now}");
    assert!(now["total"].as_u64() > Some(20), "{now}");
    until_within(Duration::from_secs(120), "the account is filled", async || {
        let now = state().await;
        assert_ne!(now["status"], "failed");
        (now["status"] == "done").then_some(())
    })
    .await;
    let billing = server.billing().with_key(&key);
    let invoices = billing.all("/invoices", "invoices").await;
    let paid = invoices.iter().filter(|invoice| invoice["status"] == "paid").count();
    assert!(invoices.len() > 14 && paid > 12 && paid < invoices.len(), "{}", invoices.len());
    let payments = server.payments().with_key(&key).all("/payments", "payments").await;
    let stands = |status: &str| payments.iter().any(|payment| payment["status"] == status);
    assert!(stands("failed") && payments.len() > 15, "{payments:?}");
    let overview = browser.query("{ overview { currencies { recurringMinor } } }").await;
    let recurring = &overview["overview"]["currencies"][0]["recurringMinor"];
    assert!(recurring.as_i64() > Some(10_000), "{overview}");
    assert!(browser.get("/").await.text.contains("The account is filled."));
    server.close().await;
}

#[tokio::test]
async fn filling_an_account_is_offered_to_its_owner_alone() {
    let server = Server::start().await;
    let owner = server.owner_of(&server.seller().await).await;
    let invite = "mutation { invitePerson(input: {email: \"bea@example.com\", role: \"viewer\"}) {
        inviteUrl } }";
    let invited = owner.query(invite).await;
    let url = invited["invitePerson"]["inviteUrl"].as_str().expect("an address");
    let path = &url[url.find("/dashboard/").expect("a path")..];
    let form = "name=Bea&password=correct+horse";
    let joined = server.anonymous.send(Method::POST, path, &FORM, form).await;
    let viewer = Browser::of(&server.anonymous, joined.has_status(303));
    for (browser, offered) in [(owner, true), (viewer, false)] {
        let page = browser.get("/").await;
        assert_eq!(page.has_status(200).text.contains("action=\"/api/v1/demo/fill\""), offered);
    }
    server.close().await;
}

#[tokio::test]
async fn elsewhere_the_start_page_leads_to_the_dashboard() {
    let server = Server::with(&[("demo", "false")]).await;
    let led = server.anonymous.get("/").await;
    assert_eq!(led.has_status(303).header("location"), Some("/dashboard"));
    let refused = server.anonymous.post("/start", &Value::Null).await;
    refused.refuses(503, "not given out here");
    server.anonymous.post("/api/v1/demo/fill", &json!({})).await.has_status(401);
    server.close().await;
}
