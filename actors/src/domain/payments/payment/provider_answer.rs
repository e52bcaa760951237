//! What the provider answered, and asking again when it did not.

use super::{
    Ask, CallKind, CallState, CaptureMode, ChallengeState, Change, Instructions, Payment,
    PaymentRefusal, ProviderCall, ProviderOutcome, Trigger, Windows,
};
use crate::domain::payments::failure::FailureCode;
use crate::domain::time::Timestamp;

/// How long a hold lasts unless it is captured, in seconds: 7 days.
const HOLD_SECONDS: i64 = 7 * 24 * 3600;

impl Payment {
    /// Takes the provider's answer to the open call, known by its `key`; one that came before is
    /// refused as [`PaymentRefusal::NotAsked`].
    pub fn answered(
        &self,
        key: &str,
        outcome: ProviderOutcome,
        windows: &Windows,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        let open = self.call.as_ref().filter(|call| call.key == key && self.awaits_provider());
        let call = open.ok_or(PaymentRefusal::NotAsked)?;
        match outcome {
            ProviderOutcome::Unknown { doubt } => self.outcome_unknown(doubt, now),
            ProviderOutcome::Pending { token } => self.pending(token, windows, now),
            ProviderOutcome::Refused { code, token, refusal } => {
                let refused = Self { refusal: Some(refusal), ..self.clone() };
                refused.answered(key, ProviderOutcome::Failed { code, token }, windows, now)
            }
            // Whoever hears of a card keeps it with the answer.
            ProviderOutcome::KeepsCard { then, .. } => self.answered(key, *then, windows, now),
            outcome => match call.kind {
                CallKind::Create | CallKind::Charge | CallKind::Confirm => {
                    self.payment_answered(call, outcome, windows, now)
                }
                CallKind::Capture => self.capture_answered(call, &outcome, windows, now),
                CallKind::Cancel => self.cancel_answered(outcome, windows, now),
                CallKind::Refund => self.refund_answered(call, outcome, now),
            },
        }
    }

    /// Writes down that the open call is made once more, under the same key.
    pub fn ask_again(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let call = self.call.as_ref().ok_or(PaymentRefusal::NotAsked)?;
        match call.state {
            CallState::Answered => return Err(PaymentRefusal::NotAsked),
            CallState::Manual => return Err(PaymentRefusal::NotDue),
            CallState::Staged | CallState::Unknown | CallState::Working => (),
        }
        Change::by(self, Trigger::LoseTrack, now, |payment| {
            if let Some(call) = &mut payment.call {
                if call.state == CallState::Staged {
                    call.lose_answer();
                }
                call.state = CallState::Staged;
                call.asked_at = now;
                call.asked = call.asked.saturating_add(1);
            }
        })
    }

    /// Lets the open call wait as if it had been made once more: what is known of it stays known.
    pub fn ask_later(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let works = self.call.as_ref().is_some_and(|call| call.state == CallState::Working);
        let mut change = self.ask_again(now)?;
        let state = if works { CallState::Working } else { CallState::Unknown };
        change.payment.close_call(state);
        Ok(change)
    }

    /// Takes what a person found out about the open call.
    pub fn resolved(
        &self,
        outcome: ProviderOutcome,
        windows: &Windows,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        let call = self.call.as_ref().ok_or(PaymentRefusal::NotAsked)?;
        self.answered(&call.key, outcome, windows, now)
    }

    fn payment_answered(
        &self,
        call: &ProviderCall,
        outcome: ProviderOutcome,
        windows: &Windows,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        match outcome {
            ProviderOutcome::Opened { token } => self.opened(token, now),
            ProviderOutcome::Authorized { token } => {
                let wanted = call.minor.unwrap_or(self.amount.minor);
                self.authorized(token, wanted, now)
            }
            ProviderOutcome::Completed { token } => {
                let taken = call.minor.unwrap_or(self.amount.minor);
                self.completed(token, taken, windows, now)
            }
            ProviderOutcome::Challenged { token, asks, url } => {
                let mut change = self.challenged(token, asks, url, now)?;
                // Who asked too early may ask again.
                change.freed.clone_from(&call.spent);
                Ok(change)
            }
            ProviderOutcome::Failed { code, token } => {
                self.with_token(token).closed().fail(code, Trigger::Fail, now)
            }
            ProviderOutcome::Cancelled => self.closed().cancelled(Trigger::Cancel, false, now),
            ProviderOutcome::Absent => {
                self.closed().fail(FailureCode::Interrupted, Trigger::Fail, now)
            }
            _ => self.outcome_unknown(FailureCode::ProviderError, now),
        }
    }

