//! The methods that buyers pay with, and where each local one is known.

use crate::domain::country::Country;
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::domain::payments::terminal::Rail;

names! {
    #[derive(Default)]
    Method;
    #[default]
    0 Card = "card",
    1 ApplePay = "apple_pay",
    2 GooglePay = "google_pay",
    /// Belgium's scheme, by redirect.
    3 Bancontact = "bancontact",
    /// Portugal's references, paid at a bank or machine.
    4 Multibanco = "multibanco",
    /// Portugal's app, by telephone number.
    5 MbWay = "mbway",
    /// The account to account scheme of some European banks, by redirect.
    6 Wero = "wero",
    /// Sweden's app, by redirect.
    7 Swish = "swish",
}

impl Method {
    pub const fn rail(self) -> Rail {
        match self {
            Self::Card | Self::ApplePay | Self::GooglePay => Rail::Card,
            Self::Bancontact | Self::Multibanco | Self::MbWay | Self::Wero | Self::Swish => {
                Rail::Apm
            }
        }
    }

    /// The one currency and the countries in which a local method is known; `None` for the
    /// methods of the card rail, which are known everywhere.
    pub const fn market(self) -> Option<(&'static str, &'static [&'static str])> {
        match self {
            Self::Card | Self::ApplePay | Self::GooglePay => None,
            Self::Bancontact => Some(("EUR", &["BE"])),
            Self::Multibanco | Self::MbWay => Some(("EUR", &["PT"])),
            Self::Wero => Some(("EUR", &["BE", "DE", "FR"])),
            Self::Swish => Some(("SEK", &["SE"])),
        }
    }

    pub fn supports(self, currency: Currency, country: Country) -> bool {
        self.market().is_none_or(|(known, countries)| {
            currency.code() == known && countries.contains(&country.code())
        })
    }

    /// Whether the amount can be held before it is taken.
    pub const fn holds(self) -> bool {
        matches!(self.rail(), Rail::Card)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_local_method_is_known_where_the_table_says() {
        let table = [
            ("bancontact", "EUR", "BE"),
            ("multibanco", "EUR", "PT"),
            ("mbway", "EUR", "PT"),
            ("wero", "EUR", "BE"),
            ("wero", "EUR", "DE"),
            ("wero", "EUR", "FR"),
            ("swish", "SEK", "SE"),
        ];
        for method in Method::ALL.iter().filter(|method| method.rail() == Rail::Apm) {
            for code in ["EUR", "USD", "GBP", "DKK", "NOK", "SEK"] {
                let currency = Currency::parse(code).expect("a currency");
                for country in Country::all() {
                    let listed = table.contains(&(method.name(), code, country.code()));
                    assert_eq!(method.supports(currency, country), listed, "{method} {code}");
                }
            }
        }
        let (dollar, peru) = (Currency::parse("USD"), Country::parse("PE"));
        assert!(Method::Card.supports(dollar.expect("a currency"), peru.expect("a country")));
    }

    #[test]
    fn every_method_of_a_rail_is_a_method() {
        for rail in [Rail::Card, Rail::Apm] {
            for name in rail.methods() {
                assert_eq!(Method::parse(name).map(Method::rail), Some(rail), "{name}");
            }
        }
    }
}
