//! `GET /contracts/{contractId}/usage/late`: events whose period was closed before they came.

use std::sync::Arc;

use actors::domain::billing::usage::LateEvent;
use actors::query;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::UsageEventView;
use crate::api::billing::contracts::require_contract;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiResult, Response};

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

pub async fn late(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let contract = require_contract(&app, &request)?;
    let read = move |store: &_| query::usage::late_events(store, seller, contract, paging);
    Ok(Response::ok(&LateEventList::from(app.blocking(read).await?)))
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
