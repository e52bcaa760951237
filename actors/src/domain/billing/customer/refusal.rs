//! What the rules of customers refuse.

use crate::domain::refusal::{RefusalKind, Refuse};

/// Why a customer is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CustomerRefusal {
    /// There is no address.
    #[error("email is required")]
    EmailMissing,
    /// The address is not a plain one.
    #[error("email must be a plain e-mail address")]
    EmailMalformed,
    /// A text is too long.
    #[error("{field} must have at most {max} characters")]
    TooLong {
        /// The JSON name of the field.
        field: &'static str,
        /// How many characters it may have.
        max: usize,
    },
    /// The currency is not accepted.
    #[error("currency must be one of EUR, USD, GBP, DKK, NOK, SEK")]
    Currency,
    /// No such type.
    #[error("customerType must be individual or company")]
    UnknownType,
    /// Another customer of the seller holds the reference.
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
            | Self::UnknownType => RefusalKind::Invalid,
        }
    }
}
