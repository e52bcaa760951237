//! Which processor a terminal leads to.

use super::*;
use crate::domain::ids::SellerId;
use crate::domain::money::Currency;
use crate::domain::payments::terminal::{BaseUrl, Rail, TerminalStatus};
use crate::domain::platform::seller::Mode;

fn secrets(key: u8) -> SecretBox {
    SecretBox::new(&[key; 32])
}

fn terminal(id: u64, access: Option<Access>) -> Terminal {
    Terminal {
        id: TerminalId(id),
        seller: SellerId(1),
        name: "Live".to_owned(),
        rail: Rail::Card,
        methods: vec!["card".to_owned()],
        currencies: vec![Currency::EUR],
        countries: Vec::new(),
        mode: Mode::Live,
        connector: Connector::Stripe,
        status: TerminalStatus::Active,
        access,
        multicapture: false,
    }
}

fn access(id: u64, key: &str) -> Option<Access> {
    let place = Place::TerminalKey(SellerId(1), TerminalId(id));
    let base_url = BaseUrl::parse("https://api.stripe.com").expect("a URL");
    Some(Access { base_url, secret_key: secrets(7).seal(place, key.as_bytes(), [1; 24]) })
}

fn processors(key: u8) -> Processors {
    Processors::new(Arc::new(Simulator), secrets(key))
}

#[test]
fn an_account_outside_is_kept_until_its_access_changes() {
    let processors = processors(7);
    let of = |terminal: &Terminal| processors.stripe(terminal).expect("a processor");
    let first = of(&terminal(1, access(1, "sk_1")));
    assert!(Arc::ptr_eq(&first, &of(&terminal(1, access(1, "sk_1")))));
    assert!(!Arc::ptr_eq(&first, &of(&terminal(2, access(2, "sk_1")))), "another terminal");
    let changed = of(&terminal(1, access(1, "sk_2")));
    assert!(!Arc::ptr_eq(&first, &changed), "another key");
    assert!(Arc::ptr_eq(&changed, &of(&terminal(1, access(1, "sk_2")))));
}

#[test]
fn an_account_without_a_key_that_opens_cannot_be_asked() {
    let sealed = terminal(1, access(1, "sk_1"));
    assert_eq!(processors(8).of(&sealed).err(), Some(Unreachable::Key(CannotOpen)));
    let silent = terminal(1, None);
    assert_eq!(processors(7).of(&silent).err(), Some(Unreachable::NoAccess));
}

#[test]
fn no_text_for_the_log_holds_a_key() {
    let processors = processors(7);
    let processor = processors.of(&terminal(1, access(1, "sk_live_secret"))).expect("a processor");
    let text = format!("{processor:?} {processors:?}");
    assert!(text.contains("https://api.stripe.com"), "{text}");
    assert!(!text.contains("sk_live_secret"), "{text}");
}

#[test]
fn terminals_of_demo_mode_lead_to_the_simulator() {
    let demo = Terminal { connector: Connector::Simulator, ..terminal(1, None) };
    let processor = processors(7).of(&demo).expect("a processor");
    assert_eq!(format!("{processor:?}"), "Simulator");
}
