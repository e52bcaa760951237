//! Payouts: money of a wallet on its way to a bank account.
//!
//! A payout reserves its money when it is made. Where the seller's payouts are approved it waits
//! for the operator; then it is on its way, and completes by itself in demo mode or by the
//! operator's word in live mode. What is rejected, fails, or is sent back by the bank is money of
//! the wallet again.

mod create;
mod event;
mod key;
mod moves;
mod refusal;

use storage::CborRecord;

pub use create::{Funds, MAX_OPEN, NewPayout, create};
pub use event::{payout_event, payout_fields};
pub use key::{PayoutKey, PayoutOrder};
pub use moves::{Action, PayoutChange};
pub use refusal::PayoutRefusal;

use crate::domain::ids::{PayeeId, PayoutId, PayoutMethodId, SellerId, WalletId, WebhookId};
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::domain::payments::bank::Destination;
use crate::domain::payments::pool::Span;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;
use crate::listing::{Facet, Listed, Place};

names! {
    PayoutStatus;
    0 Pending = "pending",
    1 Processing = "processing",
    2 Completed = "completed",
    /// The bank does not take it, or has sent it back.
    3 Failed = "failed",
    4 Cancelled = "cancelled",
}

names! {
    ApprovalStatus;
    0 NotRequired = "not_required",
    /// A review is open; nothing is sent until it is resolved.
    1 AwaitingApproval = "awaiting_approval",
    2 Approved = "approved",
    3 Rejected = "rejected",
}

names! {
    /// What a payout does to the settled payments it takes.
    AttributionState;
    0 Reserved = "reserved",
    1 Finalized = "finalized",
    2 Released = "released",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Payout {
    #[n(0)]
    pub id: PayoutId,
    #[n(1)]
    pub seller: SellerId,
    /// Whose money it is; absent for the seller's own.
    #[n(2)]
    pub payee: Option<PayeeId>,
    #[n(3)]
    pub wallet: WalletId,
    #[n(4)]
    pub method: PayoutMethodId,
    /// Minor units, above 0.
    #[n(5)]
    pub amount_minor: i64,
    #[n(6)]
    pub currency: Currency,
    #[n(7)]
    pub status: PayoutStatus,
    #[n(8)]
    pub approval: ApprovalStatus,
    /// The bank account as it was when the payout was made.
    #[n(9)]
    pub destination: Destination,
    #[n(10)]
    pub provider_reference: Option<String>,
    #[n(11)]
    pub failure_code: Option<String>,
    #[n(12)]
    pub created_at: Timestamp,
    #[n(13)]
    pub updated_at: Timestamp,
    /// When it was completed; stays when the bank sends it back.
    #[n(14)]
    pub completed_at: Option<Timestamp>,
    /// In demo mode, when it completes by itself.
    #[n(15)]
    pub completes_at: Option<Timestamp>,
    /// Which settled money it took, by places in the wallet's line.
    #[n(16)]
    pub spans: Vec<Span>,
    #[n(17)]
    pub mode: Mode,
    /// Where it calls back, under this id among webhooks.
    #[n(18)]
    pub call_back: Option<WebhookId>,
    #[n(19)]
    pub idempotency_key: String,
}

impl Payout {
    /// Whether its money is reserved.
    pub fn is_open(&self) -> bool {
        matches!(self.status, PayoutStatus::Pending | PayoutStatus::Processing)
    }

    pub fn attribution(&self) -> AttributionState {
        match self.status {
            PayoutStatus::Pending | PayoutStatus::Processing => AttributionState::Reserved,
            PayoutStatus::Completed => AttributionState::Finalized,
            PayoutStatus::Failed | PayoutStatus::Cancelled => AttributionState::Released,
        }
    }
}

impl CborRecord for Payout {}

/// Whose a payout is, for those who know its id alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PayoutHome {
    #[n(0)]
    pub seller: SellerId,
    /// Absent for the seller's own money.
    #[n(1)]
    pub payee: Option<PayeeId>,
}

/// The places in its wallet's line that a payout took. Written once: whether the money is still
/// the payout's, the payout tells.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(transparent)]
pub struct PayoutPlaces(#[n(0)] pub Vec<Span>);

impl CborRecord for PayoutHome {}

impl CborRecord for PayoutPlaces {}

/// Lists find those of a wallet by what they took there.
impl Listed for Payout {
    fn id(&self) -> u64 {
        self.id.0
    }

    fn places(&self) -> Vec<Place> {
        vec![(Facet::PayoutStatus, self.status as u64)]
    }
}

#[cfg(test)]
mod tests;
