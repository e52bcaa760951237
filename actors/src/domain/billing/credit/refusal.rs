//! Why credit is not granted.

use super::CreditType;
use crate::domain::money::Currency;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreditRefusal {
    #[error("{0} is required")]
    Required(&'static str),
    #[error(
        "creditType must be promotional, purchased, manual, gift, enterprise, ai_token or \
         marketplace"
    )]
    TypeUnknown,
    #[error("creditType proration is made by the engine and cannot be granted")]
    TypeNotGranted,
    #[error("amountMinor must be between 1 and 10^12")]
    AmountRange,
    #[error("{0} must be between 1 and 10^12")]
    PackRange(&'static str),
    #[error("amountMinor must be at least thresholdMinor")]
    PackBelowThreshold,
    #[error("currency must be an ISO 4217 code")]
    CurrencyUnknown,
    #[error("currency must be the contract's, {0}")]
    CurrencyMismatch(Currency),
    #[error("expiresAt must be an RFC 3339 timestamp")]
    ExpiryMalformed,
    #[error("expiresAt must be in the future")]
    ExpiryPast,
    #[error("expiresAt is not accepted for creditType {0}, which is paid for")]
    ExpiryNotAccepted(CreditType),
    #[error("reason may have at most {0} characters")]
    ReasonTooLong(usize),
    #[error("sellerCustomerId is not a customer of the seller")]
    CustomerUnknown,
    #[error("the contract is closed and takes no credit")]
    ContractClosed,
    #[error("the contract has {0} lots of credit that are not used up and takes no further one")]
    TooManyLots(usize),
    #[error("the contract's credit would be beyond 10^15 minor units")]
    TooLarge,
}

impl Refuse for CreditRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::ContractClosed | Self::TooManyLots(_) | Self::TooLarge => {
                RefusalKind::Unprocessable
            }
            _ => RefusalKind::Invalid,
        }
    }
}
