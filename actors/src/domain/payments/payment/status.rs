//! How far a payment got.

use crate::domain::names::names;

names! {
    /// The statuses of all payments; the names in the documents are the only ones (payments 3).
    PaymentStatus;
    /// The provider or the buyer has yet to answer.
    0 ProviderPending = "provider_pending",
    /// The amount is held and waits for its capture.
    1 Authorized = "authorized",
    /// The provider took the amount.
    2 ProviderCompleted = "provider_completed",
    /// The amount is available to the seller.
    3 Settled = "settled",
    /// A deposit paid it.
    4 DepositConfirmed = "deposit_confirmed",
    /// It failed for good.
    5 Failed = "failed",
    /// It was given up before it was paid.
    6 Cancelled = "cancelled",
    /// A refund is on its way.
    7 RefundPending = "refund_pending",
    /// A refund failed.
    8 RefundFailed = "refund_failed",
    /// A refund was cancelled.
    9 RefundCancelled = "refund_cancelled",
    /// Everything was given back.
    10 Refunded = "refunded",
}

impl PaymentStatus {
    /// Whether the payment can still become paid.
    pub fn is_open(self) -> bool {
        matches!(self, Self::ProviderPending | Self::Authorized)
    }

    /// Whether it ended unpaid, so that what it was for may be paid by another.
    pub fn is_lost(self) -> bool {
        matches!(self, Self::Failed | Self::Cancelled)
    }

    /// Whether entering the status is told by `PaymentCompleted` (decisions 13).
    pub fn completes(self) -> bool {
        matches!(
            self,
            Self::ProviderCompleted
                | Self::Settled
                | Self::DepositConfirmed
                | Self::Failed
                | Self::Cancelled
        )
    }
}
