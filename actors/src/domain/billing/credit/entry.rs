//! The ledger's entries, and the rows beside them.

use storage::CborRecord;

use super::{CreditKind, CreditType, Lot, LotOrder};
use crate::domain::chain::{self, Link};
use crate::domain::ids::{ContractId, CreditEntryId, CustomerId, InvoiceId};
use crate::domain::money::Currency;
use crate::domain::time::Timestamp;

/// A movement of stored credit. It never changes; what has to be put right is a new one.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct CreditEntry {
    #[n(0)]
    pub id: CreditEntryId,
    #[n(1)]
    pub customer: CustomerId,
    #[n(2)]
    pub kind: CreditKind,
    #[n(3)]
    pub credit_type: CreditType,
    /// Minor units: above 0 for a top-up, below 0 for all else.
    #[n(4)]
    pub signed_delta_minor: i64,
    #[n(5)]
    pub currency: Currency,
    /// The lot that it takes from; none of a top-up, which is the lot.
    #[n(6)]
    pub lot: Option<CreditEntryId>,
    /// The invoice that a deduction pays for.
    #[n(7)]
    pub invoice: Option<InvoiceId>,
    #[n(8)]
    pub expires_at: Option<Timestamp>,
    #[n(9)]
    pub reason: String,
    /// By the wall clock.
    #[n(10)]
    pub occurred_at: Timestamp,
    /// In the chain of the contract's entries; there on all that are stored.
    #[cbor(n(11), with = "minicbor::bytes")]
    pub link: Option<Link>,
}

impl CreditEntry {
    /// The link that it has behind the entry before it. What pays for an invoice names that by its
    /// number, which is drawn later: its reason is not part of it.
    pub fn link(&self, before: Option<&Link>) -> Link {
        let mut fixed = Self { link: None, ..self.clone() };
        if self.invoice.is_some() {
            fixed.reason.clear();
        }
        chain::link(before, &chain::digest(&fixed))
    }
}

/// What an idempotency key of a top-up made, and where. A top-up never changes: it is what the
/// first request asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct CreditKey {
    #[n(0)]
    pub contract: ContractId,
    #[n(1)]
    pub entry: CreditEntryId,
}

/// What an invoice has drawn from one lot, and how much of it has come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct DrawnCredit {
    #[n(0)]
    pub customer: CustomerId,
    #[n(1)]
    pub credit_type: CreditType,
    #[n(2)]
    pub expires_at: Option<Timestamp>,
    /// Minor units, above 0.
    #[n(3)]
    pub amount_minor: i64,
    #[n(4)]
    pub returned_minor: i64,
}

impl DrawnCredit {
    /// Its place in the order in which the invoice drew on lots.
    pub fn order(&self, lot: CreditEntryId) -> LotOrder {
        let Self { customer, credit_type, expires_at, .. } = *self;
        Lot { id: lot, customer, credit_type, left_minor: 0, expires_at }.order()
    }
}

impl CborRecord for CreditEntry {}

impl CborRecord for CreditKey {}

impl CborRecord for DrawnCredit {}
