//! What the rules of top-up invoices refuse.

use crate::domain::money::Currency;
use crate::domain::refusal::{RefusalKind, Refuse};

/// Why a top-up invoice is not made, or a deposit not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopupRefusal {
    /// A field that is always needed was not sent.
    #[error("{0} is required")]
    Required(&'static str),
    /// No currency at all.
    #[error("currency must be an ISO 4217 code")]
    UnknownCurrency,
    /// Nothing keeps money of this currency.
    #[error("currency {0} has no active safeguarding account")]
    NoSafeguarding(String),
    /// Nowhere to put money of this currency.
    #[error("currency {0} has no main wallet")]
    NoMainWallet(Currency),
    /// Nothing, or less.
    #[error("amountMinor must be greater than 0")]
    NotPositive,
    /// More than Accrue computes with.
    #[error("amountMinor is beyond 10^15")]
    TooLarge,
    /// No instant.
    #[error("dueAt must be an RFC 3339 timestamp")]
    DueAt,
    /// Before the invoice, or too late for the days of grace.
    #[error("dueAt must be between the issue date and {0} days after it")]
    DueAtRange(i64),
    /// What the bank calls a deposit is no text of ours.
    #[error("reference must have 1 to 140 plain characters")]
    Reference,
    /// The deposit is of another currency.
    #[error("currency must be {0}, the currency of the invoice")]
    Currency(Currency),
    /// A deposit of this reference was another one.
    #[error("reference is already used for another amount")]
    ReferenceUsed,
}

impl Refuse for TopupRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Required(_)
            | Self::UnknownCurrency
            | Self::NoSafeguarding(_)
            | Self::NoMainWallet(_)
            | Self::NotPositive
            | Self::TooLarge
            | Self::DueAt
            | Self::DueAtRange(_)
            | Self::Reference
            | Self::Currency(_) => RefusalKind::Invalid,
            Self::ReferenceUsed => RefusalKind::Conflict,
        }
    }
}
