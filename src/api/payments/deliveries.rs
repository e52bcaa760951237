//! Webhook deliveries: what became of each event, and sending it again.

use std::sync::Arc;

use actors::delivery::{DeliveryFilter, RedeliverError, deliveries_page, delivery};
use actors::domain::ids::{DeliveryId, WebhookId};
use actors::domain::platform::delivery::{Delivery, DeliveryStatus};
use actors::domain::platform::event::EventType;
use actors::domain::time::Timestamp;
use actors::kernel::Once;
use actors::query::Page;
use actors::tables::POST_KEYS;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use storage::Store;
use utoipa::ToSchema;

use super::idempotency_key;
use crate::api::payloads::KNOWN;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// A delivery as it is answered.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryView {
    id: u64,
    webhook_id: u64,
    /// The event, the same on every webhook and every attempt.
    event_id: u64,
    /// The place of the event among those of the seller.
    sequence: u64,
    #[schema(value_type = EventType)]
    event_type: &'static str,
    status: DeliveryStatus,
    /// Attempts of the present series, at most 3.
    attempts: u32,
    created_at: Timestamp,
    /// A pending delivery without waits for those before it, on a webhook that keeps order.
    next_attempt_at: Option<Timestamp>,
    /// The last attempt, also where it was one of an earlier series.
    last_attempt_at: Option<Timestamp>,
    /// The status that the last attempt was answered with.
    last_status: Option<u16>,
    /// Why the last attempt did not succeed.
    last_error: Option<String>,
    /// When it was received. One that is sent again has none until it is received again.
    delivered_at: Option<Timestamp>,
}

pub type DeliveryList = List<DeliveryView>;

impl Listed for DeliveryView {
    const LIST: &'static str = "DeliveryList";
    const ITEMS: &'static str = "deliveries";
}

/// From when on failed deliveries are sent again.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedeliverFailedBody {
    /// Deliveries created at this instant or later.
    since: Timestamp,
}

/// How many deliveries are sent again.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Redelivered {
    redelivered: u64,
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let paging = request.paging("beforeId")?;
    let filter = DeliveryFilter {
        webhook: request.query_id("webhookId", WebhookId)?,
        event_type: request.query_as("eventType", KNOWN, EventType::parse)?,
        status: request.query_as(
            "status",
            "pending, delivered or failed",
            DeliveryStatus::parse,
        )?,
    };
    let before = paging.cursor.map(DeliveryId);
    let seller = request.seller_id();
    let read = move |store: &Store| deliveries_page(store, seller, &filter, before, paging.limit);
    let page = app.blocking(read).await?;
    let found = Page { items: page.deliveries, next: page.next.map(|id| id.0) };
    Ok(Response::ok(&DeliveryList::of(found, |delivery| DeliveryView::from(&delivery))))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("deliveryId", DeliveryId)?;
    Ok(Response::ok(&view(&app, &request, id)?))
}

pub async fn redeliver(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("deliveryId", DeliveryId)?;
    view(&app, &request, id)?;
    let path = [("deliveryId", id.to_string())];
    let claim = idempotency_key::claim(&app, &request, "redeliver", &path, id.0);
    if idempotency_key::used(&app, &request, &claim).await?.is_some() {
        return Ok(Response::replayed(&view(&app, &request, id)?));
    }
    // Sent again first: a crash before the key is spent can only repeat a delivery, and a
    // receiver knows an event by its id.
    let row = (request.seller_id(), claim.endpoint.to_owned(), claim.key.clone());
    let store = app.store.clone();
    let is_done = move || store.contains(POST_KEYS, &row);
    let delivery = match app.deliveries.redeliver(request.seller_id(), id, is_done).await {
        Ok(delivery) => delivery,
        // A request under the same key was faster.
        Err(_) if idempotency_key::used(&app, &request, &claim).await?.is_some() => {
            return Ok(Response::replayed(&view(&app, &request, id)?));
        }
        Err(error) => return Err(refused(error)),
    };
    if app.sellers.use_key(request.seller_id(), claim.clone()).await? == Once::Before {
        idempotency_key::winner(&app, &request, &claim).await?;
        return Ok(Response::replayed(&DeliveryView::from(&delivery)));
    }
    Ok(Response::ok(&DeliveryView::from(&delivery)))
}

