//! Terminals: which payments a seller takes, and who processes them (decisions 7).

use storage::{Record, RecordError, cbor_decode, cbor_encode};

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
    /// Alternative methods.
    1 Apm = "apm",
}

impl Rail {
    /// The names of the methods on this rail (`paymentMethod`).
    pub const fn methods(self) -> &'static [&'static str] {
        match self {
            Self::Card => &["card", "apple_pay", "google_pay"],
            Self::Apm => &["bancontact", "multibanco", "mbway", "wero", "swish"],
        }
    }
}

/// Who carries a payment out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum Connector {
    /// The simulated processor of demo mode.
    #[n(0)]
    Simulator,
}

/// One terminal.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Terminal {
    /// `terminalId`.
    #[n(0)]
    pub id: TerminalId,
    /// Whose it is.
    #[n(1)]
    pub seller: SellerId,
    /// What the seller calls it.
    #[n(2)]
    pub name: String,
    /// The rail it serves.
    #[n(3)]
    pub rail: Rail,
    /// The methods it takes, by their names on the wire.
    #[n(4)]
    pub methods: Vec<String>,
    /// The currencies it takes.
    #[n(5)]
    pub currencies: Vec<Currency>,
    /// The buyers' countries it takes; empty is all.
    #[n(6)]
    pub countries: Vec<Country>,
    /// The mode in which it is used.
    #[n(7)]
    pub mode: Mode,
    /// Who carries its payments out.
    #[n(8)]
    pub connector: Connector,
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

impl Record for Terminal {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        cbor_encode(self)
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        cbor_decode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
