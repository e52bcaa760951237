//! `/checkout/{sessionId}` (decisions 7, 11, 13 and 14).

use crate::support::buyer::{CHALLENGED, DECLINED, GOOD};
use crate::support::make::with;
use crate::support::{House, Seller, Value, fresh, fresh_uuid, json, until};

/// A session: who sells, its page, and its reference.
struct Shop {
    seller: Seller,
    page: String,
    reference: String,
}

impl Shop {
    async fn open(house: &House, more: Value) -> Self {
        let reference = fresh("order");
        let body = json!({
            "externalOrderRef": reference, "amount": 49.9, "currencyCode": "EUR",
            "returnUrls": {
                "success": "http://shop.example.com/thanks?status=x&basket=7#top",
                "failure": "http://shop.example.com/sorry",
            },
            "description": "Two tickets <b>&</b> a drink", "sellerMerchantName": "Nordlicht",
        });
        let seller = house.seller().await;
        let made = seller.payments.create("/checkout", &fresh_uuid(), &with(&body, more)).await;
        let page = made.is(201)["checkoutUrl"].as_str().expect("a page").to_owned();
        Self { seller, page, reference }
    }

    async fn payment(&self) -> Value {
        self.seller.payments.get(&format!("/payments/{}", self.reference)).await.is(200)
    }

    async fn shows(&self, house: &House) -> String {
        let page = house.open.open_page(&self.page).await;
        assert_eq!((page.status, page.media_type()), (200, "text/html"));
        page.text
    }

    /// Tries a local method as a program does.
    async fn tries(&self, house: &House, method: &str) -> Value {
        let body = json!({"paymentMethod": method, "phone": "+351912345678"});
        house.open.post(&self.page, &body).await.is(200)
    }
}

/// The way back of an answer, and where it leads.
async fn led_to(house: &House, answer: &Value) -> String {
    let back = answer["redirectUrl"].as_str().expect("the way back");
    assert!(back.contains("/return/"), "{back}");
    let step = house.open.open_page(back).await;
    step.has_status(302);
    step.header("location").expect("an address").to_owned()
}

#[tokio::test]
async fn the_page_says_who_what_and_how() {
    let house = House::open().await;
    let shop = Shop::open(&house, json!({})).await;
    let answer = house.open.open_page(&shop.page).await;
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
        let shop = Shop::open(&house, json!({"countryCode": country})).await;
        let page = shop.shows(&house).await;
        for method in ["card", "bancontact", "wero", "mbway", "multibanco", "swish"] {
            let tile = page.contains(&format!("name=\"paymentMethod\" value=\"{method}\""));
            assert_eq!(tile, shown.contains(&method), "{country:?} {method}");
        }
    }
    let manual = Shop::open(&house, json!({"autoSettlement": false})).await;
    assert!(!manual.shows(&house).await.contains("value=\"wero\""), "only cards are held");
    house.close().await;
}

#[tokio::test]
async fn a_card_pays_and_the_shop_hears_of_it() {
    let house = House::open().await;
    let shop = Shop::open(&house, json!({})).await;
    let paid = house.open.pay(&shop.page, GOOD).await.is(200);
    assert_eq!(
        (&paid["status"], &paid["paymentId"]),
        (&json!("provider_completed"), &json!(shop.reference))
    );
    assert_eq!(
        led_to(&house, &paid).await,
        format!(
            "http://shop.example.com/thanks?basket=7&status=succeeded&paymentId={}#top",
            shop.reference
        )
    );
    assert!(shop.shows(&house).await.contains("Payment received"));
    house.open.pay(&shop.page, GOOD).await.refuses_saying(409, "the session is already paid");
    house.close().await;
}

#[tokio::test]
async fn a_browser_is_led_on_by_its_own_page() {
    let house = House::open().await;
    let shop = Shop::open(&house, json!({})).await;
    let form = format!("paymentMethod=card&cardNumber={GOOD}&expMonth=12&expYear=30&cvv=123");
    let sent = house.open.submit(&shop.page, &form).await;
    sent.has_status(303);
    let next = sent.header("location").expect("a place").to_owned();
    assert!(shop.page.ends_with(next.strip_suffix("?next").expect("the page itself")), "{next}");
    let page = house.open.open_page(&format!("{}{next}", house.open.origin)).await;
    assert!(page.text.contains("content=\"0;url=/return/"), "{}", page.text);
    assert!(!shop.shows(&house).await.contains("http-equiv=\"refresh\""), "later it stays");
    house.close().await;
}

#[tokio::test]
async fn a_held_amount_is_a_success_too() {
    let house = House::open().await;
    let shop = Shop::open(&house, json!({"autoSettlement": false})).await;
    let held = house.open.pay(&shop.page, GOOD).await.is(200);
    assert_eq!(held["status"], "authorized");
    assert!(led_to(&house, &held).await.contains("status=succeeded"));
    assert!(shop.shows(&house).await.contains("Payment received"));
    house.close().await;
}

