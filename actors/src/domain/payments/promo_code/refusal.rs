use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PromoRefusal {
    #[error("code must have 3 to 40 letters A to Z, digits, dashes or underscores")]
    Code,
    #[error("code is already used")]
    CodeUsed,
    #[error("exactly one of percentBps and amountOffMinor must be given")]
    OneOfTwo,
    #[error("percentBps must be from 1 to 9999")]
    Percent,
    #[error("amountOffMinor must be from 1 to 10^12")]
    Amount,
    #[error("currency must be one of EUR, USD, GBP, DKK, NOK, SEK, and goes with amountOffMinor")]
    Currency,
    #[error("maxRedemptions must be from 1 to 10^9")]
    Most,
    #[error("expiresAt must be an RFC 3339 timestamp")]
    ExpiresAt,
    #[error("expiresAt must be in the future")]
    ExpiresInThePast,
    #[error("paymentLinkIds must name 1 to 100 links, each once")]
    Links,
    #[error("paymentLinkIds names a link that you do not have")]
    UnknownLink,
    #[error("promoCode is not valid here")]
    NotHere,
    #[error("promoCode has expired")]
    Expired,
    #[error("promoCode is used up")]
    UsedUp,
    #[error("promoCode takes off another currency")]
    OtherCurrency,
    #[error("promoCode would leave nothing to pay")]
    NothingLeft,
}

impl Refuse for PromoRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::CodeUsed => RefusalKind::Conflict,
            _ => RefusalKind::Invalid,
        }
    }
}
