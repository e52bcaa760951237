//! Where a payment lies, for those who know a token of it alone.

use storage::CborRecord;

use crate::domain::ids::{PaymentId, SellerId};

/// Whose payment it is, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PaymentHome {
    /// The seller.
    #[n(0)]
    pub seller: SellerId,
    /// The payment within the store.
    #[n(1)]
    pub payment: PaymentId,
}

impl CborRecord for PaymentHome {}
