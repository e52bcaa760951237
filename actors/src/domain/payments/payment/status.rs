//! The statuses of a payment and what moves it between them: the state machine, on one page. Lists
//! find a payment by its status.

use std::fmt;

use super::Payment;
use crate::domain::names::names;
use crate::listing::{Facet, Listed, Place};

names! {
    PaymentStatus;
    /// The provider or the buyer has yet to answer.
    0 ProviderPending = "provider_pending",
    /// The amount is held and waits for its capture.
    1 Authorized = "authorized",
    2 ProviderCompleted = "provider_completed",
    3 Settled = "settled",
    /// A deposit paid it.
    4 DepositConfirmed = "deposit_confirmed",
    5 Failed = "failed",
    6 Cancelled = "cancelled",
    7 RefundPending = "refund_pending",
    8 RefundFailed = "refund_failed",
    9 RefundCancelled = "refund_cancelled",
    10 Refunded = "refunded",
}

impl PaymentStatus {
    /// In which a payment may be open at its processor: until its money is available, also beside
    /// a refund. One that has settled has been there for long, except while it goes back.
    pub const AT_PROCESSOR: [Self; 6] = [
        Self::ProviderPending,
        Self::Authorized,
        Self::ProviderCompleted,
        Self::RefundPending,
        Self::RefundFailed,
        Self::RefundCancelled,
    ];

    /// Whether the payment can still become paid.
    pub fn is_open(self) -> bool {
        matches!(self, Self::ProviderPending | Self::Authorized)
    }

    /// Whether it ended unpaid, so that what it was for may be paid by another.
    pub fn is_lost(self) -> bool {
        matches!(self, Self::Failed | Self::Cancelled)
    }

    /// Whether the provider has taken the money, wherever it is by now.
    pub fn is_paid(self) -> bool {
        matches!(
            self,
            Self::ProviderCompleted
                | Self::Settled
                | Self::DepositConfirmed
                | Self::RefundPending
                | Self::RefundFailed
                | Self::RefundCancelled
                | Self::Refunded
        )
    }

    /// Whether nothing more is captured of what was paid.
    pub(super) fn is_past_capturing(self) -> bool {
        matches!(
            self,
            Self::Settled
                | Self::DepositConfirmed
                | Self::RefundPending
                | Self::RefundFailed
                | Self::RefundCancelled
                | Self::Refunded
        )
    }

    /// Whether entering the status is told by `PaymentCompleted`.
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

/// What moves a payment, or is noted on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// The provider knows the payment and has not been given the card.
    Open,
    Challenge,
    Approve,
    /// The provider is told to go on.
    Finalize,
    Decline,
    Hold,
    /// The provider took the amount, or some of it.
    Complete,
    /// The provider is known not to have taken it.
    Fail,
    /// An attempt at checkout came to nothing; another may be made.
    EndAttempt,
    Attempt,
    /// The provider's answer did not arrive, or it works on it: nobody knows yet.
    LoseTrack,
    Cancel,
    Expire,
    Retry,
    Capture,
    /// The provider could not take what is held.
    MissCapture,
    /// What is held and was not taken is let go.
    Release,
    Settle,
    /// The deposit that paid it became available to the seller.
    ConfirmDeposit,
    FailSettlement,
    Refund,
    /// Some went back, of a payment that has not settled.
    ReturnPart,
    /// Some went back, of a settled payment.
    ReturnPartSettled,
    /// Some went back, of a payment by deposit that has settled.
    ReturnPartConfirmed,
    /// All that was left went back.
    ReturnAll,
    FailRefund,
    CancelRefund,
}

