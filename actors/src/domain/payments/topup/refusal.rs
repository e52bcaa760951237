use crate::domain::money::Currency;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopupRefusal {
    #[error("{0} is required")]
    Required(&'static str),
    #[error("currency must be an ISO 4217 code")]
    UnknownCurrency,
    #[error("currency {0} has no active safeguarding account")]
    NoSafeguarding(String),
    #[error("currency {0} has no main wallet")]
    NoMainWallet(Currency),
    #[error("amountMinor must be greater than 0")]
    NotPositive,
    #[error("amountMinor is beyond 10^15")]
    TooLarge,
    #[error("dueAt must be an RFC 3339 timestamp")]
    DueAt,
    #[error("dueAt must be between the issue date and {0} days after it")]
    DueAtRange(i64),
    #[error("reference must have 1 to 140 plain characters")]
    Reference,
    #[error("currency must be {0}, the currency of the invoice")]
    Currency(Currency),
    #[error("reference is already used for another amount")]
    ReferenceUsed,
    #[error("the invoice has {0} deposits and takes no further one")]
    TooManyDeposits(usize),
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
            Self::ReferenceUsed | Self::TooManyDeposits(_) => RefusalKind::Conflict,
        }
    }
}
