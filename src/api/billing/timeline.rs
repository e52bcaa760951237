//! The revenue timeline of a contract over HTTP (decisions 4).

use std::sync::Arc;

use actors::domain::billing::timeline::TimelineEntry;
use actors::domain::ids::TimelineId;
use actors::domain::money::Currency;
use actors::domain::time::Timestamp;
use actors::query;
use serde::Serialize;
use utoipa::ToSchema;

use super::contracts::{apart, demand};
use crate::api::page;
use crate::app::App;
use crate::http::{Answer, Call, Reply};

/// Something that happened to a contract's money.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineEntryView {
    id: u64,
    /// Such as `subscription_renewed`, `invoice_issued` or `invoice_paid`.
    kind: &'static str,
    /// On the contract's own clock.
    #[schema(value_type = String, format = DateTime)]
    occurred_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    subscription_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invoice_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_minor: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    currency: Option<Currency>,
    /// A sentence for a reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

/// A page of the timeline.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineList {
    entries: Vec<TimelineEntryView>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_id: Option<u64>,
}

/// `GET /contracts/{contractId}/timeline`.
pub async fn list(app: Arc<App>, call: Call) -> Answer {
    let (paging, seller) = (page(call.paging("beforeId")?), call.seller_id());
    let id = demand(&app, &call)?;
    let found = apart(&app, move |store| query::timeline(store, seller, id, paging)).await?;
    Ok(Reply::ok(&TimelineList {
        entries: found.items.into_iter().map(TimelineEntryView::from).collect(),
        has_more: found.next.is_some(),
        next_cursor: found.next,
        next_before_id: found.next,
    }))
}

impl From<(TimelineId, TimelineEntry)> for TimelineEntryView {
    fn from((id, entry): (TimelineId, TimelineEntry)) -> Self {
        Self {
            id: id.0,
            kind: entry.kind.name(),
            occurred_at: entry.occurred_at,
            subscription_id: entry.subscription.map(|id| id.0),
            invoice_id: entry.invoice.map(|id| id.0),
            amount_minor: entry.amount_minor,
            currency: entry.currency,
            detail: entry.detail,
        }
    }
}
