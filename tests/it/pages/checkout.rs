//! `/checkout/{sessionId}`.

use crate::support::buyer::{CHALLENGED, DECLINED, GOOD};
use crate::support::make::with;
use crate::support::{Seller, Server, Value, fresh, fresh_uuid, json, until};

/// A session: who sells, its page, and its reference.
struct Shop {
    seller: Seller,
    page: String,
    reference: String,
}

/// What opens a session, with what a test states of it.
fn session(reference: &str, more: Value) -> Value {
    let body = json!({
        "externalOrderRef": reference, "amount": 49.9, "currencyCode": "EUR",
        "returnUrls": {
            "success": "http://shop.example.com/thanks?status=x&basket=7#top",
            "failure": "http://shop.example.com/sorry",
        },
        "description": "Two tickets <b>&</b> a drink", "sellerMerchantName": "Nordlicht",
    });
    with(&body, more)
}

impl Shop {
    async fn open(server: &Server, more: Value) -> Self {
        let reference = fresh("order");
        let seller = server.seller().await;
        let body = session(&reference, more);
        let made = seller.payments.create("/checkout", &fresh_uuid(), &body).await;
        let page = made.is(201)["checkoutUrl"].as_str().expect("a page").to_owned();
        Self { seller, page, reference }
    }

    async fn payment(&self) -> Value {
        self.seller.payments.get(&format!("/payments/{}", self.reference)).await.is(200)
    }

    async fn shows(&self, server: &Server) -> String {
        let page = server.anonymous.open_page(&self.page).await;
        assert_eq!((page.status, page.media_type()), (200, "text/html"));
        page.text
    }

    /// Tries a local method as a program does.
    async fn tries(&self, server: &Server, method: &str) -> Value {
        let body = json!({"paymentMethod": method, "phone": "+351912345678"});
        server.anonymous.post(&self.page, &body).await.is(200)
    }
}

/// The way back of an answer, and where it leads.
async fn led_to(server: &Server, answer: &Value) -> String {
    let back = answer["redirectUrl"].as_str().expect("the way back");
    assert!(back.contains("/return/"), "{back}");
    let step = server.anonymous.open_page(back).await;
    step.has_status(302);
    step.header("location").expect("an address").to_owned()
}