pub async fn redeliver_failed(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("webhookId", WebhookId)?;
    let seller = app.directory.seller(request.seller_id())?.ok_or_else(ApiError::missing)?;
    seller.webhook(id).ok_or_else(ApiError::missing)?;
    let body: RedeliverFailedBody = request.json()?;
    let path = [("webhookId", id.to_string())];
    let mut claim = idempotency_key::claim(&app, &request, "redeliver-failed", &path, 0);
    if let Some(redelivered) = idempotency_key::used(&app, &request, &claim).await? {
        return Ok(Response::replayed(&Redelivered { redelivered }));
    }
    let sent = app.deliveries.redeliver_failed(request.seller_id(), id, body.since).await;
    let redelivered = sent.map_err(refused)?;
    // The key stands for how many there were.
    claim.request = claim.request.made(redelivered);
    if app.sellers.use_key(request.seller_id(), claim.clone()).await? == Once::Before {
        let redelivered = idempotency_key::winner(&app, &request, &claim).await?;
        return Ok(Response::replayed(&Redelivered { redelivered }));
    }
    Ok(Response::ok(&Redelivered { redelivered }))
}

impl From<&Delivery> for DeliveryView {
    fn from(delivery: &Delivery) -> Self {
        Self {
            id: delivery.id.0,
            webhook_id: delivery.webhook.0,
            event_id: delivery.event.0,
            sequence: delivery.sequence,
            event_type: delivery.event_type.name(),
            status: delivery.status,
            attempts: delivery.attempts,
            created_at: delivery.created_at,
            next_attempt_at: delivery.next_attempt_at,
            last_attempt_at: delivery.last_attempt_at,
            last_status: delivery.last_status,
            last_error: delivery.last_error.clone(),
            delivered_at: delivery.delivered_at,
        }
    }
}

fn view(app: &App, request: &Request, id: DeliveryId) -> Result<DeliveryView, ApiError> {
    let found = delivery(&app.store, request.seller_id(), id)?;
    found.as_ref().map(DeliveryView::from).ok_or_else(ApiError::missing)
}

fn refused(error: RedeliverError) -> ApiError {
    match error {
        RedeliverError::Refused(refusal) => refusal.into(),
        RedeliverError::Read(error) => error.into(),
        RedeliverError::Write(error) => ApiError::internal(&error),
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/webhooks/{webhookId}/redeliver-failed", redeliver_failed)
            .named("redeliverFailed")
            .summary("Send failed deliveries again")
            .path_id("webhookId")
            .idempotent()
            .body::<RedeliverFailedBody>()
            .answer::<Redelivered>(200, "How many are sent again; a replay says the same.")
            .refuses(409, "The webhook is disabled, or the key was used for a different request."),
        Route::get("/webhook-deliveries", list)
            .named("listDeliveries")
            .summary("List deliveries")
            .describe(
                "Kept as long as their events (`events.keep_days`), then deleted. A page may end \
                 before it is full; `hasMore` says whether there are older ones.",
            )
            .query_id("webhookId", "Only those to this webhook.")
            .query_one_of("eventType", EventType::NAMES, "Only those of this event type.")
            .query_one_of(
                "status",
                &["pending", "delivered", "failed"],
                "Only those that stand so.",
            )
            .paged("beforeId")
            .answer::<DeliveryList>(200, "Newest first."),
        Route::get("/webhook-deliveries/{deliveryId}", get)
            .named("getDelivery")
            .summary("Read a delivery")
            .path_id("deliveryId")
            .answer::<DeliveryView>(200, "The delivery."),
        Route::post("/webhook-deliveries/{deliveryId}/redeliver", redeliver)
            .named("redeliver")
            .summary("Send a delivery again")
            .describe(
                "A new series of attempts with the same event id and body. It goes at once, \
                 whatever is held back for the sake of order; where an attempt is under way, this \
                 answers once that has ended and the new series has begun. `409` because of an \
                 attempt that does not end spends no key.",
            )
            .path_id("deliveryId")
            .idempotent()
            .answer::<DeliveryView>(200, "The delivery, pending again.")
            .refuses(
                409,
                "The webhook is disabled, an attempt takes too long to wait for, or the key was \
                 used for a different request.",
            ),
    ]
}
