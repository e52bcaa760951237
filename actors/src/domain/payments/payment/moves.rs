//! The state machine of payments, on one page (payments 3, decisions 7 and 13).

use std::fmt;

use super::PaymentStatus::{
    self, Authorized, Cancelled, DepositConfirmed, Failed, ProviderCompleted, ProviderPending,
    RefundCancelled, RefundFailed, RefundPending, Refunded, Settled,
};

/// What moves a payment, or is noted on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// The provider knows the payment and has not been given the card.
    Open,
    /// The provider asks the buyer to act.
    Challenge,
    /// The buyer confirmed.
    Approve,
    /// The provider is told to go on.
    Finalize,
    /// The buyer refused to confirm.
    Decline,
    /// The provider holds the amount.
    Hold,
    /// The provider took the amount, or some of it.
    Complete,
    /// The provider is known not to have taken it.
    Fail,
    /// An attempt at checkout came to nothing; another may be made.
    EndAttempt,
    /// A buyer at checkout pays.
    Attempt,
    /// The provider's answer did not arrive, or it works on it: nobody knows yet.
    LoseTrack,
    /// The buyer or the seller gives it up.
    Cancel,
    /// The time the buyer or the seller had ran out.
    Expire,
    /// A payment that failed for a passing reason is tried again.
    Retry,
    /// The seller takes some of what is held.
    Capture,
    /// The provider could not take what is held.
    MissCapture,
    /// What is held and was not taken is let go.
    Release,
    /// The amount became available to the seller.
    Settle,
    /// The deposit that paid it became available to the seller.
    ConfirmDeposit,
    /// What was taken could not be settled.
    FailSettlement,
    /// The seller gives some of it back.
    Refund,
    /// Some went back, of a payment that has not settled.
    ReturnPart,
    /// Some went back, of a settled payment.
    ReturnPartSettled,
    /// Some went back, of a payment by deposit that has settled.
    ReturnPartConfirmed,
    /// All that was left went back.
    ReturnAll,
    /// The refund failed.
    FailRefund,
    /// The provider called the refund off.
    CancelRefund,
}

impl Trigger {
    /// Every trigger.
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

    /// The word that refusals use.
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
        ProviderPending => from_pending(trigger),
        Authorized => from_authorized(trigger),
        ProviderCompleted => from_completed(trigger),
        Settled | DepositConfirmed => (trigger == Trigger::Refund).then_some(RefundPending),
        RefundPending => from_refund_pending(trigger),
        RefundFailed | RefundCancelled => match trigger {
            Trigger::Refund => Some(RefundPending),
            Trigger::Settle | Trigger::ConfirmDeposit | Trigger::Release => Some(from),
            _ => None,
        },
        Failed => (trigger == Trigger::Retry).then_some(ProviderPending),
        Cancelled | Refunded => None,
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
        | Trigger::LoseTrack => Some(ProviderPending),
        Trigger::Hold => Some(Authorized),
        Trigger::Complete => Some(ProviderCompleted),
        Trigger::Fail | Trigger::Decline => Some(Failed),
        Trigger::Cancel | Trigger::Expire => Some(Cancelled),
        _ => None,
    }
}

fn from_authorized(trigger: Trigger) -> Option<PaymentStatus> {
    match trigger {
        Trigger::Capture | Trigger::MissCapture | Trigger::LoseTrack => Some(Authorized),
        Trigger::Complete => Some(ProviderCompleted),
        Trigger::Fail => Some(Failed),
        Trigger::Cancel | Trigger::Expire => Some(Cancelled),
        _ => None,
    }
}

fn from_completed(trigger: Trigger) -> Option<PaymentStatus> {
    match trigger {
        Trigger::Capture
        | Trigger::MissCapture
        | Trigger::LoseTrack
        | Trigger::Release
        | Trigger::Complete => Some(ProviderCompleted),
        Trigger::Settle => Some(Settled),
        Trigger::ConfirmDeposit => Some(DepositConfirmed),
        Trigger::FailSettlement => Some(Failed),
        Trigger::Refund => Some(RefundPending),
        _ => None,
    }
}

fn from_refund_pending(trigger: Trigger) -> Option<PaymentStatus> {
    match trigger {
        Trigger::Settle | Trigger::ConfirmDeposit | Trigger::Release | Trigger::LoseTrack => {
            Some(RefundPending)
        }
        Trigger::ReturnPart => Some(ProviderCompleted),
        Trigger::ReturnPartSettled => Some(Settled),
        Trigger::ReturnPartConfirmed => Some(DepositConfirmed),
        Trigger::ReturnAll => Some(Refunded),
        Trigger::FailRefund => Some(RefundFailed),
        Trigger::CancelRefund => Some(RefundCancelled),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
