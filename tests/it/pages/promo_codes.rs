//! Promo codes at the pages of payment links.

use crate::support::buyer::{CHALLENGED, DECLINED, GOOD, card};
use crate::support::links::url_of;
use crate::support::make::with;
use crate::support::{Receiver, Server, Value, fresh_uuid, json, until};

#[tokio::test]
async fn a_code_takes_its_part_off_and_is_told_of_once_it_has_paid() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let receiver = Receiver::start().await;
    let body = json!({"webhookUrl": receiver.url("/")});
    seller.payments.create("/webhooks", &fresh_uuid(), &body).await.is(201);
    let code = browser.promo_code("Summer-25", json!({"maxRedemptions": 5})).await;
    let link = browser.payment_link(json!({})).await;
    let page = url_of(&link);
    let shown = server.anonymous.open_page(&format!("{page}?promoCode=summer-25")).await;
    for part in ["18.75", "6.25", "value=\"summer-25\"", "name=\"amountMinor\" value=\"1875\""] {
        assert!(shown.text.contains(part), "{part} is missing: {}", shown.text);
    }
    let typed = json!({"promoCode": " SUMMER-25 ", "amountMinor": "1875"});
    let paid = server.anonymous.pay_with(&page, typed).await.is(200);
    let told = receiver.wait_for_type("PromoCodeRedeemed").await.event;
    let data = &told["payload"];
    assert_eq!((&data["code"], &data["discountMinor"]), (&json!("Summer-25"), &json!(625)));
    assert_eq!((&data["amountMinor"], &data["redemptions"]), (&json!(1_875), &json!(1)));
    assert_eq!(data["paymentId"], paid["paymentId"]);
    let sold = receiver.wait_for_type("PaymentLinkPaid").await.event;
    assert_eq!(
        (&sold["payload"]["amountMinor"], &sold["payload"]["promoCode"]),
        (&json!(1_875), &json!("Summer-25"))
    );
    let now = browser.promo_code_now(&code).await;
    assert_eq!((&now["redemptions"], &now["reserved"]), (&json!(1), &json!(0)));
    server.close().await;
}

#[tokio::test]
async fn a_code_that_is_not_good_is_named_and_nothing_is_charged() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let link = browser.payment_link(json!({})).await;
    let other = browser.payment_link(json!({})).await;
    let page = url_of(&link);
    let off = |minor: i64, currency: &str| json!({"percentBps": null, "amountOffMinor": minor, "currency": currency});
    browser.promo_code("DOLLARS", off(100, "USD")).await;
    browser.promo_code("ALL-OF-IT", off(2_500, "EUR")).await;
    browser.promo_code("ELSEWHERE", json!({"paymentLinkIds": [other["id"]]})).await;
    browser.promo_code("SHORT", json!({"expiresAt": "2027-01-15T09:01:00Z"})).await;
    server.pass_seconds(60);
    for (code, problem) in [
        ("NOBODYS", "promoCode is not valid here"),
        ("DOLLARS", "promoCode takes off another currency"),
        ("ALL-OF-IT", "promoCode would leave nothing to pay"),
        ("ELSEWHERE", "promoCode is not valid here"),
        ("SHORT", "promoCode has expired"),
    ] {
        let refused = server.anonymous.pay_with(&page, json!({"promoCode": code})).await;
        refused.refuses_saying(400, problem);
        let shown = server.anonymous.open_page(&format!("{page}?promoCode={code}")).await;
        let part = "id=\"promoCode-problem\"";
        assert!(shown.status == 200 && shown.text.contains(part), "{code}: {}", shown.text);
        assert!(shown.text.contains("value=\"2500\""), "the price stays");
    }
    let script = server.anonymous.open_page(&format!("{page}?promoCode=%22%3E%3Cscript%3E")).await;
    assert!(!script.text.contains("\"><script>"), "{}", script.text);
    let payments = seller.payments.get("/payments").await.is(200);
    assert_eq!(payments["payments"], json!([]));
    let elsewhere = json!({"promoCode": "elsewhere"});
    server.anonymous.pay_with(&url_of(&other), elsewhere).await.is(200);
    server.close().await;
}

#[tokio::test]
async fn a_code_is_never_redeemed_more_often_than_it_may_be() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let code = browser.promo_code("THREE", json!({"maxRedemptions": 3})).await;
    let link = browser.payment_link(json!({"singleUse": false})).await;
    let page = url_of(&link);
    let buyers: Vec<_> =
        (0..12).map(|_| server.anonymous.pay_with(&page, json!({"promoCode": "THREE"}))).collect();
    let answers = futures::future::join_all(buyers).await;
    let paid = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(paid, 3);
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        refused.refuses_saying(400, "promoCode is used up");
    }
    let now = redeemed(&browser, &code, 3).await;
    assert_eq!((&now["reserved"], &now["status"]), (&json!(0), &json!("used_up")));
    server.close().await;
}

async fn redeemed(browser: &crate::support::Browser, code: &Value, times: u64) -> Value {
    until("the code to be redeemed", async || {
        let now = browser.promo_code_now(code).await;
        (now["redemptions"] == json!(times) && now["reserved"] == json!(0)).then_some(now)
    })
    .await
}

#[tokio::test]
async fn a_payment_that_comes_to_nothing_gives_its_redemption_back() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let code = browser.promo_code("ONCE", json!({"maxRedemptions": 1})).await;
    let link = browser.payment_link(json!({})).await;
    let page = url_of(&link);
    let with_card = |number: &str, year: &str| {
        with(&card(number), json!({"promoCode": "ONCE", "expYear": year}))
    };
    let buyer = server.anonymous.without_key();
    // Declined by the bank, expired before anybody asks, and left waiting for the bank.
    for (number, year) in [(DECLINED, "2030"), (DECLINED, "2020"), (CHALLENGED, "2030")] {
        buyer.post(&page, &with_card(number, year)).await.is(200);
    }
    let reserved = browser.promo_code_now(&code).await;
    assert_eq!((&reserved["reserved"], &reserved["status"]), (&json!(1), &json!("used_up")));
    let second = browser.payment_link(json!({})).await;
    let taken = server.anonymous.pay_with(&url_of(&second), json!({"promoCode": "ONCE"})).await;
    taken.refuses_saying(400, "promoCode is used up");
    // Its page asks for the whole price then, and says why.
    let form = format!("cardNumber={GOOD}&expMonth=12&expYear=30&cvv=123&promoCode=ONCE");
    let told = server.anonymous.submit(&url_of(&second), &form).await.has_status(400).text.clone();
    let alert = told.split("role=\"alert\"").nth(1).expect("an alert");
    assert!(alert.contains("href=\"#promoCode\"") && told.contains("Error:"), "{told}");
    assert!(told.contains("name=\"amountMinor\" value=\"2500\""), "{told}");
    assert!(!told.contains("type=\"hidden\" name=\"promoCode\""), "{told}");
    // The same buyer with another card.
    server.anonymous.pay_with(&page, json!({"promoCode": "ONCE"})).await.is(200);
    redeemed(&browser, &code, 1).await;
    server.close().await;
}
