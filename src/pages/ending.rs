//! How a payment stands for its buyer.

use actors::domain::payments::payment::PaymentStatus;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The amount is held or taken, wherever it is by now.
    Succeeded,
    Failed,
    Cancelled,
    Pending,
}

impl Ending {
    /// Every status is written out, so that a new one does not compile until it has been decided
    /// what its buyer is told.
    pub(super) fn of(status: PaymentStatus) -> Self {
        match status {
            PaymentStatus::ProviderPending => Self::Pending,
            PaymentStatus::Failed => Self::Failed,
            PaymentStatus::Cancelled => Self::Cancelled,
            PaymentStatus::Authorized
            | PaymentStatus::ProviderCompleted
            | PaymentStatus::Settled
            | PaymentStatus::DepositConfirmed
            | PaymentStatus::RefundPending
            | PaymentStatus::RefundFailed
            | PaymentStatus::RefundCancelled
            | PaymentStatus::Refunded => Self::Succeeded,
        }
    }
}
