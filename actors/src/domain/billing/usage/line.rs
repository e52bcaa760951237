//! Closed usage: one line for each metric and period.

use storage::CborRecord;

use super::metric::MetricName;
use crate::domain::billing::pricing::UsageBreakdown;
use crate::domain::billing::subscription::Span;
use crate::domain::ids::{InvoiceId, SubscriptionId, UsageLineId};
use crate::domain::quantity::Quantity;
use crate::domain::time::Timestamp;

/// What a metric's closed period comes to. It never changes, but for the document that carries
/// it.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct UsageLine {
    /// Its id; lines are numbered in the order in which they were closed.
    #[n(0)]
    pub id: UsageLineId,
    #[n(1)]
    pub metric: MetricName,
    #[n(2)]
    pub metric_versions: Vec<u32>,
    #[n(3)]
    pub subscription: SubscriptionId,
    #[n(4)]
    pub span: Span,
    #[n(5)]
    pub term: Span,
    /// Whether it lies in a trial, which costs nothing.
    #[n(6)]
    pub trial: bool,
    #[n(7)]
    pub quantity: Quantity,
    /// How many events there were; 0 for seats.
    #[n(8)]
    pub events: u64,
    #[n(9)]
    pub overflowed: bool,
    /// Included units that the period before it had left.
    #[n(10)]
    pub rolled_in: Quantity,
    /// Whether nothing may follow that could use what it leaves: its subscription ends with it.
    #[n(11)]
    pub lapses: bool,
    #[n(12)]
    pub breakdown: UsageBreakdown,
    /// When it was closed, by the wall clock.
    #[n(13)]
    pub closed_at: Timestamp,
    #[n(14)]
    pub billed_by: Option<InvoiceId>,
}

impl UsageLine {
    /// Net before tax, minor units of the contract's currency, 0 or more.
    pub fn amount_minor(&self) -> i64 {
        self.breakdown.rating.amount_minor
    }

    /// Included units that it leaves for the period that begins with its end, if that is of the
    /// same subscription.
    pub fn left_over(&self) -> Quantity {
        if self.lapses { Quantity::ZERO } else { self.breakdown.rating.unused() }
    }
}

impl CborRecord for UsageLine {}