#[tokio::test]
async fn declines_leave_the_session_open_until_the_tenth() {
    let house = House::open().await;
    let shop = Shop::open(&house, json!({})).await;
    for attempt in 1..10 {
        let told = house.open.pay(&shop.page, DECLINED).await.is(200);
        assert_eq!(
            (&told["status"], &told["failureCode"], &told["redirectUrl"]),
            (&json!("provider_pending"), &json!(2001), &json!(shop.page))
        );
        let attempts = &shop.payment().await["attempts"];
        assert_eq!(attempts.as_array().expect("attempts").len(), attempt);
    }
    assert!(shop.shows(&house).await.contains("Your bank declined the payment"));
    let last = house.open.pay(&shop.page, DECLINED).await.is(200);
    assert_eq!((&last["status"], &last["failureCode"]), (&json!("failed"), &json!(2001)));
    assert!(led_to(&house, &last).await.starts_with("http://shop.example.com/sorry?status=failed"));
    house.open.pay(&shop.page, GOOD).await.refuses_saying(409, "the payment has failed");
    house.close().await;
}

#[tokio::test]
async fn every_local_method_can_be_paid() {
    let house = House::open().await;
    for (method, text) in [
        ("bancontact", "Bancontact"),
        ("wero", "Wero"),
        ("mbway", "The app on your phone"),
        ("multibanco", "Pay a reference"),
    ] {
        let shop = Shop::open(&house, json!({})).await;
        let begun = shop.tries(&house, method).await;
        assert_eq!(begun["status"], "provider_pending");
        let action = begun["actionUrl"].as_str().expect("a place to go");
        let bank = house.open.open_page(action).await;
        assert!(bank.text.contains(text) && bank.text.contains("€49.90"), "{}", bank.text);
        let paid = house.open.answer_bank(action, "approve").await.is(200);
        assert_eq!(paid["status"], "provider_completed", "{method}");
        assert!(led_to(&house, &paid).await.contains("status=succeeded"));
        assert_eq!(shop.payment().await["paymentMethod"], method);
    }
    let swedish = Shop::open(&house, json!({"currencyCode": "SEK", "countryCode": "SE"})).await;
    swedish.tries(&house, "swish").await;
    house.close().await;
}

#[tokio::test]
async fn what_ends_at_the_bank_leads_back_to_the_page() {
    let house = House::open().await;
    for (action, said) in
        [("decline", "Your bank declined the payment"), ("cancel", "The payment was not finished")]
    {
        let shop = Shop::open(&house, json!({})).await;
        let begun = house.open.pay(&shop.page, CHALLENGED).await.is(200);
        assert_eq!(begun["redirectUrl"], begun["actionUrl"]);
        let bank = begun["actionUrl"].as_str().expect("the bank");
        let answer = house.open.answer_bank(bank, action).await.is(200);
        assert_eq!(answer["status"], "provider_pending", "the session goes on");
        let back = led_to(&house, &answer).await;
        assert!(shop.page.ends_with(&back), "{back}");
        assert!(shop.shows(&house).await.contains(said));
        house.open.pay(&shop.page, GOOD).await.is(200);
    }
    house.close().await;
}

#[tokio::test]
async fn one_attempt_at_a_time_over_all_windows() {
    let house = House::open().await;
    let shop = Shop::open(&house, json!({})).await;
    house.open.pay(&shop.page, CHALLENGED).await.is(200);
    let second = house.open.pay(&shop.page, GOOD).await;
    second.refuses_saying(409, "another attempt is in progress");
    assert!(shop.shows(&house).await.contains("One step is left"));
    let cancel = json!({"action": "cancel"});
    house.open.post(&shop.page, &json!({"action": "leave"})).await.has_status(409);
    house.open.post(&shop.page, &cancel).await.is(200);
    // Asked twice, it is given up once: the session stays open.
    assert_eq!(house.open.post(&shop.page, &cancel).await.is(200)["status"], "provider_pending");
    let pay = || house.open.pay(&shop.page, GOOD);
    let answers = futures::future::join_all((0..8).map(|_| pay())).await;
    let won = answers.iter().filter(|heard| heard.status == 200).count();
    let lost = answers.iter().filter(|heard| heard.status == 409).count();
    assert_eq!((won, lost), (1, 7));
    assert_eq!(shop.payment().await["capturedAmount"], json!(49.9));
    house.close().await;
}

