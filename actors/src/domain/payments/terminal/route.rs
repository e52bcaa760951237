use super::{Rail, Terminal, TerminalStatus};
use crate::domain::country::Country;
use crate::domain::money::Currency;
use crate::domain::payments::method::Method;
use crate::domain::platform::seller::Mode;

/// The terminal of a payment: of those in use in this mode that take it, the one that was made
/// first. `None` is failure code 1003.
pub fn route(
    terminals: &[Terminal],
    rail: Rail,
    method: Method,
    currency: Currency,
    country: Option<Country>,
    mode: Mode,
) -> Option<&Terminal> {
    let fits = |terminal: &&Terminal| {
        terminal.status == TerminalStatus::Active
            && terminal.mode == mode
            && terminal.rail == rail
            && terminal.takes(method.name(), currency, country)
    };
    terminals.iter().filter(fits).min_by_key(|terminal| terminal.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{SellerId, TerminalId};
    use crate::domain::money::ACCEPTED_CURRENCIES;
    use crate::domain::payments::terminal::Connector;

    fn terminal(id: u64, rail: Rail) -> Terminal {
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
        let german = Terminal { countries: vec![country("DE")], ..terminal(2, Rail::Card) };
        let disabled = Terminal { status: TerminalStatus::Disabled, ..terminal(1, Rail::Card) };
        let all = [terminal(9, Rail::Card), terminal(3, Rail::Apm), german, disabled];
        assert_eq!(routed(&all, Method::Card, "DE"), Some(2));
        assert_eq!(routed(&all, Method::ApplePay, "FR"), Some(9));
        assert_eq!(routed(&all, Method::Wero, "FR"), Some(3));
        assert_eq!(routed(&[], Method::Card, "DE"), None);
    }

    #[test]
    fn each_property_by_itself_turns_a_payment_away() {
        let one = |changed: Terminal| routed(&[changed], Method::Card, "DE");
        let plain = || terminal(1, Rail::Card);
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
}
