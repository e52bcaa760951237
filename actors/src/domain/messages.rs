//! What rooms tell each other: durable messages, delivered at least once and taken once.

use crate::domain::ids::{ContractId, InvoiceId, PayeeId, PaymentId, SellerId};
use crate::domain::money::Money;
use crate::domain::payments::share::ShareMove;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum ContractMessage {
    #[n(0)]
    PaymentSucceeded(#[n(0)] PaymentNotice),
    /// A payment that had succeeded failed at settlement (code 4001): its invoice reopens.
    #[n(1)]
    PaymentReversed(#[n(0)] PaymentNotice),
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PaymentNotice {
    #[n(0)]
    pub payment: PaymentId,
    #[n(1)]
    pub reference: String,
    #[n(2)]
    pub invoice: InvoiceId,
    #[n(3)]
    pub amount: Money,
    #[n(4)]
    pub at: Timestamp,
}

/// A message to a payee, or to the seller's own money, which goes by the id
/// [`OWN`](crate::domain::payments::wallet::OWN). Messages of one payment may come in any order.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum PayeeMessage {
    /// The payee's share of a payment moved, in the wallet of its currency.
    #[n(0)]
    ShareMoved(#[n(0)] ShareNotice),
    /// Money came that is of no payment: it is available at once.
    #[n(1)]
    Deposited(#[n(0)] DepositNotice),
}

/// Money that a seller paid in, by a top-up invoice.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct DepositNotice {
    #[n(0)]
    pub reference: String,
    /// How much, above 0; it goes to the wallet of its currency.
    #[n(1)]
    pub amount: Money,
    #[n(2)]
    pub at: Timestamp,
    #[n(3)]
    pub mode: Mode,
}

/// Whose share of which payment moved, and how.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ShareNotice {
    #[n(0)]
    pub what: ShareMove,
    #[n(1)]
    pub payment: PaymentId,
    #[n(2)]
    pub reference: String,
    /// By how much, above 0: of a capture, this capture's share; of a refund, this refund's. When
    /// the payment settles all of its share does, and the amount says nothing.
    #[n(3)]
    pub amount: Money,
    #[n(4)]
    pub at: Timestamp,
    /// Whether the payment's money is real.
    #[n(5)]
    pub mode: Mode,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Envelope {
    #[n(0)]
    pub seller: SellerId,
    #[n(1)]
    pub to: Addressed,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum Addressed {
    #[n(0)]
    Contract(#[n(0)] ContractId, #[n(1)] ContractMessage),
    #[n(1)]
    Payee(#[n(0)] PayeeId, #[n(1)] PayeeMessage),
}

/// The first form of an envelope, when contracts alone were written to.
#[derive(minicbor::Decode)]
struct FirstEnvelope {
    #[n(0)]
    seller: SellerId,
    #[n(1)]
    contract: ContractId,
    #[n(2)]
    message: ContractMessage,
}

impl Envelope {
    pub fn to_contract(seller: SellerId, contract: ContractId, message: ContractMessage) -> Self {
        Self { seller, to: Addressed::Contract(contract, message) }
    }

    pub fn to_payee(seller: SellerId, payee: PayeeId, message: PayeeMessage) -> Self {
        Self { seller, to: Addressed::Payee(payee, message) }
    }
}

impl storage::Record for Envelope {
    const VERSION: u8 = 2;

    fn encode(&self) -> Vec<u8> {
        storage::cbor_encode(self)
    }

    fn decode(version: u8, bytes: &[u8]) -> Result<Self, storage::RecordError> {
        if version > 1 {
            return storage::cbor_decode(bytes);
        }
        let first: FirstEnvelope = storage::cbor_decode(bytes)?;
        Ok(Self::to_contract(first.seller, first.contract, first.message))
    }
}

#[cfg(test)]
mod tests {
    use storage::Record;

    use super::*;
    use crate::domain::money::Currency;

    #[test]
    fn envelopes_of_the_first_form_are_read() {
        let notice = PaymentNotice {
            payment: PaymentId(3),
            reference: "order-3".to_owned(),
            invoice: InvoiceId(4),
            amount: Money::new(500, Currency::EUR).expect("money"),
            at: Timestamp::from_micros(7),
        };
        let message = ContractMessage::PaymentSucceeded(notice);
        let now = Envelope::to_contract(SellerId(1), ContractId(2), message.clone());
        let mut first = vec![0x83];
        for part in [
            storage::cbor_encode(&SellerId(1)),
            storage::cbor_encode(&ContractId(2)),
            storage::cbor_encode(&message),
        ] {
            first.extend(part);
        }
        assert_eq!(Envelope::decode(1, &first).as_ref(), Ok(&now));
        assert_eq!(Envelope::decode(2, &now.encode()), Ok(now));
    }
}
