//! Every check of an initiation, one operation a line.

use actors::domain::payments::card::CardProblem;
use actors::domain::payments::payment::{CaptureMode, ReturnLink};

use serde_json::json;

use super::*;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn major(text: &str) -> Option<Major> {
    Some(serde_json::from_str(text).expect("a number"))
}

fn token(token: Value) -> Option<WalletDataBody> {
    let token = serde_json::from_value(token).expect("a token");
    Some(WalletDataBody { payment_token: Some(token), ..WalletDataBody::default() })
}

fn card(number: &str) -> CardBody {
    CardBody {
        card_number: Some(number.into()),
        cvv: Some("123".into()),
        exp_month: Some(12),
        exp_year: Some(2030),
        holder_name: some("Ada Lovelace"),
    }
}

fn by_card() -> InitiationBody {
    InitiationBody {
        currency_code: some("EUR"),
        amount: major("12.5"),
        external_order_ref: some("order-1"),
        card_data: Some(card("4242424242424242")),
        ..InitiationBody::default()
    }
}

fn local(method: &str, currency: &str, country: &str) -> InitiationBody {
    InitiationBody {
        currency_code: some(currency),
        payment_type: some("apm"),
        payment_method: some(method),
        country_code: some(country),
        card_data: None,
        return_url: some("https://shop.example/back"),
        return_links: None,
        ..by_card()
    }
}

fn hosts() -> Vec<String> {
    vec!["shop.example".to_owned()]
}

fn checked(request: InitiationBody) -> Result<Initiation, String> {
    let (hosts, defaults) = (hosts(), []);
    let rules = ReturnRules { demo: false, hosts: &hosts, defaults: &defaults, is_new: true };
    request.parse(&rules).map_err(|refusal| refusal.to_string())
}

fn refusal(request: InitiationBody) -> String {
    checked(request).expect_err("a refusal")
}

/// What is changed about a card payment, and the refusal.
type Row = (fn(&mut InitiationBody), &'static str);

#[test]
fn the_first_wrong_field_is_named() {
    let rows: &[Row] = &[
        (|it| it.currency_code = None, "currencyCode is required"),
        (|it| it.currency_code = some(""), "currencyCode is required"),
        (
            |it| it.currency_code = some("eur"),
            "currencyCode must be one of EUR, USD, GBP, DKK, NOK, SEK",
        ),
        (
            |it| it.currency_code = some("JPY"),
            "currencyCode must be one of EUR, USD, GBP, DKK, NOK, SEK",
        ),
        (|it| it.amount = None, "amount must be greater than 0"),
        (|it| it.amount = major("0"), "amount must be greater than 0"),
        (|it| it.amount = major("-1"), "amount must be greater than 0"),
        (|it| it.amount = major("1.005"), "amount has more decimals than EUR has"),
        (|it| it.external_order_ref = None, "externalOrderRef is required"),
        (|it| it.external_order_ref = some(""), "externalOrderRef is required"),
        (
            |it| it.external_order_ref = some(".."),
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
        (
            |it| it.country_code = some("XX"),
            "countryCode must be an ISO 3166-1 alpha-2 country code",
        ),
        (|it| it.card_data = None, "cardData is required"),
        (
            |it| it.card_data = Some(card("4242424242424241")),
            "cardNumber is not a valid card number",
        ),
        (|it| it.payment_method = some("apple_pay"), "walletData is required"),
        (
            |it| {
                it.payment_method = some("google_pay");
                it.wallet_data = Some(WalletDataBody::default());
            },
            "walletData.paymentToken is required",
        ),
        (
            |it| {
                it.payment_method = some("google_pay");
                it.wallet_data = token(json!({"paymentMethod": {"network": "Visa"}}));
            },
            "walletData.paymentToken.decryptedData is required",
        ),
        (
            |it| {
                it.payment_method = some("google_pay");
                it.wallet_data = token(json!({"decryptedData": [1]}));
            },
            "walletData.paymentToken.decryptedData must be an object or a text",
        ),
        (|it| it.return_links = Some(Vec::new()), "valid returnLinks are required"),
        (|it| it.return_url = some("/back"), "returnUrl must be an absolute URL"),
        (|it| it.return_url = some("http://shop.example"), "returnUrl must use https"),
        (
            |it| it.return_url = some("https://elsewhere.example"),
            "returnUrl cannot be used until allowed return hosts are configured",
        ),
        (
            |it| it.capture_mode = some("manual"),
            "manual capture needs captureMode manual and autoSettlement false",
        ),
        (|it| it.capture_mode = some("later"), "captureMode must be automatic or manual"),
        (
            |it| {
                it.billing_details =
                    Some(BillingBody { country_code: some("XX"), ..BillingBody::default() })
            },
            "billingDetails.countryCode must be an ISO 3166-1 alpha-2 country code",
        ),
        (
            |it| {
                it.billing_details =
                    Some(BillingBody { country: some("Germany"), ..BillingBody::default() })
            },
            "billingDetails.country must be an ISO 3166-1 alpha-2 country code",
        ),
        (
            |it| {
                it.billing_details =
                    Some(BillingBody { city: Some("x".repeat(256)), ..BillingBody::default() })
            },
            "billingDetails.city must have at most 255 characters",
        ),
    ];
    for (change, text) in rows {
        let mut request = by_card();
        change(&mut request);
        assert_eq!(refusal(request), *text);
    }
    let mut all = InitiationBody::default();
    assert_eq!(refusal(all), "currencyCode is required");
    all = InitiationBody { currency_code: some("EUR"), ..InitiationBody::default() };
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
    nowhere.country_code = None;
    assert_eq!(refusal(nowhere), "countryCode is required");
    let mut held = local("wero", "EUR", "DE");
    held.auto_settlement = Some(false);
    held.capture_mode = some("manual");
    assert_eq!(refusal(held), "captureMode manual is not supported for paymentMethod wero");
}

fn apm(phone: &str) -> Option<ApmBody> {
    Some(ApmBody { phone: some(phone) })
}

#[test]
fn telephone_numbers_are_read_with_mb_way_alone() {
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
        let request = InitiationBody { apm_data: apm(phone), ..local("mbway", "EUR", "PT") };
        let kept = checked(request).map(|initiation| initiation.phone);
        let expected = if right {
            Ok(some(phone))
        } else {
            Err("apmData.phone must be + and 8 to 15 digits".to_owned())
        };
        assert_eq!(kept, expected, "{phone}");
    }
    for unread in [by_card(), local("bancontact", "EUR", "BE"), local("multibanco", "EUR", "PT")] {
        let unread = InitiationBody { apm_data: apm("none"), ..unread };
        assert_eq!(checked(unread).expect("a payment").phone, None);
    }
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
        let capture_mode = mode.and_then(some);
        let found = checked(InitiationBody { auto_settlement: auto, capture_mode, ..by_card() });
        assert_eq!(found.ok().map(|initiation| initiation.capture), expected, "{auto:?} {mode:?}");
    }
}

