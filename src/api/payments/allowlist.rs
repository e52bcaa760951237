//! The allowlist of networks that webhooks may go to.

use std::sync::Arc;

use actors::domain::ids::AllowlistId;
use actors::domain::platform::webhook::allowlist::{AllowlistEntry, NewEntry};
use actors::domain::time::Timestamp;
use actors::kernel::Once;
use actors::query::Page;
use actors::tables::ALLOWLIST;
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use storage::Scan;
use utoipa::ToSchema;

use super::idempotency_key;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "webhook-allowlist";

/// A network to be allowed.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllowBody {
    /// An IPv4 or IPv6 network; a bare address stands for itself alone.
    #[schema(required)]
    cidr: Option<String>,
    /// At most 256 characters.
    description: Option<String>,
}

/// An entry as it is answered.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllowlistEntryView {
    id: u64,
    cidr: String,
    description: Option<String>,
    created_at: Timestamp,
}

pub type EntryList = List<AllowlistEntryView>;

impl Listed for AllowlistEntryView {
    const LIST: &'static str = "EntryList";
    const ITEMS: &'static str = "allowlist";
}

/// What deleting answers.
#[derive(Serialize, ToSchema)]
pub struct Deleted {
    deleted: bool,
}

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let body: AllowBody = request.json()?;
    let claim = idempotency_key::claim(&app, &request, ENDPOINT, &[], 0);
    if let Some(made) = idempotency_key::used(&app, &request, &claim).await? {
        return replay(&app, &request, AllowlistId(made));
    }
    let entry = NewEntry { cidr: body.cidr, description: body.description };
    match app.sellers.allow(request.seller_id(), entry, claim.clone()).await? {
        Once::Made((entry, true)) => Ok(Response::created(&AllowlistEntryView::from(&entry))),
        Once::Made((entry, false)) => Ok(Response::ok(&AllowlistEntryView::from(&entry))),
        Once::Before => {
            let made = idempotency_key::winner(&app, &request, &claim).await?;
            replay(&app, &request, AllowlistId(made))
        }
    }
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let paging = request.paging("beforeId")?;
    let seller = request.seller_id();
    let mut scan = Scan::prefix(&(seller,)).reverse();
    if let Some(cursor) = paging.cursor {
        scan = scan.after(&(seller, AllowlistId(cursor)));
    }
    let mut entries = app
        .store
        .scan(ALLOWLIST, scan)
        .take(paging.limit + 1)
        .map(|row| row.map(|(_, entry)| entry))
        .collect::<Result<Vec<_>, _>>()?;
    let has_more = entries.len() > paging.limit;
    entries.truncate(paging.limit);
    let next = entries.last().filter(|_| has_more).map(|entry| entry.id.0);
    let found = Page { items: entries, next };
    Ok(Response::ok(&EntryList::of(found, |entry| AllowlistEntryView::from(&entry))))
}

pub async fn delete(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("entryId", AllowlistId)?;
    app.sellers.disallow(request.seller_id(), id).await?;
    Ok(Response::json(StatusCode::OK, &Deleted { deleted: true }))
}

impl From<&AllowlistEntry> for AllowlistEntryView {
    fn from(entry: &AllowlistEntry) -> Self {
        Self {
            id: entry.id.0,
            cidr: entry.cidr.to_string(),
            description: entry.description.clone(),
            created_at: entry.created_at,
        }
    }
}

/// A replay answers the entry as it is now; one that was deleted since is not there.
fn replay(app: &App, request: &Request, id: AllowlistId) -> ApiResult {
    let entry =
        app.store.get(ALLOWLIST, &(request.seller_id(), id))?.ok_or_else(ApiError::missing)?;
    Ok(Response::replayed(&AllowlistEntryView::from(&entry)))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/webhook-allowlist", create)
            .named("allowNetwork")
            .audited()
            .summary("Allow a network")
            .describe(
                "With entries, deliveries go only into their networks. An entry never opens what \
                 the operator's guard keeps shut.",
            )
            .idempotent()
            .body::<AllowBody>()
            .answer::<AllowlistEntryView>(201, "The entry.")
            .answer::<AllowlistEntryView>(200, "The entry that was there, or a replay.")
            .refuses(400, "No network.")
            .refuses(404, "The entry of a replay was deleted.")
            .refuses(
                409,
                "There are 1000 entries already, or the key was used for a different request.",
            ),
        Route::get("/webhook-allowlist", list)
            .named("listAllowedNetworks")
            .summary("List allowed networks")
            .paged("beforeId")
            .answer::<EntryList>(200, "Newest first."),
        Route::delete("/webhook-allowlist/{entryId}", delete)
            .named("removeAllowedNetwork")
            .audited()
            .summary("Take a network from the allowlist")
            .path_id("entryId")
            .answer::<Deleted>(200, "It is gone."),
    ]
}
