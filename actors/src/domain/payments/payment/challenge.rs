//! The buyer's answer to the bank's question.

use super::{CallKind, Change, Payment, PaymentRefusal, ProviderCall, Trigger};
use crate::domain::payments::failure::FailureCode;
use crate::domain::time::Timestamp;

/// How far the buyer's confirmation got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum ChallengeState {
    /// The buyer has not answered.
    #[n(0)]
    Pending,
    /// Confirmed.
    #[n(1)]
    Approved,
    /// Refused.
    #[n(2)]
    Declined,
    /// Left without an answer.
    #[n(3)]
    Cancelled,
}

/// What the buyer does on the bank's page (`action`, decisions 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuyerAnswer {
    /// Confirms.
    Approve,
    /// Refuses: the payment fails as a decline.
    Decline,
    /// Goes back: the payment is cancelled.
    Cancel,
}

impl BuyerAnswer {
    /// The answer of this name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "approve" => Some(Self::Approve),
            "decline" => Some(Self::Decline),
            "cancel" => Some(Self::Cancel),
            _ => None,
        }
    }
}

impl Payment {
    /// Takes the buyer's answer to the challenge. An approval writes down the call that tells
    /// the provider to go on.
    ///
    /// # Errors
    /// [`PaymentRefusal::NoChallenge`] when nothing was asked, [`PaymentRefusal::ChallengeOver`]
    /// when it was answered before.
    pub fn buyer_answered(
        &self,
        answer: BuyerAnswer,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        match self.challenge {
            None => return Err(PaymentRefusal::NoChallenge),
            Some(ChallengeState::Pending) => (),
            Some(_) => return Err(PaymentRefusal::ChallengeOver),
        }
        match answer {
            BuyerAnswer::Approve => Change::by(self, Trigger::Approve, now, |payment| {
                payment.challenge = Some(ChallengeState::Approved);
                let confirm = ProviderCall::staged(&payment.provider_key, CallKind::Confirm, now);
                payment.call = Some(confirm);
            }),
            BuyerAnswer::Decline => Change::by(self, Trigger::Decline, now, |payment| {
                payment.challenge = Some(ChallengeState::Declined);
                payment.failure = Some(FailureCode::Declined.into());
            }),
            BuyerAnswer::Cancel => self.cancel(now),
        }
    }

    /// Gives up a payment that waits for the buyer.
    ///
    /// # Errors
    /// [`PaymentRefusal::InFlight`] while the provider has been asked and has not answered;
    /// [`PaymentRefusal::Move`] from any status but `provider_pending`.
    pub fn cancel(&self, now: Timestamp) -> Result<Change, PaymentRefusal> {
        self.give_up(Trigger::Cancel, now)
    }

    pub(super) fn give_up(
        &self,
        trigger: Trigger,
        now: Timestamp,
    ) -> Result<Change, PaymentRefusal> {
        if self.status.is_open() && self.awaits_provider() {
            return Err(PaymentRefusal::InFlight);
        }
        Change::by(self, trigger, now, |payment| {
            if payment.challenge == Some(ChallengeState::Pending) {
                payment.challenge = Some(ChallengeState::Cancelled);
            }
        })
    }
}
