//! Which methods a checkout shows: those that fit its currency, the buyer's
//! country and the seller's terminals.

use actors::domain::country::Country;
use actors::domain::money::Currency;
use actors::domain::payments::method::Method;
use actors::domain::payments::terminal::Offer;

/// The methods that a page can take, in the order of its tiles. A wallet's token comes from a
/// script of the wallet's own, which these pages do not load.
const SHOWN: [Method; 6] = [
    Method::Card,
    Method::Bancontact,
    Method::Wero,
    Method::MbWay,
    Method::Multibanco,
    Method::Swish,
];

/// The methods of a checkout in this currency, of what the seller's terminals offer. Without a
/// country all that fit the currency are shown. Local methods hold nothing, so a
/// payment that the seller captures has none of them.
pub(super) fn tiles(
    offers: &[Offer],
    currency: Currency,
    country: Option<Country>,
    holds: bool,
) -> Vec<Method> {
    let offered = |method: Method| {
        offers.iter().any(|offer| {
            offer.method == method
                && offer.currency == currency
                && (offer.countries.is_empty()
                    || country.is_none_or(|country| offer.countries.contains(&country)))
        })
    };
    SHOWN.into_iter().filter(|method| (!holds || method.holds()) && offered(*method)).collect()
}

#[cfg(test)]
mod tests {
    use actors::domain::payments::terminal::Rail;

    use super::*;

    fn country(code: &str) -> Country {
        Country::parse(code).expect("a country")
    }

    fn offer(method: Method, countries: &[&str]) -> Offer {
        let countries = countries.iter().map(|code| country(code)).collect();
        let rail: Rail = method.rail();
        Offer { method, rail, currency: Currency::EUR, countries }
    }

    fn all() -> Vec<Offer> {
        vec![
            offer(Method::Card, &[]),
            offer(Method::ApplePay, &[]),
            offer(Method::Bancontact, &["BE"]),
            offer(Method::Wero, &["BE", "DE", "FR"]),
            offer(Method::Multibanco, &["PT"]),
            offer(Method::MbWay, &["PT"]),
        ]
    }

    #[test]
    fn tiles_fit_currency_country_and_terminals() {
        use Method::{Bancontact, Card, MbWay, Multibanco, Wero};
        let local = [Card, Bancontact, Wero, MbWay, Multibanco];
        let rows: [(Option<&str>, &[Method]); 5] = [
            (None, &local),
            (Some("BE"), &[Card, Bancontact, Wero]),
            (Some("DE"), &[Card, Wero]),
            (Some("PT"), &[Card, MbWay, Multibanco]),
            (Some("PE"), &[Card]),
        ];
        for (from, expected) in rows {
            assert_eq!(
                tiles(&all(), Currency::EUR, from.map(country), false),
                expected,
                "{from:?}"
            );
        }
        let dollar = Currency::parse("USD").expect("a currency");
        assert_eq!(tiles(&all(), dollar, None, false), []);
        assert_eq!(tiles(&[], Currency::EUR, None, false), []);
    }

    #[test]
    fn what_is_held_is_held_on_a_card() {
        assert_eq!(tiles(&all(), Currency::EUR, None, true), [Method::Card]);
    }

    #[test]
    fn a_card_that_is_taken_in_one_country_alone_is_shown_there_alone() {
        let offers = [offer(Method::Card, &["SE"])];
        let shown = |from| tiles(&offers, Currency::EUR, Some(country(from)), false);
        assert_eq!(shown("SE"), [Method::Card]);
        assert_eq!(shown("DE"), []);
    }
}
