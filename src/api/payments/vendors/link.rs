//! Verification links: signed addresses of a page on which a vendor says who it is.

use std::sync::Arc;

use actors::domain::ids::VendorId;
use actors::domain::payments::payee::Payee;
use actors::domain::payments::vendor::LINK_SECONDS;
use actors::domain::time::Timestamp;
use actors::kernel::Once;
use actors::query;
use serde::Serialize;
use utoipa::ToSchema;

use super::load_vendor;
use crate::api::payments::idempotency_key;
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "vendors/verification-link";

/// A link to be handed to the vendor.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkView {
    url: String,
    expires_at: Timestamp,
}

pub async fn issue(app: Arc<App>, request: Request) -> ApiResult {
    let payee = load_vendor(&app, &request)?;
    let vendor = payee.vendor.as_ref().ok_or_else(ApiError::missing)?.id;
    let claim = idempotency_key::claim(
        &app,
        &request,
        ENDPOINT,
        &[("vendorId", vendor.to_string())],
        vendor.0,
    );
    if idempotency_key::used(&app, &request, &claim).await?.is_some() {
        return replay(&app, &request, vendor);
    }
    let until = request.now.plus_seconds(LINK_SECONDS);
    let home = (request.seller_id(), payee.id);
    match app.payees.issue_verification_link(home, until, claim.clone()).await? {
        Once::Made(payee) => Ok(Response::created(&view(&app, &payee)?)),
        Once::Before => {
            idempotency_key::winner(&app, &request, &claim).await?;
            replay(&app, &request, vendor)
        }
    }
}

/// A replay answers the vendor's link as it is now, which may be a newer one.
fn replay(app: &App, request: &Request, vendor: VendorId) -> ApiResult {
    let payee = query::vendor(&app.store, request.seller_id(), vendor)?;
    Ok(Response::replayed(&view(app, &payee.ok_or_else(ApiError::missing)?)?))
}

fn view(app: &App, payee: &Payee) -> Result<LinkView, ApiError> {
    let vendor = payee.vendor.as_ref().ok_or_else(ApiError::missing)?;
    let expires_at = vendor.link_until.ok_or_else(ApiError::missing)?;
    let url = app.links.verification_url(payee.seller, vendor.id, expires_at);
    Ok(LinkView { url, expires_at })
}
