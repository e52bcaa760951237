//! `GET /contracts/{contractId}/invoices/upcoming`: what the next invoice would be.

use std::sync::Arc;

use actors::domain::billing::invoice::{LineSource, parse_bound};
use actors::domain::billing::projection::{ProjectedLine, Projection};
use actors::domain::ids::ContractId;
use actors::domain::money::Currency;
use actors::domain::quantity::Quantity;
use actors::domain::time::{Date, Timestamp};
use hyper::StatusCode;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

/// An estimate of a contract's next invoice, in minor units of `currency`.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpcomingInvoiceView {
    contract_id: u64,
    as_of: Timestamp,
    /// The first day on which a pass would issue; absent when nothing is due.
    next_issue_date: Option<Date>,
    currency: Currency,
    lines: Vec<UpcomingLineView>,
    /// All lines, before tax.
    subtotal_minor: i64,
    /// The subtotal: tax is not projected.
    grand_total_minor: i64,
    /// Stored credit that has not expired by `nextIssueDate`.
    credit_available_minor: i64,
    /// What it pays of the documents that are not collected by bank transfer.
    credit_applied_estimate_minor: i64,
    collectible_estimate_minor: i64,
    /// Why figures are estimates, and what is left out.
    notes: Vec<String>,
    estimate: bool,
}

#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpcomingLineView {
    source: LineSource,
    description: String,
    quantity: Quantity,
    /// Where there is a single one.
    unit_price_minor: Option<i64>,
    /// Before tax; negative for what a plan change gives back.
    amount_minor: i64,
    period_start: Option<Date>,
    /// First day after what is billed.
    period_end: Option<Date>,
    note: Option<String>,
}

pub async fn upcoming(app: Arc<App>, request: Request) -> ApiResult {
    if !request.seller().seller.projection_enabled {
        return Err(ApiError::new(StatusCode::NOT_IMPLEMENTED, "not available"));
    }
    let contract = request.id("contractId", ContractId)?;
    let at = request.query_as("at", "a date or an RFC 3339 timestamp", parse_bound)?;
    let found = app.contracts.upcoming_invoice(request.seller_id(), contract, at).await?;
    Ok(Response::ok(&UpcomingInvoiceView::from(found)))
}

impl From<Projection> for UpcomingInvoiceView {
    fn from(of: Projection) -> Self {
        Self {
            contract_id: of.contract.0,
            as_of: of.as_of,
            next_issue_date: of.next_issue_date,
            currency: of.currency,
            subtotal_minor: of.subtotal_minor,
            grand_total_minor: of.subtotal_minor,
            credit_available_minor: of.credit_available_minor,
            credit_applied_estimate_minor: of.credit_applied_minor,
            collectible_estimate_minor: of.collectible_minor(),
            lines: of.lines.into_iter().map(UpcomingLineView::from).collect(),
            notes: of.notes,
            estimate: true,
        }
    }
}

impl From<ProjectedLine> for UpcomingLineView {
    fn from(of: ProjectedLine) -> Self {
        Self {
            source: of.source,
            description: of.description,
            quantity: of.quantity,
            unit_price_minor: of.unit_price_minor,
            amount_minor: of.amount_minor,
            period_start: of.period_start,
            period_end: of.period_end,
            note: of.note,
        }
    }
}
