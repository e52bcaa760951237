//! The languages that pages are written in.

use hyper::Method;

use crate::support::buyer::{CHALLENGED, page_of};
use crate::support::{Response, Seller, Server, fresh, fresh_uuid, json};

/// A browser that likes Swedish best of what we have.
const BROWSER: [(&str, &str); 3] = [
    ("accept", "text/html,application/xhtml+xml"),
    ("accept-language", "fi, sv-SE;q=0.9, de;q=0.1"),
    ("content-type", "application/x-www-form-urlencoded"),
];

async fn open(server: &Server, page: &str) -> Response {
    server.anonymous.send(Method::GET, page, &BROWSER, "").await
}

async fn send(server: &Server, page: &str, form: &str) -> Response {
    server.anonymous.send(Method::POST, page, &BROWSER, form).await
}

/// The page of a session that states this locale.
async fn checkout(seller: &Seller, locale: &str) -> String {
    let body = json!({
        "externalOrderRef": fresh("order"), "amount": 1234.5, "currencyCode": "EUR",
        "returnUrls": {"success": "https://a.example/", "failure": "https://a.example/"},
        "locale": locale,
    });
    let made = seller.payments.create("/checkout", &fresh_uuid(), &body).await.is(201);
    made["checkoutUrl"].as_str().expect("a page").to_owned()
}

fn says(page: &Response, status: u16, texts: &[&str]) {
    assert_eq!((page.status, page.media_type()), (status, "text/html"), "{}", page.text);
    for text in texts {
        assert!(page.text.contains(text), "{text} is missing in\n{}", page.text);
    }
}

#[tokio::test]
async fn a_checkout_speaks_its_locale_from_the_form_to_the_bank_and_back() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let page = checkout(&seller, "de-AT").await;
    let form = open(&server, &page).await;
    let words = [r#"<html lang="de">"#, "1.234,50\u{a0}€", "Wie möchten Sie bezahlen?"];
    says(&form, 200, &words);
    let wrong = send(&server, &page, "paymentMethod=card&cardNumber=1").await;
    let words = ["Bitte prüfen Sie Ihre Eingaben", "12 bis 19 Ziffern", "<title>Fehler: "];
    says(&wrong, 400, &words);

    let card = format!("paymentMethod=card&cardNumber={CHALLENGED}&expMonth=12&expYear=30&cvv=123");
    let bank = send(&server, &page, &card).await;
    let bank = bank.has_status(303).header("location").expect("the bank").to_owned();
    says(&open(&server, &bank).await, 200, &[r#"lang="de""#, "Bestätigen Sie Ihre Zahlung"]);
    send(&server, &bank, "action=decline").await.has_status(303);
    let again = open(&server, &page).await;
    says(&again, 200, &["Ihre Bank hat die Zahlung abgelehnt", "Es wurde nichts abgebucht."]);
    server.close().await;
}

#[tokio::test]
async fn without_a_locale_of_ours_the_browser_says_the_language() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for locale in ["", "fi"] {
        let page = checkout(&seller, locale).await;
        says(&open(&server, &page).await, 200, &[r#"<html lang="sv">"#, "1\u{a0}234,50\u{a0}€"]);
        let english = server.anonymous.open_page(&page).await;
        says(&english, 200, &[r#"<html lang="en">"#, "€1,234.50"]);
    }
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1234).await;
    let pay = open(&server, &page_of(&invoice)).await;
    says(&pay, 200, &[r#"<html lang="sv">"#, "Betala med kort", "12,34\u{a0}€", "Faktura"]);
    server.close().await;
}

#[tokio::test]
async fn refusals_are_told_in_the_language_too() {
    let server = Server::with(&[("limits.pages_per_minute", "6")]).await;
    for nowhere in ["/pay/nothing", "/checkout/nothing"] {
        says(&open(&server, nowhere).await, 404, &[r#"lang="sv""#, "Länken leder ingenstans"]);
    }
    for nowhere in ["/scheme/nothing", "/return/nothing", "/verify/nothing"] {
        says(&open(&server, nowhere).await, 404, &["Ogiltig länk"]);
    }
    let mut last = open(&server, "/pay/nothing").await;
    while last.status == 404 {
        last = open(&server, "/pay/nothing").await;
    }
    says(&last, 429, &[r#"lang="sv""#, "Vänta ett ögonblick"]);
    server.close().await;
}
