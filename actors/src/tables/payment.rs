//! Rows of the payment room.

use storage::{Index, Table};

use crate::domain::ids::{
    CustomerId, DecisionId, InvoiceId, LinkSubscriptionId, PaymentId, PaymentLinkId, RefundId,
    SavedCardId, SellerId,
};
use crate::domain::payments::payment::{Payment, PaymentHome, Refund};
use crate::domain::payments::saved_card::SavedCard;
use crate::domain::payments::split::DecisionRecord;
use crate::domain::time::Timestamp;
use crate::link_tokens::LinkHash;

pub const PAYMENTS: Table<(SellerId, PaymentId), Payment> = Table::new(30, "payments");
/// Payments by the seller's reference (`externalOrderRef`).
pub const PAYMENT_REFS: Table<(SellerId, String), PaymentId> = Table::new(31, "payment references");
/// The one payment that pays, or may yet pay, an invoice; of one that is voided [`NO_PAYMENT`].
pub const OPEN_PAYMENTS: Table<(SellerId, InvoiceId), PaymentId> = Table::new(32, "open payments");
/// Every payment of an invoice, failed ones too.
pub const INVOICE_PAYMENTS: Table<(SellerId, InvoiceId, PaymentId), ()> =
    Table::new(33, "invoice payments");
pub const REFUNDS: Table<(SellerId, PaymentId, RefundId), Refund> = Table::new(90, "refunds");
/// Idempotency keys of payments, taken within their seller: the id of the payment, and zeros.
pub const PAYMENT_KEYS: Index = Index::new(2, "payment keys");
/// Idempotency keys of payments from before their index, until a start has moved them there.
pub const PAYMENT_KEY_ROWS: Table<(SellerId, String), PaymentId> =
    Table::new(91, "rows of payment keys");
/// The payment of a hosted session, by what stands for the session's id.
pub const CHECKOUTS: Table<LinkHash, PaymentHome> = Table::new(92, "checkout sessions");
/// How payments were split.
pub const DECISIONS: Table<(SellerId, PaymentId, DecisionId), DecisionRecord> =
    Table::new(94, "split decisions");
/// Cards that customers let the seller charge again; put by the payment that saved them.
pub const SAVED_CARDS: Table<(SellerId, CustomerId, SavedCardId), SavedCard> =
    Table::new(174, "saved cards");
/// Cards that were taken away, until their processor has forgotten them.
pub const CARDS_TO_FORGET: Table<(SellerId, SavedCardId), SavedCard> =
    Table::new(224, "cards to forget");
/// The payment that makes an attempt at collecting an invoice: each attempt is made once, or by
/// [`NO_PAYMENT`] never.
pub const SAVED_CHARGES: Table<(SellerId, InvoiceId, u32), PaymentId> =
    Table::new(175, "saved card charges");
/// Stands for the payment of an attempt that was called off.
pub const NO_PAYMENT: PaymentId = PaymentId(0);
/// The one payment that pays, or may yet pay, a payment link for one.
pub const OPEN_LINK_PAYMENTS: Table<(SellerId, PaymentLinkId), PaymentId> =
    Table::new(199, "open payments of links");
/// Cards that were declined at a payment link, oldest first.
pub const LINK_DECLINES: Table<(SellerId, PaymentLinkId, Timestamp, PaymentId), ()> =
    Table::new(200, "declines at links");
/// The payment that makes a charge of a subscription's card, by the charge's number: each is made
/// once.
pub const SUBSCRIPTION_ORDERS: Table<(SellerId, LinkSubscriptionId, u32), PaymentId> =
    Table::new(217, "subscription charges ordered");
/// The one payment that pays, or may yet pay, a term of a subscription by payment link; under 0
/// the one that verifies its card.
pub const TERM_PAYMENTS: Table<(SellerId, LinkSubscriptionId, u32), PaymentId> =
    Table::new(218, "payments of terms");
/// Cards that were declined at a subscription's page, oldest first.
pub const SUBSCRIPTION_DECLINES: Table<(SellerId, LinkSubscriptionId, Timestamp, PaymentId), ()> =
    Table::new(219, "declines at subscriptions");
/// Every payment that was begun for a subscription by payment link, failed ones too.
pub const SUBSCRIPTION_PAYMENTS: Table<(SellerId, LinkSubscriptionId, PaymentId), ()> =
    Table::new(204, "payments of subscriptions");
