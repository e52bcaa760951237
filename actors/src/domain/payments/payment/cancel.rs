//! Cancelling a payment, and what happens when its time runs out.

use super::{
    CallKind, CallState, CaptureMode, ChallengeState, Change, Checkout, Payment, PaymentRefusal,
    PaymentStatus, ProviderCall, ProviderOutcome, SpentKey, Trigger, Windows,
};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::time::Timestamp;

impl Payment {
    /// Gives up a payment that waits for the buyer, or lets go of what is held. Where the
    /// provider knows of it, the call that tells it is written down, and the payment stays as it
    /// is until that is answered. A buyer at checkout gives up the attempt alone.
    pub fn cancel(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        self.check_unasked()?;
        self.give_up(Trigger::Cancel, false, now)
    }

    /// The same for the seller, who calls off the whole of a session too: no attempt follows.
    /// `spent` is given back where the buyer has paid by then.
    pub fn call_off(
        &self,
        spent: Option<SpentKey>,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        self.check_unasked()?;
        let mut change = self.give_up(Trigger::Cancel, true, now)?;
        // What no provider knows of is cancelled by now.
        let told = |call: &&mut ProviderCall| call.state == CallState::Staged;
        if let Some(call) = change.payment.call.as_mut().filter(told) {
            call.spent = spent;
        }
        Ok(change)
    }

    pub(super) fn give_up(
        &self,
        trigger: Trigger,
        whole: bool,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        if self.status.is_open() && self.awaits_provider() {
            return Err(PaymentRefusal::InFlight);
        }
        let known = self.status.is_open() && self.processor_token.is_some();
        if !known {
            return self.cancelled(trigger, whole, now);
        }
        let stay = match self.status {
            PaymentStatus::Authorized => Trigger::Capture,
            _ => Trigger::Finalize,
        };
        Change::by(self, stay, now, |payment| {
            let place = payment.step_place();
            let call = ProviderCall::staged(&payment.provider_key, CallKind::Cancel, place, now);
            let expired = trigger == Trigger::Expire;
            payment.call = Some(ProviderCall { expired, whole, ..call });
        })
    }

    pub(super) fn cancel_answered(
        &self,
        outcome: ProviderOutcome,
        windows: &Windows,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        let closed = self.closed();
        let call = self.call.as_ref();
        let expired = call.is_some_and(|call| call.expired);
        let whole = call.is_some_and(|call| call.whole);
        match outcome {
            // Nobody heard of it when the bank turned the buyer down.
            ProviderOutcome::Failed { code, .. } if expired => {
                closed.fail(closed.code_of_expiry().unwrap_or(code), Trigger::Fail, now)
            }
            ProviderOutcome::Cancelled
            | ProviderOutcome::Absent
            | ProviderOutcome::Failed { .. } => {
                match closed.failure.map(|failure| failure.code) {
                    // The hold of a payment that could not be captured is gone.
                    Some(code) if closed.capture == CaptureMode::Automatic => {
                        Change::by(&closed, Trigger::Fail, now, |payment| {
                            payment.failure = Some(code.into());
                        })
                    }
                    _ if expired => closed.cancelled(Trigger::Expire, whole, now),
                    _ => closed.cancelled(Trigger::Cancel, whole, now),
                }
            }
            // The buyer was faster than the one who gave it up.
            ProviderOutcome::Completed { token } => {
                let taken = call.and_then(|call| call.minor).unwrap_or(self.amount.minor);
                let mut change = closed.completed(token, taken, windows, now)?;
                change.freed = call.and_then(|call| call.spent.clone());
                Ok(change)
            }
            _ => self.outcome_unknown(FailureCode::ProviderError, now),
        }
    }

    /// It is given up, and nobody has to be told any more.
    pub(super) fn cancelled(
        &self,
        trigger: Trigger,
        whole: bool,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        let expired = trigger == Trigger::Expire;
        if let Some(code) = self.code_of_expiry().filter(|_| expired) {
            return self.fail(code, Trigger::Fail, now);
        }
        if !whole && let Some(ended) = self.cancel_attempt(now) {
            return ended;
        }
        let trying = self.checkout.as_ref().is_some_and(|checkout| checkout.trying);
        let ended = !whole && (expired || trying);
        let code = self.checkout.as_ref().and_then(Checkout::last_failure).filter(|_| ended);
        let trigger = if code.is_some() { Trigger::Fail } else { trigger };
        Change::by(self, trigger, now, |payment| {
            payment.failure = code.map(Into::into);
            if trying {
                payment.end_attempt(None, now);
            }
            if payment.challenge == Some(ChallengeState::Pending) {
                payment.challenge = Some(ChallengeState::Cancelled);
            }
        })
    }

    /// Why a payment failed whose buyer let the time run out; `None` where that is a payment
    /// given up.
    fn code_of_expiry(&self) -> Option<FailureCode> {
        let idle = self.checkout.as_ref().is_some_and(|checkout| !checkout.trying);
        if idle || self.status != PaymentStatus::ProviderPending {
            return None;
        }
        let forced = self.forced.filter(|code| *code == FailureCode::DepositUnconfirmed);
        forced.or(match self.method {
            Method::Multibanco => Some(FailureCode::DepositUnconfirmed),
            Method::MbWay => Some(FailureCode::Declined),
            _ => None,
        })
    }
}
