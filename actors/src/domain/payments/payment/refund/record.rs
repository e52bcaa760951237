//! Refunds: each is a record of its own, beside the sums that its payment keeps.

use storage::CborRecord;

use crate::domain::ids::{PaymentId, RefundId, SellerId};
use crate::domain::money::Money;
use crate::domain::names::names;
use crate::domain::payments::failure::FailureCode;
use crate::domain::time::Timestamp;

names! {
    RefundStatus;
    0 Pending = "pending",
    1 Succeeded = "succeeded",
    /// The money did not go back; the refund may be tried again.
    2 Failed = "failed",
    3 Cancelled = "cancelled",
}

/// Money of a payment on its way back to the buyer.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Refund {
    #[n(0)]
    pub id: RefundId,
    #[n(1)]
    pub payment: PaymentId,
    #[n(2)]
    pub seller: SellerId,
    /// How much; above 0.
    #[n(3)]
    pub amount: Money,
    #[n(4)]
    pub status: RefundStatus,
    #[n(5)]
    pub reason: Option<String>,
    #[n(6)]
    pub failure: Option<FailureCode>,
    #[n(7)]
    pub processor_token: Option<String>,
    #[n(8)]
    pub forced: Option<ForcedRefund>,
    #[n(9)]
    pub created_at: Timestamp,
    #[n(10)]
    pub updated_at: Timestamp,
    /// How often it was tried again after a failure; absent is never.
    #[n(11)]
    pub retries: Option<u32>,
}

/// What becomes of a refund of demo mode by order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum ForcedRefund {
    /// `force_failure=<code>`.
    #[n(0)]
    Fails(#[n(0)] FailureCode),
    /// `force_refund=cancelled`.
    #[n(1)]
    Cancelled,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct RefundSums {
    /// What went back, in minor units.
    #[n(0)]
    pub refunded_minor: i64,
    /// The refund that is under way; one at most.
    #[n(1)]
    pub open: Option<RefundId>,
    /// What the refund under way gives back, in minor units.
    #[n(2)]
    pub open_minor: i64,
}

impl CborRecord for Refund {}
