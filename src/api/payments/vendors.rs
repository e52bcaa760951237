//! Marketplace vendors. While they are not enabled for a seller all of this is `404`.

mod link;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

use actors::domain::country::Country;
use actors::domain::ids::VendorId;
use actors::domain::payments::payee::fields::{TextField, email};
use actors::domain::payments::payee::{NewPayee, Payee, PayeeRefusal, Role};
use actors::domain::payments::vendor::VendorRefusal;
use actors::domain::refusal::Refusal;
use actors::kernel::Once;
use actors::query;
use serde::Deserialize;
use utoipa::ToSchema;

pub use link::{LinkView, issue};
pub use view::{AllowanceView, VendorList, VendorVerificationView, VendorView};

use super::idempotency_key;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "vendors";

/// A vendor to be made.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VendorBody {
    #[schema(required, max_length = 128)]
    display_name: Option<String>,
    #[schema(required, max_length = 254)]
    email: Option<String>,
    /// ISO 3166-1 alpha-2.
    #[schema(min_length = 2, max_length = 2)]
    country: Option<String>,
}

impl VendorBody {
    /// The payee that the vendor is, and where it is established. The first field at fault is the
    /// answer.
    fn parse(&self) -> Result<(NewPayee, Option<Country>), VendorRefusal> {
        let name = TextField::DISPLAY_NAME.parse(self.display_name.as_deref())?;
        let name = name.ok_or(PayeeRefusal::Required("displayName"))?;
        let email = email(self.email.as_deref())?.ok_or(PayeeRefusal::Required("email"))?;
        let code = self.country.as_deref().map(str::trim).filter(|code| !code.is_empty());
        let country = code.map(|code| Country::parse(code).ok_or(VendorRefusal::Country));
        let payee = NewPayee { email: Some(email), ..NewPayee::named(name, Role::Contractor) };
        Ok((payee, country.transpose()?))
    }
}

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    require_vendors(&request)?;
    let body: VendorBody = request.json()?;
    let claim = idempotency_key::claim(&app, &request, ENDPOINT, &[], 0);
    if let Some(made) = idempotency_key::used(&app, &request, &claim).await? {
        return replay(&app, &request, VendorId(made));
    }
    let new = body.parse().map_err(Refusal::from)?;
    match app.payees.create_vendor(request.seller_id(), new, claim.clone()).await? {
        Once::Made(payee) => Ok(Response::created(&view(&app, &request, &payee)?)),
        Once::Before => {
            let made = idempotency_key::winner(&app, &request, &claim).await?;
            replay(&app, &request, VendorId(made))
        }
    }
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    require_vendors(&request)?;
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let found = app.blocking(move |store| query::vendors(store, seller, paging)).await?;
    Ok(Response::ok(&VendorList::try_of(found, |payee| view(&app, &request, &payee))?))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    Ok(Response::ok(&view(&app, &request, &load_vendor(&app, &request)?)?))
}

/// `404` while vendors are not enabled, and when the caller has none of that id.
fn load_vendor(app: &App, request: &Request) -> Result<Payee, ApiError> {
    require_vendors(request)?;
    let id = request.id("vendorId", VendorId)?;
    query::vendor(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)
}

fn require_vendors(request: &Request) -> Result<(), ApiError> {
    if request.seller().seller.vendors_enabled { Ok(()) } else { Err(ApiError::missing()) }
}

fn replay(app: &App, request: &Request, id: VendorId) -> ApiResult {
    let payee =
        query::vendor(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)?;
    Ok(Response::replayed(&view(app, request, &payee)?))
}

fn view(app: &App, request: &Request, payee: &Payee) -> Result<VendorView, ApiError> {
    let mode = request.seller().seller.mode;
    VendorView::new(payee, mode, &app.links, request.now).ok_or_else(ApiError::missing)
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/vendors", create)
            .named("createVendor")
            .summary("Make a vendor")
            .describe(
                "A vendor is a payee that verifies itself over a link and is paid out within an \
                 allowance: give it payout methods, wallets and payouts by its `payeeId`. Its \
                 verification is the payee's. What happens to it is told in \
                 `MarketplaceVendor…` events, to webhooks that name them. Vendors must be enabled \
                 for your account.",
            )
            .idempotent()
            .body::<VendorBody>()
            .answer::<VendorView>(201, "The vendor.")
            .answer::<VendorView>(200, "A replay: the vendor as it is now.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "Vendors are not enabled.")
            .refuses(409, "The key was used for a different request."),
        Route::get("/vendors", list)
            .named("listVendors")
            .summary("List vendors")
            .paged("beforeId")
            .answer::<VendorList>(200, "Newest first.")
            .refuses(404, "Vendors are not enabled."),
        Route::get("/vendors/{vendorId}", get)
            .named("getVendor")
            .summary("Read a vendor")
            .path_id("vendorId")
            .answer::<VendorView>(200, "The vendor."),
        Route::post("/vendors/{vendorId}/verification-link", issue)
            .named("createVerificationLink")
            .summary("Issue a verification link")
            .describe(
                "The vendor opens it and says who it is; in a demo account that passes by itself \
                 within seconds. It is good for 7 days; earlier links stay good.",
            )
            .path_id("vendorId")
            .idempotent()
            .answer::<LinkView>(201, "The link.")
            .answer::<LinkView>(200, "A replay: the vendor's newest link.")
            .refuses(
                409,
                "There is nothing left to verify, the vendor is archived, or the key was used for \
                 a different request.",
            ),
    ]
}
