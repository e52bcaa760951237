//! The events of a seller, in their order: what webhooks carry, for whoever has missed some.

use std::sync::Arc;

use actors::delivery::events_page;
use actors::domain::platform::event::{Event, EventType};
use actors::domain::platform::seller::Scope;
use actors::domain::time::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use storage::Store;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::api::payloads::{self, KNOWN};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// An event as webhooks carry it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    /// The same on every webhook and every attempt.
    event_id: u64,
    /// Its place among the events of the seller, from 1 without a gap.
    sequence: u64,
    /// Absent until the server's data is restored from a backup for the first time; then it grows
    /// with each restore. A `sequence` that was given out after what was restored is given out
    /// again, in a later epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<u64>,
    #[schema(value_type = EventType)]
    event_type: &'static str,
    #[schema(value_type = String, format = "uuid")]
    seller_account_uuid: Uuid,
    occurred_at: Timestamp,
    /// The fields of the event type, as the document has them under its name among what is told;
    /// money in integer minor units.
    #[schema(value_type = Object)]
    payload: Box<RawValue>,
}

/// Events in order of their sequence.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventList {
    events: Vec<EventView>,
    has_more: bool,
    /// What to send as `afterSequence` next. Less than was sent where the server's data was restored
    /// to a moment before the event that it was the sequence of.
    next_sequence: u64,
    /// The same, while there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let paging = request.paging("afterSequence")?;
    let after = paging.cursor.unwrap_or(0);
    let kind = request.query_as("eventType", KNOWN, EventType::parse)?;
    let seller = request.seller_id();
    let links = app.links.clone();
    let scopes = request.scopes();
    let shows = move |event: &Event| {
        kind.is_none_or(|kind| kind == event.kind) && scopes.allow(event.scope())
    };
    let read = move |store: &Store| events_page(store, &links, seller, after, shows, paging.limit);
    let page = app.blocking(read).await?;
    let uuid = request.seller().seller.uuid;
    let events = page.events.into_iter().map(|(sequence, event)| view(sequence, uuid, event));
    Ok(Response::ok(&EventList {
        events: events.collect::<Result<_, _>>()?,
        has_more: page.has_more,
        next_sequence: page.next,
        next_cursor: page.has_more.then_some(page.next),
    }))
}

fn view(sequence: u64, seller_account_uuid: Uuid, event: Event) -> Result<EventView, ApiError> {
    let payload = serde_json::from_slice(&event.payload);
    Ok(EventView {
        event_id: event.id.0,
        sequence,
        epoch: event.epoch,
        event_type: event.kind.name(),
        seller_account_uuid,
        occurred_at: event.occurred_at,
        payload: payload.map_err(|error| ApiError::internal(&error))?,
    })
}

pub fn routes() -> Vec<Route> {
    let list = Route::get("/events", list)
        .named("listEvents")
        .needs_one_of(&[Scope::BillingRead, Scope::PaymentsRead])
        .summary("List events")
        .describe(
            "All events of the seller, oldest first, whether a webhook heard them or not: what \
                 a receiver has missed it fetches here, and since `sequence` has no gap it can \
                 tell that it missed nothing. Kept for 30 days (setting `events.keep_days`). Begin \
                 with `afterSequence=0` and go on with `nextSequence`. A key without \
                 `payments:read` is not shown events of payments, payees, payouts and what is sold \
                 by a link, one without `billing:read` none of contracts and their invoices: \
                 `nextSequence` goes on past them. Then, and with `eventType`, a page may have few \
                 events or none and `hasMore` all the same.",
        )
        .query_one_of("eventType", EventType::NAMES, "Only events of this type.")
        .paged("afterSequence")
        .answer::<EventList>(200, "Oldest first.")
        .refuses(400, "A parameter is malformed, or the event type unknown.");
    vec![payloads::told_by(list)]
}
