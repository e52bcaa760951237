use super::PayoutStatus;
use crate::domain::money::Currency;
use crate::domain::payments::amount::AmountRefusal;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PayoutRefusal {
    #[error("{0} is required")]
    Required(&'static str),
    #[error("idempotencyKey must have 1 to 128 characters")]
    Key,
    #[error("{0}")]
    Amount(#[from] AmountRefusal),
    #[error("currencyCode must be EUR, GBP or USD")]
    UnknownCurrency,
    #[error("currencyCode must be {0}, the currency of the wallet")]
    Currency(Currency),
    #[error("payoutMethodId must be of a payout method for {0}")]
    MethodCurrency(Currency),
    #[error("walletId not found")]
    WalletMissing,
    #[error("payoutMethodId not found")]
    MethodMissing,
    #[error("payee has no wallet in {0}")]
    NoWallet(Currency),
    #[error("payee is archived")]
    Archived,
    #[error("payee is not approved")]
    NotApproved,
    #[error("wallet is of demo mode")]
    WrongMode,
    #[error("insufficient balance")]
    InsufficientBalance,
    #[error("a payee has at most {0} open payouts")]
    TooManyOpen(usize),
    #[error("invalid status transition from {from} to {to}")]
    Move { from: PayoutStatus, to: &'static str },
    #[error("{field} is {known} already")]
    KnownOtherwise { field: &'static str, known: String },
    #[error("payout is not awaiting approval")]
    NotAwaiting,
    #[error("wallet is full")]
    WalletFull,
}

impl Refuse for PayoutRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Required(_)
            | Self::Key
            | Self::Amount(_)
            | Self::UnknownCurrency
            | Self::Currency(_)
            | Self::MethodCurrency(_) => RefusalKind::Invalid,
            Self::WalletMissing | Self::MethodMissing => RefusalKind::Missing,
            Self::NoWallet(_)
            | Self::Archived
            | Self::NotApproved
            | Self::WrongMode
            | Self::InsufficientBalance
            | Self::TooManyOpen(_)
            | Self::Move { .. }
            | Self::KnownOtherwise { .. }
            | Self::NotAwaiting
            | Self::WalletFull => RefusalKind::Conflict,
        }
    }
}
