//! Terminals: which payments a seller takes, and who processes them.
//!
//! * [`Terminal`] is the record; [`NewTerminal`] is what the operator makes one of.
//! * [`route`] finds the terminal of a payment, [`offers`] tells what all of them take.

mod access;
mod refusal;
mod save;
#[cfg(test)]
mod tests;

pub use access::{Access, BaseUrl, BaseUrlRefusal};
pub use refusal::TerminalRefusal;
pub use save::{
    NewTerminal, terminal_countries, terminal_currencies, terminal_methods, terminal_name,
    terminal_secret_key,
};

use storage::CborRecord;

use crate::domain::country::Country;
use crate::domain::ids::{SellerId, TerminalId};
use crate::domain::money::{ACCEPTED_CURRENCIES, Currency};
use crate::domain::names::names;
use crate::domain::payments::method::Method;
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

    /// Whether its processor is somewhere else once it is saved as `next`.
    pub fn moves_away_as(&self, next: &Self) -> bool {
        let place = |it: &Self| it.access.as_ref().map(|access| access.base_url.clone());
        self.access.is_some() && place(self) != place(next)
    }
}

impl CborRecord for Terminal {}

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
