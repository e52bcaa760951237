//! Attempts at a hosted checkout: one at a time, until one succeeds, ten have failed, or the
//! session is over (decisions 13).

use super::{
    Attempt, CallKind, ChallengeState, Change, Payment, PaymentRefusal, ProviderCall, Trigger,
    Windows,
};
use crate::domain::country::Country;
use crate::domain::ids::TerminalId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::payments::source::Source;
use crate::domain::payments::terminal::Connector;
use crate::domain::time::Timestamp;

/// What a buyer at checkout tries to pay with.
#[derive(Clone, Debug)]
pub struct NewAttempt {
    /// The method whose tile was chosen.
    pub method: Method,
    /// What the money is taken from.
    pub source: Source,
    /// Whose app is to ask, E.164; with [`Method::MbWay`].
    pub phone: Option<String>,
    /// The buyer's country, as far as it is known.
    pub country: Option<Country>,
    /// Who carries it out; `None` when no terminal takes it.
    pub route: Option<(TerminalId, Connector)>,
}

impl Payment {
    /// Begins an attempt at a session.
    ///
    /// # Errors
    /// [`PaymentRefusal::NoSession`] for a payment of another kind,
    /// [`PaymentRefusal::AttemptUnderWay`] while an attempt is under way,
    /// [`PaymentRefusal::SessionOver`] when the session's time is over, and
    /// [`PaymentRefusal::Move`] once it has come to an end.
    pub fn attempt(
        &self,
        new: &NewAttempt,
        windows: &Windows,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        let Some(checkout) = &self.checkout else { return Err(PaymentRefusal::NoSession) };
        if self.status.is_open() && (checkout.trying || self.awaits_provider()) {
            return Err(PaymentRefusal::AttemptUnderWay);
        }
        if now >= checkout.expires_at {
            return Err(PaymentRefusal::SessionOver);
        }
        let expired = new.source.card().is_some_and(|card| card.expiry.is_over(now.date()));
        let failure = match (expired, new.route) {
            (true, _) => Some(FailureCode::CardExpired),
            (false, None) => Some(FailureCode::NoTerminal),
            (false, Some(_)) => None,
        };
        let change = Change::by(self, Trigger::Attempt, now, |payment| {
            payment.method = new.method;
            payment.country = new.country.or(payment.country);
            payment.card = new.source.summary();
            payment.terminal = new.route.map(|(terminal, _)| terminal);
            payment.connector = new.route.map(|(_, connector)| connector);
            payment.failure = None;
            let key = payment.provider_key.clone();
            if let Some(checkout) = &mut payment.checkout {
                checkout.begun = checkout.begun.saturating_add(1);
                checkout.trying = true;
                checkout.phone.clone_from(&new.phone);
                let place = Some(u64::from(checkout.begun));
                payment.call = Some(ProviderCall::staged(&key, CallKind::Create, place, now));
            }
            payment.expires_at = Some(now.plus_seconds(windows.buyer(new.method)));
        })?;
        match failure {
            Some(code) => change.payment.closed().fail(code, Trigger::Fail, now),
            None => Ok(change),
        }
    }

    /// What failed, failed: a payment for good, an attempt at checkout as an attempt unless it
    /// was the last.
    pub(super) fn fail(
        &self,
        code: FailureCode,
        trigger: Trigger,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        if let Some(checkout) = self.checkout.as_ref().filter(|checkout| checkout.trying) {
            let last = checkout.is_at_its_last(now);
            let trigger = if last { Trigger::Fail } else { Trigger::EndAttempt };
            return Change::by(self, trigger, now, |payment| {
                payment.end_attempt(Some(code), now);
                payment.failure = last.then(|| code.into());
            });
        }
        Change::by(self, trigger, now, |payment| payment.failure = Some(code.into()))
    }

    /// The buyer gave up what is under way: the attempt, or the payment.
    pub(super) fn give_up_attempt(&self, now: Timestamp) -> Option<Result<Change, PaymentRefusal>> {
        let checkout = self.checkout.as_ref().filter(|checkout| checkout.trying)?;
        if checkout.is_at_its_last(now) {
            return None;
        }
        Some(Change::by(self, Trigger::EndAttempt, now, |payment| payment.end_attempt(None, now)))
    }

    /// Notes how the attempt under way ended, and makes room for the next.
    pub(super) fn end_attempt(&mut self, failure: Option<FailureCode>, now: Timestamp) {
        let method = self.method;
        if let Some(checkout) = &mut self.checkout {
            checkout.attempts.push(Attempt { at: now, method, failure });
            checkout.trying = false;
            self.expires_at = Some(checkout.expires_at);
        }
        if self.challenge == Some(ChallengeState::Pending) {
            self.challenge = Some(ChallengeState::Cancelled);
        }
        self.instructions = None;
        self.processor_token = None;
        self.challenge_url = None;
    }
}
