use storage::{Record, cbor_encode};

use super::*;

#[test]
fn a_terminal_of_before_there_were_statuses_is_active() {
    #[derive(minicbor::Encode)]
    struct Before {
        #[n(0)]
        id: TerminalId,
        #[n(1)]
        seller: SellerId,
        #[n(2)]
        name: String,
        #[n(3)]
        rail: Rail,
        #[n(4)]
        methods: Vec<String>,
        #[n(5)]
        currencies: Vec<Currency>,
        #[n(6)]
        countries: Vec<Country>,
        #[n(7)]
        mode: Mode,
        #[n(8)]
        connector: u8,
    }
    let before = Before {
        id: TerminalId(1),
        seller: SellerId(2),
        name: "Cards".to_owned(),
        rail: Rail::Card,
        methods: vec!["card".to_owned()],
        currencies: vec![Currency::EUR],
        countries: Vec::new(),
        mode: Mode::Demo,
        connector: 0,
    };
    let read = Terminal::decode(1, &cbor_encode(&before)).expect("a terminal");
    assert_eq!((read.id, read.connector), (TerminalId(1), Connector::Simulator));
    assert_eq!((read.status, read.access), (TerminalStatus::Active, None));
}

#[test]
fn method_currency_and_country_must_all_match() {
    let terminal = Terminal {
        id: TerminalId(1),
        seller: SellerId(1),
        name: "Benelux".to_owned(),
        rail: Rail::Apm,
        methods: vec!["bancontact".to_owned()],
        currencies: vec![Currency::EUR],
        countries: vec![country("BE")],
        mode: Mode::Demo,
        connector: Connector::Simulator,
        status: TerminalStatus::Active,
        access: None,
        multicapture: false,
    };
    let dollar = Currency::parse("USD").expect("a currency");
    for (method, currency, from, expected) in [
        ("bancontact", Currency::EUR, Some(country("BE")), true),
        ("bancontact", Currency::EUR, None, true),
        ("bancontact", Currency::EUR, Some(country("NL")), false),
        ("bancontact", dollar, Some(country("BE")), false),
        ("wero", Currency::EUR, Some(country("BE")), false),
    ] {
        assert_eq!(terminal.takes(method, currency, from), expected);
    }
    let everywhere = Terminal { countries: Vec::new(), ..terminal };
    assert!(everywhere.takes("bancontact", Currency::EUR, Some(country("NL"))));
}

fn live(id: u64, rail: Rail) -> Terminal {
    Terminal {
        id: TerminalId(id),
        seller: SellerId(1),
        name: "T".to_owned(),
        rail,
        methods: rail.methods().iter().map(|&name| name.to_owned()).collect(),
        currencies: ACCEPTED_CURRENCIES.to_vec(),
        countries: Vec::new(),
        mode: Mode::Live,
        connector: Connector::Stripe,
        status: TerminalStatus::Active,
        access: None,
        multicapture: false,
    }
}

fn country(code: &str) -> Country {
    Country::parse(code).expect("a country")
}

fn routed(terminals: &[Terminal], method: Method, from: &str) -> Option<u64> {
    let from = Some(country(from));
    route(terminals, method.rail(), method, Currency::EUR, from, Mode::Live)
        .map(|terminal| terminal.id.0)
}

#[test]
fn the_first_that_fits_is_taken_and_disabled_ones_are_passed_over() {
    let german = Terminal { countries: vec![country("DE")], ..live(2, Rail::Card) };
    let disabled = Terminal { status: TerminalStatus::Disabled, ..live(1, Rail::Card) };
    let all = [live(9, Rail::Card), live(3, Rail::Apm), german, disabled];
    assert_eq!(routed(&all, Method::Card, "DE"), Some(2));
    assert_eq!(routed(&all, Method::ApplePay, "FR"), Some(9));
    assert_eq!(routed(&all, Method::Wero, "FR"), Some(3));
    assert_eq!(routed(&[], Method::Card, "DE"), None);
}

#[test]
fn each_property_by_itself_turns_a_payment_away() {
    let one = |changed: Terminal| routed(&[changed], Method::Card, "DE");
    let plain = || live(1, Rail::Card);
    assert_eq!(one(plain()), Some(1));
    assert_eq!(one(Terminal { rail: Rail::Apm, ..plain() }), None, "another rail");
    assert_eq!(one(Terminal { mode: Mode::Demo, ..plain() }), None, "another mode");
    let wallets = vec!["apple_pay".to_owned()];
    assert_eq!(one(Terminal { methods: wallets, ..plain() }), None, "other methods");
    let pounds = vec![Currency::parse("GBP").expect("a currency")];
    assert_eq!(one(Terminal { currencies: pounds, ..plain() }), None, "other currencies");
    let belgium = vec![country("BE")];
    assert_eq!(one(Terminal { countries: belgium, ..plain() }), None, "other countries");
}

fn demo(rail: Rail, currencies: &[&str], countries: &[&str]) -> Terminal {
    let currency = |code: &&str| Currency::parse(code).expect("a currency");
    let country = |code: &&str| Country::parse(code).expect("a country");
    Terminal {
        id: TerminalId(1),
        seller: SellerId(1),
        name: "T".to_owned(),
        rail,
        methods: rail.methods().iter().map(|&name| name.to_owned()).collect(),
        currencies: currencies.iter().map(currency).collect(),
        countries: countries.iter().map(country).collect(),
        mode: Mode::Demo,
        connector: Connector::Simulator,
        status: TerminalStatus::Active,
        access: None,
        multicapture: false,
    }
}

fn told(terminals: &[Terminal]) -> Vec<String> {
    let told = |offer: Offer| {
        let countries: Vec<_> = offer.countries.iter().map(Country::code).collect();
        let (rail, currency) = (offer.rail, offer.currency);
        format!("{} {rail} {currency} {}", offer.method, countries.join(","))
    };
    offers(terminals, Mode::Demo).into_iter().map(told).collect()
}

#[test]
fn local_methods_are_offered_where_both_table_and_terminal_say() {
    let everywhere = demo(Rail::Apm, &["EUR", "SEK"], &[]);
    let expected = [
        "bancontact apm EUR BE",
        "multibanco apm EUR PT",
        "mbway apm EUR PT",
        "wero apm EUR BE,DE,FR",
        "swish apm SEK SE",
    ];
    assert_eq!(told(&[everywhere]), expected);
    assert_eq!(
        told(&[demo(Rail::Apm, &["EUR"], &["FR", "BE"])]),
        ["bancontact apm EUR BE", "wero apm EUR BE,FR"]
    );
    assert!(told(&[demo(Rail::Apm, &["USD"], &[])]).is_empty());
}

#[test]
fn cards_are_offered_once_for_each_currency() {
    let mut cards = demo(Rail::Card, &["EUR", "GBP"], &["GB", "DE"]);
    cards.methods = vec!["card".to_owned()];
    assert_eq!(told(&[cards.clone()]), ["card card EUR DE,GB", "card card GBP DE,GB"]);
    let mut euros = demo(Rail::Card, &["EUR"], &[]);
    euros.methods = vec!["card".to_owned()];
    assert_eq!(told(&[cards, euros]), ["card card EUR ", "card card GBP DE,GB"]);
}

#[test]
fn disabled_terminals_and_other_modes_offer_nothing() {
    let plain = demo(Rail::Card, &["EUR"], &[]);
    let disabled = Terminal { status: TerminalStatus::Disabled, ..plain.clone() };
    assert!(told(&[disabled, Terminal { mode: Mode::Live, ..plain.clone() }]).is_empty());
    assert_eq!(told(&[plain]).len(), 3, "cards and two wallets");
}
