//! `GET /contracts/{contractId}/usage/late`: events whose period was closed before they came.

use std::sync::Arc;

use actors::domain::billing::usage::LateEvent;
use actors::query::{self, Page};
use serde::Serialize;
use utoipa::ToSchema;

use super::UsageEventView;
use crate::api::billing::contracts::{apart, demand};
use crate::api::page;
use crate::app::App;
use crate::http::{Answer, Call, Reply};

/// An event that counts to no period.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LateEventView {
    metric: String,
    #[serde(flatten)]
    event: UsageEventView,
    /// The correction that settles it; absent while it waits for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    adjustment_id: Option<u64>,
}

/// A page of late events, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LateEventList {
    events: Vec<LateEventView>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_id: Option<u64>,
}

/// `GET /contracts/{contractId}/usage/late`.
pub async fn late(app: Arc<App>, call: Call) -> Answer {
    let (paging, seller) = (page(call.paging("beforeId")?), call.seller_id());
    let contract = demand(&app, &call)?;
    let read = move |store: &_| query::usage::late_events(store, seller, contract, paging);
    Ok(Reply::ok(&LateEventList::from(apart(&app, read).await?)))
}

impl From<LateEvent> for LateEventView {
    fn from(late: LateEvent) -> Self {
        Self {
            metric: late.metric.as_str().to_owned(),
            event: late.event.into(),
            adjustment_id: late.corrected_by.map(|correction| correction.0),
        }
    }
}

impl From<Page<LateEvent>> for LateEventList {
    fn from(page: Page<LateEvent>) -> Self {
        Self {
            events: page.items.into_iter().map(LateEventView::from).collect(),
            has_more: page.next.is_some(),
            next_cursor: page.next,
            next_before_id: page.next,
        }
    }
}
