//! Which requests hold, and what is said of the others.

use super::*;

fn now() -> Timestamp {
    Timestamp::parse("2027-01-15T09:00:00Z").expect("an instant")
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn major(text: &str) -> Option<Major> {
    Some(serde_json::from_str(text).expect("a number"))
}

fn urls(success: Option<&str>, failure: Option<&str>) -> Option<ReturnUrls> {
    let [success, failure] = [success, failure].map(|url| url.map(str::to_owned));
    Some(ReturnUrls { success, failure })
}

const THANKS: Option<&str> = Some("https://shop.example/thanks");
const SORRY: Option<&str> = Some("https://shop.example/sorry");

fn request() -> CheckoutBody {
    CheckoutBody {
        external_order_ref: some("order-1"),
        amount: major("12.5"),
        currency_code: some("EUR"),
        return_urls: urls(THANKS, SORRY),
        ..CheckoutBody::default()
    }
}

#[test]
fn the_least_that_is_needed_makes_a_session_for_a_day() {
    let draft = request().parse(false, now()).expect("a session");
    assert_eq!((draft.reference.as_str(), draft.amount.minor), ("order-1", 1_250));
    assert_eq!((draft.country, draft.capture), (None, CaptureMode::Automatic));
    let checkout = draft.checkout;
    assert_eq!(checkout.expires_at, now().plus_seconds(24 * 3600));
    assert_eq!((checkout.begun, checkout.trying, checkout.force_challenge), (0, false, false));
}

#[test]
fn the_whole_of_it_is_kept() {
    let request = CheckoutBody {
        country_code: some("BE"),
        auto_settlement: Some(false),
        description: some("  Two tickets "),
        force_3ds: Some(true),
        locale: some("nl-BE"),
        logo_url: some("https://shop.example/logo.png"),
        seller_merchant_name: some("Shop"),
        ..request()
    };
    let draft = request.parse(false, now()).expect("a session");
    assert_eq!(draft.country, Country::parse("BE"));
    assert_eq!(draft.capture, CaptureMode::Manual);
    let checkout = draft.checkout;
    assert_eq!(checkout.description.as_deref(), Some("Two tickets"));
    assert_eq!(checkout.seller_name.as_deref(), Some("Shop"));
    assert_eq!(checkout.logo_url.as_deref(), Some("https://shop.example/logo.png"));
    assert_eq!(checkout.locale.as_deref(), Some("nl-BE"));
    assert!(checkout.force_challenge);
}

#[test]
fn what_is_wrong_is_named() {
    let long = "x".repeat(501);
    let rows: Vec<(CheckoutBody, &str)> = vec![
        (CheckoutBody { currency_code: None, ..request() }, "currencyCode is required"),
        (
            CheckoutBody { currency_code: some("EURO"), ..request() },
            "currencyCode must be three capital letters",
        ),
        (CheckoutBody { amount: None, ..request() }, "amount must be greater than 0"),
        (CheckoutBody { amount: major("0"), ..request() }, "amount must be greater than 0"),
        (
            CheckoutBody { amount: major("1.005"), ..request() },
            "amount has more decimals than EUR has",
        ),
        (CheckoutBody { external_order_ref: None, ..request() }, "externalOrderRef is required"),
        (
            CheckoutBody { country_code: some("XX"), ..request() },
            "countryCode must be an ISO 3166-1 alpha-2 country code",
        ),
        (
            CheckoutBody { return_urls: urls(None, SORRY), ..request() },
            "returnUrls.success is required",
        ),
        (
            CheckoutBody { return_urls: urls(THANKS, Some("")), ..request() },
            "returnUrls.failure is required",
        ),
        (
            CheckoutBody { return_urls: urls(Some("/thanks"), SORRY), ..request() },
            "returnUrls.success must be an absolute URL",
        ),
        (
            CheckoutBody { return_urls: urls(THANKS, Some("http://shop.example/")), ..request() },
            "returnUrls.failure must use https",
        ),
        (
            CheckoutBody { logo_url: some("https://me@shop.example/"), ..request() },
            "logoUrl must not have user info",
        ),
        (
            CheckoutBody { description: Some(long.clone()), ..request() },
            "description must have at most 500 characters",
        ),
        (
            CheckoutBody { seller_merchant_name: Some(long), ..request() },
            "sellerMerchantName must have at most 200 characters",
        ),
        (
            CheckoutBody { locale: some("english please"), ..request() },
            "locale must be a language tag such as en-GB",
        ),
    ];
    for (request, said) in rows {
        let refused = request.parse(false, now()).expect_err(said);
        assert_eq!(refused.to_string(), said);
    }
}

#[test]
fn any_currency_will_do_and_demo_accounts_may_go_without_encryption() {
    let request = CheckoutBody {
        currency_code: some("JPY"),
        amount: major("500"),
        return_urls: urls(Some("http://localhost:3000/"), SORRY),
        ..request()
    };
    let draft = request.parse(true, now()).expect("a session");
    assert_eq!((draft.amount.minor, draft.amount.currency.code()), (500, "JPY"));
}
