//! What the buyer must do before a payment goes on, and the buyer's answer.

use super::{
    CallKind, CaptureMode, Change, Payment, PaymentRefusal, PaymentStatus, ProviderCall, SpentKey,
    Trigger,
};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::terminal::Rail;
use crate::domain::time::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum ChallengeState {
    #[n(0)]
    Pending,
    #[n(1)]
    Approved,
    #[n(2)]
    Declined,
    #[n(3)]
    Cancelled,
}

/// What the buyer does on the bank's page (`action`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuyerAnswer {
    Approve,
    /// Refuses: the payment fails as a decline.
    Decline,
    /// Goes back: the payment is cancelled.
    Cancel,
}

/// `paymentInstructions`.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum Instructions {
    /// `payment_reference`: what is typed in at the bank or the machine.
    #[n(0)]
    Reference {
        /// Five digits.
        #[n(0)]
        entity: String,
        /// Nine digits.
        #[n(1)]
        reference: String,
    },
    /// `app_notification`: the app on this number asks.
    #[n(1)]
    App {
        /// E.164.
        #[n(0)]
        phone: String,
    },
}

impl BuyerAnswer {
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
    /// Takes the buyer's answer. An approval writes down the call that tells the provider to go
    /// on, unless the seller finalizes the payment.
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
        if self.awaits_provider() {
            return Err(PaymentRefusal::InFlight);
        }
        match answer {
            // Whatever the buyer does, no deposit arrives.
            BuyerAnswer::Approve if self.forced == Some(FailureCode::DepositUnconfirmed) => {
                Ok(Change::nothing(self))
            }
            BuyerAnswer::Approve => Change::by(self, Trigger::Approve, now, |payment| {
                payment.challenge = Some(ChallengeState::Approved);
                if payment.finalizes_itself() {
                    payment.stage_confirm(None, None, now);
                }
            }),
            BuyerAnswer::Decline => {
                let mut declined = self.clone();
                declined.challenge = Some(ChallengeState::Declined);
                declined.fail(FailureCode::Declined, Trigger::Decline, now)
            }
            BuyerAnswer::Cancel => self.cancel(now),
        }
    }

    /// Tells the provider to go on with a card payment that the buyer has approved, and to take
    /// `minor` of it or all (`finalize-payment`). `None` when that has been done already: there is
    /// nothing to do. A buyer who has approved need not have come back: a processor outside is
    /// asked, and `spent` is given back where it still waits for the buyer.
    pub fn finalize(
        &self,
        minor: Option<i64>,
        spent: Option<SpentKey>,
        now: Timestamp,
    ) -> Result<Option<Change>, PaymentRefusal> {
        if minor.is_some() && self.capture == CaptureMode::Manual {
            return Err(PaymentRefusal::ManualAmount);
        }
        if minor.is_some_and(|minor| minor > self.amount.minor) {
            return Err(PaymentRefusal::AboveAuthorized);
        }
        self.check_unasked()?;
        let lost = self.status.is_lost();
        let refused = PaymentRefusal::Move { from: self.status, trigger: Trigger::Finalize };
        if lost || self.method.rail() != Rail::Card {
            return Err(refused);
        }
        if self.status != PaymentStatus::ProviderPending {
            return Ok(None);
        }
        if self.awaits_provider() {
            return Err(PaymentRefusal::InFlight);
        }
        // At checkout an earlier attempt may have been approved; its payment is gone by then.
        let known = self.processor_token.is_some();
        let may_be_approved = match self.challenge {
            Some(ChallengeState::Approved) => true,
            Some(ChallengeState::Pending) => self.is_carried_out_outside(),
            _ => false,
        };
        if !known || !may_be_approved {
            return Err(PaymentRefusal::NotApproved);
        }
        // Nobody tells a processor outside: it has taken, or will take, what it was opened with.
        if minor.is_some_and(|minor| minor < self.amount.minor) && self.is_carried_out_outside() {
            return Err(PaymentRefusal::TakesTheWhole);
        }
        let change = Change::by(self, Trigger::Finalize, now, |payment| {
            payment.stage_confirm(minor, spent, now);
        });
        change.map(Some)
    }

    fn stage_confirm(&mut self, minor: Option<i64>, spent: Option<SpentKey>, now: Timestamp) {
        let place = self.step_place();
        let call = ProviderCall::staged(&self.provider_key, CallKind::Confirm, place, now);
        self.call = Some(ProviderCall { minor, spent, ..call });
    }
}
