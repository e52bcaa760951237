use super::{Rail, Terminal, TerminalStatus};
use crate::domain::country::Country;
use crate::domain::money::{ACCEPTED_CURRENCIES, Currency};
use crate::domain::payments::method::Method;
use crate::domain::platform::seller::Mode;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub method: Method,
    pub rail: Rail,
    pub currency: Currency,
    /// Where the buyers are, rising; empty is everywhere.
    pub countries: Vec<Country>,
}

/// What the terminals in use take in this mode, by method and currency. Local methods are offered
/// only where they are known.
pub fn offers(terminals: &[Terminal], mode: Mode) -> Vec<Offer> {
    let used: Vec<_> = terminals
        .iter()
        .filter(|terminal| terminal.status == TerminalStatus::Active && terminal.mode == mode)
        .collect();
    let pairs = Method::ALL
        .iter()
        .flat_map(|&method| ACCEPTED_CURRENCIES.map(|currency| (method, currency)));
    pairs.filter_map(|(method, currency)| offer(&used, method, currency)).collect()
}

fn offer(used: &[&Terminal], method: Method, currency: Currency) -> Option<Offer> {
    let rail = method.rail();
    let takers: Vec<_> = used
        .iter()
        .filter(|terminal| terminal.rail == rail && terminal.takes(method.name(), currency, None))
        .collect();
    if takers.is_empty() {
        return None;
    }
    let everywhere =
        method.market().is_none() && takers.iter().any(|terminal| terminal.countries.is_empty());
    let reached = |country: &Country| {
        method.supports(currency, *country)
            && takers.iter().any(|it| it.takes(method.name(), currency, Some(*country)))
    };
    let countries: Vec<_> = match everywhere {
        true => Vec::new(),
        false => Country::all().filter(reached).collect(),
    };
    let offer = Offer { method, rail, currency, countries };
    (everywhere || !offer.countries.is_empty()).then_some(offer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{SellerId, TerminalId};
    use crate::domain::payments::terminal::Connector;

    fn terminal(rail: Rail, currencies: &[&str], countries: &[&str]) -> Terminal {
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
        let everywhere = terminal(Rail::Apm, &["EUR", "SEK"], &[]);
        let expected = [
            "bancontact apm EUR BE",
            "multibanco apm EUR PT",
            "mbway apm EUR PT",
            "wero apm EUR BE,DE,FR",
            "swish apm SEK SE",
        ];
        assert_eq!(told(&[everywhere]), expected);
        assert_eq!(
            told(&[terminal(Rail::Apm, &["EUR"], &["FR", "BE"])]),
            ["bancontact apm EUR BE", "wero apm EUR BE,FR"]
        );
        assert!(told(&[terminal(Rail::Apm, &["USD"], &[])]).is_empty());
    }

    #[test]
    fn cards_are_offered_once_for_each_currency() {
        let mut cards = terminal(Rail::Card, &["EUR", "GBP"], &["GB", "DE"]);
        cards.methods = vec!["card".to_owned()];
        assert_eq!(told(&[cards.clone()]), ["card card EUR DE,GB", "card card GBP DE,GB"]);
        let mut euros = terminal(Rail::Card, &["EUR"], &[]);
        euros.methods = vec!["card".to_owned()];
        assert_eq!(told(&[cards, euros]), ["card card EUR ", "card card GBP DE,GB"]);
    }

    #[test]
    fn disabled_terminals_and_other_modes_offer_nothing() {
        let plain = terminal(Rail::Card, &["EUR"], &[]);
        let disabled = Terminal { status: TerminalStatus::Disabled, ..plain.clone() };
        assert!(told(&[disabled, Terminal { mode: Mode::Live, ..plain.clone() }]).is_empty());
        assert_eq!(told(&[plain]).len(), 3, "cards and two wallets");
    }
}
