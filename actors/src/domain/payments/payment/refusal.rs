//! What the rules of a payment refuse.

use super::{PaymentStatus, Trigger};
use crate::domain::refusal::{RefusalKind, Refuse};

/// Why a payment does not take a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PaymentRefusal {
    /// The state machine has no such move.
    #[error("invalid status transition from {from} to {trigger}")]
    Move {
        from: PaymentStatus,
        /// What was tried.
        trigger: Trigger,
    },
    /// The provider has been asked and not answered: giving up now could lose money taken.
    #[error("the payment is being processed")]
    InFlight,
    /// The buyer was asked nothing.
    #[error("the payment does not wait for the buyer")]
    NoChallenge,
    /// The buyer has answered already.
    #[error("the challenge has been answered already")]
    ChallengeOver,
    /// The buyer has not approved yet; the processor would say so.
    #[error("upstream card processor returned 400")]
    NotApproved,
    /// An amount was stated for a payment that is captured by a call of its own.
    #[error("amount cannot be stated with manual capture")]
    ManualAmount,
    /// The payment is captured by itself.
    #[error("manual settlement required")]
    ManualCapture,
    /// More was to be captured than is held.
    #[error("capture amount exceeds remaining authorized amount")]
    AboveAuthorized,
    /// A refund is under way.
    #[error("capture is not allowed while a refund is in progress")]
    CaptureDuringRefund,
    /// Some went back already.
    #[error("capture is not allowed after a successful refund")]
    CaptureAfterRefund,
    /// Another refund is under way.
    #[error("refund is already in progress")]
    RefundUnderWay,
    /// All of it went back.
    #[error("payment is already refunded")]
    Refunded,
    /// There is nothing to give back.
    #[error("refund is not allowed for a payment in status {from}")]
    NotRefundable {
        from: PaymentStatus,
    },
    /// More was to go back than is left.
    #[error("refund amount exceeds remaining refundable amount")]
    AboveRefundable,
    /// It is not paid at a hosted checkout.
    #[error("the payment has no checkout session")]
    NoSession,
    /// Another attempt at checkout is under way.
    #[error("another attempt is in progress")]
    AttemptUnderWay,
    /// The time of the checkout session is over.
    #[error("the checkout session is over")]
    SessionOver,
    /// An answer came to a question that is not open.
    #[error("no provider call awaits an answer")]
    NotAsked,
    /// A timer came too early, or twice.
    #[error("the time for this has not come")]
    NotDue,
}

impl Refuse for PaymentRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::ManualAmount => RefusalKind::Invalid,
            _ => RefusalKind::Conflict,
        }
    }
}
