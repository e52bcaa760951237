//! Where a payment lies, for those who know a token of it alone.

use storage::{Record, RecordError, cbor_decode, cbor_encode};

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

impl Record for PaymentHome {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        cbor_encode(self)
    }

    fn decode(_: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        cbor_decode(bytes)
    }
}
