//! The record of one evaluation: what went in, what came out.

use storage::CborRecord;

use super::{
    AllocationMode, AllocationType, AmountBase, OverAllocationPolicy, Plan, PlanShare,
    RemainderPolicy, SplitLine, SplitRule, evaluate,
};
use crate::domain::ids::{DecisionId, PayeeId, PaymentId, SellerId, SplitRuleId};
use crate::domain::money::{Currency, Money};
use crate::domain::names::names;
use crate::domain::time::Timestamp;

names! {
    Effect;
    0 ClampedToMin = "clamped_to_min",
    1 ClampedToMax = "clamped_to_max",
    /// There was not enough for all, and it was made smaller.
    2 OverAllocationResolved = "over_allocation_resolved",
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct RuleVersion {
    #[n(0)]
    pub id: SplitRuleId,
    #[n(1)]
    pub version: u32,
}

/// What a payee weighs in weight mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Weight {
    #[n(0)]
    pub payee: PayeeId,
    /// How much, above or equal 0; only its proportion to the others counts.
    #[n(1)]
    pub amount: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Inputs {
    /// The rule; absent for a payment's own distribution.
    #[n(0)]
    pub rule: Option<RuleVersion>,
    #[n(1)]
    pub allocation_mode: AllocationMode,
    #[n(2)]
    pub amount_base: AmountBase,
    /// The amount, in minor units, above 0.
    #[n(3)]
    pub gross_minor: i64,
    #[n(4)]
    pub lines: Vec<SplitLine>,
    /// In weight mode, what the payees weigh; else empty.
    #[n(5)]
    pub distribution: Vec<Weight>,
    #[n(6)]
    pub over_allocation: OverAllocationPolicy,
    #[n(7)]
    pub remainder: RemainderPolicy,
}

/// What one payee gets. All amounts are minor units, none below 0.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct AppliedShare {
    #[n(0)]
    pub payee: PayeeId,
    /// Before any policy.
    #[n(1)]
    pub raw_minor: i64,
    /// After all of them, fees not taken off.
    #[n(2)]
    pub share_minor: i64,
    #[n(3)]
    pub fee_minor: i64,
    /// What the payee gets: the share without the fee.
    #[n(4)]
    pub net_minor: i64,
    #[n(5)]
    pub effects: Vec<Effect>,
}

/// What an evaluation came to. All amounts are minor units.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Outcome {
    #[n(0)]
    pub gross_minor: i64,
    #[n(1)]
    pub total_fee_minor: i64,
    /// What the lines left over. The last payee's share includes it where the rule says so.
    #[n(2)]
    pub remainder_minor: i64,
    /// Whether the lines came to more than there was.
    #[n(3)]
    pub over_allocated: bool,
    /// The shares of the lines that count, in order of priority.
    #[n(4)]
    pub shares: Vec<AppliedShare>,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct DecisionRecord {
    #[n(0)]
    pub id: DecisionId,
    #[n(1)]
    pub seller: SellerId,
    #[n(2)]
    pub payment: PaymentId,
    #[n(3)]
    pub currency: Currency,
    #[n(4)]
    pub inputs: Inputs,
    #[n(5)]
    pub outcome: Outcome,
    #[n(6)]
    pub created_at: Timestamp,
}

impl Inputs {
    /// A rule on an amount in minor units. In weight mode a payee weighs what its line says: its
    /// basis points, its minor units, or their sum.
    pub fn of_rule(rule: &SplitRule, gross_minor: i64) -> Self {
        let weighs = rule.allocation_mode == AllocationMode::Weight;
        let counted = rule.lines.iter().filter(|line| weighs && line.is_enabled);
        Self {
            rule: Some(RuleVersion { id: rule.id, version: rule.version }),
            allocation_mode: rule.allocation_mode,
            amount_base: rule.amount_base,
            gross_minor,
            lines: rule.lines.clone(),
            distribution: counted.map(Weight::of).collect(),
            over_allocation: rule.over_allocation,
            remainder: rule.remainder,
        }
    }

    /// A payment's own distribution of its amount: fixed amounts, the first stated first.
    pub fn of_distribution(distribution: &[PlanShare], gross_minor: i64) -> Self {
        let lines = (1..).zip(distribution);
        Self {
            rule: None,
            allocation_mode: AllocationMode::Absolute,
            amount_base: AmountBase::GrossPayment,
            gross_minor,
            lines: lines.map(|(n, one)| SplitLine::fixed(one.payee, n, one.minor)).collect(),
            distribution: Vec::new(),
            over_allocation: OverAllocationPolicy::default(),
            remainder: RemainderPolicy::default(),
        }
    }

    pub(super) fn weight_of(&self, payee: PayeeId) -> i64 {
        let of = self.distribution.iter().filter(|weight| weight.payee == payee);
        of.map(|weight| weight.amount.max(0)).sum()
    }
}

impl Outcome {
    /// What the payees are to get. The seller keeps the rest: fees, and what was left over.
    pub fn plan(&self) -> Plan {
        let shares = self.shares.iter();
        Plan::of(shares.map(|share| PlanShare { payee: share.payee, minor: share.net_minor }))
    }
}

impl DecisionRecord {
    pub fn made(
        id: DecisionId,
        seller: SellerId,
        payment: PaymentId,
        amount: Money,
        inputs: Inputs,
        now: Timestamp,
    ) -> Self {
        let outcome = evaluate(&inputs);
        let currency = amount.currency;
        Self { id, seller, payment, currency, inputs, outcome, created_at: now }
    }
}

impl Weight {
    fn of(line: &SplitLine) -> Self {
        let percent = i64::from(line.percent_bps);
        let amount = match line.allocation_type {
            AllocationType::PercentBps => percent,
            AllocationType::FixedMinor => line.fixed_minor,
            AllocationType::Mixed => percent.saturating_add(line.fixed_minor),
        };
        Self { payee: line.payee, amount }
    }
}

impl CborRecord for DecisionRecord {}
