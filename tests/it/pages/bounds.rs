//! What hosted pages take, and from whom: declined cards at a link, sellers whose account is not
//! open, limits that a browser is told in words.

use hyper::Method;

use crate::support::buyer::{CHALLENGED, DECLINED, GOOD, card, page_of};
use crate::support::orders::{action_of, order};
use crate::support::response::Response;
use crate::support::{Seller, Server, fresh, fresh_uuid, json};

const HTML: [(&str, &str); 1] = [("accept", "text/html,application/xhtml+xml")];

/// A sent invoice of 12.34; its page.
async fn invoiced(seller: &Seller) -> String {
    let contract = seller.contract("2027-01-15").await;
    page_of(&seller.one_time(contract, 1234).await)
}

/// A checkout's page.
async fn checkout(seller: &Seller) -> String {
    let body = json!({
        "externalOrderRef": fresh("order"), "amount": 49.9, "currencyCode": "EUR",
        "returnUrls": {"success": "https://a.example/", "failure": "https://a.example/"},
    });
    let made = seller.payments.create("/checkout", &fresh_uuid(), &body).await.is(201);
    made["checkoutUrl"].as_str().expect("a page").to_owned()
}

/// A card form as a browser sends it.
async fn submit(server: &Server, page: &str, number: &str) -> Response {
    let card = card(number);
    let field = |name: &str| format!("{name}={}", card[name].as_str().expect("text"));
    let form = ["cardNumber", "expMonth", "expYear", "cvv"].map(field).join("&");
    server.anonymous.submit(page, &form).await
}

#[track_caller]
fn is_a_page(answer: &Response, status: u16, words: &str) {
    answer.has_status(status);
    assert_eq!(answer.media_type(), "text/html");
    assert!(answer.text.contains(words), "{}", answer.text);
}

#[tokio::test]
async fn a_link_rests_after_ten_declined_cards_in_an_hour() {
    let server = Server::with(&[("limits.pages_per_minute", "0")]).await;
    let seller = server.seller().await;
    let page = invoiced(&seller).await;
    for nth in 0..10 {
        let declined = server.anonymous.pay(&page, DECLINED).await.is(200);
        assert_eq!(declined["failureCode"], 2001, "attempt {nth}");
        server.pass_seconds(60);
    }
    for number in [DECLINED, GOOD] {
        let refused = server.anonymous.pay(&page, number).await;
        refused.refuses_saying(429, "too many cards were declined, try again later");
        assert_eq!(refused.header("retry-after"), Some("3000"));
        let refused = submit(&server, &page, number).await;
        is_a_page(&refused, 429, "Please come back later");
        assert_eq!(refused.header("retry-after"), Some("3000"));
    }
    let shown = server.anonymous.open_page(&page).await;
    is_a_page(&shown, 200, "15\u{a0}January 2027, 10:00\u{a0}UTC");
    assert!(!shown.text.contains("cardNumber"), "no form");
    let another = invoiced(&seller).await;
    server.anonymous.pay(&another, GOOD).await.is(200);

    server.pass_seconds(3000);
    let shown = server.anonymous.open_page(&page).await;
    assert!(shown.text.contains("cardNumber"), "{}", shown.text);
    let paid = server.anonymous.pay(&page, GOOD).await.is(200);
    assert!(paid.get("failureCode").is_none(), "{paid}");
    server.close().await;
}

#[tokio::test]
async fn no_more_than_ten_cards_are_declined_however_many_come_at_once() {
    let server = Server::with(&[("limits.pages_per_minute", "0")]).await;
    let seller = server.seller().await;
    let page = invoiced(&seller).await;
    let mut declined = 0;
    for _ in 0..10 {
        let tries = (0..8).map(|_| server.anonymous.pay(&page, DECLINED));
        for answer in futures::future::join_all(tries).await {
            declined += usize::from(answer.status == 200);
        }
    }
    assert_eq!(declined, 10);
    server.close().await;
}

