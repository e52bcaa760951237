//! `/pay/{token}` of links that sellers make.

use crate::support::buyer::{CHALLENGED, DECLINED, GOOD};
use crate::support::links::url_of;
use crate::support::{Browser, Receiver, Seller, Server, Value, fresh_uuid, json, until};

async fn shop(server: &Server) -> (Seller, Browser) {
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    (seller, browser)
}

async fn is_used(browser: &Browser, link: &Value, times: u64) -> Value {
    until("the link to be used", async || {
        let now = browser.payment_link_now(link).await;
        (now["usageCount"] == json!(times)).then_some(now)
    })
    .await
}

async fn listen(seller: &Seller) -> Receiver {
    let receiver = Receiver::start().await;
    let body = json!({"webhookUrl": receiver.url("/")});
    seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    receiver
}

#[tokio::test]
async fn a_link_for_one_is_paid_by_a_good_card_and_takes_no_second() {
    let server = Server::start().await;
    let (seller, browser) = shop(&server).await;
    let receiver = listen(&seller).await;
    let link = browser.payment_link(json!({})).await;
    let page = url_of(&link);
    let shown = server.anonymous.open_page(&page).await;
    assert_eq!((shown.status, shown.media_type()), (200, "text/html"));
    for part in ["A poster", "25.00", "name=\"promoCode\"", "name=\"amountMinor\" value=\"2500\""] {
        assert!(shown.text.contains(part), "{part} is missing: {}", shown.text);
    }
    assert!(!shown.text.contains("saveCard"), "a link knows no customer");

    let paid = server.anonymous.pay(&page, GOOD).await.is(200);
    let now = is_used(&browser, &link, 1).await;
    assert_eq!(now["status"], "paid");
    let told = receiver.wait_for_type("PaymentLinkPaid").await.event;
    assert_eq!(told["payload"]["paymentLinkId"].to_string(), link["id"].as_str().expect("an id"));
    assert_eq!(told["payload"]["paymentId"], paid["paymentId"]);
    assert_eq!(told["payload"]["amountMinor"], 2_500);
    let created = receiver.of("PaymentLinkCreated");
    assert!(!created[0].event.to_string().contains(&page), "the address is its buyer's");
    let reference = paid["paymentId"].as_str().expect("a reference");
    let payment = seller.payments.get(&format!("/payments/{reference}")).await.is(200);
    assert_eq!(payment["amount"], 25.0);

    let again = server.anonymous.pay(&page, GOOD).await;
    again.refuses_saying(409, "the payment link is paid");
    let shown = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    assert!(!shown.contains("<form") && shown.contains(reference), "{shown}");
    // Whoever comes back from the attempt sees how it went.
    let back = paid["redirectUrl"].as_str().expect("a page");
    assert!(server.anonymous.open_page(back).await.has_status(200).text.contains(reference));
    server.close().await;
}

#[tokio::test]
async fn a_link_whose_payment_was_refunded_shows_no_receipt() {
    let server = Server::start().await;
    let (seller, browser) = shop(&server).await;
    let link = browser.payment_link(json!({})).await;
    let page = url_of(&link);
    let paid = server.anonymous.pay(&page, GOOD).await.is(200);
    is_used(&browser, &link, 1).await;
    let reference = paid["paymentId"].as_str().expect("a reference");
    server.settle(&seller, reference).await;
    seller.act_on(reference, "refund", &json!({})).await.is(202);
    server.pass_seconds(3);
    seller.wait_for_status(reference, "refunded").await;
    let told = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    assert!(told.contains("Your payment went back to you") && !told.contains("received"), "{told}");
    server.close().await;
}

#[tokio::test]
async fn a_link_for_many_is_paid_again_and_again_at_the_same_moment_too() {
    let server = Server::start().await;
    let (_, browser) = shop(&server).await;
    let link = browser.payment_link(json!({"singleUse": false})).await;
    let page = url_of(&link);
    let buyers: Vec<_> = (0..8).map(|_| server.anonymous.pay(&page, GOOD)).collect();
    for paid in futures::future::join_all(buyers).await {
        paid.has_status(200);
    }
    let now = is_used(&browser, &link, 8).await;
    assert_eq!(now["status"], "active");
    let shown = server.anonymous.open_page(&page).await;
    assert!(shown.text.contains("<form"), "it can be paid still");
    server.close().await;
}

#[tokio::test]
async fn a_form_that_a_browser_sends_twice_pays_once_and_with_another_card_again() {
    let server = Server::start().await;
    let (_, browser) = shop(&server).await;
    let link = browser.payment_link(json!({"singleUse": false})).await;
    let page = url_of(&link);
    let shown = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    let attempt = shown.split("name=\"attempt\" value=\"").nth(1).expect("the form has a name");
    let attempt = attempt.split('"').next().expect("its end");
    let pay = async |number| {
        let more = json!({"attempt": attempt, "cardNumber": number});
        server.anonymous.pay_with(&page, more).await.is(200)["paymentId"].clone()
    };
    let other = "5555555555554444";
    let paid = [pay(GOOD).await, pay(GOOD).await, pay(other).await, pay(other).await];
    assert!(paid[0] == paid[1] && paid[2] == paid[3] && paid[0] != paid[2], "{paid:?}");
    is_used(&browser, &link, 2).await;
    server.close().await;
}

