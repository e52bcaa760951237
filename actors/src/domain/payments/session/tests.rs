//! Which requests hold, and what is reason of the others.

use super::*;

fn now() -> Timestamp {
    Timestamp::parse("2027-01-15T09:00:00Z").expect("an instant")
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn request() -> SessionRequest {
    SessionRequest {
        reference: some("order-1"),
        amount: some("12.5"),
        currency: some("EUR"),
        success: some("https://shop.example/thanks"),
        failure: some("https://shop.example/sorry"),
        ..SessionRequest::default()
    }
}

#[test]
fn the_least_that_is_needed_makes_a_session_for_a_day() {
    let draft = request().check("abc".to_owned(), false, now()).expect("a session");
    assert_eq!((draft.reference.as_str(), draft.amount.minor), ("order-1", 1_250));
    assert_eq!((draft.country, draft.capture), (None, CaptureMode::Automatic));
    let checkout = draft.checkout;
    assert_eq!(checkout.session, "abc");
    assert_eq!(checkout.expires_at, now().plus_seconds(24 * 3600));
    assert_eq!((checkout.begun, checkout.trying, checkout.force_challenge), (0, false, false));
}

#[test]
fn the_whole_of_it_is_kept() {
    let request = SessionRequest {
        country: some("BE"),
        auto_settlement: Some(false),
        description: some("  Two tickets "),
        force_challenge: Some(true),
        locale: some("nl-BE"),
        logo: some("https://shop.example/logo.png"),
        seller_name: some("Shop"),
        ..request()
    };
    let draft = request.check("abc".to_owned(), false, now()).expect("a session");
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
    let rows: Vec<(SessionRequest, &str)> = vec![
        (SessionRequest { currency: None, ..request() }, "currencyCode is required"),
        (
            SessionRequest { currency: some("EURO"), ..request() },
            "currencyCode must be an ISO 4217 code",
        ),
        (SessionRequest { amount: None, ..request() }, "amount must be greater than 0"),
        (SessionRequest { amount: some("0"), ..request() }, "amount must be greater than 0"),
        (
            SessionRequest { amount: some("1.005"), ..request() },
            "amount has more decimals than EUR has",
        ),
        (SessionRequest { reference: None, ..request() }, "externalOrderRef is required"),
        (
            SessionRequest { country: some("XX"), ..request() },
            "countryCode must be an ISO 3166-1 alpha-2 country code",
        ),
        (SessionRequest { success: None, ..request() }, "returnUrls.success is required"),
        (SessionRequest { failure: some(""), ..request() }, "returnUrls.failure is required"),
        (
            SessionRequest { success: some("/thanks"), ..request() },
            "returnUrls.success must be an absolute URL",
        ),
        (
            SessionRequest { failure: some("http://shop.example/"), ..request() },
            "returnUrls.failure must use https",
        ),
        (
            SessionRequest { logo: some("https://me@shop.example/"), ..request() },
            "logoUrl must not have user info",
        ),
        (
            SessionRequest { description: Some(long.clone()), ..request() },
            "description must have at most 500 characters",
        ),
        (
            SessionRequest { seller_name: Some(long), ..request() },
            "sellerMerchantName must have at most 200 characters",
        ),
        (
            SessionRequest { locale: some("english please"), ..request() },
            "locale must be a language tag such as en-GB",
        ),
    ];
    for (request, reason) in rows {
        let refused = request.check("abc".to_owned(), false, now()).expect_err(reason);
        assert_eq!(refused.to_string(), reason);
    }
}

#[test]
fn any_currency_will_do_and_demo_accounts_may_go_without_encryption() {
    let request = SessionRequest {
        currency: some("JPY"),
        amount: some("500"),
        success: some("http://localhost:3000/"),
        ..request()
    };
    let draft = request.check("abc".to_owned(), true, now()).expect("a session");
    assert_eq!((draft.amount.minor, draft.amount.currency.code()), (500, "JPY"));
}
