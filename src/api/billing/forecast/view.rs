//! A forecast as it is answered.

use actors::domain::billing::forecast::{Forecast, ForecastTotals};
use actors::domain::billing::timeline::{TimelineEntry, TimelineKind};
use actors::domain::ids::ContractId;
use actors::domain::money::Currency;
use actors::domain::time::{Date, Timestamp};
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::ForecastDocumentView;
use crate::api::billing::subscriptions::SubscriptionView;

/// What a contract would bill.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastView {
    contract_id: u64,
    /// Where the contract's clock stands.
    from: Timestamp,
    to: Timestamp,
    currency: Currency,
    /// Oldest first.
    documents: Vec<ForecastDocumentView>,
    /// As at `to`.
    subscriptions: Vec<SubscriptionView>,
    /// What the timeline would get, in order.
    entries: Vec<ForecastEntryView>,
    totals: ForecastTotalsView,
    /// What the figures rest on, and what is left out.
    notes: Vec<String>,
}

/// Something that would happen to the contract's money.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastEntryView {
    kind: TimelineKind,
    /// On the simulated clock.
    occurred_at: Timestamp,
    subscription_id: Option<u64>,
    /// Of an invoice that is there already.
    invoice_id: Option<u64>,
    /// The place of the document in `documents`, from 0.
    document: Option<usize>,
    amount_minor: Option<i64>,
    currency: Option<Currency>,
    /// A sentence for a reader.
    detail: Option<String>,
}

/// What the documents add up to, in minor units.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastTotalsView {
    /// With tax.
    billed_minor: i64,
    tax_minor: i64,
    /// Every month of the forecast, by date of issue.
    by_month: Vec<MonthView>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonthView {
    /// `YYYY-MM`.
    month: String,
    /// With tax.
    billed_minor: i64,
}

impl ForecastView {
    pub(super) fn new(contract: ContractId, of: &Forecast) -> Self {
        Self {
            contract_id: contract.0,
            from: of.from,
            to: of.to,
            currency: of.currency,
            documents: of.documents.iter().map(ForecastDocumentView::from).collect(),
            subscriptions: of.subscriptions.iter().map(SubscriptionView::from).collect(),
            entries: of.entries.iter().map(ForecastEntryView::from).collect(),
            totals: ForecastTotalsView::from(&of.totals),
            notes: of.notes.clone(),
        }
    }
}

impl From<&(TimelineEntry, Option<usize>)> for ForecastEntryView {
    fn from((entry, document): &(TimelineEntry, Option<usize>)) -> Self {
        Self {
            kind: entry.kind,
            occurred_at: entry.occurred_at,
            subscription_id: entry.subscription.map(|id| id.0),
            invoice_id: entry.invoice.map(|id| id.0),
            document: *document,
            amount_minor: entry.amount_minor,
            currency: entry.currency,
            detail: entry.detail.clone(),
        }
    }
}

impl From<&ForecastTotals> for ForecastTotalsView {
    fn from(of: &ForecastTotals) -> Self {
        let month = |&(first, billed_minor): &(Date, i64)| {
            let (year, month, _) = first.parts();
            MonthView { month: format!("{year:04}-{month:02}"), billed_minor }
        };
        Self {
            billed_minor: of.billed_minor,
            tax_minor: of.tax_minor,
            by_month: of.by_month.iter().map(month).collect(),
        }
    }
}