#[tokio::test]
async fn of_many_buyers_at_once_one_pays_a_link_for_one() {
    let server = Server::start().await;
    let (seller, browser) = shop(&server).await;
    let link = browser.payment_link(json!({})).await;
    let page = url_of(&link);
    let buyers: Vec<_> = (0..8).map(|_| server.anonymous.pay(&page, GOOD)).collect();
    let answers = futures::future::join_all(buyers).await;
    let paid = answers.iter().filter(|answer| answer.status == 200).count();
    let refused = answers.iter().filter(|answer| answer.status == 409).count();
    assert_eq!((paid, refused), (1, 7));
    assert_eq!(is_used(&browser, &link, 1).await["status"], "paid");
    let payments = seller.payments.get("/payments").await.is(200);
    let lost = |payment: &&Value| payment["status"] != "cancelled";
    let kept = payments["payments"].as_array().expect("payments").iter().filter(lost).count();
    assert_eq!(kept, 1);
    server.close().await;
}

#[tokio::test]
async fn another_card_takes_the_place_of_one_that_waits_for_its_bank() {
    let server = Server::start().await;
    let (_, browser) = shop(&server).await;
    let link = browser.payment_link(json!({})).await;
    let page = url_of(&link);
    let waiting = server.anonymous.pay(&page, CHALLENGED).await.is(200);
    let bank = waiting["actionUrl"].as_str().expect("a bank").to_owned();
    let shown = server.anonymous.open_page(&page).await;
    assert!(shown.text.contains("/scheme/") && shown.text.contains("<form"), "{}", shown.text);
    server.anonymous.pay(&page, GOOD).await.is(200);
    is_used(&browser, &link, 1).await;
    server.anonymous.answer_bank(&bank, "approve").await.has_status(409);
    server.close().await;
}

#[tokio::test]
async fn money_that_comes_for_a_cancelled_link_goes_back() {
    let server = Server::start().await;
    let (seller, browser) = shop(&server).await;
    let link = browser.payment_link(json!({"singleUse": false})).await;
    let page = url_of(&link);
    let waiting = server.anonymous.pay(&page, CHALLENGED).await.is(200);
    let cancel = format!(
        "mutation {{ cancelPaymentLink(input: {{paymentLinkId: {}}}) {{ status }} }}",
        link["id"]
    );
    assert_eq!(browser.query(&cancel).await["cancelPaymentLink"]["status"], "cancelled");
    assert_eq!(browser.query(&cancel).await["cancelPaymentLink"]["status"], "cancelled");
    let shown = server.anonymous.open_page(&page).await;
    assert!(shown.status == 200 && !shown.text.contains("<form"), "{}", shown.text);
    let late = server.anonymous.pay(&page, GOOD).await;
    late.refuses_saying(409, "the payment link is cancelled");

    let bank = waiting["actionUrl"].as_str().expect("a bank");
    let answered = server.anonymous.answer_bank(bank, "approve").await.is(200);
    let back = answered["redirectUrl"].as_str().expect("a page");
    let path = format!("/payments/{}", waiting["paymentId"].as_str().expect("a reference"));
    until("the money to go back", async || {
        server.pass_seconds(3);
        let payment = seller.payments.get(&path).await.is(200);
        (payment["status"] == "refunded").then_some(())
    })
    .await;
    assert_eq!(browser.payment_link_now(&link).await["usageCount"], json!(0));
    let told = server.anonymous.open_page(back).await.has_status(200).text.clone();
    assert!(told.contains("Your payment went back to you") && !told.contains("received"), "{told}");
    let told = server.anonymous.open_page(&page).await.has_status(200).text.clone();
    assert!(told.contains("This offer is closed") && !told.contains("charged"), "{told}");
    server.close().await;
}

