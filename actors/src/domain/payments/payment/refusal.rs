use super::{PaymentStatus, Trigger};
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PaymentRefusal {
    #[error("invalid status transition from {from} to {trigger}")]
    Move {
        from: PaymentStatus,
        /// What was tried.
        trigger: Trigger,
    },
    /// The provider has been asked and not answered: giving up now could lose money taken.
    #[error("the payment is being processed")]
    InFlight,
    #[error("the payment does not wait for the buyer")]
    NoChallenge,
    #[error("the challenge has been answered already")]
    ChallengeOver,
    /// The buyer has not approved yet; the processor would say so.
    #[error("upstream card processor returned 400")]
    NotApproved,
    #[error("amount cannot be stated with manual capture")]
    ManualAmount,
    #[error("manual settlement required")]
    ManualCapture,
    #[error("capture amount exceeds remaining authorized amount")]
    AboveAuthorized,
    #[error("this processor captures once: send final true")]
    CapturesOnce,
    #[error("capture is not allowed while a refund is in progress")]
    CaptureDuringRefund,
    #[error("capture is not allowed after a successful refund")]
    CaptureAfterRefund,
    #[error("refund is already in progress")]
    RefundUnderWay,
    #[error("payment is already refunded")]
    Refunded,
    #[error("refund is not allowed for a payment in status {from}")]
    NotRefundable { from: PaymentStatus },
    #[error("refund amount exceeds remaining refundable amount")]
    AboveRefundable,
    #[error("the payment has no checkout session")]
    NoSession,
    #[error("another attempt is in progress")]
    AttemptUnderWay,
    #[error("the checkout session is over")]
    SessionOver,
    #[error("no provider call awaits an answer")]
    NotAsked,
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
