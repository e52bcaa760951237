//! What makes a terminal, and what does not.

use actors::secrets::{Place, SecretBox};

use super::*;

const NONCE: [u8; 24] = [3; 24];
const PLACE: Place = Place::TerminalKey(SellerId(1), TerminalId(3));

fn secrets() -> SecretBox {
    SecretBox::new(&[7; 32])
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|&word| word.to_owned()).collect()
}

fn simulator() -> TerminalBody {
    TerminalBody {
        name: Some(" Cards ".to_owned()),
        rail: Some("card".to_owned()),
        methods: words(&["card", "apple_pay", "card"]),
        currencies: words(&["EUR", "GBP"]),
        mode: Some("demo".to_owned()),
        connector: Some("simulator".to_owned()),
        ..TerminalBody::default()
    }
}

fn stripe() -> TerminalBody {
    TerminalBody {
        mode: Some("live".to_owned()),
        connector: Some("stripe".to_owned()),
        base_url: Some("https://api.stripe.com/".to_owned()),
        secret_key: Some("sk_live_1".into()),
        ..simulator()
    }
}

fn save(request: TerminalBody, known: Option<&Terminal>) -> Result<Terminal, TerminalRefusal> {
    let seal = |key: &str| secrets().seal(PLACE, key.as_bytes(), NONCE);
    request.parse()?.saved(TerminalId(3), SellerId(1), known, seal)
}

#[test]
fn a_terminal_is_saved_as_it_was_sent() {
    let saved = save(simulator(), None).expect("a terminal");
    assert_eq!(saved.name, "Cards");
    assert_eq!(saved.methods, ["card", "apple_pay"], "each method once");
    assert_eq!((saved.status, saved.access), (TerminalStatus::Active, None));
    let disabled = TerminalBody { status: Some("disabled".to_owned()), ..simulator() };
    assert_eq!(save(disabled, None).expect("a terminal").status, TerminalStatus::Disabled);
}

#[test]
fn a_secret_key_is_sealed_and_kept_for_its_address_alone() {
    let first = save(stripe(), None).expect("a terminal");
    let access = first.access.clone().expect("access");
    assert_eq!(access.base_url.as_str(), "https://api.stripe.com");
    assert_eq!(
        secrets().open_text(PLACE, &access.secret_key).expect("the key").as_str(),
        "sk_live_1"
    );

    let silent = || TerminalBody { secret_key: None, ..stripe() };
    assert_eq!(save(silent(), None), Err(TerminalRefusal::Required("secretKey")));
    assert_eq!(save(silent(), Some(&first)).expect("a terminal").access, Some(access));
    let elsewhere = "https://elsewhere.example.com".to_owned();
    let moved = TerminalBody { base_url: Some(elsewhere), ..silent() };
    assert_eq!(save(moved.clone(), Some(&first)), Err(TerminalRefusal::OtherBaseUrl));
    let keyed = TerminalBody { secret_key: Some("sk_live_2".into()), ..moved };
    let moved = save(keyed, Some(&first)).expect("a terminal").access.expect("access");
    assert_eq!(
        secrets().open_text(PLACE, &moved.secret_key).expect("the key").as_str(),
        "sk_live_2"
    );
}

#[test]
fn each_field_is_refused_by_its_name() {
    type Change = fn(&mut TerminalBody);
    let cases: [(Change, &str); 20] = [
        (|it| it.name = None, "name is required"),
        (|it| it.name = Some("  ".to_owned()), "name must"),
        (|it| it.name = Some("x".repeat(129)), "name must"),
        (|it| it.rail = None, "rail is required"),
        (|it| it.rail = Some("bank".to_owned()), "rail must"),
        (|it| it.methods = Vec::new(), "methods must not be empty"),
        (|it| it.methods = words(&["wero"]), "methods must be of the rail: card, apple_pay, "),
        (|it| it.methods = words(&["cash"]), "methods must"),
        (|it| it.currencies = Vec::new(), "currencies must not be empty"),
        (|it| it.currencies = words(&["JPY"]), "currencies must be"),
        (|it| it.countries = words(&["Germany"]), "countries must"),
        (|it| it.mode = None, "mode is required"),
        (|it| it.mode = Some("test".to_owned()), "mode must"),
        (|it| it.mode = Some("demo".to_owned()), "connector must be simulator in demo mode"),
        (|it| it.connector = None, "connector is required"),
        (|it| it.connector = Some("adyen".to_owned()), "connector must be"),
        (|it| it.base_url = None, "baseUrl is required"),
        (|it| it.base_url = Some("http://example.com".to_owned()), "baseUrl must use https"),
        (|it| it.secret_key = Some("sk live".into()), "secretKey must"),
        (|it| it.status = Some("off".to_owned()), "status must"),
    ];
    for (change, text) in cases {
        let mut request = stripe();
        change(&mut request);
        let refusal = save(request, None).expect_err(text);
        assert!(refusal.to_string().starts_with(text), "{refusal}");
    }
}

#[test]
fn the_simulator_is_for_demo_mode_and_is_asked_nowhere() {
    let live = TerminalBody { mode: Some("live".to_owned()), ..simulator() };
    assert_eq!(save(live, None), Err(TerminalRefusal::ConnectorOfMode));
    let base_url = Some("https://api.stripe.com".to_owned());
    let reached = TerminalBody { base_url, ..simulator() };
    assert_eq!(save(reached, None), Err(TerminalRefusal::NotForSimulator("baseUrl")));
    let secret_key = Some("sk_live_1".into());
    let keyed = TerminalBody { secret_key, ..simulator() };
    assert_eq!(save(keyed, None), Err(TerminalRefusal::NotForSimulator("secretKey")));
}

fn save_own(request: TerminalBody, known: Option<&Terminal>) -> Result<Terminal, TerminalRefusal> {
    let seal = |_: &str| panic!("a seller gives no key");
    request.fields()?.of_seller(known)?.saved(TerminalId(3), SellerId(1), known, seal)
}

#[test]
fn a_seller_leaves_the_processor_and_the_status_as_the_operator_set_them() {
    let made = save_own(simulator(), None).expect("a terminal");
    assert_eq!((made.status, made.access), (TerminalStatus::Active, None));
    assert_eq!(save_own(stripe(), None), Err(TerminalRefusal::OfOperator));
    let disabled = TerminalBody { status: Some("disabled".to_owned()), ..stripe() };
    let known = save(disabled, None).expect("a terminal");
    let elsewhere = Some("http://127.0.0.1:1".to_owned());
    let currencies = words(&["USD"]);
    let changed = TerminalBody { base_url: elsewhere, currencies, ..stripe() };
    let saved = save_own(changed, Some(&known)).expect("a terminal");
    assert_eq!((saved.status, &saved.access), (TerminalStatus::Disabled, &known.access));
    assert_eq!(saved.currencies.len(), 1);
    assert_eq!(save_own(simulator(), Some(&known)), Err(TerminalRefusal::OfOperator));
    let demo = TerminalBody { mode: Some("demo".to_owned()), ..stripe() };
    assert_eq!(save_own(demo, Some(&known)), Err(TerminalRefusal::ConnectorOfMode));
    let simulated = save(simulator(), None).expect("a terminal");
    assert_eq!(save_own(stripe(), Some(&simulated)), Err(TerminalRefusal::OfOperator));
}