#[tokio::test]
async fn pages_of_a_seller_that_is_not_active_are_closed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (pay, session) = (invoiced(&seller).await, checkout(&seller).await);
    let pending = [
        seller.initiate(&order(json!({"skip3DS": null}))).await.is(202),
        seller.initiate(&order(json!({"skip3DS": null}))).await.is(202),
    ];
    let banks = pending.each_ref().map(|payment| action_of(payment).to_owned());
    let path = format!("/sellers/{}", seller.id);
    server.operator.patch(&path, &json!({"status": "inactive"})).await.is(200);
    closed(&server, &pay, &session, &banks[0]).await;
    let declined = server.anonymous.answer_bank(&banks[0], "decline").await.is(200);
    assert_eq!(declined["status"], "failed");
    let back = declined["redirectUrl"].as_str().expect("the way back");
    is_a_page(&server.anonymous.open_page(back).await, 200, "This page is closed");

    server.operator.patch(&path, &json!({"status": "active"})).await.is(200);
    server.anonymous.pay(&pay, GOOD).await.is(200);
    server.anonymous.pay(&session, GOOD).await.is(200);
    server.anonymous.answer_bank(&banks[1], "approve").await.is(200);
    server.close().await;
}

#[tokio::test]
async fn pages_of_a_sandbox_that_has_ended_are_closed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (pay, session) = (invoiced(&seller).await, checkout(&seller).await);
    let bank = server.anonymous.pay(&invoiced(&seller).await, CHALLENGED).await.is(200);
    let bank = bank["actionUrl"].as_str().expect("the bank's page").to_owned();
    // What waits for its buyer is looked at while it still waits.
    server.pass_seconds(14 * 24 * 3600 - 60);
    let again = server.anonymous.open_page(&bank).await;
    assert!([200, 303, 404].contains(&again.status));
    server.pass_seconds(120);
    for page in [&pay, &session] {
        is_a_page(&server.anonymous.open_page(page).await, 200, "This page is closed");
        server.anonymous.pay(page, GOOD).await.refuses_saying(409, "the page is closed");
    }
    server.close().await;
}

/// Nothing can be paid or approved at these pages, and each says that it is closed.
async fn closed(server: &Server, pay: &str, session: &str, bank: &str) {
    for page in [pay, session] {
        is_a_page(&server.anonymous.open_page(page).await, 200, "This page is closed");
        server.anonymous.pay(page, GOOD).await.refuses_saying(409, "the page is closed");
        is_a_page(&submit(server, page, GOOD).await, 409, "This page is closed");
    }
    for action in ["cancel", "leave"] {
        let asked = server.anonymous.post(session, &json!({"action": action})).await;
        asked.refuses_saying(409, "the page is closed");
    }
    let question = server.anonymous.open_page(bank).await;
    is_a_page(&question, 200, "This page is closed");
    assert!(!question.text.contains("value=\"approve\""), "{}", question.text);
    assert!(question.text.contains("value=\"decline\""), "{}", question.text);
    let approved = server.anonymous.answer_bank(bank, "approve").await;
    approved.refuses_saying(409, "the page is closed");
}

#[tokio::test]
async fn a_browser_is_told_of_limits_and_errors_in_words_and_a_program_in_json() {
    let server = Server::with(&[("limits.pages_per_minute", "4")]).await;
    let seller = server.seller().await;
    let page = invoiced(&seller).await;
    let wrong = server.anonymous.send(Method::DELETE, &page, &HTML, "").await;
    is_a_page(&wrong, 405, "<!doctype html>");
    assert_eq!(wrong.header("allow"), Some("GET, HEAD, POST"));
    let large = "x".repeat(70 * 1024);
    let large = server.anonymous.submit(&page, &large).await;
    is_a_page(&large, 413, "Nothing was charged");
    for _ in 0..8 {
        server.anonymous.open_page(&page).await;
    }
    let limited = server.anonymous.open_page(&page).await;
    is_a_page(&limited, 429, "Please wait a moment");
    assert!(limited.header("retry-after").is_some());
    let limited = submit(&server, &page, GOOD).await;
    is_a_page(&limited, 429, "Please wait a moment");
    let program = server.anonymous.pay(&page, GOOD).await;
    program.refuses(429, "too many requests");
    server.close().await;
}
