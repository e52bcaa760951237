//! A payment: what is to be paid, how far it got, and the rules of its moves.
//!
//! * [`Payment`] is the record; [`Change`] is what a rule makes of it.
//! * [`PaymentStatus`] and [`Trigger`] with [`next_status`] are the state machine.
//! * [`ProviderCall`] is written before the provider is asked, so that a payment whose process
//!   ended in between is found again and asked about under the same key.

mod cancel;
mod capture;
mod challenge;
mod change;
mod checkout;
mod declines;
mod look;
mod notices;
mod order;
mod provider_answer;
mod provider_call;
mod refund;
mod refusal;
mod start;
mod status;
mod timer;
mod unwanted;

pub use capture::CaptureOrder;
pub use challenge::{BuyerAnswer, ChallengeState, Instructions};
pub use change::{Change, RefundMove, payment_fields};
pub use checkout::{ATTEMPTS, Attempt, Checkout, NewAttempt, SESSION_SECONDS};
pub use declines::{DECLINES, Declines};
pub use look::Look;
pub use order::{BillingDetails, Intent, IntentDiffers, OrderTerms, PaysFor, Returns};
pub use provider_call::{Ask, CallKind, CallState, ProviderCall, ProviderOutcome, SpentKey};
pub use refund::{
    ForcedRefund, NewRefund, Refund, RefundReasonTooLong, RefundStatus, RefundSums, refund_reason,
};
pub use refusal::{PaymentRefusal, ProcessorRefusal};
pub use start::{NewPayment, Windows};
pub use status::{PaymentStatus, Trigger, next_status};
pub use timer::PaymentTimer;
pub use unwanted::AutoRefund;

pub use crate::domain::platform::seller::ReturnLink;

use storage::CborRecord;

use super::card::CardSummary;
use super::failure::{Failure, FailureCategory, FailureCode};
use super::method::Method;
use super::saved_card::{CardConsent, SavedCharge};
use super::split::Plan;
use super::terminal::{Connector, Rail};
use crate::domain::country::Country;
use crate::domain::ids::{PaymentId, SellerId, TerminalId};
use crate::domain::money::Money;
use crate::domain::names::names;
use crate::domain::time::Timestamp;

/// One payment of a seller. A card number or code is never a part of it.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Payment {
    #[n(0)]
    pub id: PaymentId,
    #[n(1)]
    pub seller: SellerId,
    /// The seller's name for it, `externalOrderRef`; unique to the seller.
    #[n(2)]
    pub reference: String,
    /// How much, in minor units; 0 where the card is only verified, to be kept.
    #[n(3)]
    pub amount: Money,
    #[n(4)]
    pub status: PaymentStatus,
    #[n(5)]
    pub pays_for: PaysFor,
    /// Whether it was made in demo mode: no money moved.
    #[n(6)]
    pub demo: bool,
    #[n(7)]
    pub card: Option<CardSummary>,
    /// What the provider's keys for this payment begin with; drawn at random.
    #[n(8)]
    pub provider_key: String,
    #[n(9)]
    pub call: Option<ProviderCall>,
    #[n(10)]
    pub processor_token: Option<String>,
    #[n(11)]
    pub challenge: Option<ChallengeState>,
    #[n(12)]
    pub failure: Option<Failure>,
    #[n(13)]
    pub created_at: Timestamp,
    #[n(14)]
    pub updated_at: Timestamp,
    #[n(15)]
    pub expires_at: Option<Timestamp>,
    #[n(16)]
    pub settle_at: Option<Timestamp>,
    #[n(17)]
    pub settled_at: Option<Timestamp>,
    #[n(18)]
    pub connector: Option<Connector>,
    /// What it is paid with; of a session that nobody has paid at yet, a card.
    #[n(19)]
    #[cbor(default)]
    pub method: Method,
    #[n(20)]
    pub country: Option<Country>,
    #[n(21)]
    #[cbor(default)]
    pub capture: CaptureMode,
    /// What was taken, in minor units; 0 to the amount. Of payments written before this was
    /// kept, read it by [`Payment::captured`].
    #[n(22)]
    pub captured_minor: Option<i64>,
    /// How often an amount was taken, or tried to be.
    #[n(23)]
    #[cbor(default)]
    pub captures: u32,
    /// Whether what was not taken has been let go: nothing more can be captured.
    #[n(24)]
    #[cbor(default)]
    pub capture_closed: bool,
    #[n(25)]
    #[cbor(default)]
    pub refunds: RefundSums,
    /// What the seller asked for, of payments that were initiated over the API.
    #[n(26)]
    pub order: Option<OrderTerms>,
    /// Who gets which part of the whole amount; what is left is the seller's.
    #[n(27)]
    pub split: Option<Plan>,
    #[n(28)]
    pub instructions: Option<Instructions>,
    #[n(29)]
    pub checkout: Option<Checkout>,
    /// What a demo request forces on it (`Simulator: force_failure`).
    #[n(30)]
    pub forced: Option<FailureCode>,
    #[n(31)]
    pub terminal: Option<TerminalId>,
    #[n(32)]
    pub challenge_url: Option<String>,
    /// When the hold of an authorized payment is let go.
    #[n(33)]
    pub hold_ends_at: Option<Timestamp>,
    #[n(34)]
    #[cbor(default)]
    pub retries: u32,
    /// How the processor refused what was asked last.
    #[n(35)]
    pub refusal: Option<ProcessorRefusal>,
    /// That its card is saved once it succeeds.
    #[n(40)]
    pub consent: Option<CardConsent>,
    /// That it charges a saved card, with nobody there.
    #[n(41)]
    pub saved_charge: Option<SavedCharge>,
    /// That it settled beside a refund: nobody has been told, and will be when the status says so.
    #[n(42)]
    #[cbor(default)]
    pub settlement_untold: bool,
    /// When the amount was taken, or held to be taken later. Of payments written before this was
    /// kept, read it by [`Payment::paid_on`].
    #[n(43)]
    pub paid_at: Option<Timestamp>,
    /// When its processor is asked whether its buyer has acted, who may not come back.
    #[n(44)]
    pub look: Option<Look>,
    /// The refund by which it goes back by itself, until that has gone through.
    #[n(45)]
    pub auto_refund: Option<AutoRefund>,
}

