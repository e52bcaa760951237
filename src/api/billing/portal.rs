//! `POST /customers/{customerId}/portal`: a page for a customer.

use std::sync::Arc;

use actors::domain::ids::CustomerId;
use actors::domain::time::Timestamp;
use actors::query;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// How long a link opens its portal.
const OPEN_SECONDS: i64 = 3_600;

/// The way to a customer's portal: whoever has the address may see it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PortalView {
    portal_url: String,
    /// An hour later.
    expires_at: Timestamp,
}

async fn open(app: Arc<App>, request: Request) -> ApiResult {
    let (seller, id) = (request.seller_id(), request.id("customerId", CustomerId)?);
    let customer = query::customer(&app.store, seller, id)?.ok_or_else(ApiError::missing)?;
    let expires_at = request.now.plus_seconds(OPEN_SECONDS);
    let portal_url = app.links.portal_url(seller, customer.id, expires_at);
    Ok(Response::created(&PortalView { portal_url, expires_at }).unstored())
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/customers/{customerId}/portal", open)
            .named("openCustomerPortal")
            .summary("Open a customer's portal")
            .describe(
                "A page with the customer's invoices, payments, subscriptions, usage so far and \
                 saved cards, for an hour. What may be done there the account's `portalActions` \
                 say. Hand the address to nobody else; it can be made anew at any time.",
            )
            .path_id("customerId")
            .answer::<PortalView>(201, "The address."),
    ]
}
