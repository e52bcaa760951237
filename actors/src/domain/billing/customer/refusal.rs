//! What the rules of customers refuse.

use crate::domain::country::Country;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CustomerRefusal {
    #[error("email is required")]
    EmailMissing,
    #[error("email must be a plain e-mail address")]
    EmailMalformed,
    #[error("{field} must have at most {max} characters")]
    TooLong { field: &'static str, max: usize },
    #[error("currency must be one of EUR, USD, GBP, DKK, NOK, SEK")]
    Currency,
    #[error("customerType must be individual or company")]
    UnknownType,
    #[error("taxId is no VAT id of {0}")]
    NoVatId(Country),
    #[error("customerRef is held by another customer")]
    RefTaken,
}

impl Refuse for CustomerRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::RefTaken => RefusalKind::Unprocessable,
            Self::EmailMissing
            | Self::EmailMalformed
            | Self::TooLong { .. }
            | Self::Currency
            | Self::UnknownType
            | Self::NoVatId(_) => RefusalKind::Invalid,
        }
    }
}