names! {
    /// When the held amount is taken (`captureMode`).
    #[derive(Default)]
    CaptureMode;
    #[default]
    0 Automatic = "automatic",
    /// By the seller's call.
    1 Manual = "manual",
}

impl Payment {
    /// Whether the buyer must act: confirm the payment with the bank (`requiresAction`).
    pub fn requires_action(&self) -> bool {
        self.status == PaymentStatus::ProviderPending
            && self.challenge == Some(ChallengeState::Pending)
    }

    /// Whether another than the simulator carries it out: that one knows by itself what the buyer
    /// did at the bank.
    pub fn is_carried_out_outside(&self) -> bool {
        self.connector.is_some_and(|connector| connector != Connector::Simulator)
    }

    /// Whether it is to be asked about, charged, let go, settled or given back by the processor
    /// behind this terminal.
    pub fn is_open_at(&self, terminal: TerminalId) -> bool {
        let is_there = self.status.is_open() && self.processor_token.is_some();
        let is_asked = self.awaits_provider()
            || self.funds_asked_at().is_some()
            || self.gives_back_at().is_some();
        self.terminal == Some(terminal) && (is_there || is_asked)
    }

    /// The terminal at which it is open, if it is.
    pub fn open_terminal(&self) -> Option<TerminalId> {
        let may_be = PaymentStatus::AT_PROCESSOR.contains(&self.status);
        self.terminal.filter(|terminal| may_be && self.is_open_at(*terminal))
    }

    pub fn captured(&self) -> i64 {
        // Payments that were written before the sum was kept were taken whole or not at all.
        let whole = if self.status.is_paid() { self.amount.minor } else { 0 };
        self.captured_minor.unwrap_or(whole)
    }

    /// When the buyer paid, of a payment that was paid.
    pub fn paid_on(&self) -> Timestamp {
        // Payments that were written before this was kept know their last change alone.
        self.paid_at.unwrap_or(self.updated_at)
    }

    /// What a refund can still take, in minor units.
    pub fn refundable(&self) -> i64 {
        self.captured() - self.refunds.refunded_minor - self.refunds.open_minor
    }

    /// Whether all that was captured goes back to the buyer, or went.
    pub fn goes_back(&self) -> bool {
        let back = matches!(self.status, PaymentStatus::RefundPending | PaymentStatus::Refunded);
        back && self.captured() > 0 && self.refundable() == 0
    }

    /// Whose app is to ask, E.164: the number of the seller's request, or of the buyer's attempt.
    pub fn phone(&self) -> Option<String> {
        let attempt = self.checkout.as_ref().and_then(|checkout| checkout.phone.clone());
        attempt.or_else(|| self.order.as_ref()?.phone.clone())
    }

    /// Whether a capture may yet bring money to those that it is shared with.
    pub fn may_bring_shares(&self) -> bool {
        let in_parts = self.status == PaymentStatus::ProviderCompleted
            && self.capture == CaptureMode::Manual
            && !self.capture_closed
            && self.refunds.refunded_minor == 0;
        self.status.is_open() || in_parts
    }

    pub fn waits_for_capture(&self) -> bool {
        self.status == PaymentStatus::Authorized && self.capture == CaptureMode::Manual
    }

    /// Whether an approval by the buyer is enough. A seller that initiated a card payment
    /// finalizes it; pages do that by themselves, and local methods know no such step.
    pub fn finalizes_itself(&self) -> bool {
        self.order.is_none() || self.method.rail() == Rail::Apm
    }

    /// The class of the failure; `cancelled` for a payment that was given up.
    pub fn failure_category(&self) -> Option<FailureCategory> {
        match self.status {
            PaymentStatus::Cancelled => Some(FailureCategory::Cancelled),
            _ => self.failure.map(|failure| failure.code.category()),
        }
    }

    /// Whether nothing is charged by it: the card is verified, and kept.
    pub fn is_verification(&self) -> bool {
        self.amount.minor == 0
    }

    /// The call that is under way, or was when the process ended.
    pub fn asking(&self) -> Option<&ProviderCall> {
        self.call.as_ref().filter(|call| call.state == CallState::Staged)
    }

    /// Goes on unless the provider is being asked: what its answer makes of the payment is what the
    /// next command is judged by.
    fn check_unasked(&self) -> Result<(), PaymentRefusal> {
        if self.asking().is_some() { Err(PaymentRefusal::InFlight) } else { Ok(()) }
    }

    /// Whether the provider was asked and has not given a definite answer.
    pub fn awaits_provider(&self) -> bool {
        self.call.as_ref().is_some_and(|call| call.state != CallState::Answered)
    }
}

impl CborRecord for Payment {}

/// Where a payment lies, for those who know a token of it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PaymentHome {
    #[n(0)]
    pub seller: SellerId,
    #[n(1)]
    pub payment: PaymentId,
}

impl CborRecord for PaymentHome {}

#[cfg(test)]
pub(crate) mod tests;
