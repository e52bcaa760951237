//! Making and changing a terminal.

use secrecy::{ExposeSecret, SecretString};

use super::{Access, BaseUrl, Connector, Rail, Terminal, TerminalRefusal, TerminalStatus};
use crate::domain::country::Country;
use crate::domain::ids::{SellerId, TerminalId};
use crate::domain::money::Currency;
use crate::domain::payments::method::Method;
use crate::domain::platform::seller::Mode;
use crate::secrets::Sealed;

const NAME_CHARS: usize = 128;
const SECRET_KEY_CHARS: usize = 255;

/// A terminal to be saved. Its fields have been checked by themselves; against each other they are
/// by [`checked`](Self::checked) and [`of_seller`](Self::of_seller).
#[derive(Clone, Debug)]
pub struct NewTerminal {
    pub name: String,
    pub rail: Rail,
    pub methods: Vec<Method>,
    pub currencies: Vec<Currency>,
    pub countries: Vec<Country>,
    pub mode: Mode,
    pub connector: Connector,
    /// With a processor that is not our own.
    pub base_url: Option<BaseUrl>,
    /// Left out, the key that is known stays.
    pub secret_key: Option<SecretString>,
    pub status: TerminalStatus,
    pub multicapture: bool,
}

impl NewTerminal {
    /// The same as the seller may save it in place of `known`. Where its processor is, with which
    /// key, and whether it is in use stays as the operator has set it: whoever answers as the
    /// processor says which payments there are, and the server calls wherever that is.
    pub fn of_seller(self, known: Option<&Terminal>) -> Result<Self, TerminalRefusal> {
        let access = known.and_then(|terminal| terminal.access.as_ref());
        if access.is_some() != (self.connector == Connector::Stripe) {
            return Err(TerminalRefusal::OfOperator);
        }
        let base_url = access.map(|access| access.base_url.clone());
        let status = known.map_or(TerminalStatus::Active, |terminal| terminal.status);
        Self { base_url, secret_key: None, status, ..self }.checked()
    }

    /// Whether its connector may be used in its mode, reached as it says: the simulator moves no
    /// money and is asked nowhere, a real processor moves real money.
    pub fn checked(self) -> Result<Self, TerminalRefusal> {
        match (self.connector, self.mode) {
            (Connector::Simulator, Mode::Demo) if self.base_url.is_some() => {
                Err(TerminalRefusal::NotForSimulator("baseUrl"))
            }
            (Connector::Simulator, Mode::Demo) if self.secret_key.is_some() => {
                Err(TerminalRefusal::NotForSimulator("secretKey"))
            }
            (Connector::Stripe, Mode::Live) if self.base_url.is_none() => {
                Err(TerminalRefusal::Required("baseUrl"))
            }
            (Connector::Simulator, Mode::Demo) | (Connector::Stripe, Mode::Live) => Ok(self),
            _ => Err(TerminalRefusal::ConnectorOfMode),
        }
    }

    /// The terminal as it is saved in place of `known`. Without a secret key the one that is
    /// known is kept, but it never goes to another address than it was given for.
    pub fn saved(
        self,
        id: TerminalId,
        seller: SellerId,
        known: Option<&Terminal>,
        seal: impl FnOnce(&str) -> Sealed,
    ) -> Result<Terminal, TerminalRefusal> {
        let kept = known.and_then(|terminal| terminal.access.as_ref());
        let access = match (self.base_url, self.secret_key) {
            (None, _) => None,
            (Some(base_url), Some(key)) => {
                Some(Access { base_url, secret_key: seal(key.expose_secret()) })
            }
            (Some(base_url), None) => match kept {
                Some(access) if access.base_url == base_url => Some(access.clone()),
                Some(_) => return Err(TerminalRefusal::OtherBaseUrl),
                None => return Err(TerminalRefusal::Required("secretKey")),
            },
        };
        Ok(Terminal {
            id,
            seller,
            name: self.name,
            rail: self.rail,
            methods: self.methods.iter().map(|method| method.name().to_owned()).collect(),
            currencies: self.currencies,
            countries: self.countries,
            mode: self.mode,
            connector: self.connector,
            status: self.status,
            access,
            multicapture: self.multicapture,
        })
    }
}

/// The name of a terminal: 1 to 128 printable characters, without blanks around it.
pub fn terminal_name(text: &str) -> Result<String, TerminalRefusal> {
    let name = text.trim();
    let fits = (1..=NAME_CHARS).contains(&name.chars().count());
    if fits && !name.chars().any(char::is_control) {
        Ok(name.to_owned())
    } else {
        Err(TerminalRefusal::Name)
    }
}

/// The methods of these names, at least one, all of `rail`.
pub fn terminal_methods(rail: Rail, names: &[String]) -> Result<Vec<Method>, TerminalRefusal> {
    let of_rail = |name: &String| Method::parse(name).filter(|method| method.rail() == rail);
    let methods = list(names, of_rail, TerminalRefusal::Method(rail.methods().join(", ")))?;
    if methods.is_empty() { Err(TerminalRefusal::Empty("methods")) } else { Ok(methods) }
}

/// The accepted currencies of these codes, at least one.
pub fn terminal_currencies(codes: &[String]) -> Result<Vec<Currency>, TerminalRefusal> {
    let currency = |code: &String| Currency::parse_accepted(code);
    let currencies = list(codes, currency, TerminalRefusal::Currency)?;
    if currencies.is_empty() { Err(TerminalRefusal::Empty("currencies")) } else { Ok(currencies) }
}

pub fn terminal_countries(codes: &[String]) -> Result<Vec<Country>, TerminalRefusal> {
    list(codes, |code| Country::parse(code), TerminalRefusal::Country)
}

/// A processor's secret key: 1 to 255 printable ASCII characters without blanks.
pub fn terminal_secret_key(key: SecretString) -> Result<SecretString, TerminalRefusal> {
    let text = key.expose_secret();
    let fits = (1..=SECRET_KEY_CHARS).contains(&text.len());
    if fits && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(key)
    } else {
        Err(TerminalRefusal::SecretKey)
    }
}

/// Each entry once, in the order they were sent.
fn list<T: PartialEq>(
    names: &[String],
    parse: impl Fn(&String) -> Option<T>,
    refusal: TerminalRefusal,
) -> Result<Vec<T>, TerminalRefusal> {
    let mut entries = Vec::with_capacity(names.len());
    for name in names {
        let Some(entry) = parse(name) else { return Err(refusal) };
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    Ok(entries)
}
