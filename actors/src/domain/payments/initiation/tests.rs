//! Every check of an initiation, one operation a line.

use proptest::prelude::*;

use super::*;
use crate::domain::money::{AMOUNT_LIMIT, Currency};
use crate::domain::payments::amount::AmountRefusal;
use crate::domain::payments::card::{CardInput, CardProblem};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{ForcedRefund, ReturnLink};
use crate::domain::platform::seller;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn card(number: &str) -> CardInput {
    CardInput {
        number: number.into(),
        cvv: "123".into(),
        exp_month: Some(12),
        exp_year: Some(2030),
        holder: "Ada Lovelace".to_owned(),
        ..CardInput::default()
    }
}

fn by_card() -> InitiationRequest {
    InitiationRequest {
        currency: some("EUR"),
        amount: some("12.5"),
        reference: some("order-1"),
        card: Some(card("4242424242424242")),
        ..InitiationRequest::default()
    }
}

fn local(method: &str, currency: &str, country: &str) -> InitiationRequest {
    InitiationRequest {
        currency: some(currency),
        payment_type: some("apm"),
        payment_method: some(method),
        country: some(country),
        card: None,
        returns: ReturnsRequest { url: some("https://shop.example/back"), links: None },
        ..by_card()
    }
}

fn hosts() -> Vec<String> {
    vec!["shop.example".to_owned()]
}

fn checked(request: InitiationRequest) -> Result<Initiation, String> {
    let (hosts, defaults) = (hosts(), []);
    let rules = ReturnRules { demo: false, hosts: &hosts, defaults: &defaults };
    request.check(&rules).map_err(|refusal| refusal.to_string())
}

fn refusal(request: InitiationRequest) -> String {
    checked(request).expect_err("a refusal")
}

