//! Rows of a contract that are no objects of their own: claims, indexes, links.

use storage::CborRecord;

use crate::domain::billing::invoice::{
    Intent, Invoice, InvoiceStatus, InvoiceType, Origin, continues_from, overdue_at,
};
use crate::domain::billing::timeline::TimelineEntry;
use crate::domain::ids::{ContractId, CustomerId, InvoiceId, SellerId, SubscriptionId, TimelineId};
use crate::domain::time::{Date, Timestamp};

/// What an idempotency key of `POST …/subscriptions` made, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SubscriptionKey {
    /// The contract in the path of the first request.
    #[n(0)]
    pub contract: ContractId,
    /// The subscription it made.
    #[n(1)]
    pub subscription: SubscriptionId,
}

/// What an idempotency key of `POST /invoices` made, and of what request.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct InvoiceKey {
    /// The invoice it made.
    #[n(0)]
    pub invoice: InvoiceId,
    /// The request, for comparison.
    #[n(1)]
    pub intent: Intent,
}

/// An invoice as lists and its contract's room have to know it.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct InvoiceHead {
    /// What it bills.
    #[n(0)]
    pub origin: Origin,
    /// Where it stands.
    #[n(1)]
    pub status: InvoiceStatus,
    /// What sort of document it is.
    #[n(2)]
    pub invoice_type: InvoiceType,
    /// Who pays.
    #[n(3)]
    pub customer: CustomerId,
    /// When it was issued.
    #[n(4)]
    pub issued_at: Timestamp,
    /// The first day on which it is overdue, while it waits for money and is not.
    #[n(5)]
    pub overdue_at: Option<Date>,
    /// Whether the recurring pass may go on from it.
    #[n(6)]
    pub continues: bool,
}

impl InvoiceHead {
    /// What is kept of an invoice as it stands.
    pub fn of(invoice: &Invoice) -> Self {
        Self {
            origin: invoice.origin,
            status: invoice.status,
            invoice_type: invoice.invoice_type,
            customer: invoice.customer,
            issued_at: invoice.issued_at,
            overdue_at: overdue_at(invoice),
            continues: continues_from(invoice),
        }
    }
}

/// Where a payment link leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct LinkTarget {
    /// Whose link it is.
    #[n(0)]
    pub seller: SellerId,
    /// The contract of the invoice.
    #[n(1)]
    pub contract: ContractId,
    /// The invoice it pays.
    #[n(2)]
    pub invoice: InvoiceId,
}

/// The timeline entries of one write, each with its id.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(transparent)]
pub struct TimelineRow(#[n(0)] pub Vec<(TimelineId, TimelineEntry)>);

impl CborRecord for SubscriptionKey {}

impl CborRecord for InvoiceKey {}

impl CborRecord for InvoiceHead {}

impl CborRecord for LinkTarget {}

impl CborRecord for TimelineRow {}