fn link(rel: &str, href: &str, method: Option<&str>) -> LinkBody {
    LinkBody { rel: some(rel), href: some(href), method: method.and_then(some) }
}

#[test]
fn links_go_before_the_url_and_that_before_the_account() {
    let hosts = hosts();
    let defaults =
        [ReturnLink { rel: "default".to_owned(), href: "https://account.example".to_owned() }];
    let rules = ReturnRules { demo: false, hosts: &hosts, defaults: &defaults, is_new: true };
    let kept = |url: Option<&str>, links: Option<Vec<LinkBody>>| {
        let return_url = url.and_then(some);
        let local = local("wero", "EUR", "DE");
        let request = InitiationBody { return_url, return_links: links, ..local };
        let links = request.parse(&rules).expect("a payment").returns.links;
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
    let nowhere = InitiationBody { return_url: None, ..local("wero", "EUR", "DE") };
    assert_eq!(refusal(nowhere), "valid returnLinks are required");
    assert!(checked(by_card()).expect("a payment").returns.links.is_empty());
    for wrong in [
        link("on_refund", "https://shop.example", None),
        link("default", "shop.example", None),
        link("default", "http://shop.example", None),
        link("default", "https://shop.example", Some("POST")),
        LinkBody { href: None, ..link("default", "", None) },
        LinkBody { rel: None, ..link("", "https://shop.example", None) },
    ] {
        let request = InitiationBody { return_links: Some(vec![wrong]), ..by_card() };
        assert_eq!(refusal(request), "valid returnLinks are required");
    }
}

#[test]
fn a_replay_differs_by_its_card_and_not_by_its_code() {
    let of = |number: &str, cvv: &str| {
        let card = CardBody { cvv: Some(cvv.into()), ..card(number) };
        checked(InitiationBody { card_data: Some(card), ..by_card() }).expect("a payment")
    };
    let first = of("4242424242424242", "123").intent(b"key");
    assert_eq!(of("4242 4242 4242 4242", "999").intent(b"key"), first);
    assert_ne!(of("5555555555554444", "123").intent(b"key"), first);
    assert_ne!(of("4242424242424242", "123").intent(b"other"), first);
}

#[test]
fn wallets_bring_their_contact() {
    let contact = BillingBody {
        country: some("DE"),
        zip: some("10115"),
        first_name: some("Ada"),
        last_name: some("Lovelace"),
        ..BillingBody::default()
    };
    let token = TokenBody { transaction_identifier: some("token"), ..TokenBody::default() };
    let wallet = WalletDataBody { payment_token: Some(token), billing_contact: Some(contact) };
    let request = InitiationBody {
        payment_method: some("apple_pay"),
        wallet_data: Some(wallet),
        ..by_card()
    };
    let terms = checked(request).expect("a payment").terms("key", b"k", Vec::new());
    assert!(!terms.lacks_address());
    let billing = terms.billing.expect("details");
    assert_eq!(billing.name.as_deref(), Some("Ada Lovelace"));
    assert!(checked(by_card()).expect("a payment").terms("key", b"k", Vec::new()).lacks_address());
}

#[test]
fn an_empty_field_gives_way_to_its_other_name() {
    let details = BillingBody {
        country: some("Germany"),
        country_code: some("DE"),
        zip: some(""),
        postal_code: some("10115"),
        address_line1: some(" "),
        street: some("Invalidenstr. 1"),
        ..BillingBody::default()
    };
    let request = InitiationBody { billing_details: Some(details), ..by_card() };
    let terms = checked(request).expect("a payment").terms("key", b"k", Vec::new());
    assert!(!terms.lacks_address());
    assert_eq!(terms.billing.expect("details").line1.as_deref(), Some("Invalidenstr. 1"));
    let token = TokenBody {
        decrypted_data: Some(Value::String(String::new())),
        transaction_identifier: some("token"),
        ..TokenBody::default()
    };
    assert!(token.parse().is_ok());
}

#[test]
fn the_first_problem_of_a_card_is_told() {
    let card = CardBody { cvv: Some("1".into()), exp_month: Some(13), ..card("4242424242424242") };
    let text = refusal(InitiationBody { card_data: Some(card), ..by_card() });
    assert_eq!(text, CardProblem::ExpMonth.to_string());
}
