//! Invoices: numbered documents that never change, only move from status to status.
//!
//! A request becomes a [`NewInvoice`]; [`compose_manual`], [`compose_recurring`],
//! [`compose_usage`] or [`compose_correction`] makes a [`Composed`] document of it, complete but
//! for its number; stored credit may [pay](Composed::paid_by_credit) of it; [`issue`] gives it the
//! number drawn in the commit. From there [`send`], [`pay`], [`deposit`], [`reopen`],
//! [`fall_overdue`], [`correct`], [`void`] and [`write_off`] move it.

mod bill_to;
mod breakdown;
mod compare;
mod compose;
mod correction;
mod digest;
mod draft;
mod drawing;
mod due;
mod event;
mod filter;
mod head;
mod items;
mod kinds;
mod line;
mod lines;
mod manual;
mod nets;
mod pack;
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

use crate::domain::billing::collection::Collection;
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
pub use compose::{Composed, ContractFacts, SellerFacts, Terms, oldest_subscription, require_due};
pub use correction::compose_correction;
pub use draft::Draft;
pub use due::{BilledTerm, DueTerms, MAX_DUE_TERMS, open_prorations};
pub use event::invoice_event;
pub use filter::{InvoiceFilter, parse_bound};
pub use head::{FollowedInvoices, InvoiceHead, InvoiceKey, LinkTarget};
pub use items::{compose_items, origin_of_item};
pub use kinds::{CollectionMethod, InvoiceStatus, InvoiceType, LineSource, Origin, PaidVia};
pub use line::{CarriedUsage, InvoiceLine, InvoiceLineId, LineChunk, MAX_DOCUMENT_LINES};
pub use lines::Totals;
pub use manual::compose_manual;
pub use pack::compose_pack;
pub use places::{InvoiceClass, digest_of};
pub use recurring::{
    ConsumedProration, CreditLeft, CutTerm, ProrationLine, RecurringLine, compose_recurring,
    continues_from, credits_left,
};
pub use refusal::InvoiceRefusal;
pub use request::{MAX_LINES, NewInvoice, NewLine};
pub use seller_party::SellerParty;
pub use settlement::{DepositReceived, GivenBack, PaymentReceived, settlement_note};
pub use status::{
    Change, Corrected, Paid, Refunded, Reminded, TakenBack, Voided, asks_for_money, charge_begun,
    charge_failed, charge_reversed, charged, collect, collect_at, correct, deposit, fall_overdue,
    issue, overdue_at, pay, refund, remind, remind_at, reopen, returned, send, take_back, void,
    write_off,
};
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
    /// The next day of the contract's clock on which its buyer is reminded, set when it is sent.
    #[n(36)]
    pub remind_on: Option<Date>,
    /// What credit notes take off it in all, minor units, 0 or more.
    #[n(32)]
    #[cbor(default)]
    pub credited_minor: i64,
    /// How much of the money that came was given back as stored credit, or is owed back.
    #[n(33)]
    #[cbor(default)]
    pub given_back_minor: i64,
    /// How much of the credit applied has come back.
    #[n(34)]
    #[cbor(default)]
    pub credit_returned_minor: i64,
    /// The bank deposits that were matched to it, oldest first.
    #[n(35)]
    #[cbor(default)]
    pub deposits: Vec<DepositReceived>,
    /// How its saved card is charged, from when it is sent.
    #[n(40)]
    pub collection: Option<Collection>,
    /// What became stored credit of the money that came, oldest first, while that may turn out
    /// not to have come.
    #[n(53)]
    #[cbor(default)]
    pub given_back: Vec<GivenBack>,
    /// What credit notes take off it by tax category and rate, amounts 0 or more.
    #[n(54)]
    #[cbor(default)]
    pub credited_taxes: Vec<TaxSubtotal>,
    /// The stored credit that it buys once it is paid; none of other invoices, nor of packs from
    /// before this was written down.
    #[n(55)]
    pub pack_minor: Option<i64>,
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