    /// The payment is there at the provider: the card is asked next, under a key of its own.
    fn opened(&self, token: String, now: Timestamp) -> Result<Change, PaymentRefusal> {
        Change::by(self, Trigger::Open, now, |payment| {
            let (key, place) = (&payment.provider_key, payment.attempt_place());
            let mut call = ProviderCall::staged(key, CallKind::Charge, place, now);
            // A key that was spent on what is called off by now charges nothing else.
            if payment.processor_token.as_ref().is_some_and(|before| *before != token) {
                call.key = format!("{}-{token}", call.key);
            }
            payment.call = Some(call);
            payment.processor_token = Some(token);
        })
    }

    fn authorized(
        &self,
        token: String,
        wanted_minor: i64,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        Change::by(self, Trigger::Hold, now, |payment| {
            payment.close_call(CallState::Answered);
            payment.processor_token = Some(token);
            payment.hold_ends_at = Some(now.plus_seconds(HOLD_SECONDS));
            payment.end_trying();
            if payment.capture == CaptureMode::Automatic {
                payment.stage_capture(wanted_minor, true, None, now);
            }
        })
    }

    pub(super) fn completed(
        &self,
        token: String,
        taken_minor: i64,
        windows: &Windows,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        let change = Change::by(self, Trigger::Complete, now, |payment| {
            payment.close_call(CallState::Answered);
            payment.processor_token = Some(token);
            payment.end_trying();
            payment.failure = None;
            payment.capture_closed = true;
            payment.note_captured(taken_minor, windows, now);
        })?;
        Ok(change.with_capture_shares(self))
    }

    fn challenged(
        &self,
        token: String,
        asks: Ask,
        url: Option<String>,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        Change::by(self, Trigger::Challenge, now, |payment| {
            payment.close_call(CallState::Answered);
            payment.processor_token = Some(token);
            payment.challenge = Some(ChallengeState::Pending);
            payment.challenge_url = url.filter(|url| is_web_address(url));
            payment.look = payment.first_look(now);
            payment.instructions = match asks {
                Ask::Voucher { entity, reference } => {
                    Some(Instructions::Reference { entity, reference })
                }
                Ask::Push => payment.phone().map(|phone| Instructions::App { phone }),
                Ask::Challenge | Ask::Redirect => None,
            };
        })
    }

    fn pending(
        &self,
        token: Option<String>,
        windows: &Windows,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        let mut change = Change::by(self, Trigger::LoseTrack, now, |payment| {
            payment.close_call(CallState::Working);
            let demo = payment.demo;
            if let Some(call) = &mut payment.call {
                let refund = call.kind == CallKind::Refund;
                call.doubted_since = None;
                call.wait_seconds = (demo && refund).then_some(windows.refund);
                // A refund has a name of its own.
                let named = token.clone().filter(|_| !refund);
                payment.processor_token = named.or(payment.processor_token.take());
            }
        })?;
        change.name_refund(token);
        Ok(change)
    }

    /// The provider was asked and said nothing; when that has lasted for a day it is left to a
    /// person.
    pub(super) fn outcome_unknown(
        &self,
        doubt: FailureCode,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        Change::by(self, Trigger::LoseTrack, now, |payment| {
            if let Some(call) = &mut payment.call {
                call.lose_answer();
                let lasts = call.needs_a_person(now);
                call.state = if lasts { CallState::Manual } else { CallState::Unknown };
                call.doubt = Some(doubt);
            }
        })
    }

    pub(super) fn close_call(&mut self, state: CallState) {
        if let Some(call) = &mut self.call {
            call.state = state;
        }
    }

    pub(super) fn closed(&self) -> Self {
        let mut payment = self.clone();
        payment.close_call(CallState::Answered);
        payment
    }

    fn with_token(&self, token: Option<String>) -> Self {
        let known = token.or_else(|| self.processor_token.clone());
        Self { processor_token: known, ..self.clone() }
    }

    fn end_trying(&mut self) {
        if let Some(checkout) = &mut self.checkout {
            checkout.trying = false;
        }
    }

    /// Tells the later calls of one attempt, or of one try under a key, from those of another.
    pub(super) fn step_place(&self) -> Option<u64> {
        let retried = (self.retries > 0).then_some(u64::from(self.retries));
        self.attempt_place().or(retried)
    }

    /// Tells the calls of one attempt at checkout from those of another.
    pub(super) fn attempt_place(&self) -> Option<u64> {
        self.checkout.as_ref().map(|checkout| u64::from(checkout.begun))
    }
}

/// Whether an address may be put before a buyer: what a processor names leads to a page, and runs
/// nothing.
fn is_web_address(url: &str) -> bool {
    let has_scheme = |scheme: &str| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic());
    is_plain && (has_scheme("https://") || has_scheme("http://"))
}
