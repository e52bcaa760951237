//! Taking what is held, all at once or in parts.

use super::timer::FUNDS_SECONDS;
use super::{
    CallKind, CallState, CaptureMode, Change, Payment, PaymentRefusal, PaymentStatus,
    ProcessorRefusal, ProviderCall, ProviderOutcome, SpentKey, Trigger, Windows,
};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureOrder {
    /// How much, in minor units above 0; `None` takes all that is left.
    pub minor: Option<i64>,
    /// Whether what is left then is let go (`final`).
    pub last: bool,
    /// Whether the processor takes what is held in several parts.
    pub in_parts: bool,
    pub spent: Option<SpentKey>,
}

impl Payment {
    /// What can still be captured, in minor units.
    pub fn capturable(&self) -> i64 {
        if self.capture_closed { 0 } else { self.amount.minor - self.captured() }
    }

    /// Writes down the call that takes some of what is held.
    pub fn capture(&self, order: CaptureOrder, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let wrong = PaymentRefusal::Move { from: self.status, trigger: Trigger::Capture };
        if self.capture == CaptureMode::Automatic {
            return Err(PaymentRefusal::ManualCapture);
        }
        self.check_unasked()?;
        match self.status {
            PaymentStatus::RefundPending => return Err(PaymentRefusal::CaptureDuringRefund),
            PaymentStatus::Refunded => return Err(PaymentRefusal::CaptureAfterRefund),
            _ if self.refunds.refunded_minor > 0 => return Err(PaymentRefusal::CaptureAfterRefund),
            PaymentStatus::Authorized | PaymentStatus::ProviderCompleted => (),
            _ => return Err(wrong),
        }
        if self.awaits_provider() {
            return Err(PaymentRefusal::InFlight);
        }
        let left = self.capturable();
        let minor = order.minor.unwrap_or(left);
        if minor > left || left <= 0 {
            return Err(PaymentRefusal::AboveAuthorized);
        }
        let last = order.last || minor == left;
        if !last && !order.in_parts {
            return Err(PaymentRefusal::CapturesOnce);
        }
        Change::by(self, Trigger::Capture, now, |payment| {
            payment.failure = None;
            payment.refusal = None;
            payment.stage_capture(minor, last, order.spent, now);
        })
    }

    pub(super) fn stage_capture(
        &mut self,
        minor: i64,
        last: bool,
        spent: Option<SpentKey>,
        now: Timestamp,
    ) {
        self.captures = self.captures.saturating_add(1);
        let place = Some(u64::from(self.captures));
        let call = ProviderCall::staged(&self.provider_key, CallKind::Capture, place, now);
        self.call = Some(ProviderCall { minor: Some(minor), last, spent, ..call });
    }

    /// Ends the capturing: the provider is told to let go of what is held and was not taken. While
    /// it is being asked something else, the end of that does this.
    pub(super) fn release_rest(&mut self, now: Timestamp) {
        if self.awaits_provider() {
            return;
        }
        if self.holds_a_rest() {
            self.stage_capture(0, true, None, now);
        }
        self.capture_closed = true;
    }

    /// Whether the provider is to let go of the rest, and has not answered that. Nothing of the
    /// payment hangs on the answer.
    pub(super) fn is_letting_go(&self) -> bool {
        self.awaits_provider() && self.call.as_ref().is_some_and(ProviderCall::releases)
    }

    fn holds_a_rest(&self) -> bool {
        let in_part = (1..self.amount.minor).contains(&self.captured());
        self.capture == CaptureMode::Manual && !self.capture_closed && in_part
    }

    pub(super) fn capture_answered(
        &self,
        call: &ProviderCall,
        outcome: &ProviderOutcome,
        windows: &Windows,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        if call.releases() {
            // What the provider does not let go of now lapses there by itself.
            return Change::by(self, Trigger::Release, now, |payment| {
                payment.close_call(CallState::Answered);
            });
        }
        match outcome {
            ProviderOutcome::Captured | ProviderOutcome::Completed { .. } => {
                let change = Change::by(self, Trigger::Complete, now, |payment| {
                    payment.close_call(CallState::Answered);
                    payment.capture_closed = call.last;
                    payment.note_captured(call.minor.unwrap_or(0), windows, now);
                })?;
                Ok(change.with_capture_shares(self))
            }
            ProviderOutcome::Failed { .. } | ProviderOutcome::Absent => {
                self.capture_failed(call, now)
            }
            ProviderOutcome::Cancelled => {
                let gone = ProcessorRefusal::new(404, Some("canceled"), None, true);
                Self { refusal: Some(gone), ..self.clone() }.capture_failed(call, now)
            }
            _ => self.outcome_unknown(FailureCode::ProviderError, now),
        }
    }

    /// A capture that failed leaves the payment as it is, and shows why until the next one. What
    /// was to be taken at once is let go.
    fn capture_failed(
        &self,
        call: &ProviderCall,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        let mut change = Change::by(self, Trigger::MissCapture, now, |payment| {
            payment.close_call(CallState::Answered);
            payment.failure = Some(FailureCode::CaptureFailed.into());
            if payment.capture == CaptureMode::Automatic {
                let (key, place) = (&payment.provider_key, payment.attempt_place());
                let cancel = ProviderCall::staged(key, CallKind::Cancel, place, now);
                // If the provider has taken it after all, it has taken this much.
                payment.call = Some(ProviderCall { minor: call.minor, ..cancel });
            }
        })?;
        change.freed.clone_from(&call.spent);
        Ok(change)
    }

    /// Notes what was taken; the time until it settles begins anew.
    pub(super) fn note_captured(&mut self, minor: i64, windows: &Windows, now: Timestamp) {
        self.captured_minor = Some(self.captured_minor.unwrap_or(0).saturating_add(minor));
        let wait = if self.demo { windows.settle } else { FUNDS_SECONDS };
        // Where nothing was taken nothing settles.
        self.settle_at = (!self.is_verification()).then(|| now.plus_seconds(wait));
    }

    /// Whether it was paid by a deposit: it ends as one.
    pub(super) fn is_deposit(&self) -> bool {
        self.method == Method::Multibanco
    }
}