impl Trigger {
    pub const ALL: [Self; 27] = [
        Self::Open,
        Self::Challenge,
        Self::Approve,
        Self::Finalize,
        Self::Decline,
        Self::Hold,
        Self::Complete,
        Self::Fail,
        Self::EndAttempt,
        Self::Attempt,
        Self::LoseTrack,
        Self::Cancel,
        Self::Expire,
        Self::Retry,
        Self::Capture,
        Self::MissCapture,
        Self::Release,
        Self::Settle,
        Self::ConfirmDeposit,
        Self::FailSettlement,
        Self::Refund,
        Self::ReturnPart,
        Self::ReturnPartSettled,
        Self::ReturnPartConfirmed,
        Self::ReturnAll,
        Self::FailRefund,
        Self::CancelRefund,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Challenge => "challenge",
            Self::Approve => "approve",
            Self::Finalize => "finalize",
            Self::Decline => "decline",
            Self::Hold => "authorize",
            Self::Complete => "complete",
            Self::Fail => "fail",
            Self::EndAttempt => "end attempt",
            Self::Attempt => "attempt",
            Self::LoseTrack => "reconciliation",
            Self::Cancel => "cancel",
            Self::Expire => "expire",
            Self::Retry => "retry",
            Self::Capture | Self::MissCapture => "capture",
            Self::Release => "release",
            Self::Settle => "settle",
            Self::ConfirmDeposit => "deposit",
            Self::FailSettlement => "settlement failure",
            Self::Refund
            | Self::ReturnPart
            | Self::ReturnPartSettled
            | Self::ReturnPartConfirmed
            | Self::ReturnAll
            | Self::FailRefund
            | Self::CancelRefund => "refund",
        }
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The status after `trigger`, or `None` where the move is refused. A status that stays says
/// that the payment takes the trigger and changes elsewhere: settlement, for one, is recorded
/// beside the status of a payment with a refund. Every status is written out in its own rule, so
/// that a new one does not compile until it has been decided what moves it.
pub fn next_status(from: PaymentStatus, trigger: Trigger) -> Option<PaymentStatus> {
    match from {
        PaymentStatus::ProviderPending => from_pending(trigger),
        PaymentStatus::Authorized => from_authorized(trigger),
        PaymentStatus::ProviderCompleted => from_completed(trigger),
        PaymentStatus::Settled | PaymentStatus::DepositConfirmed => match trigger {
            Trigger::Refund => Some(PaymentStatus::RefundPending),
            Trigger::Release | Trigger::LoseTrack => Some(from),
            _ => None,
        },
        PaymentStatus::RefundPending => from_refund_pending(trigger),
        PaymentStatus::RefundFailed | PaymentStatus::RefundCancelled => match trigger {
            Trigger::Refund => Some(PaymentStatus::RefundPending),
            Trigger::Settle | Trigger::ConfirmDeposit | Trigger::Release | Trigger::LoseTrack => {
                Some(from)
            }
            Trigger::FailSettlement => Some(PaymentStatus::Failed),
            _ => None,
        },
        PaymentStatus::Failed => {
            (trigger == Trigger::Retry).then_some(PaymentStatus::ProviderPending)
        }
        PaymentStatus::Refunded => {
            matches!(trigger, Trigger::Release | Trigger::LoseTrack).then_some(from)
        }
        PaymentStatus::Cancelled => None,
    }
}

fn from_pending(trigger: Trigger) -> Option<PaymentStatus> {
    match trigger {
        Trigger::Open
        | Trigger::Challenge
        | Trigger::Approve
        | Trigger::Finalize
        | Trigger::Attempt
        | Trigger::EndAttempt
        | Trigger::LoseTrack => Some(PaymentStatus::ProviderPending),
        Trigger::Hold => Some(PaymentStatus::Authorized),
        Trigger::Complete => Some(PaymentStatus::ProviderCompleted),
        Trigger::Fail | Trigger::Decline => Some(PaymentStatus::Failed),
        Trigger::Cancel | Trigger::Expire => Some(PaymentStatus::Cancelled),
        _ => None,
    }
}

fn from_authorized(trigger: Trigger) -> Option<PaymentStatus> {
    match trigger {
        Trigger::Capture | Trigger::MissCapture | Trigger::LoseTrack => {
            Some(PaymentStatus::Authorized)
        }
        Trigger::Complete => Some(PaymentStatus::ProviderCompleted),
        Trigger::Fail => Some(PaymentStatus::Failed),
        Trigger::Cancel | Trigger::Expire => Some(PaymentStatus::Cancelled),
        _ => None,
    }
}

fn from_completed(trigger: Trigger) -> Option<PaymentStatus> {
    match trigger {
        Trigger::Capture
        | Trigger::MissCapture
        | Trigger::LoseTrack
        | Trigger::Release
        | Trigger::Complete => Some(PaymentStatus::ProviderCompleted),
        Trigger::Settle => Some(PaymentStatus::Settled),
        Trigger::ConfirmDeposit => Some(PaymentStatus::DepositConfirmed),
        Trigger::FailSettlement => Some(PaymentStatus::Failed),
        Trigger::Refund => Some(PaymentStatus::RefundPending),
        _ => None,
    }
}

fn from_refund_pending(trigger: Trigger) -> Option<PaymentStatus> {
    match trigger {
        Trigger::Settle | Trigger::ConfirmDeposit | Trigger::Release | Trigger::LoseTrack => {
            Some(PaymentStatus::RefundPending)
        }
        Trigger::ReturnPart => Some(PaymentStatus::ProviderCompleted),
        Trigger::ReturnPartSettled => Some(PaymentStatus::Settled),
        Trigger::ReturnPartConfirmed => Some(PaymentStatus::DepositConfirmed),
        Trigger::ReturnAll => Some(PaymentStatus::Refunded),
        Trigger::FailRefund => Some(PaymentStatus::RefundFailed),
        Trigger::CancelRefund => Some(PaymentStatus::RefundCancelled),
        _ => None,
    }
}

impl Listed for Payment {
    fn id(&self) -> u64 {
        self.id.0
    }

    fn places(&self) -> Vec<Place> {
        vec![(Facet::PaymentStatus, self.status as u64)]
    }
}

#[cfg(test)]
mod tests;
