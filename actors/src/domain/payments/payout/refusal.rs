//! What the rules of payouts refuse.

use super::PayoutStatus;
use crate::domain::money::Currency;
use crate::domain::payments::amount::AmountRefusal;
use crate::domain::refusal::{RefusalKind, Refuse};

/// Why a payout is not made or moved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PayoutRefusal {
    /// A field that every payout has was not sent.
    #[error("{0} is required")]
    Required(&'static str),
    /// The key is too long.
    #[error("idempotencyKey must have 1 to 128 characters")]
    Key,
    /// The amount is no amount.
    #[error("{0}")]
    Amount(#[from] AmountRefusal),
    /// No currency that is paid out.
    #[error("currencyCode must be EUR, GBP or USD")]
    UnknownCurrency,
    /// Another currency than the wallet's.
    #[error("currencyCode must be {0}, the currency of the wallet")]
    Currency(Currency),
    /// The method takes another currency than the wallet's.
    #[error("payoutMethodId must be of a payout method for {0}")]
    MethodCurrency(Currency),
    /// No wallet of this seller.
    #[error("walletId not found")]
    WalletMissing,
    /// No active method of the wallet's payee, or of the seller for a main wallet.
    #[error("payoutMethodId not found")]
    MethodMissing,
    /// The payee holds nothing in the method's currency.
    #[error("payee has no wallet in {0}")]
    NoWallet(Currency),
    /// The payee is archived, and its wallet with it.
    #[error("payee is archived")]
    Archived,
    /// The payee may not be paid out yet.
    #[error("payee is not approved")]
    NotApproved,
    /// Money of demo mode is not paid out in live mode.
    #[error("wallet is of demo mode")]
    WrongMode,
    /// There is not enough.
    #[error("insufficient balance")]
    InsufficientBalance,
    /// The payee has as many open payouts as it may have.
    #[error("a payee has at most {0} open payouts")]
    TooManyOpen(usize),
    /// The state machine has no such move.
    #[error("invalid status transition from {from} to {to}")]
    Move {
        /// How the payout stands.
        from: PayoutStatus,
        /// What was tried.
        to: &'static str,
    },
    /// Nobody has asked for an approval, or it is given already.
    #[error("payout is not awaiting approval")]
    NotAwaiting,
    /// The wallet cannot hold what comes back.
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
            | Self::NotAwaiting
            | Self::WalletFull => RefusalKind::Conflict,
        }
    }
}
