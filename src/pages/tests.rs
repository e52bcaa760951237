//! The pages over HTTP: an invoice is paid as a browser without JavaScript would pay it.

mod house;

use self::house::{House, form};

const APPROVES: &str = "4242424242424242";
const CHALLENGES: &str = "4000000000003220";

#[tokio::test(flavor = "multi_thread")]
async fn an_invoice_is_paid_and_the_page_becomes_its_receipt() {
    let house = House::open().await;
    let pay = house.invoice(1, 12_50).await;
    let page = house.get(&pay).await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("€12.50") && page.body.contains("Pay by card"), "{}", page.body);
    assert_eq!(page.header("cache-control"), Some("no-store"));
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");

    let answer = house.post(&pay, &form(APPROVES, "30")).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let receipt = house.get(answer.header("location").expect("a place to go")).await;
    assert!(receipt.body.contains("Payment received"), "{}", receipt.body);
    assert!(receipt.body.contains("Visa ending in 4242"), "{}", receipt.body);

    let again = house.post(&pay, &form(APPROVES, "30")).await;
    assert_eq!(again.status, 409);
    let paid = house.until_paid(&pay).await;
    assert_eq!(paid.outstanding_minor, 0);
    assert!(house.get(&pay).await.body.contains("Payment received"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_answered_in_json() {
    let house = House::open().await;
    let pay = house.invoice(1, 99).await;
    let card = r#"{"cardNumber":"4000000000003220","expMonth":12,"expYear":2030,"cvv":"123"}"#;
    let answer = house.post_json(&pay, card).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let told = answer.json();
    assert_eq!(told["status"], "provider_pending");
    let action = told["actionUrl"].as_str().expect("a place to confirm").to_owned();
    assert_eq!(told["redirectUrl"], action.as_str());
    let path = &action[action.find("/scheme/").expect("the bank")..];
    let approved = house.post_json(path, r#"{"action":"approve"}"#).await.json();
    assert_eq!(approved["status"], "provider_completed");
    assert!(approved["paymentId"].as_str().expect("a reference").starts_with("1000001-"));

    let wrong = house.post_json(path, r#"{"action":"maybe"}"#).await;
    assert_eq!(
        (wrong.status, wrong.json()["error"].as_str()),
        (400, Some("action must be approve, decline or cancel"))
    );
    let late = house.post_json(&pay, card).await;
    assert_eq!(
        (late.status, late.json()["error"].as_str()),
        (409, Some("the invoice is already paid"))
    );
    let broken = house.post_json(&pay, "{").await;
    assert_eq!(
        (broken.status, broken.json()["error"].as_str()),
        (400, Some("invalid request body"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_fields_are_told_beside_them_and_secrets_are_not_sent_back() {
    let house = House::open().await;
    let pay = house.invoice(1, 99).await;
    let body = "cardNumber=4242424242424241&expMonth=13&expYear=30&cvv=987&holderName=Ada";
    let page = house.post(&pay, body).await;
    assert_eq!(page.status, 400);
    for said in ["cardNumber-problem", "expiry-problem", r#"value="Ada""#] {
        assert!(page.body.contains(said), "{said}");
    }
    assert!(!page.body.contains("4242424242424241") && !page.body.contains("987"));
    let json = house.post_json(&pay, r#"{"cardNumber":"1"}"#).await;
    assert_eq!(json.json()["error"], "cardNumber must have 12 to 19 digits");
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_told_and_another_card_may_follow() {
    let house = House::open().await;
    let pay = house.invoice(1, 99).await;
    for (number, year, said) in [
        ("4000000000000002", "30", "Your bank declined the payment"),
        ("4000000000000259", "30", "The bank could not be reached"),
        ("4000000000000101", "30", "This payment could not be accepted"),
        (APPROVES, "20", "This card has expired"),
    ] {
        let answer = house.post(&pay, &form(number, year)).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        let page = house.get(answer.header("location").expect("a place to go")).await;
        assert!(page.body.contains(said) && page.body.contains("Pay by card"), "{}", page.body);
    }
    assert_eq!(house.post(&pay, &form(APPROVES, "30")).await.status, 303);
    house.until_paid(&pay).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bank_is_asked_answered_and_left() {
    let house = House::open().await;
    for (action, told, open) in [
        ("decline", "Your bank declined the payment", true),
        ("cancel", "The payment was cancelled", true),
        ("approve", "Payment received", false),
    ] {
        let pay = house.invoice(1, 99).await;
        let answer = house.post(&pay, &form(CHALLENGES, "30")).await;
        let scheme = answer.header("location").expect("the bank").to_owned();
        assert!(scheme.starts_with("/scheme/"), "{scheme}");
        assert!(house.get(&pay).await.body.contains(r#"href="/scheme/"#), "the page leads on");
        let question = house.get(&scheme).await;
        assert!(question.body.contains("Confirm your payment"), "{}", question.body);
        assert_eq!(house.post(&scheme, "action=").await.status, 400);

        let answer = house.post(&scheme, &format!("action={action}")).await;
        assert_eq!(answer.status, 303);
        let back = answer.header("location").expect("back").to_owned();
        assert!(back.starts_with("/return/"), "{back}");
        let status = house.get(&back).await;
        assert!(status.body.contains(told), "{}", status.body);
        assert_eq!(status.body.contains(&pay), open, "{}", status.body);
        assert_eq!(house.post(&scheme, "action=approve").await.status, 409);
        assert_eq!(house.get(&scheme).await.status, 303);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_addresses_are_friendly_to_people_and_plain_to_programs() {
    let house = House::open().await;
    for path in ["/pay/nothing", "/scheme/nothing", "/return/nothing", "/pay/%00"] {
        let page = house.get(path).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.body.starts_with("<!doctype html>"), "{path}: {}", page.body);
    }
    let json = house.post_json("/pay/nothing", "{}").await;
    assert_eq!((json.status, json.json()["error"].as_str()), (404, Some("not found")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_was_cut_off_or_ends_with_a_slash_is_answered_in_words() {
    let house = House::open().await;
    let pay = house.invoice(1, 99).await;
    let with_code = format!("{pay}?promoCode=x");
    for (asked, page) in [
        (format!("{pay}/"), pay.as_str()),
        (format!("{pay}/?promoCode=x"), with_code.as_str()),
        ("/docs/".to_owned(), "/docs"),
    ] {
        let led = house.get(&asked).await;
        assert_eq!((led.status, led.header("location")), (303, Some(page)), "{asked}");
    }
    for path in ["/pay", "/pay/", "/checkout/", "/portal/a/b/c", "/return/a/b/", "/dashboard/a/b/c"]
    {
        let page = house.get(path).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.body.starts_with("<!doctype html>"), "{path}: {}", page.body);
        assert_eq!(page.header("cache-control"), Some("no-store"), "{path}");
    }
    // What cannot stand in a header leads nowhere.
    for path in ["/pay/é/", "/docs/?é"] {
        assert_eq!(house.get(path).await.status, 404, "{path}");
    }
    let json = house.post_json(&format!("{pay}/"), "{}").await;
    assert_eq!((json.status, json.json()["error"].as_str()), (404, Some("not found")));
    assert_eq!(house.get("/nothing/").await.body, r#"{"error":"not found"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_files_of_the_pages_are_served() {
    let house = House::open().await;
    let pay = house.invoice(1, 99).await;
    let page = house.get(&pay).await.body;
    for (at, _) in page.match_indices("/assets/") {
        let path = page[at..].split('"').next().expect("a path");
        let file = house.get(path).await;
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
        assert!(file.header("cache-control").expect("kept").contains("immutable"));
    }
    assert_eq!(house.get("/assets/other.css").await.status, 404);
}
