//! What the rules of a payment refuse.

use super::{PaymentStatus, Trigger};
use crate::domain::refusal::{RefusalKind, Refuse};

/// Why a payment does not take a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PaymentRefusal {
    /// The state machine has no such move (payments 7).
    #[error("invalid status transition from {from} to {trigger}")]
    Move {
        /// The payment's status.
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
    /// An answer came to a question that is not open.
    #[error("no provider call awaits an answer")]
    NotAsked,
    /// A timer came too early, or twice.
    #[error("the time for this has not come")]
    NotDue,
}

impl Refuse for PaymentRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Conflict
    }
}
