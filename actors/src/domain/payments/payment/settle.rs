//! After the capture: settlement, or its failure.

use super::{Change, Payment, PaymentRefusal, PaymentStatus, Trigger, Windows};
use crate::domain::payments::failure::FailureCode;
use crate::domain::time::Timestamp;

impl Payment {
    /// The amount is available to the seller and those it is shared with. While a refund is
    /// under way or has failed, this is recorded beside the status, which stays (decisions 13).
    /// What was held and not captured is let go.
    ///
    /// # Errors
    /// [`PaymentRefusal::NotDue`] when it was settled before; [`PaymentRefusal::InFlight`] while
    /// another capture is under way, and [`PaymentRefusal::Move`] from a status that holds nothing
    /// to settle.
    pub fn settle(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        if self.settled_at.is_some() {
            return Err(PaymentRefusal::NotDue);
        }
        self.check_captured()?;
        let trigger = if self.is_deposit() { Trigger::ConfirmDeposit } else { Trigger::Settle };
        let change = Change::by(self, trigger, now, |payment| {
            payment.settled_at = Some(now);
            payment.settle_at = None;
            payment.capture_closed = true;
        })?;
        Ok(change.with_settled_shares())
    }

    /// What was taken could not be settled (4001): what it paid for is open again.
    ///
    /// # Errors
    /// [`PaymentRefusal::InFlight`] while another capture is under way; [`PaymentRefusal::Move`]
    /// from any status but `provider_completed`.
    pub fn fail_settlement(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        self.check_captured()?;
        let change = Change::by(self, Trigger::FailSettlement, now, |payment| {
            payment.failure = Some(FailureCode::SettlementFailed.into());
            payment.settle_at = None;
            payment.capture_closed = true;
        })?;
        Ok(change.with_lost_shares(self))
    }

    /// Nothing can be captured of what has settled, so what is being captured goes before.
    fn check_captured(&self) -> Result<(), PaymentRefusal> {
        let capturing = self.status == PaymentStatus::ProviderCompleted && self.awaits_provider();
        if capturing { Err(PaymentRefusal::InFlight) } else { Ok(()) }
    }

    /// Tries again what failed for a passing reason (1006, 2002, 2003), under the same provider
    /// key: never a second charge (decisions 11).
    ///
    /// # Errors
    /// [`PaymentRefusal::Move`] for a payment that has not failed, or failed for good.
    pub fn retry(&self, windows: &Windows, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let refused = PaymentRefusal::Move { from: self.status, trigger: Trigger::Retry };
        if !self.is_retryable() {
            return Err(refused);
        }
        Change::by(self, Trigger::Retry, now, |payment| {
            // What a demo request forced has happened by now.
            let over = payment.failure.take().map(|failure| failure.code);
            payment.forced = payment.forced.filter(|forced| Some(*forced) != over);
            payment.expires_at = Some(now.plus_seconds(windows.buyer(payment.method)));
            payment.retries = payment.retries.saturating_add(1);
            payment.stage_retry(now);
        })
    }
}
