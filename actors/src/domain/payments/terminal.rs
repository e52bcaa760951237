//! Terminals: which payments a seller takes, and who processes them.
//!
//! * [`Terminal`] is the record; [`NewTerminal`] is what the operator makes one of.
//! * [`route`] finds the terminal of a payment, [`offers`] tells what all of them take.

mod access;
mod offer;
mod refusal;
mod route;
mod save;

pub use access::{Access, BaseUrl, BaseUrlRefusal};
pub use offer::{Offer, offers};
pub use refusal::TerminalRefusal;
pub use route::route;
pub use save::{
    NewTerminal, terminal_countries, terminal_currencies, terminal_methods, terminal_name,
    terminal_secret_key,
};

use storage::CborRecord;

use crate::domain::country::Country;
use crate::domain::ids::{SellerId, TerminalId};
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::domain::platform::seller::Mode;

names! {
    /// The kind of way that money takes (`paymentType`).
    Rail;
    /// Cards, and the wallets that hold them.
    0 Card = "card",
    1 Apm = "apm",
}

impl Rail {
    pub const fn methods(self) -> &'static [&'static str] {
        match self {
            Self::Card => &["card", "apple_pay", "google_pay"],
            Self::Apm => &["bancontact", "multibanco", "mbway", "wero", "swish"],
        }
    }
}

names! {
    Connector;
    0 Simulator = "simulator",
    /// A processor that speaks Stripe's payment intents, in live mode.
    1 Stripe = "stripe",
}

names! {
    TerminalStatus;
    0 Active = "active",
    /// No new payment goes through it; those that did are carried on.
    1 Disabled = "disabled",
}

/// Terminals that were saved before they could be disabled are active.
impl Default for TerminalStatus {
    fn default() -> Self {
        Self::Active
    }
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Terminal {
    #[n(0)]
    pub id: TerminalId,
    #[n(1)]
    pub seller: SellerId,
    #[n(2)]
    pub name: String,
    #[n(3)]
    pub rail: Rail,
    #[n(4)]
    pub methods: Vec<String>,
    #[n(5)]
    pub currencies: Vec<Currency>,
    /// The buyers' countries it takes; empty is all.
    #[n(6)]
    pub countries: Vec<Country>,
    #[n(7)]
    pub mode: Mode,
    #[n(8)]
    pub connector: Connector,
    #[n(9)]
    #[cbor(default)]
    pub status: TerminalStatus,
    /// How its processor is reached; with a processor that is not our own.
    #[n(10)]
    pub access: Option<Access>,
    /// Whether its processor takes what is held in several parts.
    #[n(11)]
    #[cbor(default)]
    pub multicapture: bool,
}

impl Terminal {
    /// Whether a payment of this kind goes through here; without a country it may come from
    /// anywhere.
    pub fn takes(&self, method: &str, currency: Currency, country: Option<Country>) -> bool {
        self.methods.iter().any(|own| own == method)
            && self.currencies.contains(&currency)
            && (self.countries.is_empty()
                || country.is_none_or(|country| self.countries.contains(&country)))
    }
}

impl CborRecord for Terminal {}

#[cfg(test)]
mod tests {
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
        let country = |code| Country::parse(code).expect("a country");
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
}
