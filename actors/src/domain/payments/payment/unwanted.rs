//! A payment that nobody wants goes back to its buyer: what it was to pay is paid already, or gone.

use super::{Change, NewRefund, Payment, PaymentRefusal, PaymentStatus, RefundMove, RefundStatus};
use crate::domain::ids::RefundId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::time::Timestamp;

/// The pause before a refund that came too early is tried again, in seconds; it doubles each time.
const FIRST_PAUSE_SECONDS: i64 = 600;

/// The longest such pause: six hours.
const LONGEST_PAUSE_SECONDS: i64 = 6 * 3600;

/// The refund by which a payment goes back by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct AutoRefund {
    #[n(0)]
    pub refund: RefundId,
    /// How often it came too early.
    #[n(1)]
    pub tries: u32,
    /// When it is tried again.
    #[n(2)]
    pub again_at: Option<Timestamp>,
}

impl Payment {
    /// Gives back all that is left, and tries again by itself while the processor says that it is
    /// too early (2004). A refund of the seller's that goes through in between puts an end to that;
    /// one that comes to nothing changes nothing of it.
    pub fn give_back(&self, new: NewRefund, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let refund = new.id;
        let mut change = self.refund(new, now)?;
        change.payment.auto_refund = Some(AutoRefund { refund, tries: 0, again_at: None });
        Ok(change)
    }

    pub(super) fn gives_back_at(&self) -> Option<Timestamp> {
        self.auto_refund.filter(|_| self.is_left_unrefunded())?.again_at
    }

    /// Notes what becomes of the giving back after a refund that came to nothing. Its own is tried
    /// again where it came too early; where it was refused for another reason or called off, it is
    /// left to the seller.
    pub(super) fn give_back_later(
        &mut self,
        refund: RefundId,
        failure: Option<FailureCode>,
        now: Timestamp,
    ) {
        let own = self.auto_refund.filter(|auto| auto.refund == refund);
        let Some(auto) = own else { return };
        let early = failure == Some(FailureCode::RefundTooEarly);
        self.auto_refund = early.then(|| {
            let pause = FIRST_PAUSE_SECONDS << auto.tries.min(16);
            let again_at = Some(now.plus_seconds(pause.min(LONGEST_PAUSE_SECONDS)));
            AutoRefund { tries: auto.tries.saturating_add(1), again_at, ..auto }
        });
    }

    /// Whether it was to go back by itself as it stood `before`, and stays with the seller now.
    pub fn stays_since(&self, before: &Self) -> bool {
        let gave_up = before.auto_refund.is_some() && self.auto_refund.is_none();
        gave_up && self.is_left_unrefunded()
    }

    /// Whether its last refund came to nothing.
    fn is_left_unrefunded(&self) -> bool {
        matches!(self.status, PaymentStatus::RefundFailed | PaymentStatus::RefundCancelled)
    }

    pub(super) fn give_back_again(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let AutoRefund { refund: id, tries, .. } =
            self.auto_refund.ok_or(PaymentRefusal::NotDue)?;
        let mut change = self.stage_refund(id, self.refundable(), Some(tries), now)?;
        let status = RefundStatus::Pending;
        change.refund_moved = Some(RefundMove { id, status, failure: None, token: None });
        Ok(change)
    }
}
