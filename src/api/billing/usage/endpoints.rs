//! Inbound endpoints: where third parties post usage.

use std::sync::Arc;

use actors::domain::billing::usage::inbound::{EndpointStatus, InboundEndpoint};
use actors::domain::ids::InboundEndpointId;
use actors::domain::time::Timestamp;
use actors::query;
use actors::seller::EndpointAnswer;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiResult, Response};

/// An endpoint to be made.
#[derive(Deserialize, ToSchema)]
pub struct NewEndpointBody {
    /// Who sends, in the seller's words.
    #[schema(max_length = 256)]
    pub(crate) description: Option<String>,
}

/// An endpoint as it is answered.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndpointView {
    id: u64,
    description: Option<String>,
    status: EndpointStatus,
    /// Where the sender posts to; a secret of its own. Absent where it cannot be shown any more,
    /// since the server's key was lost: what the sender has stays good.
    url: Option<String>,
    created_at: Timestamp,
    /// When the secret was last changed.
    rotated_at: Option<Timestamp>,
    /// What the sender signs with; shown once, when it is drawn.
    secret: Option<String>,
}

pub type EndpointList = List<EndpointView>;

impl Listed for EndpointView {
    const LIST: &'static str = "EndpointList";
    const ITEMS: &'static str = "webhookEndpoints";
}

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let body: NewEndpointBody = request.json()?;
    let made = app.sellers.open_endpoint(request.seller_id(), body.description).await?;
    Ok(Response::created(&with_secret(&app, made)).unstored())
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let paging = request.paging("beforeId")?;
    let found = query::inbound_endpoints(&app.store, request.seller_id(), paging)?;
    let list = EndpointList::of(found, |endpoint| view(&app, &endpoint));
    Ok(Response::ok(&list).unstored())
}

pub async fn rotate_secret(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("endpointId", InboundEndpointId)?;
    let rotated = app.sellers.rotate_endpoint_secret(request.seller_id(), id).await?;
    Ok(Response::ok(&with_secret(&app, rotated)).unstored())
}

pub async fn revoke(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("endpointId", InboundEndpointId)?;
    let revoked = app.sellers.revoke_endpoint(request.seller_id(), id).await?;
    Ok(Response::ok(&view(&app, &revoked)).unstored())
}

pub(crate) fn with_secret(app: &App, answer: EndpointAnswer) -> EndpointView {
    EndpointView { secret: Some(answer.secret), ..view(app, &answer.endpoint) }
}

pub(crate) fn view(app: &App, endpoint: &InboundEndpoint) -> EndpointView {
    let token = app.secrets.open_text(endpoint.token_place(), &endpoint.token).ok();
    let url = |token: &str| format!("{}/usage/v1/webhooks/{token}", app.public_url());
    EndpointView {
        id: endpoint.id.0,
        description: endpoint.description.clone(),
        status: endpoint.status,
        url: token.map(|token| url(&token)),
        created_at: endpoint.created_at,
        rotated_at: endpoint.rotated_at,
        secret: None,
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/webhook-endpoints", create)
            .named("createInboundEndpoint")
            .audited()
            .summary("Make an inbound endpoint")
            .describe("An address for one sender of usage. The secret is shown once.")
            .body_optional::<NewEndpointBody>()
            .answer::<EndpointView>(201, "The endpoint with its secret.")
            .refuses(400, "The description is too long.")
            .refuses(422, "As many endpoints are active as can be."),
        Route::get("/webhook-endpoints", list)
            .named("listInboundEndpoints")
            .summary("List inbound endpoints")
            .paged("beforeId")
            .answer::<EndpointList>(200, "Newest first, revoked ones too."),
        Route::post("/webhook-endpoints/{endpointId}/rotate-secret", rotate_secret)
            .named("rotateInboundEndpointSecret")
            .audited()
            .summary("Change the secret of an inbound endpoint")
            .describe("What is signed with the old secret is refused from then on.")
            .path_id("endpointId")
            .answer::<EndpointView>(200, "The endpoint with its new secret.")
            .refuses(422, "It is revoked."),
        Route::post("/webhook-endpoints/{endpointId}/revoke", revoke)
            .named("revokeInboundEndpoint")
            .audited()
            .summary("Revoke an inbound endpoint")
            .describe("Its address leads nowhere from then on. Revoking it again changes nothing.")
            .path_id("endpointId")
            .answer::<EndpointView>(200, "The endpoint, without use."),
    ]
}
