//! What rooms tell each other: durable messages, delivered at least once and taken once.

use crate::domain::ids::{ContractId, InvoiceId, PaymentId, SellerId};
use crate::domain::money::Money;
use crate::domain::time::Timestamp;

/// A message to a contract.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum ContractMessage {
    /// A payment for one of its invoices succeeded (payments 3, decisions 13).
    #[n(0)]
    PaymentSucceeded(#[n(0)] PaymentNotice),
    /// A payment that had succeeded failed at settlement (code 4001): its invoice reopens.
    #[n(1)]
    PaymentReversed(#[n(0)] PaymentNotice),
}

/// Which payment, for which invoice.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PaymentNotice {
    /// The payment within the store.
    #[n(0)]
    pub payment: PaymentId,
    /// The payment's reference (`externalOrderRef`).
    #[n(1)]
    pub reference: String,
    /// The invoice it pays.
    #[n(2)]
    pub invoice: InvoiceId,
    /// What was captured.
    #[n(3)]
    pub amount: Money,
    /// When the payment moved.
    #[n(4)]
    pub at: Timestamp,
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Envelope {
    /// The seller whose rooms these are.
    #[n(0)]
    pub seller: SellerId,
    /// The contract it goes to.
    #[n(1)]
    pub contract: ContractId,
    /// What it says.
    #[n(2)]
    pub message: ContractMessage,
}

impl storage::Record for Envelope {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        storage::cbor_encode(self)
    }

    fn decode(_: u8, bytes: &[u8]) -> Result<Self, storage::RecordError> {
        storage::cbor_decode(bytes)
    }
}
