//! Splits: who gets which part of a payment.
//!
//! * [`SplitRule`] is what a seller keeps in force; a payment that states its own distribution
//!   follows that instead.
//! * [`evaluate()`] makes an [`Outcome`] of the [`Inputs`]; both are kept as a [`DecisionRecord`].
//! * [`Plan`] is what the payment goes by from then on: what each payee is to get, fees taken
//!   off, if all of it is captured. What it does not name is the seller's.
//! * [`capture_moves`] and [`refund_moves`] say what a capture or a refund does to each wallet.

mod check;
mod decision;
mod evaluate;
mod plan;
mod receipt;
mod rule;
#[cfg(test)]
mod tests;

pub use check::{
    AppliedSplit, DistributionRefusal, check_distribution, check_payee, is_splittable,
};
pub use decision::{AppliedShare, DecisionRecord, Effect, Inputs, Outcome, RuleVersion, Weight};
pub use evaluate::evaluate;
pub use plan::{Plan, PlanShare, ShareMoves, capture_moves, credited, given_back, refund_moves};
pub use receipt::{RECEIPT_SECONDS, SplitReceipt};
pub use rule::{MAX_LINES, RuleDraft, SplitLine, SplitRefusal, SplitRule};

use crate::domain::names::names;

/// Basis points of the whole.
pub const WHOLE_BPS: u32 = 10_000;

names! {
    AllocationType;
    0 PercentBps = "percent_bps",
    1 FixedMinor = "fixed_minor",
    2 Mixed = "mixed",
}

names! {
    /// How the lines of a rule share the amount.
    #[derive(Default)]
    AllocationMode;
    /// Each line says what it gets; what is left is the remainder.
    #[default]
    0 Absolute = "absolute",
    /// The whole amount is shared in proportion to what the lines say.
    1 Weight = "weight",
}

names! {
    /// Which amount is shared. Accrue takes nothing off a payment, so both are its amount.
    #[derive(Default)]
    AmountBase;
    #[default]
    0 GrossPayment = "gross_payment",
    1 NetSettled = "net_settled",
}

names! {
    /// What happens when the lines come to more than the amount.
    #[derive(Default)]
    OverAllocationPolicy;
    /// All are made smaller in proportion.
    #[default]
    0 ScaleDown = "scale_down",
    /// The first in order of priority get theirs while it lasts.
    1 ByPriority = "by_priority",
}

names! {
    #[derive(Default)]
    RemainderPolicy;
    #[default]
    0 Seller = "seller",
    /// That of the last payee in order of priority.
    1 LastPayee = "last_payee",
}
