//! Payout methods: the bank accounts that a payee is paid to.

use storage::CborRecord;

use crate::domain::ids::{PayeeId, PayoutMethodId, SellerId};
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::domain::payments::bank::Destination;
use crate::domain::time::Timestamp;

/// The most methods that a payee may have in use.
pub const MAX_METHODS: usize = 50;

names! {
    MethodStatus;
    0 Active = "active",
    /// It was deleted: its number is gone, and only payouts still name it.
    1 Deleted = "deleted",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PayoutMethod {
    #[n(0)]
    pub id: PayoutMethodId,
    #[n(1)]
    pub seller: SellerId,
    #[n(2)]
    pub payee: PayeeId,
    #[n(3)]
    pub currency: Currency,
    #[n(4)]
    pub status: MethodStatus,
    #[n(5)]
    pub destination: Destination,
    #[n(6)]
    pub created_at: Timestamp,
}

impl PayoutMethod {
    pub fn is_active(&self) -> bool {
        self.status == MethodStatus::Active
    }

    #[must_use]
    pub fn deleted(self) -> Self {
        let destination = self.destination.without_number();
        Self { status: MethodStatus::Deleted, destination, ..self }
    }
}

impl CborRecord for PayoutMethod {}
