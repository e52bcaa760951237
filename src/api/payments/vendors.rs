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
use actors::query;
use actors::seller::Spent;
use serde::Deserialize;
use utoipa::ToSchema;

pub use link::{LinkView, issue};
pub use view::{VendorList, VendorView};

use super::idempotency_key;
use crate::api::billing::contracts::apart;
use crate::api::page;
use crate::app::App;
use crate::gate::Route;
use crate::http::{Answer, Call, Problem, Reply};

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

pub async fn create(app: Arc<App>, call: Call) -> Answer {
    require_vendors(&call)?;
    let body: VendorBody = call.json()?;
    let claim = idempotency_key::claim(&call, ENDPOINT, &[], 0);
    if let Some(made) = idempotency_key::used(&app, &call, &claim).await? {
        return replay(&app, &call, VendorId(made));
    }
    let new = body.parse().map_err(Refusal::from)?;
    match app.payees.create_vendor(call.seller_id(), new, claim.clone()).await? {
        Spent::Made(payee) => Ok(Reply::created(&view(&call, &payee)?)),
        Spent::Before => {
            let made = idempotency_key::winner(&app, &call, &claim).await?;
            replay(&app, &call, VendorId(made))
        }
    }
}

pub async fn list(app: Arc<App>, call: Call) -> Answer {
    require_vendors(&call)?;
    let (paging, seller) = (page(call.paging("beforeId")?), call.seller_id());
    let found = apart(&app, move |store| query::vendors(store, seller, paging)).await?;
    Ok(Reply::ok(&VendorList::try_of(found, |payee| view(&call, &payee))?))
}

pub async fn get(app: Arc<App>, call: Call) -> Answer {
    Ok(Reply::ok(&view(&call, &load_vendor(&app, &call)?)?))
}

/// The payee that the vendor in the path is.
///
/// # Errors
/// `404` while vendors are not enabled, and when the caller has none of that id.
fn load_vendor(app: &App, call: &Call) -> Result<Payee, Problem> {
    require_vendors(call)?;
    let id = call.id("vendorId", VendorId)?;
    query::vendor(&app.store, call.seller_id(), id)?.ok_or_else(Problem::missing)
}

fn require_vendors(call: &Call) -> Result<(), Problem> {
    if call.seller().seller.vendors_enabled { Ok(()) } else { Err(Problem::missing()) }
}

fn replay(app: &App, call: &Call, id: VendorId) -> Answer {
    let payee = query::vendor(&app.store, call.seller_id(), id)?.ok_or_else(Problem::missing)?;
    Ok(Reply::replayed(&view(call, &payee)?))
}

fn view(call: &Call, payee: &Payee) -> Result<VendorView, Problem> {
    VendorView::new(payee, call.seller().seller.mode, call.now).ok_or_else(Problem::missing)
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/vendors", create)
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
            .summary("List vendors")
            .paged("beforeId")
            .answer::<VendorList>(200, "Newest first.")
            .refuses(404, "Vendors are not enabled."),
        Route::get("/vendors/{vendorId}", get)
            .summary("Read a vendor")
            .path_id("vendorId")
            .answer::<VendorView>(200, "The vendor."),
        Route::post("/vendors/{vendorId}/verification-link", issue)
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
