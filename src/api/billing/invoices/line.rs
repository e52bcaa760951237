//! Lines of invoices as they are answered.

use actors::domain::billing::invoice::{AppliedCredit, InvoiceLine, LineSource};
use actors::domain::billing::tax::{TaxCategory, TaxKind};
use actors::domain::quantity::{Quantity, TaxRate};
use actors::domain::time::Date;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::RatingBreakdownView;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineView {
    line_id: u64,
    #[serde(flatten)]
    content: LineContent,
}

/// What a line says, whether its document exists or is only foreseen.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineContent {
    source: LineSource,
    description: String,
    quantity: Quantity,
    /// Absent where no whole minor units times the quantity give the amount.
    unit_price_minor: Option<i64>,
    discount_minor: i64,
    /// Net of the discount, before tax; negative for a deduction.
    amount_minor: i64,
    /// By the codes of EN 16931, fixed at issue.
    tax_category: TaxCategory,
    /// What was sold, where it was stated.
    tax_kind: Option<TaxKind>,
    /// Percent, fixed at issue.
    tax_rate: TaxRate,
    /// The line's share of the tax.
    tax_minor: i64,
    /// First day of what is billed.
    period_start: Option<Date>,
    /// First day after what is billed.
    period_end: Option<Date>,
    metric_name: Option<String>,
    /// The subscription billed.
    subscription_id: Option<u64>,
    /// The item of the contract that is billed once by this line.
    line_item_id: Option<u64>,
    /// How a computed amount came about.
    rating_breakdown: Option<RatingBreakdownView>,
    /// The credits of plan changes that make up the discount.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    proration_credits: Vec<AppliedCreditView>,
}

/// A credit that lowers a line.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppliedCreditView {
    /// How much of the discount it is.
    amount_minor: i64,
    /// Which plan change it comes from.
    description: String,
    /// How the credit came about; its amount is negative.
    rating_breakdown: RatingBreakdownView,
}

impl From<&InvoiceLine> for LineView {
    fn from(of: &InvoiceLine) -> Self {
        Self { line_id: of.id.0, content: of.into() }
    }
}

impl From<&InvoiceLine> for LineContent {
    fn from(of: &InvoiceLine) -> Self {
        Self {
            source: of.source,
            description: of.description.clone(),
            quantity: of.quantity,
            unit_price_minor: of.unit_price_minor,
            discount_minor: of.discount_minor,
            amount_minor: of.amount_minor,
            tax_category: of.tax_category,
            tax_kind: of.tax_kind,
            tax_rate: of.tax_rate,
            tax_minor: of.tax_minor,
            period_start: of.period_start,
            period_end: of.period_end,
            metric_name: of.metric_name.clone(),
            subscription_id: of.subscription.map(|subscription| subscription.0),
            line_item_id: of.item.map(|item| item.0),
            rating_breakdown: of.breakdown.as_ref().map(RatingBreakdownView::from),
            proration_credits: of.credits.iter().map(AppliedCreditView::from).collect(),
        }
    }
}

impl From<&AppliedCredit> for AppliedCreditView {
    fn from(of: &AppliedCredit) -> Self {
        Self {
            amount_minor: of.amount_minor,
            description: of.description.clone(),
            rating_breakdown: (&of.breakdown).into(),
        }
    }
}
