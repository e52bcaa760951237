use super::fields::MAX_TEXT;
use crate::domain::money::Currency;
use crate::domain::payments::amount::AmountRefusal;
use crate::domain::payments::card::CardProblem;
use crate::domain::payments::method::Method;
use crate::domain::payments::terminal::Rail;
use crate::domain::platform::webhook::url::UrlRefusal;
use crate::domain::refusal::{RefusalKind, Refuse};

/// Why a payment is not begun; each text names the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InitiationRefusal {
    #[error("{0} is required")]
    Required(&'static str),
    #[error("currencyCode must be one of EUR, USD, GBP, DKK, NOK, SEK")]
    Currency,
    #[error(transparent)]
    Amount(#[from] AmountRefusal),
    #[error("externalOrderRef must have 1 to 128 printable characters and be neither . nor ..")]
    Reference,
    #[error("paymentType must be card or apm")]
    Type,
    #[error("paymentMethod {method} is not supported for paymentType {rail}")]
    Method { method: String, rail: Rail },
    #[error("{0} must be an ISO 3166-1 alpha-2 country code")]
    Country(&'static str),
    #[error(
        "paymentMethod {method} is not supported for currency {currency} and country {country}"
    )]
    Market { method: String, currency: Currency, country: String },
    #[error(transparent)]
    Card(CardProblem),
    #[error("apmData.phone must be + and 8 to 15 digits")]
    Phone,
    #[error("valid returnLinks are required")]
    ReturnLinks,
    #[error("returnUrl {0}")]
    ReturnUrl(UrlRefusal),
    #[error("returnUrl cannot be used until allowed return hosts are configured")]
    ReturnHost,
    #[error("captureMode must be automatic or manual")]
    CaptureMode,
    #[error("manual capture needs captureMode manual and autoSettlement false")]
    CaptureUnclear,
    #[error("captureMode manual is not supported for paymentMethod {0}")]
    CaptureMethod(Method),
    #[error("{0} must have at most {MAX_TEXT} characters")]
    TooLong(&'static str),
}

impl Refuse for InitiationRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}
