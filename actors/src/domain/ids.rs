//! Every id of Accrue on one page. An id is positive, below 2^53 (it passes through
//! JavaScript unharmed), unique for its kind and, for one seller, rises in order of creation. What is
//! left of it by 1,024 is the shard of its seller, unless it was drawn before there were shards.

use std::fmt;

use serde::{Deserialize, Serialize};
use storage::{CborRecord, Key, KeyError, KeyReader, KeyWriter, Shard};

/// The first number that is no id any more: 2^53.
pub const ID_LIMIT: u64 = 1 << 53;

/// An id of whatever kind, or a number that counts like one.
pub(crate) trait Id: Key + Copy {
    fn of(number: u64) -> Self;
    fn number(self) -> u64;
}

impl Id for u64 {
    fn of(number: u64) -> Self {
        number
    }
    fn number(self) -> u64 {
        self
    }
}

/// Declares one id type: a `u64` that cannot be mistaken for another kind's.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        id!(@ $(#[$doc])* $name {});
    };
    // Keys that begin with it are in the shard that it says.
    ($(#[$doc:meta])* $name:ident, sharded) => {
        id!(@ $(#[$doc])* $name {
            const SHARDED: bool = true;
            fn shard(&self) -> Option<Shard> {
                Some(Shard::of(self.0))
            }
        });
    };
    (@ $(#[$doc:meta])* $name:ident { $($shard:tt)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[derive(minicbor::Encode, minicbor::Decode)]
        #[serde(transparent)]
        #[cbor(transparent)]
        pub struct $name(#[n(0)] pub u64);

        impl CborRecord for $name {}

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl Id for $name {
            fn of(number: u64) -> Self {
                Self(number)
            }
            fn number(self) -> u64 {
                self.0
            }
        }

        impl Key for $name {
            $($shard)*
            fn write(&self, out: &mut KeyWriter) {
                self.0.write(out);
            }
            fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
                u64::read(from).map(Self)
            }
        }
    };
}

id!(
    /// A seller account: the tenant, first part of nearly every key. Its shard, in which all that it
    /// owns is, is what is left of its number by 1,024.
    SellerId, sharded
);
impl SellerId {
    pub fn shard(self) -> Shard {
        Shard::of(self.0)
    }
}

id!(
    /// A customer of a seller (`sellerCustomerId`).
    CustomerId
);
id!(
    /// A contract.
    ContractId
);
id!(
    /// A line item of a contract; survives amendments that keep the item.
    LineItemId
);
id!(
    /// A subscription.
    SubscriptionId
);
id!(
    /// A proration record.
    ProrationId
);
id!(
    /// An entry of a contract's revenue timeline.
    TimelineId
);
id!(
    /// An invoice, credit notes included.
    InvoiceId
);
id!(
    /// A mail to the buyer of an invoice.
    MailId
);
id!(
    /// A payment within the store; sellers name payments by `externalOrderRef`.
    PaymentId
);
id!(
    /// A card that a customer lets the seller charge again.
    SavedCardId
);
id!(
    /// A refund of a payment (`refundId`).
    RefundId
);
id!(
    /// A record of how a payment was split.
    DecisionId
);
id!(
    /// An event as webhooks carry it (`eventId`).
    EventId
);
id!(
    /// A webhook registration.
    WebhookId
);
id!(
    /// One delivery: an event on its way to one webhook.
    DeliveryId
);
id!(
    /// An entry of the webhook allowlist.
    AllowlistId
);
id!(
    /// A durable message from one room to another.
    MessageId
);
id!(
    /// Someone the seller pays.
    PayeeId, sharded
);
id!(
    /// A wallet of a payee or of the seller.
    WalletId
);
id!(
    /// A bank account that a payee is paid to.
    PayoutMethodId
);
id!(
    /// Money of a wallet on its way to a bank account.
    PayoutId, sharded
);
id!(
    /// A movement of a wallet's money.
    PostingId
);
id!(
    /// A terminal: which payments go to which connector.
    TerminalId
);
id!(
    /// A split rule.
    SplitRuleId
);
id!(
    /// A usage event, as its seller's ingest answers name it (`eventId`).
    UsageEventId
);
id!(
    /// A closed usage line: one metric's period, rated.
    UsageLineId
);
id!(
    /// A recorded change of a contract's seats.
    SeatChangeId
);
id!(
    /// A correction of late usage, to be billed with the next usage document.
    AdjustmentId
);
id!(
    /// An inbound usage endpoint.
    InboundEndpointId
);
id!(
    /// A parked event.
    DeadLetterId
);
id!(
    /// A CSV upload of events.
    UploadId
);
id!(
    /// A top-up invoice.
    TopupId
);
id!(
    /// An entry of a contract's credit ledger; a top-up's is its lot's.
    CreditEntryId
);
id!(
    /// A marketplace vendor.
    VendorId, sharded
);
id!(
    /// A payment link of a seller's own (`paymentLinkId`); drawn with those of invoices.
    PaymentLinkId
);
id!(
    /// A subscription by payment link (`linkSubscriptionId`).
    LinkSubscriptionId
);
id!(
    /// A promo code.
    PromoCodeId
);
id!(
    /// Somebody who signs in to a seller's dashboard.
    PersonId
);
id!(
    /// An API key.
    ApiKeyId
);
id!(
    /// An entry of a seller's audit log.
    AuditId
);
