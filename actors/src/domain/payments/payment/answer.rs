//! What the provider answered, and asking again when it did not (decisions 13).

use super::{CallState, ChallengeState, Change, Payment, PaymentRefusal, ProviderOutcome, Trigger};
use crate::domain::payments::failure::FailureCode;
use crate::domain::time::Timestamp;

impl Payment {
    /// Takes the provider's answer to the open call, known by its `key`, at `now`.
    /// `settle_seconds` after a demo payment is completed it is due to be settled.
    ///
    /// # Errors
    /// [`PaymentRefusal::NotAsked`] when no such call is open: the answer came before.
    pub fn answered(
        &self,
        key: &str,
        outcome: ProviderOutcome,
        settle_seconds: i64,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        if !self.awaits_provider() || self.call.as_ref().is_none_or(|call| call.key != key) {
            return Err(PaymentRefusal::NotAsked);
        }
        match outcome {
            ProviderOutcome::Completed { token } => self.completed(token, settle_seconds, now),
            ProviderOutcome::Challenged { token } => self.challenged(token, now),
            ProviderOutcome::Failed { code, token } => self.refused(code, token, now),
            ProviderOutcome::Absent => self.refused(FailureCode::Interrupted, None, now),
            ProviderOutcome::Unknown => self.lost(now),
        }
    }

    /// Writes down that the open call is made once more, under the same key; after a day it is
    /// left to a person.
    ///
    /// # Errors
    /// [`PaymentRefusal::NotAsked`] when no call is open, [`PaymentRefusal::NotDue`] when a
    /// person has to resolve it.
    pub fn ask_again(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        let call = self.call.as_ref().ok_or(PaymentRefusal::NotAsked)?;
        match call.state {
            CallState::Answered => return Err(PaymentRefusal::NotAsked),
            CallState::Manual => return Err(PaymentRefusal::NotDue),
            CallState::Staged | CallState::Unknown => (),
        }
        let for_a_person = call.is_for_a_person(now);
        Change::by(self, Trigger::LoseTrack, now, |payment| {
            if let Some(call) = &mut payment.call {
                if for_a_person {
                    call.state = CallState::Manual;
                } else {
                    call.state = CallState::Staged;
                    call.asked_at = now;
                    call.asked = call.asked.saturating_add(1);
                }
            }
        })
    }

    fn completed(
        &self,
        token: String,
        settle_seconds: i64,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        Change::by(self, Trigger::Complete, now, |payment| {
            payment.close_call(CallState::Answered);
            payment.processor_token = Some(token);
            payment.settle_at = payment.demo.then(|| now.plus_seconds(settle_seconds));
        })
    }

    fn challenged(&self, token: String, now: Timestamp) -> Result<Change, PaymentRefusal> {
        Change::by(self, Trigger::Challenge, now, |payment| {
            payment.close_call(CallState::Answered);
            payment.processor_token = Some(token);
            payment.challenge = Some(ChallengeState::Pending);
        })
    }

    fn refused(
        &self,
        code: FailureCode,
        token: Option<String>,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        Change::by(self, Trigger::Fail, now, |payment| {
            payment.close_call(CallState::Answered);
            payment.processor_token = token.or(payment.processor_token.take());
            payment.failure = Some(code.into());
        })
    }

    fn lost(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        Change::by(self, Trigger::LoseTrack, now, |payment| {
            payment.close_call(CallState::Unknown);
        })
    }

    fn close_call(&mut self, state: CallState) {
        if let Some(call) = &mut self.call {
            call.state = state;
        }
    }
}
