//! Invoices: numbered documents that never change, only move from status to status.
//!
//! A request becomes a [`NewInvoice`]; [`compose_manual`], [`compose_recurring`] or
//! [`compose_usage`] makes a [`Composed`] document of it, complete but for its number; [`issue`]
//! gives it the number drawn in the commit. From there [`send`], [`pay`], [`reopen`] and [`fall_overdue`] move it.

mod bill_to;
mod breakdown;
mod compare;
mod compose;
mod due;
mod event;
mod filter;
mod head;
mod kinds;
mod line;
mod lines;
mod manual;
mod places;
mod recurring;
mod refusal;
mod request;
mod seller_party;
mod settlement;
mod status;
#[cfg(test)]
mod tests;
mod usage;

use crate::domain::billing::numbering::InvoiceNumber;
use crate::domain::billing::tax::TaxSubtotal;
use crate::domain::ids::{ContractId, CustomerId, InvoiceId};
use crate::domain::money::Currency;
use crate::domain::time::{Date, Timestamp};

pub use bill_to::{BillTo, StatedBillTo};
pub use breakdown::{
    AppliedCredit, DaysCharged, ProrationBreakdown, ProrationLeg, RatingBreakdown,
};
pub use compare::{Intent, first_difference};
pub use compose::{Composed, ContractFacts, SellerFacts, Terms, require_due};
pub use due::{BilledTerm, DueTerms, MAX_DUE_TERMS, open_prorations};
pub use event::invoice_event;
pub use filter::{InvoiceFilter, parse_bound};
pub use head::{FollowedInvoices, InvoiceHead, InvoiceKey, LinkTarget};
pub use kinds::{CollectionMethod, InvoiceStatus, InvoiceType, LineSource, Origin, PaidVia};
pub use line::{CarriedUsage, InvoiceLine, InvoiceLineId, LineChunk, MAX_DOCUMENT_LINES};
pub use lines::Totals;
pub use manual::compose_manual;
pub use places::{InvoiceClass, digest_of};
pub use recurring::{
    ConsumedProration, CutTerm, ProrationLine, RecurringLine, compose_recurring, continues_from,
};
pub use refusal::InvoiceRefusal;
pub use request::{MAX_LINES, NewInvoice, NewLine};
pub use seller_party::SellerParty;
pub use settlement::{PaymentReceived, settlement_note};
pub use status::{Change, fall_overdue, issue, overdue_at, pay, reopen, send};
pub use usage::{
    ConsumedUsage, DueAdjustment, DueLine, MAX_USAGE_LINES, UsageDue, compose_usage,
    is_beyond_a_document,
};

/// A document without its lines, which are rows of their own: see [`LineChunk`].
/// Amounts are minor units of `currency`.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Invoice {
    #[n(0)]
    pub id: InvoiceId,
    /// Its number; none before it is issued.
    #[n(1)]
    pub number: Option<InvoiceNumber>,
    #[n(2)]
    pub contract: ContractId,
    #[n(3)]
    pub contract_number: Option<String>,
    #[n(4)]
    pub customer: CustomerId,
    #[n(5)]
    pub origin: Origin,
    #[n(6)]
    pub status: InvoiceStatus,
    #[n(7)]
    pub invoice_type: InvoiceType,
    #[n(8)]
    pub corrects: Option<InvoiceNumber>,
    #[n(9)]
    pub currency: Currency,
    #[n(10)]
    pub issue_date: Date,
    /// When it got its number, by the wall clock.
    #[n(11)]
    pub issued_at: Timestamp,
    /// The last day on which it is not overdue; none where nothing is to be paid by a day.
    #[n(12)]
    pub due_date: Option<Date>,
    #[n(13)]
    pub sent_at: Option<Timestamp>,
    #[n(14)]
    pub paid_at: Option<Timestamp>,
    #[n(15)]
    pub voided_at: Option<Timestamp>,
    #[n(16)]
    pub period_start: Option<Date>,
    /// First day after all that the lines bill.
    #[n(17)]
    pub period_end: Option<Date>,
    #[n(18)]
    pub bill_to: BillTo,
    #[n(19)]
    pub totals: Totals,
    #[n(20)]
    pub credit_applied_minor: i64,
    /// The grand total less the credit applied; frozen at issue.
    #[n(21)]
    pub collectible_minor: i64,
    #[n(22)]
    pub outstanding_minor: i64,
    #[n(23)]
    pub collection_method: CollectionMethod,
    #[n(24)]
    pub link: Option<PaymentLink>,
    #[n(25)]
    pub memo: Option<String>,
    #[n(26)]
    pub paid_via: Option<PaidVia>,
    /// The payments that count towards it, oldest first.
    #[n(27)]
    pub payments: Vec<PaymentReceived>,
    /// When its being overdue was first told, by the wall clock.
    #[n(28)]
    pub overdue_told_at: Option<Timestamp>,
    #[n(29)]
    pub line_count: u32,
    /// The lines by tax category and rate; adds up to the totals.
    #[n(30)]
    pub tax_summary: Vec<TaxSubtotal>,
    #[n(31)]
    pub seller: SellerParty,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PaymentLink {
    #[n(0)]
    pub id: u64,
    /// What was drawn for its token, and is no secret.
    #[n(1)]
    pub drawn: String,
}

impl storage::CborRecord for Invoice {}
