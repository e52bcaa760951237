//! How far a payment got.

use std::fmt;

/// The statuses of all payments; the names in the documents are the only ones (payments 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum PaymentStatus {
    /// The provider or the buyer has yet to answer.
    #[n(0)]
    ProviderPending,
    /// The amount is held and waits for its capture.
    #[n(1)]
    Authorized,
    /// The provider took the amount.
    #[n(2)]
    ProviderCompleted,
    /// The amount is available to the seller.
    #[n(3)]
    Settled,
    /// A deposit paid it.
    #[n(4)]
    DepositConfirmed,
    /// It failed for good.
    #[n(5)]
    Failed,
    /// It was given up before it was paid.
    #[n(6)]
    Cancelled,
    /// A refund is on its way.
    #[n(7)]
    RefundPending,
    /// A refund failed.
    #[n(8)]
    RefundFailed,
    /// A refund was cancelled.
    #[n(9)]
    RefundCancelled,
    /// Everything was given back.
    #[n(10)]
    Refunded,
}

impl PaymentStatus {
    /// Every status, in the order of the documents.
    pub const ALL: [Self; 11] = [
        Self::ProviderPending,
        Self::Authorized,
        Self::ProviderCompleted,
        Self::Settled,
        Self::DepositConfirmed,
        Self::Failed,
        Self::Cancelled,
        Self::RefundPending,
        Self::RefundFailed,
        Self::RefundCancelled,
        Self::Refunded,
    ];

    /// The word on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::ProviderPending => "provider_pending",
            Self::Authorized => "authorized",
            Self::ProviderCompleted => "provider_completed",
            Self::Settled => "settled",
            Self::DepositConfirmed => "deposit_confirmed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::RefundPending => "refund_pending",
            Self::RefundFailed => "refund_failed",
            Self::RefundCancelled => "refund_cancelled",
            Self::Refunded => "refunded",
        }
    }

    /// The status of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

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

impl fmt::Display for PaymentStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