#[tokio::test]
async fn the_page_says_who_what_and_how() {
    let server = Server::start().await;
    let shop = Shop::open(&server, json!({})).await;
    let answer = server.anonymous.open_page(&shop.page).await;
    let policy = answer.header("content-security-policy").expect("a policy");
    assert!(policy.contains("form-action 'self'") && !policy.contains("unsafe"), "{policy}");
    let page = answer.text;
    for said in ["Nordlicht", "€49.90", "Two tickets &#60;b&#62;&#38;&#60;/b&#62; a drink"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    for (country, shown) in [
        (None, &["card", "bancontact", "wero", "mbway", "multibanco"][..]),
        (Some("BE"), &["card", "bancontact", "wero"]),
        (Some("PT"), &["card", "mbway", "multibanco"]),
        (Some("US"), &["card"]),
    ] {
        let shop = Shop::open(&server, json!({"countryCode": country})).await;
        let page = shop.shows(&server).await;
        for method in ["card", "bancontact", "wero", "mbway", "multibanco", "swish"] {
            let tile = page.contains(&format!("name=\"paymentMethod\" value=\"{method}\""));
            assert_eq!(tile, shown.contains(&method), "{country:?} {method}");
        }
    }
    let manual = Shop::open(&server, json!({"autoSettlement": false})).await;
    assert!(!manual.shows(&server).await.contains("value=\"wero\""), "only cards are held");
    server.close().await;
}

#[tokio::test]
async fn a_card_pays_and_the_shop_is_notified() {
    let server = Server::start().await;
    let shop = Shop::open(&server, json!({})).await;
    let paid = server.anonymous.pay(&shop.page, GOOD).await.is(200);
    assert_eq!(
        (&paid["status"], &paid["paymentId"]),
        (&json!("provider_completed"), &json!(shop.reference))
    );
    assert_eq!(
        led_to(&server, &paid).await,
        format!(
            "http://shop.example.com/thanks?basket=7&status=succeeded&paymentId={}#top",
            shop.reference
        )
    );
    assert!(shop.shows(&server).await.contains("Payment received"));
    server.anonymous.pay(&shop.page, GOOD).await.refuses_saying(409, "the session is already paid");
    server.close().await;
}

#[tokio::test]
async fn a_browser_is_led_on_by_its_own_page() {
    let server = Server::start().await;
    let shop = Shop::open(&server, json!({})).await;
    let form = format!("paymentMethod=card&cardNumber={GOOD}&expMonth=12&expYear=30&cvv=123");
    let sent = server.anonymous.submit(&shop.page, &form).await;
    sent.has_status(303);
    let next = sent.header("location").expect("a place").to_owned();
    assert!(shop.page.ends_with(next.strip_suffix("?next").expect("the page itself")), "{next}");
    let page = server.anonymous.open_page(&format!("{}{next}", server.anonymous.origin)).await;
    assert!(page.text.contains("content=\"0;url=/return/"), "{}", page.text);
    assert!(!shop.shows(&server).await.contains("http-equiv=\"refresh\""), "later it stays");
    server.close().await;
}

#[tokio::test]
async fn a_session_of_demo_mode_says_so_once_the_account_is_live() {
    let server = Server::start().await;
    let (owner, seller) = server.beginner().await;
    let open = async || {
        let body = session(&fresh("order"), json!({"countryCode": "PT"}));
        let made = seller.payments.create("/checkout", &fresh_uuid(), &body).await.is(201);
        made["checkoutUrl"].as_str().expect("a page").to_owned()
    };
    let (untouched, begun) = (open().await, open().await);
    let multibanco = json!({"paymentMethod": "multibanco"});
    server.anonymous.post(&begun, &multibanco).await.is(200);
    server.go_live(&owner, &seller).await;
    let page = server.anonymous.open_page(&untouched).await;
    assert!(page.text.contains("Demo mode."), "{}", page.text);
    let waiting = server.anonymous.open_page(&begun).await.text;
    assert!(waiting.contains("Demo mode.") && waiting.contains("/scheme/"), "{waiting}");
    server.close().await;
}

#[tokio::test]
async fn a_held_amount_is_a_success_too() {
    let server = Server::start().await;
    let shop = Shop::open(&server, json!({"autoSettlement": false})).await;
    let held = server.anonymous.pay(&shop.page, GOOD).await.is(200);
    assert_eq!(held["status"], "authorized");
    assert!(led_to(&server, &held).await.contains("status=succeeded"));
    assert!(shop.shows(&server).await.contains("Payment received"));
    server.close().await;
}

#[tokio::test]
async fn a_session_that_its_seller_cancels_takes_no_further_attempt() {
    let server = Server::start().await;
    for declined in [false, true] {
        let shop = Shop::open(&server, json!({})).await;
        if declined {
            server.anonymous.pay(&shop.page, DECLINED).await.is(200);
        }
        let waiting = server.anonymous.pay(&shop.page, CHALLENGED).await.is(200);
        assert_eq!(waiting["status"], "provider_pending");
        let cancelled = shop.seller.act_on(&shop.reference, "cancel", &json!({})).await.is(200);
        assert_eq!(
            (&cancelled["status"], &cancelled["failureCode"]),
            (&json!("cancelled"), &json!(0))
        );
        server.anonymous.pay(&shop.page, GOOD).await.has_status(409);
        assert_eq!(shop.payment().await["status"], "cancelled");
    }
    server.close().await;
}

#[tokio::test]
async fn the_page_keeps_the_minute_of_the_payment_when_it_is_refunded() {
    let server = Server::start().await;
    let shop = Shop::open(&server, json!({})).await;
    server.anonymous.pay(&shop.page, GOOD).await.is(200);
    server.settle(&shop.seller, &shop.reference).await;
    server.pass_seconds(3_600);
    shop.seller.act_on(&shop.reference, "refund", &json!({})).await.is(202);
    server.pass_seconds(3);
    let refunded = shop.seller.wait_for_status(&shop.reference, "refunded").await;
    assert_eq!(refunded["updatedAt"], "2027-01-15T10:00:09Z");
    let page = shop.shows(&server).await;
    assert!(page.replace('\u{a0}', " ").contains("15 January 2027, 09:00 UTC"), "{page}");
    server.close().await;
}

#[tokio::test]
async fn declines_leave_the_session_open_until_the_tenth() {
    let server = Server::start().await;
    let shop = Shop::open(&server, json!({})).await;
    for attempt in 1..10 {
        let outcome = server.anonymous.pay(&shop.page, DECLINED).await.is(200);
        assert_eq!(
            (&outcome["status"], &outcome["failureCode"], &outcome["redirectUrl"]),
            (&json!("provider_pending"), &json!(2001), &json!(shop.page))
        );
        let attempts = &shop.payment().await["attempts"];
        assert_eq!(attempts.as_array().expect("attempts").len(), attempt);
    }
    assert!(shop.shows(&server).await.contains("Your bank declined the payment"));
    let last = server.anonymous.pay(&shop.page, DECLINED).await.is(200);
    assert_eq!((&last["status"], &last["failureCode"]), (&json!("failed"), &json!(2001)));
    assert!(
        led_to(&server, &last).await.starts_with("http://shop.example.com/sorry?status=failed")
    );
    server.anonymous.pay(&shop.page, GOOD).await.refuses_saying(409, "the payment has failed");
    server.close().await;
}

#[tokio::test]
async fn every_local_method_can_be_paid() {
    let server = Server::start().await;
    for (method, text) in [
        ("bancontact", "Bancontact"),
        ("wero", "Wero"),
        ("mbway", "The app on your phone"),
        ("multibanco", "Pay a reference"),
    ] {
        let shop = Shop::open(&server, json!({})).await;
        let begun = shop.tries(&server, method).await;
        assert_eq!(begun["status"], "provider_pending");
        let action = begun["actionUrl"].as_str().expect("a place to go");
        let bank = server.anonymous.open_page(action).await;
        assert!(bank.text.contains(text) && bank.text.contains("€49.90"), "{}", bank.text);
        let paid = server.anonymous.answer_bank(action, "approve").await.is(200);
        assert_eq!(paid["status"], "provider_completed", "{method}");
        assert!(led_to(&server, &paid).await.contains("status=succeeded"));
        assert_eq!(shop.payment().await["paymentMethod"], method);
    }
    let swedish = Shop::open(&server, json!({"currencyCode": "SEK", "countryCode": "SE"})).await;
    swedish.tries(&server, "swish").await;
    server.close().await;
}

#[tokio::test]
async fn what_ends_at_the_bank_leads_back_to_the_page() {
    let server = Server::start().await;
    for (action, said) in
        [("decline", "Your bank declined the payment"), ("cancel", "The payment was not finished")]
    {
        let shop = Shop::open(&server, json!({})).await;
        let begun = server.anonymous.pay(&shop.page, CHALLENGED).await.is(200);
        assert_eq!(begun["redirectUrl"], begun["actionUrl"]);
        let bank = begun["actionUrl"].as_str().expect("the bank");
        let answer = server.anonymous.answer_bank(bank, action).await.is(200);
        assert_eq!(answer["status"], "provider_pending", "the session goes on");
        let back = led_to(&server, &answer).await;
        assert!(shop.page.ends_with(&back), "{back}");
        assert!(shop.shows(&server).await.contains(said));
        server.anonymous.pay(&shop.page, GOOD).await.is(200);
    }
    server.close().await;
}

#[tokio::test]
async fn one_attempt_at_a_time_over_all_windows() {
    let server = Server::start().await;
    let shop = Shop::open(&server, json!({})).await;
    server.anonymous.pay(&shop.page, CHALLENGED).await.is(200);
    let second = server.anonymous.pay(&shop.page, GOOD).await;
    second.refuses_saying(409, "another attempt is in progress");
    assert!(shop.shows(&server).await.contains("One step is left"));
    let cancel = json!({"action": "cancel"});
    server.anonymous.post(&shop.page, &json!({"action": "leave"})).await.has_status(409);
    server.anonymous.post(&shop.page, &cancel).await.is(200);
    // Asked twice, it is given up once: the session stays open.
    assert_eq!(
        server.anonymous.post(&shop.page, &cancel).await.is(200)["status"],
        "provider_pending"
    );
    let pay = || server.anonymous.pay(&shop.page, GOOD);
    let answers = futures::future::join_all((0..8).map(|_| pay())).await;
    let won = answers.iter().filter(|response| response.status == 200).count();
    let lost = answers.iter().filter(|response| response.status == 409).count();
    assert_eq!((won, lost), (1, 7));
    assert_eq!(shop.payment().await["capturedAmount"], json!(49.9));
    server.close().await;
}

#[tokio::test]
async fn a_reference_is_shown_and_outlives_the_session() {
    let server = Server::start().await;
    let shop = Shop::open(&server, json!({"countryCode": "PT"})).await;
    let begun = shop.tries(&server, "multibanco").await;
    assert_eq!(begun["redirectUrl"], json!(shop.page), "the page has the instructions");
    let instructions = shop.payment().await["paymentInstructions"].clone();
    server.pass_seconds(25 * 3600);
    let page = shop.shows(&server).await;
    let digits = |field: &str| instructions[field].as_str().expect("digits").to_owned();
    assert!(page.contains(&format!("<strong>{}</strong>", digits("entity"))), "{page}");
    assert!(page.contains(&format!("data-copy=\"{}\"", digits("reference"))), "{page}");
    assert!(page.contains("€49.90") && page.contains("EUR"));
    server.pass_seconds(2 * 24 * 3600);
    until("the reference to run out", async || {
        (shop.payment().await["status"] == "failed").then_some(())
    })
    .await;
    assert_eq!(shop.payment().await["failureCode"], 5001);
    server.close().await;
}

#[tokio::test]
async fn an_app_that_nobody_answers_ends_the_attempt_alone() {
    let server = Server::start().await;
    let shop = Shop::open(&server, json!({"countryCode": "PT"})).await;
    let wrong = json!({"paymentMethod": "mbway", "phone": "12"});
    server.anonymous.post(&shop.page, &wrong).await.refuses(400, "phone");
    shop.tries(&server, "mbway").await;
    assert!(shop.shows(&server).await.contains("ending in 678"));
    server.pass_seconds(4 * 60);
    until("the window to close", async || {
        (shop.payment().await["attempts"][0]["failureCode"] == 2001).then_some(())
    })
    .await;
    assert!(shop.shows(&server).await.contains("The payment was not approved"));
    server.anonymous.pay(&shop.page, GOOD).await.is(200);
    server.close().await;
}

#[tokio::test]
async fn a_session_ends_when_the_buyer_leaves_or_lets_it_run_out() {
    let server = Server::start().await;
    let left = Shop::open(&server, json!({})).await;
    let outcome = server.anonymous.post(&left.page, &json!({"action": "leave"})).await.is(200);
    assert_eq!(outcome["status"], "cancelled");
    assert!(
        led_to(&server, &outcome).await.starts_with("http://shop.example.com/sorry?status=failed")
    );
    let tried = Shop::open(&server, json!({})).await;
    server.anonymous.pay(&tried.page, DECLINED).await.is(200);
    let unused = Shop::open(&server, json!({})).await;
    server.pass_seconds(24 * 3600);
    for (shop, status) in [(&left, "cancelled"), (&tried, "failed"), (&unused, "cancelled")] {
        until("the session to end", async || {
            (shop.payment().await["status"] == status).then_some(())
        })
        .await;
        server.anonymous.pay(&shop.page, GOOD).await.has_status(409);
    }
    assert!(unused.shows(&server).await.contains("This checkout is over"));
    server.close().await;
}

#[tokio::test]
async fn an_address_may_be_given_with_the_card_and_is_filled_in_where_it_is_known() {
    let server = Server::start().await;
    let shop = Shop::open(&server, json!({"countryCode": "BE"})).await;
    let page = shop.shows(&server).await;
    let field = page.split_once("name=\"country\"").expect("a country").1;
    assert!(field.split('>').next().is_some_and(|field| field.contains("value=\"BE\"")), "{page}");
    let card = json!({
        "paymentMethod": "card", "cardNumber": GOOD, "expMonth": 12, "expYear": 2030, "cvv": "123",
    });
    let stranger = with(&card, json!({"country": "Belgium"}));
    let refused = server.anonymous.post(&shop.page, &stranger).await;
    refused.refuses_saying(400, "country must be an ISO 3166-1 alpha-2 code");
    let attempts = &shop.payment().await["attempts"];
    assert!(attempts.as_array().is_none_or(Vec::is_empty), "{attempts}");
    let given = with(&card, json!({"country": "be", "zip": "1000"}));
    assert_eq!(
        server.anonymous.post(&shop.page, &given).await.is(200)["status"],
        "provider_completed"
    );
    server.close().await;
}

#[tokio::test]
async fn unknown_sessions_are_reported_to_people_and_programs() {
    let server = Server::start().await;
    let page = format!("{}/checkout/nothing", server.anonymous.origin);
    let shown = server.anonymous.open_page(&page).await;
    assert_eq!((shown.status, shown.media_type()), (404, "text/html"));
    server.anonymous.pay(&page, GOOD).await.refuses_saying(404, "not found");
    server.anonymous.get("/checkout/nothing/logo").await.refuses_saying(404, "not found");
    server.close().await;
}

#[tokio::test]
async fn a_logo_is_served_from_here() {
    let server = Server::start().await;
    let (url, host) = logo_host().await;
    let shop = Shop::open(&server, json!({"logoUrl": url})).await;
    assert!(shop.shows(&server).await.contains("/logo\" alt=\"\""));
    for _ in 0..2 {
        let logo = server.anonymous.get(&format!("{}/logo", shop.page)).await;
        assert_eq!((logo.status, logo.media_type()), (200, "image/png"));
        assert_eq!(logo.header("x-content-type-options"), Some("nosniff"));
    }
    host.abort();
    let _ = host.await;
    let plain = Shop::open(&server, json!({})).await;
    server.anonymous.get(&format!("{}/logo", plain.page)).await.has_status(404);
    server.close().await;
}

/// A host that has one picture for one visitor.
async fn logo_host() -> (String, tokio::task::JoinHandle<()>) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/logo.png", listener.local_addr().expect("an address"));
    let host = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a visitor");
        let mut head = [0; 2048];
        let _ = stream.read(&mut head).await;
        let said = b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\nconnection: close\r\n\r\n\x89PNG\r\n\x1a\nrest";
        let _ = stream.write_all(said).await;
    });
    (url, host)
}
