//! Split rules: their lines, what a draft has to hold to, and which version payments follow.

use storage::CborRecord;

use super::{
    AllocationMode, AllocationType, AmountBase, OverAllocationPolicy, RemainderPolicy, WHOLE_BPS,
};
use crate::domain::ids::{PayeeId, SellerId, SplitRuleId};
use crate::domain::money::PRICE_LIMIT;
use crate::domain::refusal::{RefusalKind, Refuse};

/// The most lines of a rule, and of a payment's own distribution.
pub const MAX_LINES: usize = 100;

/// The longest name of a rule, in characters.
const MAX_NAME: usize = 128;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SplitLine {
    #[n(0)]
    pub payee: PayeeId,
    /// Lower comes first when there is not enough for all.
    #[n(1)]
    pub priority: u32,
    #[n(2)]
    pub is_enabled: bool,
    /// How the share is counted: which of the next two counts, or both.
    #[n(3)]
    pub allocation_type: AllocationType,
    /// Basis points of the amount, 0 to 10,000.
    #[n(4)]
    pub percent_bps: u32,
    /// Minor units on top, above or equal 0.
    #[n(5)]
    pub fixed_minor: i64,
    /// What the seller keeps of the share, in basis points of it, 0 to 10,000.
    #[n(6)]
    #[cbor(default)]
    pub fee_percent_bps: u32,
    /// What the seller keeps of it on top, in minor units, above or equal 0.
    #[n(7)]
    #[cbor(default)]
    pub fee_fixed_minor: i64,
    /// The least it is to be, in minor units.
    #[n(8)]
    pub min_minor: Option<i64>,
    /// The most it is to be, in minor units.
    #[n(9)]
    pub max_minor: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SplitRule {
    #[n(0)]
    pub id: SplitRuleId,
    #[n(1)]
    pub seller: SellerId,
    #[n(2)]
    pub name: String,
    /// Whether payments without a distribution of their own follow it.
    #[n(3)]
    pub active: bool,
    /// Rises with each change; from 1.
    #[n(4)]
    pub version: u32,
    #[n(5)]
    pub lines: Vec<SplitLine>,
    #[n(6)]
    #[cbor(default)]
    pub allocation_mode: AllocationMode,
    #[n(7)]
    #[cbor(default)]
    pub amount_base: AmountBase,
    #[n(8)]
    #[cbor(default)]
    pub over_allocation: OverAllocationPolicy,
    #[n(9)]
    #[cbor(default)]
    pub remainder: RemainderPolicy,
    /// As it was put in force, where it was edited since.
    #[n(10)]
    pub in_force: Option<Box<Self>>,
}

/// What a seller says in a rule; its id, version and whether it is in force come from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleDraft {
    /// What the seller calls it, 1 to 128 characters.
    pub name: String,
    /// The parts, 1 to [`MAX_LINES`], one a payee.
    pub lines: Vec<SplitLine>,
    pub allocation_mode: AllocationMode,
    pub amount_base: AmountBase,
    pub over_allocation: OverAllocationPolicy,
    pub remainder: RemainderPolicy,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitRefusal {
    #[error("name must have 1 to 128 characters")]
    Name,
    #[error("lines must have 1 to {MAX_LINES} entries")]
    Lines,
    #[error("lines[{at}].payeeId {payee} is named twice")]
    Twice { at: usize, payee: PayeeId },
    #[error("lines[{at}].{field} must be between 0 and 10000")]
    Percent { at: usize, field: &'static str },
    #[error("lines[{at}].{field} must be between 0 and {PRICE_LIMIT}")]
    Amount { at: usize, field: &'static str },
    #[error("lines[{0}].minAmountMinor must not exceed maxAmountMinor")]
    Bounds(usize),
    #[error("payeeId {0} not found")]
    PayeeMissing(PayeeId),
    #[error("activationReceipt is not valid: preview the rule again")]
    Receipt,
    #[error("the rule has changed since it was previewed: preview it again")]
    Changed,
    #[error("payee {0} is archived")]
    PayeeArchived(PayeeId),
}

impl SplitLine {
    pub fn percent(payee: PayeeId, priority: u32, percent_bps: u32) -> Self {
        let fixed = Self::fixed(payee, priority, 0);
        Self { allocation_type: AllocationType::PercentBps, percent_bps, ..fixed }
    }

    pub fn fixed(payee: PayeeId, priority: u32, fixed_minor: i64) -> Self {
        Self {
            payee,
            priority,
            is_enabled: true,
            allocation_type: AllocationType::FixedMinor,
            percent_bps: 0,
            fixed_minor,
            fee_percent_bps: 0,
            fee_fixed_minor: 0,
            min_minor: None,
            max_minor: None,
        }
    }

    /// Whether it may be the line `at` of a rule, counted from 0.
    fn check(&self, at: usize) -> Result<(), SplitRefusal> {
        let percents =
            [("allocationPercentBps", self.percent_bps), ("feePercentBps", self.fee_percent_bps)];
        if let Some((field, _)) = percents.into_iter().find(|(_, bps)| *bps > WHOLE_BPS) {
            return Err(SplitRefusal::Percent { at, field });
        }
        let amounts = [
            ("allocationFixedAmountMinor", self.fixed_minor),
            ("feeFixedAmountMinor", self.fee_fixed_minor),
            ("minAmountMinor", self.min_minor.unwrap_or(0)),
            ("maxAmountMinor", self.max_minor.unwrap_or(0)),
        ];
        let wrong = amounts.into_iter().find(|(_, minor)| !(0..=PRICE_LIMIT).contains(minor));
        if let Some((field, _)) = wrong {
            return Err(SplitRefusal::Amount { at, field });
        }
        match (self.min_minor, self.max_minor) {
            (Some(min), Some(max)) if min > max => Err(SplitRefusal::Bounds(at)),
            _ => Ok(()),
        }
    }
}

impl RuleDraft {
    /// Whether it may be a rule, apart from the state of its payees.
    pub fn check(&self) -> Result<(), SplitRefusal> {
        if !(1..=MAX_NAME).contains(&self.name.chars().count()) {
            return Err(SplitRefusal::Name);
        }
        if !(1..=MAX_LINES).contains(&self.lines.len()) {
            return Err(SplitRefusal::Lines);
        }
        for (at, line) in self.lines.iter().enumerate() {
            line.check(at)?;
            if self.lines[..at].iter().any(|earlier| earlier.payee == line.payee) {
                return Err(SplitRefusal::Twice { at, payee: line.payee });
            }
        }
        Ok(())
    }
}

impl SplitRule {
    /// What payments follow while it is in force: the rule as it was activated, however it was
    /// edited since.
    pub fn followed(self) -> Self {
        match self.in_force {
            Some(followed) => *followed,
            None => self,
        }
    }

    /// The rule as it is, in force from now on.
    pub fn activated(&self) -> Self {
        Self { active: true, in_force: None, ..self.clone() }
    }

    pub fn retired(&self) -> Self {
        Self { active: false, in_force: None, ..self.clone() }
    }

    /// A rule that says what `draft` says: a new one of version 1 that is not in force, or the
    /// next version of `before`; one that is in force is followed as before until it is activated
    /// anew. `None` when it says so already.
    pub fn saved(
        id: SplitRuleId,
        seller: SellerId,
        draft: RuleDraft,
        before: Option<&Self>,
    ) -> Option<Self> {
        let RuleDraft { name, lines, allocation_mode, amount_base, over_allocation, remainder } =
            draft;
        let version = before.map_or(1, |rule| rule.version);
        let active = before.is_some_and(|rule| rule.active);
        let same = Self {
            id,
            seller,
            name,
            active,
            version,
            lines,
            allocation_mode,
            amount_base,
            over_allocation,
            remainder,
            in_force: before.and_then(|rule| rule.in_force.clone()),
        };
        match before {
            Some(before) if *before == same => None,
            Some(before) => {
                let followed = before.active.then(|| Box::new(before.clone().followed()));
                Some(Self { version: version.saturating_add(1), in_force: followed, ..same })
            }
            None => Some(same),
        }
    }
}

impl Refuse for SplitRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::PayeeMissing(_) => RefusalKind::Missing,
            Self::PayeeArchived(_) | Self::Receipt | Self::Changed => RefusalKind::Conflict,
            _ => RefusalKind::Invalid,
        }
    }
}

impl CborRecord for SplitRule {}
