//! What a seller asks of a hosted checkout, and what is wrong with it.

use super::amount::AmountRefusal;
use super::initiation::InitiationRefusal;
use super::payment::{CaptureMode, Checkout};
use crate::domain::country::Country;
use crate::domain::money::Money;
use crate::domain::platform::webhook::url::{UrlRefusal, WebhookUrl};
use crate::domain::refusal::{RefusalKind, Refuse};

/// The longest language tag, in characters.
const MAX_LOCALE: usize = 35;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDraft {
    pub reference: String,
    /// How much; above 0.
    pub amount: Money,
    pub country: Option<Country>,
    /// Whether the seller captures by a call of its own: `autoSettlement` false.
    pub capture: CaptureMode,
    pub checkout: Checkout,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionRefusal {
    #[error("{0} is required")]
    Required(&'static str),
    #[error(transparent)]
    Initiation(#[from] InitiationRefusal),
    #[error(transparent)]
    Amount(#[from] AmountRefusal),
    /// No code at all; whether there is such a currency is not asked.
    #[error("currencyCode must be three capital letters")]
    Currency,
    #[error("countryCode must be an ISO 3166-1 alpha-2 country code")]
    Country,
    #[error("{field} {why}")]
    Url { field: &'static str, why: UrlRefusal },
    #[error("{field} must have at most {most} characters")]
    TooLong {
        field: &'static str,
        /// How many fit.
        most: usize,
    },
    #[error("locale must be a language tag such as en-GB")]
    Locale,
}

/// An address of the request, if it is stated; accounts of demo mode may name one without
/// encryption.
pub fn session_url(
    field: &'static str,
    stated: Option<String>,
    demo: bool,
) -> Result<Option<String>, SessionRefusal> {
    let Some(stated) = stated.filter(|stated| !stated.is_empty()) else { return Ok(None) };
    let url = WebhookUrl::parse(&stated, demo);
    url.map_err(|why| SessionRefusal::Url { field, why })?;
    Ok(Some(stated))
}

/// What the buyer is told is paid: at most 500 characters.
pub fn session_description(stated: Option<String>) -> Result<Option<String>, SessionRefusal> {
    text("description", 500, stated)
}

/// The name the buyer knows the seller by: at most 200 characters.
pub fn session_seller_name(stated: Option<String>) -> Result<Option<String>, SessionRefusal> {
    text("sellerMerchantName", 200, stated)
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

/// The buyer's language, as a BCP 47 tag.
pub fn session_locale(stated: Option<String>) -> Result<Option<String>, SessionRefusal> {
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
