//! What of a document never changes, as one hash.

use super::{BillTo, CollectionMethod, Invoice, InvoiceLine, InvoiceType, Origin, Totals};
use super::{InvoiceNumber, SellerParty};
use crate::domain::billing::tax::TaxSubtotal;
use crate::domain::chain::{self, Link};
use crate::domain::ids::{ContractId, CustomerId, InvoiceId};
use crate::domain::money::Currency;
use crate::domain::time::{Date, Timestamp};

/// All that is fixed when a document is issued, but for its number.
#[derive(minicbor::Encode)]
struct Fixed<'a> {
    #[n(0)]
    id: InvoiceId,
    #[n(1)]
    contract: ContractId,
    #[n(2)]
    contract_number: &'a Option<String>,
    #[n(3)]
    customer: CustomerId,
    #[n(4)]
    origin: Origin,
    #[n(5)]
    invoice_type: InvoiceType,
    #[n(6)]
    corrects: Option<InvoiceNumber>,
    #[n(7)]
    currency: Currency,
    #[n(8)]
    issue_date: Date,
    #[n(9)]
    issued_at: Timestamp,
    #[n(10)]
    due_date: Option<Date>,
    #[n(11)]
    period_start: Option<Date>,
    #[n(12)]
    period_end: Option<Date>,
    #[n(13)]
    bill_to: &'a BillTo,
    #[n(14)]
    totals: &'a Totals,
    #[n(15)]
    credit_applied_minor: i64,
    #[n(16)]
    collectible_minor: i64,
    #[n(17)]
    collection_method: CollectionMethod,
    #[n(18)]
    memo: &'a Option<String>,
    #[n(19)]
    tax_summary: &'a [TaxSubtotal],
    #[n(20)]
    seller: &'a SellerParty,
    #[n(21)]
    lines: &'a [InvoiceLine],
}

impl Invoice {
    /// Of what never changes of it and of its lines, but for the number.
    pub fn digest(&self, lines: &[InvoiceLine]) -> Link {
        chain::digest(&Fixed {
            id: self.id,
            contract: self.contract,
            contract_number: &self.contract_number,
            customer: self.customer,
            origin: self.origin,
            invoice_type: self.invoice_type,
            corrects: self.corrects,
            currency: self.currency,
            issue_date: self.issue_date,
            issued_at: self.issued_at,
            due_date: self.due_date,
            period_start: self.period_start,
            period_end: self.period_end,
            bill_to: &self.bill_to,
            totals: &self.totals,
            credit_applied_minor: self.credit_applied_minor,
            collectible_minor: self.collectible_minor,
            collection_method: self.collection_method,
            memo: &self.memo,
            tax_summary: &self.tax_summary,
            seller: &self.seller,
            lines,
        })
    }
}
