//! The state machine of payments, on one page (payments 3, decisions 7 and 13).

use std::fmt;

use super::PaymentStatus::{
    self, Authorized, Cancelled, DepositConfirmed, Failed, ProviderCompleted, ProviderPending,
    RefundCancelled, RefundFailed, RefundPending, Refunded, Settled,
};

/// What moves a payment, or is noted on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// The provider asks the buyer to confirm.
    Challenge,
    /// The buyer confirmed; the provider is told.
    Approve,
    /// The buyer refused to confirm.
    Decline,
    /// The provider took the amount.
    Complete,
    /// The provider is known not to have taken it.
    Fail,
    /// The provider's answer did not arrive: nobody knows yet.
    LoseTrack,
    /// The buyer or the seller gave it up.
    Cancel,
    /// The time the buyer had ran out.
    Expire,
    /// The amount became available to the seller.
    Settle,
    /// What was taken could not be settled.
    FailSettlement,
}

impl Trigger {
    /// Every trigger.
    pub const ALL: [Self; 10] = [
        Self::Challenge,
        Self::Approve,
        Self::Decline,
        Self::Complete,
        Self::Fail,
        Self::LoseTrack,
        Self::Cancel,
        Self::Expire,
        Self::Settle,
        Self::FailSettlement,
    ];

    /// The word that refusals use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Challenge => "challenge",
            Self::Approve => "approve",
            Self::Decline => "decline",
            Self::Complete => "complete",
            Self::Fail => "fail",
            Self::LoseTrack => "reconciliation",
            Self::Cancel => "cancel",
            Self::Expire => "expire",
            Self::Settle => "settle",
            Self::FailSettlement => "settlement failure",
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
/// beside the status of a payment with a refund. Every pair is written out, so that a new
/// status or trigger does not compile until each of its pairs has been decided.
pub fn next_status(from: PaymentStatus, trigger: Trigger) -> Option<PaymentStatus> {
    match (trigger, from) {
        (Trigger::Challenge | Trigger::Approve | Trigger::LoseTrack, ProviderPending) => {
            Some(ProviderPending)
        }
        (Trigger::Complete, ProviderPending) => Some(ProviderCompleted),
        (Trigger::Fail | Trigger::Decline, ProviderPending) => Some(Failed),
        (Trigger::Cancel | Trigger::Expire, ProviderPending) => Some(Cancelled),
        (
            Trigger::Challenge
            | Trigger::Approve
            | Trigger::Decline
            | Trigger::Complete
            | Trigger::Fail
            | Trigger::LoseTrack
            | Trigger::Cancel
            | Trigger::Expire,
            Authorized | ProviderCompleted | Settled | DepositConfirmed | Failed | Cancelled
            | RefundPending | RefundFailed | RefundCancelled | Refunded,
        ) => None,

        (Trigger::Settle, ProviderCompleted) => Some(Settled),
        (Trigger::Settle, RefundPending) => Some(RefundPending),
        (Trigger::Settle, RefundFailed) => Some(RefundFailed),
        (Trigger::Settle, RefundCancelled) => Some(RefundCancelled),
        (
            Trigger::Settle,
            ProviderPending | Authorized | Settled | DepositConfirmed | Failed | Cancelled
            | Refunded,
        ) => None,

        (Trigger::FailSettlement, ProviderCompleted) => Some(Failed),
        (
            Trigger::FailSettlement,
            ProviderPending | Authorized | Settled | DepositConfirmed | Failed | Cancelled
            | RefundPending | RefundFailed | RefundCancelled | Refunded,
        ) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows are statuses, columns the triggers in their order; `.` is refused.
    const GRID: &str = "
        provider_pending   provider_pending provider_pending failed provider_completed failed provider_pending cancelled cancelled . .
        authorized         . . . . . . . . . .
        provider_completed . . . . . . . . settled failed
        settled            . . . . . . . . . .
        deposit_confirmed  . . . . . . . . . .
        failed             . . . . . . . . . .
        cancelled          . . . . . . . . . .
        refund_pending     . . . . . . . . refund_pending .
        refund_failed      . . . . . . . . refund_failed .
        refund_cancelled   . . . . . . . . refund_cancelled .
        refunded           . . . . . . . . . .";

    #[test]
    fn every_pair_is_allowed_or_refused_as_listed() {
        let rows: Vec<_> = GRID.lines().filter(|line| !line.trim().is_empty()).collect();
        assert_eq!(rows.len(), PaymentStatus::ALL.len());
        for (row, from) in rows.iter().zip(PaymentStatus::ALL) {
            let cells: Vec<_> = row.split_whitespace().collect();
            assert_eq!(cells.len(), 1 + Trigger::ALL.len(), "{row}");
            assert_eq!(cells[0], from.name());
            for (cell, trigger) in cells[1..].iter().zip(Trigger::ALL) {
                let to = next_status(*from, trigger).map_or(".", PaymentStatus::name);
                assert_eq!(to, *cell, "{from} on {trigger}");
            }
        }
    }

    #[test]
    fn end_states_are_never_left() {
        for from in [Failed, Cancelled, Refunded] {
            for trigger in Trigger::ALL {
                assert_eq!(next_status(from, trigger), None, "{from} on {trigger}");
            }
        }
    }

    #[test]
    fn names_lead_back() {
        for status in PaymentStatus::ALL {
            assert_eq!(PaymentStatus::parse(status.name()), Some(*status));
        }
        assert_eq!(PaymentStatus::parse("succeeded"), None);
    }
}
