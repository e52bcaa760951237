//! Registering, and telling for which organization.

use std::sync::Arc;

use actors::domain::email::Email;
use actors::domain::platform::limits::AddressKind;
use actors::domain::platform::person::{Password, PersonRefusal};
use actors::domain::platform::seller::{Mode, NewSeller, SellerStatus};
use actors::domain::refusal::Refusal;
use actors::passwords::Crowded;
use hyper::StatusCode;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::credentials::Credentials;
use super::login::{SessionView, act};
use crate::app::App;
use crate::gate::policy::FORM_LIMIT;
use crate::gate::{Request, Route, limits};
use crate::http::{ApiError, ApiResult, Response};

/// The organization of an account.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationBody {
    #[schema(max_length = 128)]
    name: String,
    /// ISO 3166-1 alpha-2.
    #[schema(pattern = "^[A-Z]{2}$")]
    country: String,
    #[schema(max_length = 64)]
    tax_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnboardedView {
    seller_account_id: u64,
    name: String,
    mode: Mode,
    /// `active` on a demo server, else `pending` until the operator opens the account.
    status: SellerStatus,
}

async fn start(app: Arc<App>, request: Request) -> ApiResult {
    let credentials = Credentials::of(&request)?;
    let refused = |refusal: PersonRefusal| ApiError::from(Refusal::from(refusal));
    let email = Email::parse(&credentials.email).ok_or_else(|| refused(PersonRefusal::Email))?;
    let password = Password::chosen(credentials.password.expose_secret()).map_err(refused)?;
    limits::address(&app, AddressKind::SandboxMint, request.peer, request.now)?;
    let hash = app.passwords.hash(password).await.map_err(|Crowded| ApiError::busy())?;
    let (_, opened) = app.sellers.register(email, hash, request.peer).await?;
    SessionView::answer(&app, StatusCode::CREATED, &opened)
}

async fn complete(app: Arc<App>, request: Request) -> ApiResult {
    let body: OrganizationBody = request.json()?;
    let email = &request.person().email;
    let country = Some(body.country.as_str());
    let new = NewSeller::parse(&body.name, email.as_str(), country, body.tax_id.as_deref());
    let new = new.map_err(Refusal::from)?;
    if body.country.is_empty() {
        return Err(ApiError::invalid("country must be an ISO 3166-1 alpha-2 code"));
    }
    let act = act(&request, email, "completeOnboarding");
    let seller = app.sellers.complete(request.seller_id(), new, act).await?;
    Ok(Response::ok(&OnboardedView {
        seller_account_id: seller.id.0,
        name: seller.name,
        mode: seller.mode,
        status: seller.status,
    }))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/api/v1/onboarding/start", start)
            .open()
            .body_limit(FORM_LIMIT)
            .summary("Register")
            .describe(
                "Begins a session in the cookie `dashboard_session`. The account has no \
                 organization until onboarding is complete.",
            )
            .form::<Credentials>()
            .answer::<SessionView>(201, "Registered, with a session.")
            .refuses(409, "The e-mail belongs to another account."),
        Route::post("/api/v1/onboarding/complete", complete)
            .body_limit(FORM_LIMIT)
            .summary("Tell the organization")
            .describe(
                "The account begins in demo mode: on a server with `--demo` it is active at once, \
                 elsewhere `pending` until the operator opens it. Keys are made on the dashboard.",
            )
            .body::<OrganizationBody>()
            .answer::<OnboardedView>(200, "The account.")
            .refuses(409, "Onboarding was complete before."),
    ]
}
