//! A payment at the hosted checkout: it is there from the session's beginning, and attempts are made
//! at it one at a time, until one succeeds, ten have failed, or the session is over.

use super::{
    CallKind, ChallengeState, Change, Payment, PaymentRefusal, ProviderCall, Trigger, Windows,
};
use crate::domain::country::Country;
use crate::domain::ids::{CustomerId, TerminalId};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::method::Method;
use crate::domain::payments::saved_card::CardConsent;
use crate::domain::payments::source::Source;
use crate::domain::payments::terminal::Connector;
use crate::domain::time::Timestamp;

/// How long a session is open, in seconds: 24 hours.
pub const SESSION_SECONDS: i64 = 24 * 3600;

/// After so many attempts that came to nothing, so has the payment.
pub const ATTEMPTS: usize = 10;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Checkout {
    #[n(1)]
    pub success_url: String,
    #[n(2)]
    pub failure_url: String,
    #[n(3)]
    pub description: Option<String>,
    #[n(4)]
    pub seller_name: Option<String>,
    #[n(5)]
    pub logo_url: Option<String>,
    /// The buyer's language, as a BCP 47 tag.
    #[n(6)]
    pub locale: Option<String>,
    #[n(7)]
    pub force_challenge: bool,
    #[n(8)]
    pub expires_at: Timestamp,
    /// The attempts that came to nothing, oldest first; at most [`ATTEMPTS`].
    #[n(9)]
    pub attempts: Vec<Attempt>,
    #[n(10)]
    pub begun: u32,
    #[n(11)]
    pub trying: bool,
    /// Whose app the attempt under way asks, E.164.
    #[n(12)]
    pub phone: Option<String>,
    /// Whose card may be saved here.
    #[n(13)]
    pub customer: Option<CustomerId>,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Attempt {
    #[n(0)]
    pub at: Timestamp,
    #[n(1)]
    pub method: Method,
    /// Why it failed; `None` when the buyer gave it up.
    #[n(2)]
    pub failure: Option<FailureCode>,
}

impl Checkout {
    pub fn new(success_url: String, failure_url: String, now: Timestamp) -> Self {
        Self {
            success_url,
            failure_url,
            description: None,
            seller_name: None,
            logo_url: None,
            locale: None,
            force_challenge: false,
            expires_at: now.plus_seconds(SESSION_SECONDS),
            attempts: Vec::new(),
            begun: 0,
            trying: false,
            phone: None,
            customer: None,
        }
    }

    /// Whether no attempt may follow the one under way.
    pub(super) fn is_at_its_last(&self, now: Timestamp) -> bool {
        self.attempts.len() + 1 >= ATTEMPTS || now >= self.expires_at
    }

    pub fn last_failure(&self) -> Option<FailureCode> {
        self.attempts.iter().rev().find_map(|attempt| attempt.failure)
    }
}

#[derive(Clone, Debug)]
pub struct NewAttempt {
    pub method: Method,
    pub source: Source,
    /// Whose app is to ask, E.164; with [`Method::MbWay`].
    pub phone: Option<String>,
    pub country: Option<Country>,
    /// Who carries it out; `None` when no terminal takes it.
    pub route: Option<(TerminalId, Connector)>,
    /// That the card is saved once the attempt succeeds.
    pub consent: Option<CardConsent>,
}

impl Payment {
    /// Begins an attempt at a session.
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
            payment.consent.clone_from(&new.consent);
            payment.terminal = new.route.map(|(terminal, _)| terminal);
            payment.connector = new.route.map(|(_, connector)| connector);
            payment.failure = None;
            payment.refusal = None;
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
    pub(super) fn cancel_attempt(&self, now: Timestamp) -> Option<Result<Change, PaymentRefusal>> {
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