#[tokio::test]
async fn a_reference_is_shown_and_outlives_the_session() {
    let house = House::open().await;
    let shop = Shop::open(&house, json!({"countryCode": "PT"})).await;
    let begun = shop.tries(&house, "multibanco").await;
    assert_eq!(begun["redirectUrl"], json!(shop.page), "the page has the instructions");
    let instructions = shop.payment().await["paymentInstructions"].clone();
    house.pass_seconds(25 * 3600);
    let page = shop.shows(&house).await;
    for field in ["entity", "reference"] {
        let digits = instructions[field].as_str().expect("digits");
        assert!(page.contains(&format!("<strong>{digits}</strong>")), "{field}: {page}");
    }
    assert!(page.contains("€49.90") && page.contains("EUR"));
    house.pass_seconds(2 * 24 * 3600);
    until("the reference to run out", async || {
        (shop.payment().await["status"] == "failed").then_some(())
    })
    .await;
    assert_eq!(shop.payment().await["failureCode"], 5001);
    house.close().await;
}

#[tokio::test]
async fn an_app_that_nobody_answers_ends_the_attempt_alone() {
    let house = House::open().await;
    let shop = Shop::open(&house, json!({"countryCode": "PT"})).await;
    let wrong = json!({"paymentMethod": "mbway", "phone": "12"});
    house.open.post(&shop.page, &wrong).await.refuses(400, "phone");
    shop.tries(&house, "mbway").await;
    assert!(shop.shows(&house).await.contains("ending in 678"));
    house.pass_seconds(4 * 60);
    until("the window to close", async || {
        (shop.payment().await["attempts"][0]["failureCode"] == 2001).then_some(())
    })
    .await;
    assert!(shop.shows(&house).await.contains("The payment was not approved"));
    house.open.pay(&shop.page, GOOD).await.is(200);
    house.close().await;
}

#[tokio::test]
async fn a_session_ends_when_the_buyer_leaves_or_lets_it_run_out() {
    let house = House::open().await;
    let left = Shop::open(&house, json!({})).await;
    let told = house.open.post(&left.page, &json!({"action": "leave"})).await.is(200);
    assert_eq!(told["status"], "cancelled");
    assert!(led_to(&house, &told).await.starts_with("http://shop.example.com/sorry?status=failed"));
    let tried = Shop::open(&house, json!({})).await;
    house.open.pay(&tried.page, DECLINED).await.is(200);
    let unused = Shop::open(&house, json!({})).await;
    house.pass_seconds(24 * 3600);
    for (shop, status) in [(&left, "cancelled"), (&tried, "failed"), (&unused, "cancelled")] {
        until("the session to end", async || {
            (shop.payment().await["status"] == status).then_some(())
        })
        .await;
        house.open.pay(&shop.page, GOOD).await.has_status(409);
    }
    assert!(unused.shows(&house).await.contains("This checkout is over"));
    house.close().await;
}

#[tokio::test]
async fn an_address_may_be_given_with_the_card_and_is_filled_in_where_it_is_known() {
    let house = House::open().await;
    let shop = Shop::open(&house, json!({"countryCode": "BE"})).await;
    let page = shop.shows(&house).await;
    let field = page.split_once("name=\"country\"").expect("a country").1;
    assert!(field.split('>').next().is_some_and(|field| field.contains("value=\"BE\"")), "{page}");
    let card = json!({
        "paymentMethod": "card", "cardNumber": GOOD, "expMonth": 12, "expYear": 2030, "cvv": "123",
    });
    let stranger = with(&card, json!({"country": "Belgium"}));
    let refused = house.open.post(&shop.page, &stranger).await;
    refused.refuses_saying(400, "country must be an ISO 3166-1 alpha-2 code");
    let attempts = &shop.payment().await["attempts"];
    assert!(attempts.as_array().is_none_or(Vec::is_empty), "{attempts}");
    let given = with(&card, json!({"country": "be", "zip": "1000"}));
    assert_eq!(house.open.post(&shop.page, &given).await.is(200)["status"], "provider_completed");
    house.close().await;
}

#[tokio::test]
async fn unknown_sessions_are_told_to_people_and_programs() {
    let house = House::open().await;
    let page = format!("{}/checkout/nothing", house.open.origin);
    let shown = house.open.open_page(&page).await;
    assert_eq!((shown.status, shown.media_type()), (404, "text/html"));
    house.open.pay(&page, GOOD).await.refuses_saying(404, "not found");
    house.open.get("/checkout/nothing/logo").await.refuses_saying(404, "not found");
    house.close().await;
}

#[tokio::test]
async fn a_logo_is_served_from_here() {
    let house = House::open().await;
    let (url, host) = logo_host().await;
    let shop = Shop::open(&house, json!({"logoUrl": url})).await;
    assert!(shop.shows(&house).await.contains("/logo\" alt=\"\""));
    for _ in 0..2 {
        let logo = house.open.get(&format!("{}/logo", shop.page)).await;
        assert_eq!((logo.status, logo.media_type()), (200, "image/png"));
        assert_eq!(logo.header("x-content-type-options"), Some("nosniff"));
    }
    host.abort();
    let _ = host.await;
    let plain = Shop::open(&house, json!({})).await;
    house.open.get(&format!("{}/logo", plain.page)).await.has_status(404);
    house.close().await;
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
