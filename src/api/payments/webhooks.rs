//! `/webhooks`: where a seller's events are delivered to, and which of them.

use std::sync::Arc;

use actors::domain::ids::WebhookId;
use actors::domain::platform::seller::Seller;
use actors::domain::platform::webhook::{Patch, Registration, Webhook, WebhookStatus};
use actors::domain::time::Timestamp;
use actors::kernel::Once;
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::idempotency_key;
use crate::api::payloads::WebhookEventType;
use crate::api::wire::{List, Listed, stated};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "webhooks";

/// A webhook to be registered.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegisterBody {
    /// Where deliveries go: an absolute `https` URL; `http` for demo accounts, until they go live:
    /// from then on each attempt by `http` fails.
    #[schema(required)]
    webhook_url: Option<String>,
    /// The event types it hears; absent or empty: every type except the opt-in ones.
    #[schema(value_type = Option<Vec<WebhookEventType>>)]
    event_types: Option<Vec<String>>,
    /// `active` (the default) or `disabled`.
    status: Option<String>,
    /// Whether what is told of one object (a contract, payment, payee, vendor or subscription by
    /// payment link; all else is of the seller) goes out in order of `sequence`; `false` by default.
    ordered: Option<bool>,
}

/// What is to change of a webhook; an absent field stays.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatchBody {
    /// Where deliveries go.
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = String)]
    webhook_url: Option<Option<String>>,
    /// The event types it hears, as a whole; an empty list is the default again.
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Vec<WebhookEventType>)]
    event_types: Option<Option<Vec<String>>>,
    /// `active` or `disabled`.
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = String)]
    status: Option<Option<String>>,
    /// Whether what is told of one object goes out in order, of the events from now on; `false`
    /// lets go of what is held back.
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = bool)]
    ordered: Option<Option<bool>>,
}

/// A webhook as it is answered.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookView {
    id: u64,
    /// The seller's id, as text.
    merchant_id: String,
    seller_account_id: u64,
    webhook_url: String,
    status: WebhookStatus,
    /// Empty: every type except the opt-in ones.
    #[schema(value_type = Vec<WebhookEventType>)]
    event_types: Vec<&'static str>,
    ordered: bool,
    /// Shown once, when the webhook is made or comes back to life.
    pub(crate) secret_key: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

pub type WebhookList = List<WebhookView>;

impl Listed for WebhookView {
    const LIST: &'static str = "WebhookList";
    const ITEMS: &'static str = "webhooks";
}

pub async fn register(app: Arc<App>, request: Request) -> ApiResult {
    let body: RegisterBody = request.json()?;
    let claim = idempotency_key::claim(&app, &request, ENDPOINT, &[], 0);
    if let Some(made) = idempotency_key::used(&app, &request, &claim).await? {
        return replay(&app, &request, WebhookId(made));
    }
    let registration = Registration {
        url: body.webhook_url,
        event_types: body.event_types,
        status: body.status,
        ordered: body.ordered,
    };
    let asked =
        app.sellers.register_webhook(request.seller_id(), registration, claim.clone()).await;
    let answer = match asked? {
        Once::Made(answer) => answer,
        Once::Before => {
            let made = idempotency_key::winner(&app, &request, &claim).await?;
            return replay(&app, &request, WebhookId(made));
        }
    };
    let mut view = WebhookView::of(&request.seller().seller, &answer.webhook);
    view.secret_key = answer.secret;
    let response = if answer.created { Response::created(&view) } else { Response::ok(&view) };
    Ok(response.unstored())
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let paging = request.paging("beforeId")?;
    let seller = fresh(&app, &request)?;
    let newest = seller.webhooks.iter().rev().map(|webhook| (webhook.id.0, webhook));
    let page = paging.of(newest);
    Ok(Response::ok(&WebhookList::of(page, |webhook| WebhookView::of(&seller.seller, webhook))))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("webhookId", WebhookId)?;
    Ok(Response::ok(&view(&app, &request, id)?))
}

pub async fn patch(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("webhookId", WebhookId)?;
    view(&app, &request, id)?;
    let body: PatchBody = request.json()?;
    let patch = Patch {
        url: body.webhook_url,
        event_types: body.event_types,
        status: body.status,
        ordered: body.ordered,
    };
    let patched = app.sellers.patch_webhook(request.seller_id(), id, patch).await?;
    Ok(Response::ok(&WebhookView::of(&request.seller().seller, &patched)))
}

