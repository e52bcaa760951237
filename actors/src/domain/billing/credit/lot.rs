//! Lots of which something is left.

use storage::CborRecord;

use super::{CreditEntry, CreditType};
use crate::domain::ids::{CreditEntryId, CustomerId};
use crate::domain::time::Timestamp;

/// What is left of a lot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Lot {
    /// That of the top-up which made it.
    #[n(0)]
    pub id: CreditEntryId,
    #[n(1)]
    pub customer: CustomerId,
    #[n(2)]
    pub credit_type: CreditType,
    /// Minor units, above 0.
    #[n(3)]
    pub left_minor: i64,
    #[n(4)]
    pub expires_at: Option<Timestamp>,
}

/// The order in which lots are drawn: what expires first, then what was granted before what was
/// paid for, then the oldest. What never expires comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LotOrder {
    pub expires_at: Timestamp,
    paid_for: bool,
    pub lot: CreditEntryId,
}

impl Lot {
    /// The lot that a top-up makes.
    pub fn of(entry: &CreditEntry) -> Self {
        Self {
            id: entry.id,
            customer: entry.customer,
            credit_type: entry.credit_type,
            left_minor: entry.signed_delta_minor,
            expires_at: entry.expires_at,
        }
    }

    pub fn order(&self) -> LotOrder {
        LotOrder {
            expires_at: self.expires_at.unwrap_or(Timestamp::MAX),
            paid_for: self.credit_type.is_liability(),
            lot: self.id,
        }
    }

    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

impl CborRecord for Lot {}
