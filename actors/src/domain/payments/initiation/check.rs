//! The column of checks: the first that fails is the answer.

use std::sync::Arc;

use secrecy::SecretString;

use super::number::minor_of_number;
use super::{
    BillingRequest, CaptureRequest, Initiation, InitiationRefusal, ReturnRules, ReturnsRequest,
};
use crate::domain::country::Country;
use crate::domain::money::{Currency, Money};
use crate::domain::payments::amount::AmountRefusal;
use crate::domain::payments::card::CardInput;
use crate::domain::payments::method::Method;
use crate::domain::payments::source::{Source, WalletToken};
use crate::domain::payments::terminal::Rail;

/// The longest `externalOrderRef`, in characters.
const MAX_REFERENCE: usize = 128;

/// How much of a method's name that nobody knows is repeated in the refusal, in characters.
const MAX_ECHO: usize = 32;

/// A request as it came: of the right types, and nothing else is known of it.
#[derive(Default)]
pub struct InitiationRequest {
    /// `currencyCode`.
    pub currency: Option<String>,
    /// `amount`, the text of a JSON number in major units.
    pub amount: Option<String>,
    /// `externalOrderRef`.
    pub reference: Option<String>,
    /// `paymentType`.
    pub payment_type: Option<String>,
    /// `paymentMethod`.
    pub payment_method: Option<String>,
    /// `countryCode`.
    pub country: Option<String>,
    /// `cardData`.
    pub card: Option<CardInput>,
    /// `walletData`.
    pub wallet: Option<WalletRequest>,
    /// `apmData.phone`.
    pub phone: Option<String>,
    /// `returnUrl` and `returnLinks`.
    pub returns: ReturnsRequest,
    /// `autoSettlement` and `captureMode`.
    pub capture: CaptureRequest,
    /// `billingDetails`.
    pub billing: Option<BillingRequest>,
    /// `skip3DS`.
    pub skip_challenge: bool,
}

/// A wallet's token as it came.
#[derive(Default)]
pub struct WalletRequest {
    /// What identifies what is charged.
    pub token: Option<SecretString>,
    /// `paymentToken.paymentMethod.displayName`.
    pub display_name: Option<String>,
    /// `paymentToken.paymentMethod.network`.
    pub network: Option<String>,
    /// `billingContact`; counts where there are no `billingDetails`.
    pub contact: Option<BillingRequest>,
}

impl InitiationRequest {
    /// The payment that is asked for. Whether anybody can carry it out is not asked here.
    ///
    /// # Errors
    /// The first of [`InitiationRefusal`] in the order of the checks.
    pub fn check(self, rules: &ReturnRules<'_>) -> Result<Initiation, InitiationRefusal> {
        let currency = check_currency(self.currency.as_deref())?;
        let number = self.amount.as_deref().ok_or(AmountRefusal::NotPositive)?;
        let amount = Money { minor: minor_of_number(number, currency)?, currency };
        let reference = check_reference(self.reference)?;
        let rail = check_rail(self.payment_type.as_deref())?;
        let named = self.payment_method.filter(|name| !name.is_empty());
        let country = self.country.filter(|code| !code.is_empty());
        let (method, country) = check_market(rail, named, currency, country)?;
        let contact = self.wallet.as_ref().and_then(|wallet| wallet.contact.clone());
        let source = check_source(method, self.card, self.wallet)?;
        let phone = check_phone(rail, self.phone)?;
        let returns = self.returns.check(rules, rail == Rail::Apm)?;
        let capture = self.capture.check(method)?;
        let billing = self.billing.or(contact).map(BillingRequest::check).transpose()?;
        Ok(Initiation {
            reference,
            amount,
            method,
            country,
            source,
            phone,
            returns,
            capture,
            billing,
            skip_challenge: self.skip_challenge,
        })
    }
}

/// The seller's name for a payment: 1-128 printable characters, not `.` or `..`, which would
/// vanish from a path (decisions 13).
///
/// # Errors
/// [`InitiationRefusal::Required`] and [`InitiationRefusal::Reference`].
pub fn check_reference(stated: Option<String>) -> Result<String, InitiationRefusal> {
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

fn check_currency(code: Option<&str>) -> Result<Currency, InitiationRefusal> {
    let code = code.filter(|code| !code.is_empty());
    let code = code.ok_or(InitiationRefusal::Required("currencyCode"))?;
    Currency::parse_accepted(code).ok_or(InitiationRefusal::Currency)
}

fn check_rail(stated: Option<&str>) -> Result<Rail, InitiationRefusal> {
    match stated.filter(|name| !name.is_empty()) {
        None => Ok(Rail::Card),
        Some(name) => Rail::parse(name).ok_or(InitiationRefusal::Type),
    }
}

/// A name that is no method at all is told like a method that is not known there.
fn check_market(
    rail: Rail,
    named: Option<String>,
    currency: Currency,
    country: Option<String>,
) -> Result<(Method, Option<Country>), InitiationRefusal> {
    let name = match (rail, named) {
        (_, Some(name)) => name,
        (Rail::Card, None) => Method::Card.name().to_owned(),
        (Rail::Apm, None) => return Err(InitiationRefusal::Required("paymentMethod")),
    };
    let known = Method::parse(&name);
    let method: String = name.chars().take(MAX_ECHO).collect();
    let other = known.map_or(rail == Rail::Card, |known| known.rail() != rail);
    if other {
        return Err(InitiationRefusal::Method { method, rail });
    }
    let country = match country {
        None if rail == Rail::Apm => return Err(InitiationRefusal::Required("countryCode")),
        None => None,
        Some(code) => Some(Country::parse(&code).ok_or(InitiationRefusal::Country("countryCode"))?),
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

fn check_source(
    method: Method,
    card: Option<CardInput>,
    wallet: Option<WalletRequest>,
) -> Result<Source, InitiationRefusal> {
    if method.rail() == Rail::Apm {
        return Ok(Source::Local);
    }
    if method == Method::Card {
        let card = card.ok_or(InitiationRefusal::Required("cardData"))?;
        return match card.check() {
            Ok(card) => Ok(Source::Card(Arc::new(card))),
            Err(problems) => {
                let first = problems.first().copied();
                Err(first.map_or(InitiationRefusal::Required("cardData"), InitiationRefusal::Card))
            }
        };
    }
    let wallet = wallet.ok_or(InitiationRefusal::Required("walletData"))?;
    let token = wallet.token.ok_or(InitiationRefusal::Required("walletData.paymentToken"))?;
    Ok(Source::Wallet(Arc::new(WalletToken::new(token, wallet.display_name, wallet.network))))
}

/// Cards have no use for one: `apmData` is not read with them.
fn check_phone(rail: Rail, phone: Option<String>) -> Result<Option<String>, InitiationRefusal> {
    let Some(phone) = phone.filter(|_| rail == Rail::Apm) else { return Ok(None) };
    let digits = phone.strip_prefix('+').unwrap_or_default();
    let right = (8..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if right { Ok(Some(phone)) } else { Err(InitiationRefusal::Phone) }
}
