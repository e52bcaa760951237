//! `/return/{token}`: where buyers of initiated payments go on to.

use crate::support::{Seller, Server, Value, fresh, fresh_uuid, json};

/// A Bancontact payment that waits for its buyer: its reference and the scheme's page.
async fn begun(seller: &Seller, returns: (&str, Value)) -> (String, String) {
    let reference = fresh("order");
    let mut body = json!({
        "externalOrderRef": reference, "amount": 12.5, "currencyCode": "EUR",
        "countryCode": "BE", "paymentType": "apm", "paymentMethod": "bancontact",
    });
    body[returns.0] = returns.1;
    let made = seller.payments.create("/initialize-payment", &fresh_uuid(), &body).await.is(202);
    (reference, made["actionUrl"].as_str().expect("the scheme's page").to_owned())
}

fn link(rel: &str, path: &str) -> Value {
    json!({"rel": rel, "href": format!("https://example.com/{path}"), "method": "GET"})
}

/// Answers the scheme, and says where the step back leads.
async fn led_to(server: &Server, page: &str, action: &str) -> String {
    let answer = server.anonymous.answer_bank(page, action).await.is(200);
    let step = server.anonymous.open_page(answer["redirectUrl"].as_str().expect("a step")).await;
    step.has_status(302);
    step.header("location").expect("an address").to_owned()
}

#[tokio::test]
async fn each_ending_has_its_link_and_its_status() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let links = json!([
        link("default", "default"),
        link("on_completed", "done?basket=7&status=old#top"),
        link("on_failed", "failed"),
        link("on_cancelled", "left"),
    ]);
    for (action, address) in [
        ("approve", "https://example.com/done?basket=7&status=succeeded&paymentId={}#top"),
        ("decline", "https://example.com/failed?status=failed&paymentId={}"),
        ("cancel", "https://example.com/left?status=failed&paymentId={}"),
    ] {
        let (reference, page) = begun(&seller, ("returnLinks", links.clone())).await;
        assert_eq!(led_to(&server, &page, action).await, address.replace("{}", &reference));
    }
    server.close().await;
}

#[tokio::test]
async fn a_missing_link_falls_to_the_default_and_then_to_our_own_page() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let links = json!([link("default", "back"), link("on_failed", "failed")]);
    let (reference, page) = begun(&seller, ("returnLinks", links)).await;
    assert_eq!(
        led_to(&server, &page, "approve").await,
        format!("https://example.com/back?status=succeeded&paymentId={reference}")
    );
    let (reference, page) = begun(&seller, ("returnLinks", json!([link("on_failed", "f")]))).await;
    let answer = server.anonymous.answer_bank(&page, "approve").await.is(200);
    let step = server.anonymous.open_page(answer["redirectUrl"].as_str().expect("a step")).await;
    step.has_status(200);
    assert!(step.text.contains("Payment received") && step.text.contains(&reference));
    server.close().await;
}

#[tokio::test]
async fn one_url_takes_every_ending() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (action, status) in [("approve", "succeeded"), ("decline", "failed"), ("cancel", "failed")]
    {
        let url = json!("https://example.com/back");
        let (reference, page) = begun(&seller, ("returnUrl", url)).await;
        assert_eq!(
            led_to(&server, &page, action).await,
            format!("https://example.com/back?status={status}&paymentId={reference}")
        );
    }
    server.close().await;
}

#[tokio::test]
async fn a_token_of_nobody_leads_nowhere() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (_, page) = begun(&seller, ("returnUrl", json!("https://example.com/back"))).await;
    let answer = server.anonymous.answer_bank(&page, "approve").await.is(200);
    let step = answer["redirectUrl"].as_str().expect("a step").to_owned();
    let invalid = async |step: &str| {
        let shown = server.anonymous.open_page(step).await;
        shown.has_status(404);
        assert!(shown.text.contains("Invalid link"), "{}", shown.text);
        assert_eq!(shown.header("location"), None);
    };
    invalid(&format!("{step}A")).await;
    invalid(&page.replace("/scheme/", "/return/")).await;
    server.anonymous.open_page(&step).await.has_status(302);
    server.pass_seconds(24 * 3600);
    invalid(&step).await;
    server.close().await;
}
