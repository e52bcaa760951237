//! What rooms tell each other: durable messages, delivered at least once and in order for each
//! addressee, and taken once.

use crate::domain::billing::numbering::InvoiceNumber;
use crate::domain::ids::{
    ContractId, InvoiceId, LinkSubscriptionId, MessageId, PayeeId, PaymentId, PaymentLinkId,
    PromoCodeId, SavedCardId, SellerId,
};
use crate::domain::money::Money;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::saved_card::{SavedCard, SavedCharge};
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
    /// The charge of a saved card came to nothing.
    #[n(2)]
    ChargeFailed(#[n(0)] ChargeNotice),
    /// The contract's customer let a card be saved.
    #[n(3)]
    CardSaved(#[n(0)] CardNotice),
    /// Some of a payment that had succeeded was refunded.
    #[n(4)]
    PaymentRefunded(#[n(0)] PaymentNotice),
    /// The contract's account went live: its test clock is let go.
    #[n(5)]
    WentLive,
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
    /// Of the charge of a saved card: which attempt at the invoice it is.
    #[n(5)]
    pub attempt: Option<u32>,
}

/// The charge of a saved card that failed.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ChargeNotice {
    #[n(0)]
    pub payment: PaymentId,
    #[n(1)]
    pub invoice: InvoiceId,
    #[n(2)]
    pub charge: SavedCharge,
    /// Why, unless it was given up.
    #[n(3)]
    pub failure: Option<FailureCode>,
    #[n(4)]
    pub at: Timestamp,
}

/// A card that was saved, as its holder knows it.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct CardNotice {
    #[n(0)]
    pub card: SavedCardId,
    #[n(1)]
    pub title: String,
    #[n(2)]
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

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum PaymentMessage {
    /// The invoice that it was to pay does not ask for it: all of it goes back to the buyer.
    #[n(0)]
    NotNeeded(#[n(0)] InvoiceNumber),
    /// The link that it was to pay does not want it, for this reason: all of it goes back.
    #[n(1)]
    NotWanted(#[n(0)] String),
}

/// What a seller's payment links are told of their payments, and what it tells itself.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum SellerMessage {
    #[n(0)]
    LinkPaid(#[n(0)] LinkNotice),
    /// A payment that had taken a promo code has come to nothing.
    #[n(1)]
    LinkPaymentLost(#[n(0)] LinkNotice),
    /// A payment that had succeeded failed at settlement (code 4001).
    #[n(2)]
    LinkPaymentReversed(#[n(0)] LinkNotice),
    /// It went live: its contracts behind this one are to hear of it, where they have a test clock.
    #[n(3)]
    WentLive(#[n(0)] ContractId),
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct LinkNotice {
    #[n(0)]
    pub payment: PaymentId,
    #[n(1)]
    pub reference: String,
    #[n(2)]
    pub link: PaymentLinkId,
    #[n(3)]
    pub amount: Money,
    #[n(4)]
    pub promo: Option<PromoCodeId>,
}

/// What a subscription by payment link is told of its payments.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum SubscriptionMessage {
    #[n(0)]
    Paid(#[n(0)] SubscriptionNotice),
    /// The charge of the kept card came to nothing.
    #[n(1)]
    ChargeFailed(#[n(0)] SubscriptionNotice),
    /// A payment that had succeeded failed at settlement (code 4001).
    #[n(2)]
    Reversed(#[n(0)] SubscriptionNotice),
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SubscriptionNotice {
    #[n(0)]
    pub payment: PaymentId,
    #[n(1)]
    pub reference: String,
    #[n(2)]
    pub term: u32,
    #[n(3)]
    pub amount: Money,
    /// Of the charge of a kept card: which one.
    #[n(4)]
    pub charge: Option<SavedCharge>,
    /// Why it failed, unless it was given up.
    #[n(5)]
    pub failure: Option<FailureCode>,
    /// The card that its buyer let be kept.
    #[n(6)]
    pub card: Option<SavedCard>,
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

/// Who a message is for. The numbers of rooms are on disk and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Addressee {
    Contract(SellerId, ContractId),
    Payee(SellerId, PayeeId),
    Payment(SellerId, PaymentId),
    Seller(SellerId),
    Subscription(SellerId, LinkSubscriptionId),
}

impl Addressee {
    pub fn seller(self) -> SellerId {
        match self {
            Self::Contract(seller, _)
            | Self::Payee(seller, _)
            | Self::Payment(seller, _)
            | Self::Subscription(seller, _)
            | Self::Seller(seller) => seller,
        }
    }

    /// The key of all its messages, and with an id that of one.
    pub fn key(self) -> (SellerId, u8, u64) {
        match self {
            Self::Contract(seller, contract) => (seller, 0, contract.0),
            Self::Payee(seller, payee) => (seller, 1, payee.0),
            Self::Payment(seller, payment) => (seller, 14, payment.0),
            Self::Seller(seller) => (seller, 30, seller.0),
            Self::Subscription(seller, subscription) => (seller, 32, subscription.0),
        }
    }

    pub fn of_key((seller, room, object): (SellerId, u8, u64)) -> Option<Self> {
        match room {
            0 => Some(Self::Contract(seller, ContractId(object))),
            1 => Some(Self::Payee(seller, PayeeId(object))),
            14 => Some(Self::Payment(seller, PaymentId(object))),
            30 => Some(Self::Seller(seller)),
            32 => Some(Self::Subscription(seller, LinkSubscriptionId(object))),
            _ => None,
        }
    }

    pub fn row(self, id: MessageId) -> (SellerId, u8, u64, MessageId) {
        let (seller, room, object) = self.key();
        (seller, room, object, id)
    }
}

/// What is on its way to another room.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum Message {
    #[n(0)]
    Contract(#[n(0)] ContractMessage),
    #[n(1)]
    Payee(#[n(0)] PayeeMessage),
    #[n(14)]
    Payment(#[n(0)] PaymentMessage),
    #[n(30)]
    Seller(#[n(0)] SellerMessage),
    #[n(32)]
    Subscription(#[n(0)] SubscriptionMessage),
}

impl storage::CborRecord for Message {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    pub to: Addressee,
    pub message: Message,
}

impl Envelope {
    pub fn to_contract(seller: SellerId, contract: ContractId, message: ContractMessage) -> Self {
        Self { to: Addressee::Contract(seller, contract), message: Message::Contract(message) }
    }

    pub fn to_payment(seller: SellerId, payment: PaymentId, message: PaymentMessage) -> Self {
        Self { to: Addressee::Payment(seller, payment), message: Message::Payment(message) }
    }

    pub fn to_seller(seller: SellerId, message: SellerMessage) -> Self {
        Self { to: Addressee::Seller(seller), message: Message::Seller(message) }
    }

    pub fn to_subscription(
        seller: SellerId,
        subscription: LinkSubscriptionId,
        message: SubscriptionMessage,
    ) -> Self {
        let to = Addressee::Subscription(seller, subscription);
        Self { to, message: Message::Subscription(message) }
    }

    pub fn to_payee(seller: SellerId, payee: PayeeId, message: PayeeMessage) -> Self {
        Self { to: Addressee::Payee(seller, payee), message: Message::Payee(message) }
    }
}