/// What is changed about a card payment, and the refusal.
type Row = (fn(&mut InitiationRequest), &'static str);

#[test]
fn the_first_wrong_field_is_named() {
    let rows: &[Row] = &[
        (|it| it.currency = None, "currencyCode is required"),
        (|it| it.currency = some(""), "currencyCode is required"),
        (
            |it| it.currency = some("eur"),
            "currencyCode must be one of EUR, USD, GBP, DKK, NOK, SEK",
        ),
        (
            |it| it.currency = some("JPY"),
            "currencyCode must be one of EUR, USD, GBP, DKK, NOK, SEK",
        ),
        (|it| it.amount = None, "amount must be greater than 0"),
        (|it| it.amount = some("0"), "amount must be greater than 0"),
        (|it| it.amount = some("-1"), "amount must be greater than 0"),
        (|it| it.amount = some("1.005"), "amount has more decimals than EUR has"),
        (|it| it.reference = None, "externalOrderRef is required"),
        (|it| it.reference = some(""), "externalOrderRef is required"),
        (
            |it| it.reference = some(".."),
            "externalOrderRef must have 1 to 128 printable characters and be neither . nor ..",
        ),
        (|it| it.payment_type = some("cash"), "paymentType must be card or apm"),
        (
            |it| it.payment_method = some("wero"),
            "paymentMethod wero is not supported for paymentType card",
        ),
        (
            |it| it.payment_method = some("gold"),
            "paymentMethod gold is not supported for paymentType card",
        ),
        (|it| it.payment_type = some("apm"), "paymentMethod is required"),
        (|it| it.country = some("XX"), "countryCode must be an ISO 3166-1 alpha-2 country code"),
        (|it| it.card = None, "cardData is required"),
        (|it| it.card = Some(card("4242424242424241")), "cardNumber is not a valid card number"),
        (|it| it.payment_method = some("apple_pay"), "walletData is required"),
        (
            |it| {
                it.payment_method = some("google_pay");
                it.wallet = Some(WalletRequest::default());
            },
            "walletData.paymentToken is required",
        ),
        (|it| it.returns.links = Some(Vec::new()), "valid returnLinks are required"),
        (|it| it.returns.url = some("/back"), "returnUrl must be an absolute URL"),
        (|it| it.returns.url = some("http://shop.example"), "returnUrl must use https"),
        (
            |it| it.returns.url = some("https://elsewhere.example"),
            "returnUrl cannot be used until allowed return hosts are configured",
        ),
        (
            |it| it.capture.mode = some("manual"),
            "manual capture needs captureMode manual and autoSettlement false",
        ),
        (|it| it.capture.mode = some("later"), "captureMode must be automatic or manual"),
        (
            |it| {
                it.billing = Some(BillingRequest {
                    countries: [some("XX"), None],
                    ..BillingRequest::default()
                })
            },
            "billingDetails.countryCode must be an ISO 3166-1 alpha-2 country code",
        ),
        (
            |it| {
                it.billing = Some(BillingRequest {
                    city: Some("x".repeat(256)),
                    ..BillingRequest::default()
                })
            },
            "billingDetails.city must have at most 255 characters",
        ),
    ];
    for (change, text) in rows {
        let mut request = by_card();
        change(&mut request);
        assert_eq!(refusal(request), *text);
    }
    let mut all = InitiationRequest::default();
    assert_eq!(refusal(all), "currencyCode is required");
    all = InitiationRequest { currency: some("EUR"), ..InitiationRequest::default() };
    assert_eq!(refusal(all), "amount must be greater than 0");
}

#[test]
fn local_methods_are_taken_where_they_are_known() {
    for (method, currency, country) in [
        ("bancontact", "EUR", "BE"),
        ("multibanco", "EUR", "PT"),
        ("mbway", "EUR", "PT"),
        ("wero", "EUR", "FR"),
        ("swish", "SEK", "SE"),
    ] {
        let initiation = checked(local(method, currency, country)).expect("a payment");
        assert_eq!(initiation.method.name(), method);
        assert!(matches!(initiation.source, Source::Local));
    }
    for (method, currency, country) in
        [("bancontact", "EUR", "NL"), ("swish", "EUR", "SE"), ("ideal", "EUR", "NL")]
    {
        let text = format!(
            "paymentMethod {method} is not supported for currency {currency} and country {country}"
        );
        assert_eq!(refusal(local(method, currency, country)), text);
    }
    let cards = refusal(local("apple_pay", "EUR", "BE"));
    assert_eq!(cards, "paymentMethod apple_pay is not supported for paymentType apm");
    let mut nowhere = local("wero", "EUR", "DE");
    nowhere.country = None;
    assert_eq!(refusal(nowhere), "countryCode is required");
    let mut held = local("wero", "EUR", "DE");
    held.capture = CaptureRequest { auto_settlement: Some(false), mode: some("manual") };
    assert_eq!(refusal(held), "captureMode manual is not supported for paymentMethod wero");
}

#[test]
fn telephone_numbers_are_read_with_local_methods_alone() {
    for (phone, right) in [
        ("+35191234567", true),
        ("+12345678", true),
        ("+123456789012345", true),
        ("+1234567", false),
        ("+1234567890123456", false),
        ("35191234567", false),
        ("+351 91234567", false),
        ("+", false),
        ("", false),
    ] {
        let request = InitiationRequest { phone: some(phone), ..local("mbway", "EUR", "PT") };
        let kept = checked(request).map(|initiation| initiation.phone);
        let expected = if right {
            Ok(some(phone))
        } else {
            Err("apmData.phone must be + and 8 to 15 digits".to_owned())
        };
        assert_eq!(kept, expected, "{phone}");
    }
    let unread = InitiationRequest { phone: some("none"), ..by_card() };
    assert_eq!(checked(unread).expect("a payment").phone, None);
}

#[test]
fn manual_capture_is_said_twice_or_not_at_all() {
    for (auto, mode, expected) in [
        (None, None, Some(CaptureMode::Automatic)),
        (Some(true), None, Some(CaptureMode::Automatic)),
        (None, Some("automatic"), Some(CaptureMode::Automatic)),
        (Some(true), Some("automatic"), Some(CaptureMode::Automatic)),
        (Some(false), Some("manual"), Some(CaptureMode::Manual)),
        (Some(false), None, None),
        (None, Some("manual"), None),
        (Some(true), Some("manual"), None),
        (Some(false), Some("automatic"), None),
    ] {
        let capture = CaptureRequest { auto_settlement: auto, mode: mode.and_then(some) };
        let found = checked(InitiationRequest { capture, ..by_card() });
        assert_eq!(found.ok().map(|initiation| initiation.capture), expected, "{auto:?} {mode:?}");
    }
}

fn link(rel: &str, href: &str, method: Option<&str>) -> LinkRequest {
    LinkRequest { rel: some(rel), href: some(href), method: method.and_then(some) }
}

#[test]
fn links_go_before_the_url_and_that_before_the_account() {
    let hosts = hosts();
    let defaults = [seller::ReturnLink {
        rel: "default".to_owned(),
        href: "https://account.example".to_owned(),
    }];
    let rules = ReturnRules { demo: false, hosts: &hosts, defaults: &defaults };
    let kept = |url: Option<&str>, links: Option<Vec<LinkRequest>>| {
        let returns = ReturnsRequest { url: url.and_then(some), links };
        let request = InitiationRequest { returns, ..local("wero", "EUR", "DE") };
        let links = request.check(&rules).expect("a payment").returns.links;
        links
            .into_iter()
            .map(|ReturnLink { rel, href }| format!("{rel} {href}"))
            .collect::<Vec<_>>()
    };
    let failed = link("on_failed", "https://anywhere.example/f", Some("GET"));
    let url = Some("https://SHOP.example/b");
    assert_eq!(kept(url, Some(vec![failed])), ["on_failed https://anywhere.example/f"]);
    assert_eq!(kept(url, None), ["default https://SHOP.example/b"]);
    assert_eq!(kept(url, Some(Vec::new())), ["default https://SHOP.example/b"]);
    assert_eq!(kept(None, None), ["default https://account.example"]);
    let nowhere =
        InitiationRequest { returns: ReturnsRequest::default(), ..local("wero", "EUR", "DE") };
    assert_eq!(refusal(nowhere), "valid returnLinks are required");
    assert!(checked(by_card()).expect("a payment").returns.links.is_empty());
    for wrong in [
        link("on_refund", "https://shop.example", None),
        link("default", "shop.example", None),
        link("default", "http://shop.example", None),
        link("default", "https://shop.example", Some("POST")),
        LinkRequest { href: None, ..link("default", "", None) },
        LinkRequest { rel: None, ..link("", "https://shop.example", None) },
    ] {
        let returns = ReturnsRequest { url: None, links: Some(vec![wrong]) };
        let request = InitiationRequest { returns, ..by_card() };
        assert_eq!(refusal(request), "valid returnLinks are required");
    }
}

#[test]
fn references_can_stand_in_a_path() {
    let long = "r".repeat(129);
    for (reference, right) in [
        ("order-1", true),
        ("Bestellung 7/β?", true),
        ("...", true),
        (&long[..128], true),
        (&long, false),
        (".", false),
        ("..", false),
        ("a\nb", false),
        ("\u{7f}", false),
    ] {
        assert_eq!(check_reference(some(reference)).is_ok(), right, "{reference:?}");
    }
}

#[test]
fn amounts_are_read_by_their_value() {
    for (text, expected) in [
        ("12.5", Ok(1_250)),
        ("12.50", Ok(1_250)),
        ("12.500", Ok(1_250)),
        ("1", Ok(100)),
        ("0.01", Ok(1)),
        ("1e2", Ok(10_000)),
        ("1E+2", Ok(10_000)),
        ("125e-1", Ok(1_250)),
        ("0.0001e2", Ok(1)),
        ("10000000000000.00", Ok(AMOUNT_LIMIT)),
        ("10000000000000.01", Err(AmountRefusal::TooLarge)),
        ("1e400", Err(AmountRefusal::TooLarge)),
        ("1e99999999999999999999", Err(AmountRefusal::TooLarge)),
        ("1e-400", Err(AmountRefusal::Decimals(Currency::EUR))),
        ("1e-99999999999999999999", Err(AmountRefusal::Decimals(Currency::EUR))),
        ("0.001", Err(AmountRefusal::Decimals(Currency::EUR))),
        ("0", Err(AmountRefusal::NotPositive)),
        ("-0.00", Err(AmountRefusal::NotPositive)),
        ("0e999", Err(AmountRefusal::NotPositive)),
        ("-12.5", Err(AmountRefusal::NotPositive)),
        ("NaN", Err(AmountRefusal::Malformed)),
        ("", Err(AmountRefusal::Malformed)),
        (".5", Err(AmountRefusal::Malformed)),
    ] {
        assert_eq!(minor_of_number(text, Currency::EUR), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn every_way_to_write_an_amount_reads_alike(minor in 1..AMOUNT_LIMIT, shift in 0_usize..12) {
        let plain = format!("{}.{:02}", minor / 100, minor % 100);
        prop_assert_eq!(minor_of_number(&plain, Currency::EUR), Ok(minor));
        let (zeros, scale) = ("0".repeat(shift), shift + 2);
        let long = format!("{minor}{zeros}e-{scale}");
        prop_assert_eq!(minor_of_number(&long, Currency::EUR), Ok(minor));
    }
}

#[test]
fn a_replay_differs_by_its_card_and_not_by_its_code() {
    let of = |number: &str, cvv: &str| {
        let card = CardInput { cvv: cvv.into(), ..card(number) };
        checked(InitiationRequest { card: Some(card), ..by_card() }).expect("a payment")
    };
    let first = of("4242424242424242", "123").intent(b"key");
    assert_eq!(of("4242 4242 4242 4242", "999").intent(b"key"), first);
    assert_ne!(of("5555555555554444", "123").intent(b"key"), first);
    assert_ne!(of("4242424242424242", "123").intent(b"other"), first);
}

#[test]
fn wallets_bring_their_contact() {
    let contact = BillingRequest {
        countries: [None, some("DE")],
        zip: some("10115"),
        names: [some("Ada"), some("Lovelace")],
        ..BillingRequest::default()
    };
    let wallet = WalletRequest {
        token: Some("token".into()),
        contact: Some(contact),
        ..WalletRequest::default()
    };
    let request =
        InitiationRequest { payment_method: some("apple_pay"), wallet: Some(wallet), ..by_card() };
    let terms = checked(request).expect("a payment").terms("key", b"k", Vec::new());
    assert!(!terms.lacks_address());
    let billing = terms.billing.expect("details");
    assert_eq!(billing.name.as_deref(), Some("Ada Lovelace"));
    assert!(checked(by_card()).expect("a payment").terms("key", b"k", Vec::new()).lacks_address());
}

#[test]
fn the_simulator_obeys_known_words_alone() {
    for code in FailureCode::ALL {
        assert_eq!(forced_failure(&format!("force_failure={}", code.code())), Ok(*code));
    }
    for word in [
        "",
        "force_failure=",
        "force_failure=0",
        "force_failure=2006",
        "force_failure=02001",
        "2001",
        "force_refund=cancelled",
    ] {
        assert_eq!(forced_failure(word), Err(SimulatorRefusal::Payment), "{word}");
    }
    let early = ForcedRefund::Fails(FailureCode::RefundTooEarly);
    assert_eq!(forced_refund("force_failure=2004"), Ok(early));
    assert_eq!(forced_refund("force_refund=cancelled"), Ok(ForcedRefund::Cancelled));
    for word in ["", "force_failure=2001", "force_refund=failed"] {
        assert_eq!(forced_refund(word), Err(SimulatorRefusal::Refund), "{word}");
    }
}

#[test]
fn the_first_problem_of_a_card_is_reported() {
    let card = CardInput { cvv: "1".into(), exp_month: Some(13), ..card("4242424242424242") };
    let text = refusal(InitiationRequest { card: Some(card), ..by_card() });
    assert_eq!(text, CardProblem::ExpMonth.to_string());
}