pub async fn delete(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("webhookId", WebhookId)?;
    app.sellers.delete_webhook(request.seller_id(), id).await?;
    Ok(Response::empty(StatusCode::NO_CONTENT))
}

impl WebhookView {
    pub(crate) fn of(seller: &Seller, webhook: &Webhook) -> Self {
        Self {
            id: webhook.id.0,
            merchant_id: seller.id.to_string(),
            seller_account_id: seller.id.0,
            webhook_url: webhook.url.as_str().to_owned(),
            status: webhook.status,
            event_types: webhook.event_types.names().collect(),
            ordered: webhook.ordered,
            secret_key: None,
            created_at: webhook.created_at,
            updated_at: webhook.updated_at,
        }
    }
}

fn replay(app: &App, request: &Request, id: WebhookId) -> ApiResult {
    Ok(Response::replayed(&view(app, request, id)?))
}

fn view(app: &App, request: &Request, id: WebhookId) -> Result<WebhookView, ApiError> {
    let seller = fresh(app, request)?;
    let webhook = seller.webhook(id).ok_or_else(ApiError::missing)?;
    Ok(WebhookView::of(&seller.seller, webhook))
}

/// The seller as of now, not of the moment the request was let in.
fn fresh(app: &App, request: &Request) -> Result<Arc<actors::directory::SellerSnapshot>, ApiError> {
    app.directory.seller(request.seller_id())?.ok_or_else(ApiError::missing)
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/webhooks", register)
            .named("createWebhook")
            .audited()
            .summary("Register a webhook")
            .describe(
                "A URL that is registered and active is answered as it is, without its secret. \
                 One that was disabled becomes active again with the event types sent, and its \
                 original secret is shown, or a new one where the server's key was lost. A replay \
                 shows no secret. URLs are the same that differ in the case of scheme and host, a \
                 default port or a fragment alone.\n\n\
                 Every event of a seller has a `sequence`, from 1 without a gap, in its envelope \
                 beside `eventId`; `GET /billing-api/v1/events` lists what was missed. After the \
                 server's data was restored from a backup events carry an `epoch` as well, which \
                 grows with each restore: a `sequence` from behind the moment that was restored is \
                 given out again in it. Deliveries \
                 go out as they come, at once and beside each other. With `ordered: true` those of \
                 one object go out in order of `sequence`: one that waits for its next attempt \
                 holds back the later ones of its object alone, and is passed over after its last \
                 attempt. While the account is not active its deliveries wait.",
            )
            .idempotent()
            .body::<RegisterBody>()
            .answer::<WebhookView>(201, "The webhook, with its secret, shown once.")
            .answer::<WebhookView>(200, "The webhook that was there, or a replay.")
            .refuses(400, "A field is wrong, or an event type unknown.")
            .refuses(404, "The webhook of a replay is gone.")
            .refuses(409, "The key was used for a different request.")
            .refuses(422, "There are 100 webhooks already; 20 for a sandbox account."),
        Route::get("/webhooks", list)
            .named("listWebhooks")
            .summary("List webhooks")
            .paged("beforeId")
            .answer::<WebhookList>(200, "Newest first."),
        Route::get("/webhooks/{webhookId}", get)
            .named("getWebhook")
            .summary("Read a webhook")
            .path_id("webhookId")
            .answer::<WebhookView>(200, "The webhook, without its secret."),
        Route::patch("/webhooks/{webhookId}", patch)
            .named("updateWebhook")
            .audited()
            .summary("Change a webhook")
            .describe(
                "`eventTypes` replaces the list as a whole; an empty one is the default again. \
                 Disabling ends deliveries that wait. An account that goes live with webhooks at \
                 `http` gives them an `https` URL here: until then their deliveries fail, with \
                 `webhookUrl must use https` as `lastError`.",
            )
            .path_id("webhookId")
            .body::<PatchBody>()
            .answer::<WebhookView>(200, "The webhook as it is now.")
            .refuses(400, "A field is wrong or `null`.")
            .refuses(409, "Another webhook has this URL."),
        Route::delete("/webhooks/{webhookId}", delete)
            .named("deleteWebhook")
            .audited()
            .summary("Delete a webhook")
            .describe(
                "For good: deliveries that wait end as failed, those made stay listed. Registered \
                 again, the URL is a new webhook with a new secret.",
            )
            .path_id("webhookId")
            .answer_empty(204, "It is gone."),
    ]
}
