//! `/scheme/{token}` and `/return/{token}`: the bank's challenge and the way back.

use crate::support::buyer::{CHALLENGED, GOOD, page_of};
use crate::support::response::id;
use crate::support::{Seller, Server, Value, json, until};

/// A payment that waits for its buyer: seller, invoice, and the bank's page.
async fn challenged(server: &Server) -> (Seller, Value, String) {
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1234).await;
    let answer = server.anonymous.pay(&page_of(&invoice), CHALLENGED).await.is(200);
    assert_eq!((&answer["status"], answer.get("failureCode")), (&json!("provider_pending"), None));
    let bank = answer["actionUrl"].as_str().expect("the bank's page").to_owned();
    assert!(bank.starts_with(&format!("{}/scheme/", server.anonymous.origin)), "{bank}");
    (seller, invoice, bank)
}

#[tokio::test]
async fn an_approved_challenge_pays() {
    let server = Server::start().await;
    let (seller, invoice, bank) = challenged(&server).await;
    let shown = server.anonymous.open_page(&bank).await;
    assert_eq!((shown.status, shown.media_type()), (200, "text/html"));
    assert!(shown.text.contains("12.34") && shown.text.contains("value=\"approve\""));
    assert_eq!(seller.invoice_now(id(&invoice)).await["status"], "sent");
    let answer = server.anonymous.answer_bank(&bank, "approve").await.is(200);
    assert_eq!(answer["status"], "provider_completed");
    let back = answer["redirectUrl"].as_str().expect("the way back");
    server.anonymous.open_page(back).await.has_status(200);
    until("the invoice to be paid", async || {
        (seller.invoice_now(id(&invoice)).await["status"] == "paid").then_some(())
    })
    .await;
    // Answered once: the page leads back, another answer is too late.
    server.anonymous.open_page(&bank).await.has_status(303);
    server.anonymous.answer_bank(&bank, "decline").await.has_status(409);
    server.close().await;
}

#[tokio::test]
async fn a_refused_or_abandoned_challenge_leaves_the_invoice_payable() {
    let server = Server::start().await;
    for (action, status) in [("decline", "failed"), ("cancel", "cancelled")] {
        let (seller, invoice, bank) = challenged(&server).await;
        let answer = server.anonymous.answer_bank(&bank, action).await.is(200);
        assert_eq!(answer["status"], status);
        if action == "decline" {
            assert_eq!(answer["failureCode"], 2001);
        }
        assert_eq!(seller.invoice_now(id(&invoice)).await["status"], "sent");
        server.anonymous.pay(&page_of(&invoice), GOOD).await.is(200);
    }
    server.close().await;
}

#[tokio::test]
async fn an_unclear_answer_is_asked_again() {
    let server = Server::start().await;
    let (_, _, bank) = challenged(&server).await;
    server.anonymous.answer_bank(&bank, "maybe").await.refuses(400, "action");
    let response = server.anonymous.submit(&bank, "").await;
    assert_eq!((response.status, response.media_type()), (400, "text/html"));
    let sent = server.anonymous.submit(&bank, "action=approve").await;
    sent.has_status(303);
    assert!(sent.header("location").is_some_and(|next| next.contains("/return/")));
    server.close().await;
}

#[tokio::test]
async fn a_challenge_nobody_answers_is_cancelled_after_15_minutes() {
    let server = Server::start().await;
    let (seller, invoice, bank) = challenged(&server).await;
    server.pass_seconds(15 * 60);
    let path = format!("/invoices/{}/settlement", id(&invoice));
    until("the payment to be cancelled", async || {
        let trail = seller.billing.get(&path).await.is(200);
        (trail["payments"][0]["status"] == "cancelled").then_some(())
    })
    .await;
    server.anonymous.answer_bank(&bank, "approve").await.has_status(409);
    server.anonymous.pay(&page_of(&invoice), GOOD).await.is(200);
    server.close().await;
}

#[tokio::test]
async fn another_card_drops_the_unfinished_payment() {
    let server = Server::start().await;
    let (seller, invoice, bank) = challenged(&server).await;
    server.anonymous.pay(&page_of(&invoice), GOOD).await.is(200);
    server.anonymous.answer_bank(&bank, "approve").await.has_status(409);
    until("the invoice to be paid", async || {
        (seller.invoice_now(id(&invoice)).await["status"] == "paid").then_some(())
    })
    .await;
    let path = format!("/invoices/{}/settlement", id(&invoice));
    let trail = seller.billing.get(&path).await.is(200);
    let paid: Vec<&Value> = trail["payments"]
        .as_array()
        .expect("payments")
        .iter()
        .filter(|payment| payment["status"] == "provider_completed")
        .collect();
    assert_eq!(paid.len(), 1, "{trail}");
    server.close().await;
}
