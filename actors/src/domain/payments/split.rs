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
mod policy;
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
pub use policy::{
    AllocationMode, AllocationType, AmountBase, OverAllocationPolicy, RemainderPolicy,
};
pub use receipt::{RECEIPT_SECONDS, SplitReceipt};
pub use rule::{MAX_LINES, RuleDraft, SplitLine, SplitRefusal, SplitRule};

/// Basis points of the whole.
pub const WHOLE_BPS: u32 = 10_000;
