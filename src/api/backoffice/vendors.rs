//! Vendors in the operator's hands: their verification and their allowance.

use std::sync::Arc;

use actors::domain::ids::{PayeeId, SellerId, VendorId};
use actors::domain::payments::payee::Payee;
use actors::domain::payments::vendor::{AllowancePatch, Enforcement, VendorRefusal, VendorStatus};
use actors::domain::refusal::Refusal;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::payments::vendors::VendorView;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// How far the verification of a vendor is.
#[derive(Deserialize, ToSchema)]
pub struct VendorStatusBody {
    /// `required`, `in_progress`, `pending_review`, `complete` or `blocked`.
    #[schema(required)]
    status: Option<String>,
}

/// What is to change of an allowance; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllowanceBody {
    /// What each of the vendor's wallets may pay out over its whole life, in minor units of its
    /// currency.
    #[schema(minimum = 0)]
    limit_minor: Option<i64>,
    /// `enforced` or `advisory`.
    enforcement: Option<String>,
    /// True takes the limit away.
    unlimited: Option<bool>,
}

pub async fn verify(app: Arc<App>, request: Request) -> ApiResult {
    let home = vendor_home(&app, &request)?;
    let body: VendorStatusBody = request.json()?;
    let name = body.status.ok_or_else(|| refused(VendorRefusal::Required("status")))?;
    let status = VendorStatus::parse(&name).ok_or_else(|| refused(VendorRefusal::Status))?;
    let payee = app.payees.decide_vendor(home, status).await?;
    shown(&app, &request, &payee)
}

pub async fn allow(app: Arc<App>, request: Request) -> ApiResult {
    let home = vendor_home(&app, &request)?;
    let body: AllowanceBody = request.json()?;
    let enforcement =
        |name: &str| Enforcement::parse(name).ok_or_else(|| refused(VendorRefusal::Enforcement));
    let patch = AllowancePatch {
        limit_minor: body.limit_minor,
        enforcement: body.enforcement.as_deref().map(enforcement).transpose()?,
        unlimited: body.unlimited,
    };
    let payee = app.payees.set_allowance(home, patch).await?;
    shown(&app, &request, &payee)
}

/// Whose the vendor in the path is; the operator knows it also while the seller may not use it.
fn vendor_home(app: &App, request: &Request) -> Result<(SellerId, PayeeId), ApiError> {
    let id = request.id("vendorId", VendorId)?;
    app.payees.home_of_vendor(id)?.ok_or_else(ApiError::missing)
}

/// Whose vendor the path names.
fn account(app: &App, request: &Request) -> Option<SellerId> {
    vendor_home(app, request).ok().map(|(seller, _)| seller)
}

fn shown(app: &App, request: &Request, payee: &Payee) -> ApiResult {
    let seller = app.directory.seller(payee.seller)?.ok_or_else(ApiError::missing)?;
    let view = VendorView::new(payee, seller.seller.mode, &app.links, request.now);
    Ok(Response::ok(&view.ok_or_else(ApiError::missing)?))
}

fn refused(refusal: VendorRefusal) -> ApiError {
    Refusal::from(refusal).into()
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/vendors/{vendorId}/verification", verify)
            .named("decideVendorVerification")
            .summary("Decide on the verification of a vendor")
            .describe("It is a decision on its payee too. The same again changes nothing.")
            .path_id("vendorId")
            .about(account)
            .body::<VendorStatusBody>()
            .answer::<VendorView>(200, "The vendor as it is now.")
            .refuses(400, "No such status.")
            .refuses(409, "The vendor is archived."),
        Route::post("/vendors/{vendorId}/allowance", allow)
            .named("changeVendorAllowance")
            .summary("Change the payout allowance of a vendor")
            .describe("What an earlier version counted of its payouts is added up anew, once.")
            .path_id("vendorId")
            .about(account)
            .body::<AllowanceBody>()
            .answer::<VendorView>(200, "The vendor as it is now.")
            .refuses(400, "A field is wrong, or two contradict each other."),
    ]
}
