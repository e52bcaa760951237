//! Refunds: what may go back to the buyer, and what comes of it.

mod record;

pub use record::{ForcedRefund, Refund, RefundStatus, RefundSums};

use super::change::refunded_event;
use super::{
    CallKind, CallState, Change, Payment, PaymentRefusal, PaymentStatus, ProviderCall,
    ProviderOutcome, RefundMove, Trigger,
};
use crate::domain::ids::RefundId;
use crate::domain::money::Money;
use crate::domain::payments::failure::FailureCode;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Timestamp;

/// The longest reason, in characters.
const MAX_REASON: usize = 255;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRefund {
    pub id: RefundId,
    /// How much, in minor units above 0; `None` takes all that is left.
    pub minor: Option<i64>,
    pub reason: Option<String>,
    pub forced: Option<ForcedRefund>,
}

/// The seller's reason for a refund; an empty one is none.
pub fn refund_reason(text: Option<String>) -> Result<Option<String>, RefundReasonTooLong> {
    let reason = text.filter(|text| !text.is_empty());
    match reason {
        Some(long) if long.chars().count() > MAX_REASON => Err(RefundReasonTooLong),
        reason => Ok(reason),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reason must have at most {MAX_REASON} characters")]
pub struct RefundReasonTooLong;

impl Refuse for RefundReasonTooLong {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}

impl Payment {
    /// Begins a refund: its record, and the call that carries it out.
    pub fn refund(&self, new: NewRefund, now: Timestamp) -> Result<Change, PaymentRefusal> {
        self.check_unasked()?;
        match self.status {
            PaymentStatus::RefundPending => return Err(PaymentRefusal::RefundUnderWay),
            PaymentStatus::Refunded => return Err(PaymentRefusal::Refunded),
            PaymentStatus::ProviderCompleted
            | PaymentStatus::Settled
            | PaymentStatus::DepositConfirmed
            | PaymentStatus::RefundFailed
            | PaymentStatus::RefundCancelled => (),
            from => return Err(PaymentRefusal::NotRefundable { from }),
        }
        if self.awaits_provider() && !self.is_letting_go() {
            return Err(PaymentRefusal::InFlight);
        }
        let left = self.refundable();
        let minor = new.minor.unwrap_or(left);
        if minor > left || left <= 0 {
            return Err(PaymentRefusal::AboveRefundable);
        }
        let amount = Money { minor, ..self.amount };
        let refund = Refund {
            id: new.id,
            payment: self.id,
            seller: self.seller,
            amount,
            status: RefundStatus::Pending,
            reason: new.reason,
            failure: None,
            processor_token: None,
            forced: new.forced.or(self.forced_on_refunds()),
            created_at: now,
            updated_at: now,
            retries: None,
        };
        let mut change = self.stage_refund(refund.id, minor, None, now)?;
        change.refund = Some(refund);
        Ok(change)
    }

    /// Tries a refund again that came too early (2004), under its own id. What the request before
    /// forced on it has happened; `forced` is what this one forces.
    pub fn refund_again(
        &self,
        refund: &Refund,
        forced: Option<ForcedRefund>,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        self.check_unasked()?;
        let early = refund.failure == Some(FailureCode::RefundTooEarly);
        if refund.status != RefundStatus::Failed || !early {
            return Err(PaymentRefusal::NotDue);
        }
        if self.status == PaymentStatus::RefundPending {
            return Err(PaymentRefusal::RefundUnderWay);
        }
        if self.awaits_provider() && !self.is_letting_go() {
            return Err(PaymentRefusal::InFlight);
        }
        if refund.amount.minor > self.refundable() {
            return Err(PaymentRefusal::AboveRefundable);
        }
        let again = Refund {
            status: RefundStatus::Pending,
            failure: None,
            forced: forced.or(self.forced_on_refunds()),
            updated_at: now,
            retries: Some(refund.retries.unwrap_or_default().saturating_add(1)),
            ..refund.clone()
        };
        let mut change = self.stage_refund(again.id, again.amount.minor, again.retries, now)?;
        change.refund = Some(again);
        Ok(change)
    }

    /// A demo payment may have been made so that its refunds fail.
    fn forced_on_refunds(&self) -> Option<ForcedRefund> {
        let forced = self.forced.filter(|code| *code == FailureCode::RefundTooEarly);
        forced.map(ForcedRefund::Fails)
    }

    /// Writes down the call of a refund that was tried so many times before.
    pub(super) fn stage_refund(
        &self,
        id: RefundId,
        minor: i64,
        retries: Option<u32>,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        Change::by(self, Trigger::Refund, now, |payment| {
            // What nobody knows to be let go of is let go of once more, after the refund.
            payment.capture_closed &= !payment.is_letting_go();
            payment.refunds.open = Some(id);
            payment.refunds.open_minor = minor;
            let key = &payment.provider_key;
            let mut call = ProviderCall::staged(key, CallKind::Refund, Some(id.0), now);
            // A processor answers a key that it knows as it did before, also with a failure.
            if let Some(retries) = retries {
                call.key = format!("{}-{}", call.key, retries.saturating_add(1));
            }
            payment.call = Some(ProviderCall { minor: Some(minor), refund: Some(id), ..call });
        })
    }

    pub(super) fn refund_answered(
        &self,
        call: &ProviderCall,
        outcome: ProviderOutcome,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        let Some(id) = call.refund else { return Err(PaymentRefusal::NotAsked) };
        match outcome {
            ProviderOutcome::Refunded { token } => self.refund_succeeded(id, token, now),
            ProviderOutcome::RefundCancelled => {
                self.refund_ended(id, Trigger::CancelRefund, RefundStatus::Cancelled, None, now)
            }
            ProviderOutcome::Failed { code, .. } => {
                self.refund_ended(id, Trigger::FailRefund, RefundStatus::Failed, Some(code), now)
            }
            _ => self.outcome_unknown(FailureCode::ProviderError, now),
        }
    }

    fn refund_succeeded(
        &self,
        id: RefundId,
        token: String,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        let minor = self.refunds.open_minor;
        let total = self.refunds.refunded_minor.saturating_add(minor);
        let trigger = match (total >= self.captured(), self.settled_at, self.is_deposit()) {
            (true, ..) => Trigger::ReturnAll,
            (false, None, _) => Trigger::ReturnPart,
            (false, Some(_), false) => Trigger::ReturnPartSettled,
            (false, Some(_), true) => Trigger::ReturnPartConfirmed,
        };
        let mut change = Change::by(self, trigger, now, |payment| {
            payment.close_refund(now);
            payment.refunds.refunded_minor = total;
            payment.auto_refund = None;
            // Of what went back in full nothing is left to settle.
            payment.settle_at = payment.settle_at.filter(|_| trigger != Trigger::ReturnAll);
        })?;
        let refunded = Money { minor, ..self.amount };
        change.events.push(refunded_event(&change.payment, id, refunded));
        change.message = change.payment.refunded(now);
        let moved =
            RefundMove { id, status: RefundStatus::Succeeded, failure: None, token: Some(token) };
        change.refund_moved = Some(moved);
        Ok(change.with_refund_shares(self))
    }

    fn refund_ended(
        &self,
        id: RefundId,
        trigger: Trigger,
        status: RefundStatus,
        failure: Option<FailureCode>,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        let mut change = Change::by(self, trigger, now, |payment| {
            payment.close_refund(now);
            payment.give_back_later(id, failure, now);
        })?;
        change.refund_moved = Some(RefundMove { id, status, failure, token: None });
        Ok(change)
    }

    /// Nothing is captured after a refund, also after one that came to nothing.
    fn close_refund(&mut self, now: Timestamp) {
        self.close_call(CallState::Answered);
        self.release_rest(now);
        self.refunds.open = None;
        self.refunds.open_minor = 0;
    }
}

impl Change {
    /// Notes the provider's name for the refund that it works on.
    pub(super) fn name_refund(&mut self, token: Option<String>) {
        let Some(id) = self.payment.refunds.open.filter(|_| token.is_some()) else { return };
        let status = RefundStatus::Pending;
        self.refund_moved = Some(RefundMove { id, status, failure: None, token });
    }
}
