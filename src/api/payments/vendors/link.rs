//! Verification links: signed addresses of a page on which a vendor says who it is.

use std::sync::Arc;

use actors::domain::ids::VendorId;
use actors::domain::payments::payee::Payee;
use actors::domain::payments::vendor::{LINK_SECONDS, VerificationLink};
use actors::domain::time::Timestamp;
use actors::query;
use actors::seller::Spent;
use serde::Serialize;
use utoipa::ToSchema;

use super::load_vendor;
use crate::api::payments::idempotency_key;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};
use crate::signed_link::LinkToken;

const ENDPOINT: &str = "vendors/verification-link";

/// A link to be handed to the vendor.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkView {
    url: String,
    expires_at: Timestamp,
}

pub async fn issue(app: Arc<App>, call: Call) -> Answer {
    let payee = load_vendor(&app, &call)?;
    let vendor = payee.vendor.as_ref().ok_or_else(Problem::missing)?.id;
    let claim =
        idempotency_key::claim(&call, ENDPOINT, &[("vendorId", vendor.to_string())], vendor.0);
    if idempotency_key::used(&app, &call, &claim).await?.is_some() {
        return replay(&app, &call, vendor);
    }
    let token = LinkToken { seller: call.seller_id(), vendor };
    let expires_at = call.now.plus_seconds(LINK_SECONDS);
    let path = token.sign(&app.page_key, expires_at);
    let link = VerificationLink { url: format!("{}/verify/{path}", app.public_url()), expires_at };
    let home = (call.seller_id(), payee.id);
    match app.payees.issue_verification_link(home, link, claim.clone()).await? {
        Spent::Made(payee) => Ok(Reply::created(&view(&payee)?)),
        Spent::Before => {
            idempotency_key::winner(&app, &call, &claim).await?;
            replay(&app, &call, vendor)
        }
    }
}

/// A replay answers the vendor's link as it is now, which may be a newer one.
fn replay(app: &App, call: &Call, vendor: VendorId) -> Answer {
    let payee = query::vendor(&app.store, call.seller_id(), vendor)?;
    Ok(Reply::replayed(&view(&payee.ok_or_else(Problem::missing)?)?))
}

fn view(payee: &Payee) -> Result<LinkView, Problem> {
    let link = payee.vendor.as_ref().and_then(|vendor| vendor.link.clone());
    let VerificationLink { url, expires_at } = link.ok_or_else(Problem::missing)?;
    Ok(LinkView { url, expires_at })
}
