//! A payment: what is to be paid, how far it got, and the rules of its moves (payments 3,
//! decisions 7, 11 and 13).
//!
//! * [`Payment`] is the record; [`Change`] is what a rule makes of it.
//! * [`PaymentStatus`] and [`Trigger`] with [`next_status`] are the state machine.
//! * [`ProviderCall`] is written before the provider is asked, so that a payment whose process
//!   ended in between is found again and asked about under the same key.

mod answer;
mod call;
mod challenge;
mod change;
mod event;
mod moves;
mod refusal;
mod settle;
mod start;
mod status;
mod timer;

pub use call::{CallKind, CallState, ProviderCall, ProviderOutcome};
pub use challenge::{BuyerAnswer, ChallengeState};
pub use change::Change;
pub use event::payment_fields;
pub use moves::{Trigger, next_status};
pub use refusal::PaymentRefusal;
pub use start::{CHALLENGE_SECONDS, NewPayment};
pub use status::PaymentStatus;
pub use timer::PaymentTimer;

use storage::{Record, RecordError, cbor_decode, cbor_encode};

use super::card::CardSummary;
use super::failure::{Failure, FailureCategory};
use super::terminal::Connector;
use crate::domain::ids::{ContractId, InvoiceId, PaymentId, SellerId};
use crate::domain::money::Money;
use crate::domain::time::Timestamp;

/// One payment of a seller. A card number or code is never a part of it.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Payment {
    /// The id within the store.
    #[n(0)]
    pub id: PaymentId,
    /// Whose payment it is.
    #[n(1)]
    pub seller: SellerId,
    /// The seller's name for it, `externalOrderRef`; unique to the seller.
    #[n(2)]
    pub reference: String,
    /// How much, in minor units; above 0.
    #[n(3)]
    pub amount: Money,
    /// How far it got.
    #[n(4)]
    pub status: PaymentStatus,
    /// What it is paid for.
    #[n(5)]
    pub pays_for: PaysFor,
    /// Whether it was made in demo mode: no money moved.
    #[n(6)]
    pub demo: bool,
    /// The card it is paid with.
    #[n(7)]
    pub card: Option<CardSummary>,
    /// What the provider's keys for this payment begin with; drawn at random.
    #[n(8)]
    pub provider_key: String,
    /// The latest call to the provider.
    #[n(9)]
    pub call: Option<ProviderCall>,
    /// The provider's own name for the payment.
    #[n(10)]
    pub processor_token: Option<String>,
    /// What the buyer was asked to confirm, if anything.
    #[n(11)]
    pub challenge: Option<ChallengeState>,
    /// Why it failed.
    #[n(12)]
    pub failure: Option<Failure>,
    /// When it was begun.
    #[n(13)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[n(14)]
    pub updated_at: Timestamp,
    /// When it is given up unless the buyer acts (decisions 13).
    #[n(15)]
    pub expires_at: Option<Timestamp>,
    /// When the simulated provider settles it.
    #[n(16)]
    pub settle_at: Option<Timestamp>,
    /// When it was settled; recorded beside the status (decisions 13).
    #[n(17)]
    pub settled_at: Option<Timestamp>,
    /// Who carries it out, if a terminal was found.
    #[n(18)]
    pub connector: Option<Connector>,
}

/// What a payment pays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum PaysFor {
    /// An invoice, by the link of its hosted page.
    #[n(0)]
    Invoice {
        /// The contract that the invoice belongs to.
        #[n(0)]
        contract: ContractId,
        /// The invoice.
        #[n(1)]
        invoice: InvoiceId,
    },
}

impl Payment {
    /// Whether the buyer must act: confirm the payment with the bank (`requiresAction`).
    pub fn requires_action(&self) -> bool {
        self.status == PaymentStatus::ProviderPending
            && self.challenge == Some(ChallengeState::Pending)
    }

    /// The class of the failure; `cancelled` for a payment that was given up (decisions 13).
    pub fn failure_category(&self) -> Option<FailureCategory> {
        match self.status {
            PaymentStatus::Cancelled => Some(FailureCategory::Cancelled),
            _ => self.failure.map(|failure| failure.code.category()),
        }
    }

    /// The call that is under way, or was when the process ended.
    pub fn asking(&self) -> Option<&ProviderCall> {
        self.call.as_ref().filter(|call| call.state == CallState::Staged)
    }

    /// Whether the provider was asked and has not given a definite answer.
    pub fn awaits_provider(&self) -> bool {
        self.call.as_ref().is_some_and(|call| call.state != CallState::Answered)
    }
}

impl Record for Payment {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        cbor_encode(self)
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        cbor_decode(bytes)
    }
}

#[cfg(test)]
pub(crate) mod tests;
