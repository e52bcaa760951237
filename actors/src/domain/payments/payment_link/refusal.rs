use super::PaymentLinkStatus;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PaymentLinkRefusal {
    #[error("title must have 1 to 200 characters of one line")]
    Title,
    #[error("currency must be one of EUR, USD, GBP, DKK, NOK, SEK")]
    Currency,
    #[error("amountMinor must be from 1 to 10^12")]
    Amount,
    #[error("expiresAt must be an RFC 3339 timestamp")]
    ExpiresAt,
    #[error("expiresAt must be in the future")]
    ExpiresInThePast,
    #[error("recipientEmail must be a plain e-mail address")]
    Recipient,
    #[error("singleUse cannot be changed once the link was used")]
    SingleUse,
    /// It has come to an end.
    #[error("the payment link is {0}")]
    Ended(PaymentLinkStatus),
    /// It shows another amount by now.
    #[error("the amount has changed, look at it again")]
    AmountChanged,
}

impl Refuse for PaymentLinkRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Title
            | Self::Currency
            | Self::Amount
            | Self::ExpiresAt
            | Self::ExpiresInThePast
            | Self::Recipient => RefusalKind::Invalid,
            Self::SingleUse => RefusalKind::Unprocessable,
            Self::Ended(_) | Self::AmountChanged => RefusalKind::Conflict,
        }
    }
}
