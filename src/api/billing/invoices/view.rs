use actors::domain::billing::invoice::{
    BillTo, CollectionMethod, Invoice, InvoiceLine, InvoiceStatus, InvoiceType, Origin,
};
use actors::domain::money::Currency;
use actors::domain::time::{Date, Timestamp};
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::{EInvoiceView, LineView, SellerPartyView, TaxSubtotalView};
use crate::api::wire::{List, Listed};

/// An invoice. Amounts are minor units of `currency`; what has no value is left out.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceView {
    id: u64,
    invoice_number: Option<String>,
    contract_id: u64,
    contract_number: Option<String>,
    seller_customer_id: u64,
    origin: Origin,
    status: InvoiceStatus,
    invoice_type: InvoiceType,
    /// The number of the document it corrects.
    corrects: Option<String>,
    currency: Currency,
    issue_date: Date,
    issued_at: Timestamp,
    due_date: Option<Date>,
    sent_at: Option<Timestamp>,
    paid_at: Option<Timestamp>,
    voided_at: Option<Timestamp>,
    /// First day that any line bills.
    period_start: Option<Date>,
    /// First day after all that the lines bill.
    period_end: Option<Date>,
    seller: SellerPartyView,
    bill_to: BillToView,
    /// Absent in the list of invoices.
    lines: Option<Vec<LineView>>,
    #[serde(flatten)]
    totals: InvoiceTotalsView,
    collection_method: CollectionMethod,
    /// The hosted page it is paid on, once it was sent.
    payment_url: Option<String>,
    memo: Option<String>,
    e_invoice: EInvoiceView,
}

/// What a document comes to, whether it exists or is only foreseen.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceTotalsView {
    /// The lines before discounts.
    subtotal_minor: i64,
    discount_minor: i64,
    tax_minor: i64,
    /// The lines by tax category and rate; adds up to the totals.
    tax_summary: Vec<TaxSubtotalView>,
    /// Subtotal less discount plus tax.
    grand_total_minor: i64,
    credit_applied_minor: i64,
    /// The grand total less the credit applied; frozen at issue.
    collectible_minor: i64,
    /// What is still to come.
    outstanding_minor: i64,
}

/// The recipient as printed.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BillToView {
    email: String,
    name: Option<String>,
    phone: Option<String>,
    company_name: Option<String>,
    company_country: Option<String>,
    tax_id: Option<String>,
    address_line1: Option<String>,
    address_line2: Option<String>,
    city: Option<String>,
    postal_code: Option<String>,
    country: Option<String>,
}

pub type InvoiceList = List<InvoiceView>;

impl Listed for InvoiceView {
    const LIST: &'static str = "InvoiceList";
    const ITEMS: &'static str = "invoices";
}

impl InvoiceView {
    /// An invoice without its lines; `payment_url` is its page.
    pub fn new(of: &Invoice, payment_url: Option<String>) -> Self {
        Self {
            id: of.id.0,
            invoice_number: of.number.map(|number| number.to_string()),
            contract_id: of.contract.0,
            contract_number: of.contract_number.clone(),
            seller_customer_id: of.customer.0,
            origin: of.origin,
            status: of.status,
            invoice_type: of.invoice_type,
            corrects: of.corrects.map(|number| number.to_string()),
            currency: of.currency,
            issue_date: of.issue_date,
            issued_at: of.issued_at,
            due_date: of.due_date,
            sent_at: of.sent_at,
            paid_at: of.paid_at,
            voided_at: of.voided_at,
            period_start: of.period_start,
            period_end: of.period_end,
            seller: SellerPartyView::from(&of.seller),
            bill_to: BillToView::from(&of.bill_to),
            lines: None,
            totals: InvoiceTotalsView::from(of),
            collection_method: of.collection_method,
            payment_url,
            memo: of.memo.clone(),
            e_invoice: EInvoiceView::of(of),
        }
    }

    #[must_use]
    pub fn with_lines(self, lines: &[InvoiceLine]) -> Self {
        Self { lines: Some(lines.iter().map(LineView::from).collect()), ..self }
    }
}

impl From<&Invoice> for InvoiceTotalsView {
    fn from(of: &Invoice) -> Self {
        Self {
            subtotal_minor: of.totals.subtotal_minor,
            discount_minor: of.totals.discount_minor,
            tax_minor: of.totals.tax_minor,
            tax_summary: of.tax_summary.iter().map(TaxSubtotalView::from).collect(),
            grand_total_minor: of.totals.grand_total_minor,
            credit_applied_minor: of.credit_applied_minor,
            collectible_minor: of.collectible_minor,
            outstanding_minor: of.outstanding_minor,
        }
    }
}

impl From<&BillTo> for BillToView {
    fn from(of: &BillTo) -> Self {
        let of = of.clone();
        Self {
            email: of.email.as_str().to_owned(),
            name: of.name,
            phone: of.phone,
            company_name: of.company_name,
            company_country: of.company_country,
            tax_id: of.tax_id,
            address_line1: of.address_line1,
            address_line2: of.address_line2,
            city: of.city,
            postal_code: of.postal_code,
            country: of.country,
        }
    }
}
