use std::sync::Arc;

use super::InitiationRefusal;
use crate::domain::country::Country;
use crate::domain::money::Currency;
use crate::domain::payments::card::CardInput;
use crate::domain::payments::method::Method;
use crate::domain::payments::payment::CaptureMode;
use crate::domain::payments::source::Source;
use crate::domain::payments::terminal::Rail;

/// The longest `externalOrderRef`, in characters.
const MAX_REFERENCE: usize = 128;

/// How much of a method's name that nobody knows is repeated in the refusal, in characters.
const MAX_ECHO: usize = 32;

/// The longest text of billing details, in characters.
pub(super) const MAX_TEXT: usize = 255;
pub fn currency(code: Option<&str>) -> Result<Currency, InitiationRefusal> {
    let code = code.filter(|code| !code.is_empty());
    let code = code.ok_or(InitiationRefusal::Required("currencyCode"))?;
    Currency::parse_accepted(code).ok_or(InitiationRefusal::Currency)
}

/// The seller's name for a payment: 1-128 printable characters, not `.` or `..`, which would
/// vanish from a path.
pub fn reference(stated: Option<String>) -> Result<String, InitiationRefusal> {
    let reference = stated.filter(|reference| !reference.is_empty());
    let reference = reference.ok_or(InitiationRefusal::Required("externalOrderRef"))?;
    let printable = !reference.chars().any(|c| c.is_control() || "\u{2028}\u{2029}".contains(c));
    let fits = reference.chars().count() <= MAX_REFERENCE;
    if fits && printable && reference != "." && reference != ".." {
        Ok(reference)
    } else {
        Err(InitiationRefusal::Reference)
    }
}
pub fn rail(stated: Option<&str>) -> Result<Rail, InitiationRefusal> {
    match stated.filter(|name| !name.is_empty()) {
        None => Ok(Rail::Card),
        Some(name) => Rail::parse(name).ok_or(InitiationRefusal::Type),
    }
}

/// The method of this name where it is known. A name that is no method at all is refused like a
/// method that is not known there.
pub fn market(
    rail: Rail,
    named: Option<&str>,
    currency: Currency,
    country: Option<&str>,
) -> Result<(Method, Option<Country>), InitiationRefusal> {
    let name = match (rail, named.filter(|name| !name.is_empty())) {
        (_, Some(name)) => name,
        (Rail::Card, None) => Method::Card.name(),
        (Rail::Apm, None) => return Err(InitiationRefusal::Required("paymentMethod")),
    };
    let known = Method::parse(name);
    let method: String = name.chars().take(MAX_ECHO).collect();
    let other = known.map_or(rail == Rail::Card, |known| known.rail() != rail);
    if other {
        return Err(InitiationRefusal::Method { method, rail });
    }
    let country = match country.filter(|code| !code.is_empty()) {
        None if rail == Rail::Apm => return Err(InitiationRefusal::Required("countryCode")),
        None => None,
        Some(code) => Some(Country::parse(code).ok_or(InitiationRefusal::Country("countryCode"))?),
    };
    match (known, country) {
        (Some(known), None) => Ok((known, None)),
        (Some(known), Some(country)) if known.supports(currency, country) => {
            Ok((known, Some(country)))
        }
        (_, country) => {
            let country = country.map(|country| country.to_string()).unwrap_or_default();
            Err(InitiationRefusal::Market { method, currency, country })
        }
    }
}

/// The card as a source; refused with the first problem in the order of the card's fields.
pub fn card(card: CardInput) -> Result<Source, InitiationRefusal> {
    let first = |problems: Vec<_>| match problems.first() {
        Some(problem) => InitiationRefusal::Card(*problem),
        None => InitiationRefusal::Required("cardData"),
    };
    Ok(Source::Card(Arc::new(card.check().map_err(first)?)))
}

/// MB WAY alone has a use for the number of an app: `apmData` is not read with other methods.
pub fn phone(method: Method, phone: Option<String>) -> Result<Option<String>, InitiationRefusal> {
    let Some(phone) = phone.filter(|_| method == Method::MbWay) else { return Ok(None) };
    let digits = phone.strip_prefix('+').unwrap_or_default();
    let right = (8..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if right { Ok(Some(phone)) } else { Err(InitiationRefusal::Phone) }
}

/// Who takes the held amount: `captureMode` and `autoSettlement` must agree.
pub fn capture_mode(
    stated: Option<&str>,
    auto_settlement: Option<bool>,
    method: Method,
) -> Result<CaptureMode, InitiationRefusal> {
    let stated = match stated {
        None => None,
        Some(name) => Some(CaptureMode::parse(name).ok_or(InitiationRefusal::CaptureMode)?),
    };
    let mode = match (stated, auto_settlement) {
        (None | Some(CaptureMode::Automatic), None | Some(true)) => CaptureMode::Automatic,
        (Some(CaptureMode::Manual), Some(false)) => CaptureMode::Manual,
        _ => return Err(InitiationRefusal::CaptureUnclear),
    };
    if mode == CaptureMode::Manual && !method.holds() {
        return Err(InitiationRefusal::CaptureMethod(method));
    }
    Ok(mode)
}

/// The first of these that is a code: `country` may be a name in words beside a `countryCode`.
/// Where neither is one, the first that is stated is at fault.
pub fn billing_country(
    code: Option<&str>,
    country: Option<&str>,
) -> Result<Option<Country>, InitiationRefusal> {
    let fields = [("billingDetails.countryCode", code), ("billingDetails.country", country)];
    let mut fault = None;
    for (field, stated) in fields {
        let Some(stated) = stated.filter(|stated| !stated.is_empty()) else { continue };
        if let Some(country) = Country::parse(stated) {
            return Ok(Some(country));
        }
        fault = fault.or(Some(field));
    }
    fault.map_or(Ok(None), |field| Err(InitiationRefusal::Country(field)))
}

pub fn billing_text(
    field: &'static str,
    value: Option<String>,
) -> Result<Option<String>, InitiationRefusal> {
    match value.filter(|text| !text.trim().is_empty()) {
        Some(long) if long.chars().count() > MAX_TEXT => Err(InitiationRefusal::TooLong(field)),
        value => Ok(value),
    }
}
