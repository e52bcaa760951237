//! The account and its settings.

use std::sync::Arc;

use actors::domain::country::Country;
use actors::domain::platform::seller::{
    PortalAction, ProfilePatch, SellerPatch, Setting, TaxMode, Text,
};
use actors::domain::quantity::TaxRate;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::backoffice::sellers::SellerView;
use crate::api::wire::stated;
use crate::app::App;
use crate::dashboard::fill;
use crate::gate::{Request, Route};
use crate::http::{ApiResult, Response};

/// What the account says of itself; what is left out stays, `null` takes away.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SettingsBody {
    name: Option<String>,
    /// Stands on documents; nobody's login changes.
    email: Option<String>,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
    phone: Text,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
    country: Option<Option<Country>>,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
    tax_id: Text,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
    address_line1: Text,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
    address_line2: Text,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
    city: Text,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<String>)]
    postal_code: Text,
    tax_mode: Option<TaxMode>,
    default_tax_rate: Option<TaxRate>,
    payment_terms_days: Option<u32>,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<Vec<i32>>)]
    reminder_days: Option<Option<Vec<i32>>>,
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<u32>)]
    usage_grace_minutes: Setting,
    portal_actions: Option<Vec<PortalAction>>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TaxModeBody {
    tax_mode: TaxMode,
}

#[derive(Deserialize, ToSchema)]
struct PortalActionsBody {
    actions: Vec<PortalAction>,
}

/// The hosts that buyers may be sent back to, all of them.
#[derive(Deserialize, ToSchema)]
struct ReturnHostsBody {
    hosts: Vec<String>,
}

async fn show(app: Arc<App>, request: Request) -> ApiResult {
    Ok(Response::ok(&SellerView::new(&request.seller().seller, &app.settings)))
}

async fn settings(app: Arc<App>, request: Request) -> ApiResult {
    let body: SettingsBody = request.json()?;
    let profile = ProfilePatch {
        name: body.name,
        email: body.email,
        phone: body.phone,
        country: body.country,
        tax_id: body.tax_id,
        address_line1: body.address_line1,
        address_line2: body.address_line2,
        city: body.city,
        postal_code: body.postal_code,
        tax_mode: body.tax_mode,
        default_tax_rate: body.default_tax_rate,
        payment_terms_days: body.payment_terms_days,
        reminder_days: body.reminder_days,
        usage_grace_minutes: body.usage_grace_minutes,
        portal_actions: body.portal_actions,
    };
    patched(&app, &request, SellerPatch { profile, ..SellerPatch::default() }).await
}

async fn tax_mode(app: Arc<App>, request: Request) -> ApiResult {
    let TaxModeBody { tax_mode } = request.json()?;
    let profile = ProfilePatch { tax_mode: Some(tax_mode), ..ProfilePatch::default() };
    patched(&app, &request, SellerPatch { profile, ..SellerPatch::default() }).await
}

async fn portal_actions(app: Arc<App>, request: Request) -> ApiResult {
    let PortalActionsBody { actions } = request.json()?;
    let profile = ProfilePatch { portal_actions: Some(actions), ..ProfilePatch::default() };
    patched(&app, &request, SellerPatch { profile, ..SellerPatch::default() }).await
}

async fn return_hosts(app: Arc<App>, request: Request) -> ApiResult {
    let ReturnHostsBody { hosts } = request.json()?;
    let patch = SellerPatch { return_hosts: Some(hosts), ..SellerPatch::default() };
    patched(&app, &request, patch).await
}

async fn go_live(app: Arc<App>, request: Request) -> ApiResult {
    let seller = app.sellers.ask_to_go_live(request.seller_id()).await?;
    Ok(Response::ok(&SellerView::new(&seller, &app.settings)))
}

async fn patched(app: &App, request: &Request, patch: SellerPatch) -> ApiResult {
    let seller = app.sellers.patch(request.seller_id(), patch).await?;
    Ok(Response::ok(&SellerView::new(&seller, &app.settings)))
}

pub(super) fn routes() -> Vec<Route> {
    let answered = |route: Route| route.answer::<SellerView>(200, "The account as it is now.");
    vec![
        answered(Route::get("/account", show).summary("The account")),
        answered(
            Route::post("/settings", settings)
                .summary("Change what the account says of itself")
                .body::<SettingsBody>(),
        ),
        answered(
            Route::post("/tax-mode", tax_mode)
                .summary("Leave tax to rules, or state rates")
                .body::<TaxModeBody>(),
        ),
        answered(
            Route::post("/portal-actions", portal_actions)
                .summary("Say what buyers may do on their portal")
                .body::<PortalActionsBody>(),
        ),
        answered(
            Route::post("/return-hosts", return_hosts)
                .summary("Say where buyers may be sent back to")
                .body::<ReturnHostsBody>(),
        ),
        Route::get("/demo-fill", fill::state)
            .summary("How far filling the account is")
            .answer::<fill::DemoFillView>(200, "In steps, while it goes on."),
        answered(Route::post("/go-live", go_live).summary("Ask the operator for live mode")),
    ]
}
