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
use crate::gate::Route;
use crate::http::{Answer, Call, Problem, Reply};

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

pub async fn verify(app: Arc<App>, call: Call) -> Answer {
    let home = vendor_home(&app, &call)?;
    let body: VendorStatusBody = call.json()?;
    let name = body.status.ok_or_else(|| refused(VendorRefusal::Required("status")))?;
    let status = VendorStatus::parse(&name).ok_or_else(|| refused(VendorRefusal::Status))?;
    let payee = app.payees.decide_vendor(home, status).await?;
    shown(&app, &call, &payee)
}

pub async fn allow(app: Arc<App>, call: Call) -> Answer {
    let home = vendor_home(&app, &call)?;
    let body: AllowanceBody = call.json()?;
    let enforcement =
        |name: &str| Enforcement::parse(name).ok_or_else(|| refused(VendorRefusal::Enforcement));
    let patch = AllowancePatch {
        limit_minor: body.limit_minor,
        enforcement: body.enforcement.as_deref().map(enforcement).transpose()?,
        unlimited: body.unlimited,
    };
    let payee = app.payees.set_allowance(home, patch).await?;
    shown(&app, &call, &payee)
}

/// Whose the vendor in the path is; the operator knows it also while the seller may not use it.
fn vendor_home(app: &App, call: &Call) -> Result<(SellerId, PayeeId), Problem> {
    let id = call.id("vendorId", VendorId)?;
    app.payees.home_of_vendor(id)?.ok_or_else(Problem::missing)
}

fn shown(app: &App, call: &Call, payee: &Payee) -> Answer {
    let seller = app.directory.seller(payee.seller)?.ok_or_else(Problem::missing)?;
    let view = VendorView::new(payee, seller.seller.mode, call.now).ok_or_else(Problem::missing)?;
    Ok(Reply::ok(&view))
}

fn refused(refusal: VendorRefusal) -> Problem {
    Refusal::from(refusal).into()
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/vendors/{vendorId}/verification", verify)
            .summary("Decide on the verification of a vendor")
            .describe("It is a decision on its payee too. The same again changes nothing.")
            .path_id("vendorId")
            .body::<VendorStatusBody>()
            .answer::<VendorView>(200, "The vendor as it is now.")
            .refuses(400, "No such status.")
            .refuses(409, "The vendor is archived."),
        Route::post("/vendors/{vendorId}/allowance", allow)
            .summary("Change the payout allowance of a vendor")
            .path_id("vendorId")
            .body::<AllowanceBody>()
            .answer::<VendorView>(200, "The vendor as it is now.")
            .refuses(400, "A field is wrong, or two contradict each other."),
    ]
}
