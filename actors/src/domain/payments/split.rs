//! Split rules: who gets which part of a payment (payments 2.6, decisions 7 and 11).

use storage::{Record, RecordError, cbor_decode, cbor_encode};

use crate::domain::ids::{PayeeId, SellerId, SplitRuleId};
use crate::domain::names::names;

names! {
    /// How a line's share is counted.
    AllocationType;
    /// A part of the amount, in basis points.
    0 PercentBps = "percent_bps",
    /// A fixed amount in minor units.
    1 FixedMinor = "fixed_minor",
    /// Both together.
    2 Mixed = "mixed",
}

/// One payee's part.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SplitLine {
    /// Who gets it.
    #[n(0)]
    pub payee: PayeeId,
    /// Lower comes first when there is not enough for all.
    #[n(1)]
    pub priority: u32,
    /// Whether the line counts.
    #[n(2)]
    pub is_enabled: bool,
    /// How the share is counted.
    #[n(3)]
    pub allocation_type: AllocationType,
    /// Basis points of the amount, 0 to 10,000.
    #[n(4)]
    pub percent_bps: u32,
    /// Minor units on top.
    #[n(5)]
    pub fixed_minor: i64,
}

/// A seller's rule for sharing payments.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SplitRule {
    /// `splitRuleId`.
    #[n(0)]
    pub id: SplitRuleId,
    /// Whose rule it is.
    #[n(1)]
    pub seller: SellerId,
    /// What the seller calls it.
    #[n(2)]
    pub name: String,
    /// Whether payments without a distribution of their own follow it.
    #[n(3)]
    pub active: bool,
    /// Rises with each change; from 1.
    #[n(4)]
    pub version: u32,
    /// The parts, in order of priority.
    #[n(5)]
    pub lines: Vec<SplitLine>,
}

impl Record for SplitRule {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        cbor_encode(self)
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        cbor_decode(bytes)
    }
}
