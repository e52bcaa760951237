//! Inbound endpoints, which people make once for each key.

use std::sync::Arc;

use actors::domain::ids::InboundEndpointId;
use actors::tables::INBOUND_ENDPOINTS;

use crate::api::billing::usage::endpoints::{EndpointView, NewEndpointBody, view, with_secret};
use crate::api::payments::idempotency_key::{self, Done};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "usage-endpoints";

async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let NewEndpointBody { description } = request.json()?;
    let seller = request.seller_id();
    let open = |claim| app.sellers.open_endpoint_once(seller, description, claim);
    let before = match idempotency_key::once(&app, &request, ENDPOINT, open).await? {
        Done::Now(made) => return Ok(Response::created(&with_secret(&app, made)).unstored()),
        Done::Before(endpoint) => InboundEndpointId(endpoint),
    };
    let made = app.store.get(INBOUND_ENDPOINTS, &(seller, before))?;
    Ok(Response::replayed(&view(&app, &made.ok_or_else(ApiError::missing)?)).unstored())
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/usage-endpoints", create)
            .idempotent()
            .summary("Make an inbound endpoint")
            .body_optional::<NewEndpointBody>()
            .answer::<EndpointView>(201, "The endpoint with its secret, which is shown once."),
    ]
}
