//! The audit log.

use std::sync::Arc;

use actors::domain::platform::audit::AuditEntry;
use actors::domain::time::Timestamp;
use actors::query;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiResult, Response};

/// What somebody did; kept for 400 days.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AuditView {
    id: u64,
    at: Timestamp,
    /// `person:<email>`, `buyer:<email>` of whoever had a portal, `key:<id>`, or `operator`.
    actor: String,
    /// The name of a mutation, method and path of a route, or `login`.
    action: String,
    object: Option<String>,
    /// The address that it came from.
    address: Option<String>,
    /// What was asked for, as JSON without secrets.
    changes: Option<String>,
}

impl Listed for AuditView {
    const LIST: &'static str = "AuditList";
    const ITEMS: &'static str = "auditEntries";
}

impl From<AuditEntry> for AuditView {
    fn from(entry: AuditEntry) -> Self {
        let AuditEntry { id, at, actor, action, object, address, changes } = entry;
        Self { id: id.0, at, actor, action, object, address, changes }
    }
}

async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (seller, paging) = (request.seller_id(), request.paging("beforeId")?);
    let found = app.blocking(move |store| query::audit(store, seller, paging)).await?;
    Ok(Response::ok(&List::<AuditView>::from(found)))
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/audit", list)
            .summary("What people, the operator and, of what is seldom, keys have done")
            .paged("beforeId")
            .answer::<List<AuditView>>(200, "Newest first."),
    ]
}
