//! What a seller asks of a hosted checkout, and what is wrong with it (payments 2.3, decisions 7
//! and 13).

use super::amount::AmountRefusal;
use super::initiation::{InitiationRefusal, check_reference, minor_of_number};
use super::payment::{CaptureMode, Checkout, SESSION_SECONDS};
use crate::domain::country::Country;
use crate::domain::money::{Currency, Money};
use crate::domain::platform::webhook::url::{UrlRefusal, WebhookUrl};
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Timestamp;

/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 500;

/// The longest name of a seller, in characters.
const MAX_NAME: usize = 200;

/// The longest language tag, in characters.
const MAX_LOCALE: usize = 35;

/// A request for a session as it was sent; what was not sent is absent.
#[derive(Clone, Debug, Default)]
pub struct SessionRequest {
    /// `externalOrderRef`.
    pub reference: Option<String>,
    /// `amount`, as the text of the number.
    pub amount: Option<String>,
    /// `currencyCode`.
    pub currency: Option<String>,
    /// `countryCode`.
    pub country: Option<String>,
    /// `returnUrls.success`.
    pub success: Option<String>,
    /// `returnUrls.failure`.
    pub failure: Option<String>,
    /// `autoSettlement`.
    pub auto_settlement: Option<bool>,
    /// `description`.
    pub description: Option<String>,
    /// `force3DS`.
    pub force_challenge: Option<bool>,
    /// `locale`.
    pub locale: Option<String>,
    /// `logoUrl`.
    pub logo: Option<String>,
    /// `sellerMerchantName`.
    pub seller_name: Option<String>,
}

/// A request that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDraft {
    /// `externalOrderRef`.
    pub reference: String,
    /// How much; above 0.
    pub amount: Money,
    /// The buyer's country, if it was stated.
    pub country: Option<Country>,
    /// Whether the seller captures by a call of its own: `autoSettlement` false.
    pub capture: CaptureMode,
    /// The session.
    pub checkout: Checkout,
}

/// What is wrong with a request; each text names the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionRefusal {
    /// A field is missing.
    #[error("{0} is required")]
    Required(&'static str),
    /// The reference or the amount is wrong.
    #[error(transparent)]
    Initiation(#[from] InitiationRefusal),
    /// No amount that can be charged.
    #[error(transparent)]
    Amount(#[from] AmountRefusal),
    /// No currency at all; whether it can be paid in is not asked (payments 2.3).
    #[error("currencyCode must be an ISO 4217 code")]
    Currency,
    /// No country.
    #[error("countryCode must be an ISO 3166-1 alpha-2 country code")]
    Country,
    /// No address that a buyer can be sent to.
    #[error("{field} {why}")]
    Url {
        /// Where it was sent.
        field: &'static str,
        /// What is wrong.
        why: UrlRefusal,
    },
    /// A text that does not fit.
    #[error("{field} must have at most {most} characters")]
    TooLong {
        /// Which.
        field: &'static str,
        /// How many fit.
        most: usize,
    },
    /// No language.
    #[error("locale must be a language tag such as en-GB")]
    Locale,
}

impl SessionRequest {
    /// The session that is asked for, under the id `session`, from `now` on. Accounts of demo
    /// mode may also name addresses without encryption.
    ///
    /// # Errors
    /// [`SessionRefusal`], the first in the order of the fields.
    pub fn check(
        self,
        session: String,
        demo: bool,
        now: Timestamp,
    ) -> Result<SessionDraft, SessionRefusal> {
        let code = self.currency.filter(|code| !code.is_empty());
        let code = code.ok_or(SessionRefusal::Required("currencyCode"))?;
        let currency = Currency::parse(&code).ok_or(SessionRefusal::Currency)?;
        let number = self.amount.ok_or(AmountRefusal::NotPositive)?;
        let amount = Money { minor: minor_of_number(&number, currency)?, currency };
        let reference = check_reference(self.reference)?;
        let country = match self.country.as_deref().filter(|code| !code.is_empty()) {
            Some(code) => Some(Country::parse(code).ok_or(SessionRefusal::Country)?),
            None => None,
        };
        let checkout = Checkout {
            session,
            success_url: required_url("returnUrls.success", self.success, demo)?,
            failure_url: required_url("returnUrls.failure", self.failure, demo)?,
            description: text("description", MAX_DESCRIPTION, self.description)?,
            seller_name: text("sellerMerchantName", MAX_NAME, self.seller_name)?,
            logo_url: url("logoUrl", self.logo, demo)?,
            locale: locale(self.locale)?,
            force_challenge: self.force_challenge == Some(true),
            expires_at: now.plus_seconds(SESSION_SECONDS),
            attempts: Vec::new(),
            begun: 0,
            trying: false,
            phone: None,
        };
        let manual = self.auto_settlement == Some(false);
        let capture = if manual { CaptureMode::Manual } else { CaptureMode::Automatic };
        Ok(SessionDraft { reference, amount, country, capture, checkout })
    }
}

fn required_url(
    field: &'static str,
    stated: Option<String>,
    demo: bool,
) -> Result<String, SessionRefusal> {
    url(field, stated, demo)?.ok_or(SessionRefusal::Required(field))
}

fn url(
    field: &'static str,
    stated: Option<String>,
    demo: bool,
) -> Result<Option<String>, SessionRefusal> {
    let Some(stated) = stated.filter(|stated| !stated.is_empty()) else { return Ok(None) };
    let url = WebhookUrl::parse(&stated, demo);
    url.map_err(|why| SessionRefusal::Url { field, why })?;
    Ok(Some(stated))
}

fn text(
    field: &'static str,
    most: usize,
    stated: Option<String>,
) -> Result<Option<String>, SessionRefusal> {
    let stated = stated.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    match stated {
        Some(text) if text.chars().count() > most => Err(SessionRefusal::TooLong { field, most }),
        stated => Ok(stated),
    }
}

fn locale(stated: Option<String>) -> Result<Option<String>, SessionRefusal> {
    let Some(tag) = stated.filter(|tag| !tag.is_empty()) else { return Ok(None) };
    let part = |part: &str| {
        !part.is_empty() && part.len() <= 8 && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let fits = tag.len() <= MAX_LOCALE && tag.split(['-', '_']).all(part);
    if fits { Ok(Some(tag)) } else { Err(SessionRefusal::Locale) }
}

impl Refuse for SessionRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}

#[cfg(test)]
mod tests;
