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

/// What is said of a terminal, as it was sent.
#[derive(Clone, Debug, Default)]
pub struct TerminalRequest {
    /// What the seller calls it.
    pub name: Option<String>,
    /// The rail by its name.
    pub rail: Option<String>,
    /// The methods by their names.
    pub methods: Vec<String>,
    /// The currencies by their codes.
    pub currencies: Vec<String>,
    /// The countries by their codes; empty is all.
    pub countries: Vec<String>,
    /// The mode by its name.
    pub mode: Option<String>,
    /// The connector by its name.
    pub connector: Option<String>,
    /// Where a Stripe-compatible processor listens.
    pub base_url: Option<String>,
    /// The key that it knows the seller by.
    pub secret_key: Option<SecretString>,
    /// The status by its name; active when it is not said.
    pub status: Option<String>,
}

/// A terminal to be saved. Its fields have been checked by themselves and against each other.
#[derive(Clone, Debug)]
pub struct NewTerminal {
    name: String,
    rail: Rail,
    methods: Vec<String>,
    currencies: Vec<Currency>,
    countries: Vec<Country>,
    mode: Mode,
    connector: Connector,
    base_url: Option<BaseUrl>,
    secret_key: Option<SecretString>,
    status: TerminalStatus,
}

impl TerminalRequest {
    /// Checks every field.
    ///
    /// # Errors
    /// [`TerminalRefusal`], the first in the order of the fields.
    pub fn parse(self) -> Result<NewTerminal, TerminalRefusal> {
        let name = self.name.ok_or(TerminalRefusal::Required("name"))?.trim().to_owned();
        let length = name.chars().count();
        if !(1..=NAME_CHARS).contains(&length) || name.chars().any(char::is_control) {
            return Err(TerminalRefusal::Name);
        }
        let rail = self.rail.ok_or(TerminalRefusal::Required("rail"))?;
        let rail = Rail::parse(&rail).ok_or(TerminalRefusal::Rail)?;
        let methods = methods(rail, &self.methods)?;
        let currency = |code: &String| Currency::parse_accepted(code);
        let currencies = list(&self.currencies, currency, TerminalRefusal::Currency)?;
        if currencies.is_empty() {
            return Err(TerminalRefusal::Empty("currencies"));
        }
        let country = |code: &String| Country::parse(code);
        let countries = list(&self.countries, country, TerminalRefusal::Country)?;
        let mode = self.mode.ok_or(TerminalRefusal::Required("mode"))?;
        let mode = Mode::parse(&mode).ok_or(TerminalRefusal::Mode)?;
        let connector = self.connector.ok_or(TerminalRefusal::Required("connector"))?;
        let connector = Connector::parse(&connector).ok_or(TerminalRefusal::Connector)?;
        let base_url = self.base_url.as_deref().map(BaseUrl::parse).transpose()?;
        if self.secret_key.as_ref().is_some_and(|key| !is_key(key.expose_secret())) {
            return Err(TerminalRefusal::SecretKey);
        }
        match (connector, mode) {
            (Connector::Simulator, Mode::Demo) if base_url.is_some() => {
                return Err(TerminalRefusal::NotForSimulator("baseUrl"));
            }
            (Connector::Simulator, Mode::Demo) if self.secret_key.is_some() => {
                return Err(TerminalRefusal::NotForSimulator("secretKey"));
            }
            (Connector::Stripe, Mode::Live) if base_url.is_none() => {
                return Err(TerminalRefusal::Required("baseUrl"));
            }
            (Connector::Simulator, Mode::Demo) | (Connector::Stripe, Mode::Live) => (),
            _ => return Err(TerminalRefusal::ConnectorOfMode),
        }
        let status = self.status.as_deref().map(TerminalStatus::parse);
        let status = status.unwrap_or(Some(TerminalStatus::Active));
        Ok(NewTerminal {
            name,
            rail,
            methods,
            currencies,
            countries,
            mode,
            connector,
            base_url,
            secret_key: self.secret_key,
            status: status.ok_or(TerminalRefusal::Status)?,
        })
    }
}

impl NewTerminal {
    /// The terminal as it is saved in place of `known`. Without a secret key the one that is
    /// known is kept, but it never goes to another address than it was given for.
    ///
    /// # Errors
    /// [`TerminalRefusal::Required`] or [`TerminalRefusal::OtherBaseUrl`] without a key where
    /// one is needed.
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
            methods: self.methods,
            currencies: self.currencies,
            countries: self.countries,
            mode: self.mode,
            connector: self.connector,
            status: self.status,
            access,
        })
    }
}

fn methods(rail: Rail, names: &[String]) -> Result<Vec<String>, TerminalRefusal> {
    let of_rail = |name: &String| {
        Method::parse(name).filter(|method| method.rail() == rail).map(|method| method.name())
    };
    let refusal = TerminalRefusal::Method(rail.methods().join(", "));
    let methods = list(names, of_rail, refusal)?;
    if methods.is_empty() {
        return Err(TerminalRefusal::Empty("methods"));
    }
    Ok(methods.into_iter().map(str::to_owned).collect())
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

fn is_key(text: &str) -> bool {
    (1..=SECRET_KEY_CHARS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests;
