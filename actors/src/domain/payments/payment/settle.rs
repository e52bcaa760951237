//! After the capture: settlement, or its failure.

use super::{Change, Payment, PaymentRefusal, Trigger};
use crate::domain::payments::failure::FailureCode;
use crate::domain::time::Timestamp;

impl Payment {
    /// The amount is available to the seller. While a refund is under way or has failed, this
    /// is recorded beside the status, which stays (decisions 13).
    ///
    /// # Errors
    /// [`PaymentRefusal::NotDue`] when it was settled before; [`PaymentRefusal::Move`] from a
    /// status that holds nothing to settle.
    pub fn settle(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        if self.settled_at.is_some() {
            return Err(PaymentRefusal::NotDue);
        }
        Change::by(self, Trigger::Settle, now, |payment| {
            payment.settled_at = Some(now);
            payment.settle_at = None;
        })
    }

    /// What was taken could not be settled (4001): what it paid for is open again.
    ///
    /// # Errors
    /// [`PaymentRefusal::Move`] from any status but `provider_completed`.
    pub fn fail_settlement(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        Change::by(self, Trigger::FailSettlement, now, |payment| {
            payment.failure = Some(FailureCode::SettlementFailed.into());
            payment.settle_at = None;
        })
    }
}
