//! `GET /contracts/{contractId}/usage/late`: events whose period was closed before they came.

use std::sync::Arc;

use actors::domain::billing::usage::LateEvent;
use actors::query;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::UsageEventView;
use crate::api::billing::contracts::{apart, demand};
use crate::api::page;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::http::{Answer, Call, Reply};

/// An event that counts to no period.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LateEventView {
    metric: String,
    #[serde(flatten)]
    event: UsageEventView,
    /// The correction that settles it; absent while it waits for one.
    adjustment_id: Option<u64>,
}

pub type LateEventList = List<LateEventView>;

impl Listed for LateEventView {
    const LIST: &'static str = "LateEventList";
    const ITEMS: &'static str = "events";
}

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
