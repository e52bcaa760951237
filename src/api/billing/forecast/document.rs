//! An invoice that does not exist yet: without id, number, links and stamps.

use actors::domain::billing::forecast::ForecastDocument;
use actors::domain::billing::invoice::{CollectionMethod, InvoiceStatus, InvoiceType, Origin};
use actors::domain::money::Currency;
use actors::domain::time::Date;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::billing::invoices::{BillToView, InvoiceTotalsView, LineContent};

/// A document as it stands at the end of the forecast. Amounts are minor units of `currency`.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastDocumentView {
    contract_number: Option<String>,
    seller_customer_id: u64,
    origin: Origin,
    status: InvoiceStatus,
    invoice_type: InvoiceType,
    currency: Currency,
    /// By the contract's clock.
    issue_date: Date,
    due_date: Option<Date>,
    period_start: Option<Date>,
    /// First day after all that the lines bill.
    period_end: Option<Date>,
    bill_to: BillToView,
    lines: Vec<LineContent>,
    #[serde(flatten)]
    totals: InvoiceTotalsView,
    collection_method: CollectionMethod,
}

impl From<&ForecastDocument> for ForecastDocumentView {
    fn from(ForecastDocument { invoice: of, lines }: &ForecastDocument) -> Self {
        Self {
            contract_number: of.contract_number.clone(),
            seller_customer_id: of.customer.0,
            origin: of.origin,
            status: of.status,
            invoice_type: of.invoice_type,
            currency: of.currency,
            issue_date: of.issue_date,
            due_date: of.due_date,
            period_start: of.period_start,
            period_end: of.period_end,
            bill_to: BillToView::from(&of.bill_to),
            lines: lines.iter().map(LineContent::from).collect(),
            totals: InvoiceTotalsView::from(of),
            collection_method: of.collection_method,
        }
    }
}