#[tokio::test]
async fn a_link_ends_when_its_time_is_over() {
    let server = Server::start().await;
    let (seller, browser) = shop(&server).await;
    let receiver = listen(&seller).await;
    let ends = json!({"expiresAt": "2027-01-15T10:00:00Z"});
    let link = browser.payment_link(ends).await;
    let kept = browser.payment_link(json!({"expiresAt": "2027-01-15T10:00:00Z"})).await;
    let longer = format!(
        "mutation {{ updatePaymentLink(input: {{paymentLinkId: {}, expiresAt: null}}) {{
            expiresAt }} }}",
        kept["id"]
    );
    assert_eq!(browser.query(&longer).await["updatePaymentLink"]["expiresAt"], Value::Null);
    server.pass_seconds(3_600);
    let late = server.anonymous.pay(&url_of(&link), GOOD).await;
    late.refuses_saying(409, "the payment link is expired");
    let told = receiver.wait_for_type("PaymentLinkExpired").await.event;
    assert_eq!(told["payload"]["paymentLinkId"].to_string(), link["id"].as_str().expect("an id"));
    let listed = browser.query("{ paymentLinks(status: \"expired\") { nodes { id } } }").await;
    assert_eq!(listed["paymentLinks"]["nodes"], json!([{"id": link["id"]}]));
    server.anonymous.pay(&url_of(&kept), GOOD).await.is(200);
    is_used(&browser, &kept, 1).await;
    server.close().await;
}

#[tokio::test]
async fn ten_declined_cards_an_hour_are_enough() {
    let server = Server::start().await;
    let (_, browser) = shop(&server).await;
    let link = browser.payment_link(json!({"singleUse": false})).await;
    let page = url_of(&link);
    for _ in 0..10 {
        let failed = server.anonymous.pay(&page, DECLINED).await.is(200);
        assert_eq!(failed["failureCode"], 2001);
    }
    let resting = server.anonymous.pay(&page, GOOD).await;
    resting.has_status(429);
    assert_eq!(resting.header("retry-after"), Some("3600"));
    let shown = server.anonymous.open_page(&page).await;
    assert!(shown.status == 200 && !shown.text.contains("<form"), "{}", shown.text);
    server.pass_seconds(3_600);
    server.anonymous.pay(&page, GOOD).await.is(200);
    is_used(&browser, &link, 1).await;
    server.close().await;
}

#[tokio::test]
async fn nobody_pays_another_amount_than_the_one_that_they_saw() {
    let server = Server::start().await;
    let (_, browser) = shop(&server).await;
    let link = browser.payment_link(json!({})).await;
    let page = url_of(&link);
    let dearer = format!(
        "mutation {{ updatePaymentLink(input: {{paymentLinkId: {}, amountMinor: 3000}}) {{
            amountMinor }} }}",
        link["id"]
    );
    assert_eq!(browser.query(&dearer).await["updatePaymentLink"]["amountMinor"], 3_000);
    let seen = server.anonymous.pay_with(&page, json!({"amountMinor": "2500"})).await;
    seen.refuses(409, "the amount has changed");
    let form = format!("cardNumber={GOOD}&expMonth=12&expYear=30&cvv=123&amountMinor=2500");
    let shown = server.anonymous.submit(&page, &form).await;
    assert_eq!((shown.status, shown.text.contains("30.00")), (409, true), "{}", shown.text);
    assert!(shown.text.contains("The amount has changed"));
    server.anonymous.pay_with(&page, json!({"amountMinor": "3000"})).await.is(200);
    is_used(&browser, &link, 1).await;
    server.close().await;
}

#[tokio::test]
async fn a_declined_card_leads_back_to_the_form_with_its_code() {
    let server = Server::start().await;
    let (_, browser) = shop(&server).await;
    browser.promo_code("SUMMER", json!({})).await;
    let page = url_of(&browser.payment_link(json!({})).await);
    let form = format!("cardNumber={DECLINED}&expMonth=12&expYear=30&cvv=123&promoCode=SUMMER");
    let sent = server.anonymous.submit(&page, &form).await;
    let next = sent.has_status(303).header("location").expect("Location").to_owned();
    let shown = server.anonymous.open_page(&format!("{}{next}", server.anonymous.origin)).await;
    for part in ["role=\"alert\"", "<form", "value=\"SUMMER\"", "18.75"] {
        assert!(shown.text.contains(part), "{part} is missing: {}", shown.text);
    }
    server.close().await;
}

#[tokio::test]
async fn a_buyer_whose_bank_declines_is_led_back_to_the_link_with_its_code() {
    let server = Server::start().await;
    let (_, browser) = shop(&server).await;
    browser.promo_code("SUMMER", json!({})).await;
    let link = browser.payment_link(json!({"singleUse": false})).await;
    let page = url_of(&link);
    let typed = json!({"cardNumber": CHALLENGED, "promoCode": "summer"});
    let waiting = server.anonymous.pay_with(&page, typed).await.is(200);
    let bank = waiting["actionUrl"].as_str().expect("a bank");
    let answered = server.anonymous.answer_bank(bank, "decline").await.is(200);
    let back = answered["redirectUrl"].as_str().expect("a page");
    let shown = server.anonymous.open_page(back).await.has_status(200).text.clone();
    let path = page.strip_prefix(&server.anonymous.origin).expect("a path of ours");
    assert!(shown.contains(&format!("href=\"{path}?promoCode=SUMMER\"")), "{shown}");
    assert_eq!(browser.payment_link_now(&link).await["usageCount"], json!(0));
    server.close().await;
}
