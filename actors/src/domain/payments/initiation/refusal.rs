//! What the checks of an initiation refuse.

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
    /// A field is missing.
    #[error("{0} is required")]
    Required(&'static str),
    /// No currency of payments.
    #[error("currencyCode must be one of EUR, USD, GBP, DKK, NOK, SEK")]
    Currency,
    /// No amount that can be charged.
    #[error(transparent)]
    Amount(#[from] AmountRefusal),
    /// No name that can stand in a path.
    #[error("externalOrderRef must have 1 to 128 printable characters and be neither . nor ..")]
    Reference,
    /// No rail.
    #[error("paymentType must be card or apm")]
    Type,
    /// A method of the other rail, or of none.
    #[error("paymentMethod {method} is not supported for paymentType {rail}")]
    Method {
        /// What was stated.
        method: String,
        rail: Rail,
    },
    /// No country.
    #[error("{0} must be an ISO 3166-1 alpha-2 country code")]
    Country(&'static str),
    /// The method is not known there.
    #[error(
        "paymentMethod {method} is not supported for currency {currency} and country {country}"
    )]
    Market {
        /// What was stated.
        method: String,
        currency: Currency,
        /// The country's code.
        country: String,
    },
    /// A field of the card is wrong.
    #[error(transparent)]
    Card(CardProblem),
    /// No telephone number.
    #[error("apmData.phone must be + and 8 to 15 digits")]
    Phone,
    /// The buyer could go nowhere afterwards.
    #[error("valid returnLinks are required")]
    ReturnLinks,
    /// No address that a buyer can be sent to.
    #[error("returnUrl {0}")]
    ReturnUrl(UrlRefusal),
    /// The seller has not allowed the host.
    #[error("returnUrl cannot be used until allowed return hosts are configured")]
    ReturnHost,
    /// No capture mode.
    #[error("captureMode must be automatic or manual")]
    CaptureMode,
    /// One field says that the seller captures, the other does not.
    #[error("manual capture needs captureMode manual and autoSettlement false")]
    CaptureUnclear,
    /// The method holds no money.
    #[error("captureMode manual is not supported for paymentMethod {0}")]
    CaptureMethod(Method),
    /// A text is too long to be kept.
    #[error("{0} must have at most {MAX_TEXT} characters")]
    TooLong(&'static str),
}

impl Refuse for InitiationRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}
