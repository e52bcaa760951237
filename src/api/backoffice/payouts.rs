//! Payouts in the operator's hands: approval, and what the bank said.

use std::sync::Arc;

use actors::domain::ids::{PayoutId, SellerId};
use actors::domain::payments::payout::Action;
use actors::domain::payments::wallet::OWN;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::payments::payouts::PayoutView;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const MAX_REFERENCE: usize = 128;
const MAX_CODE: usize = 64;

/// How the bank took a payout.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompleteBody {
    /// What the bank calls it.
    #[schema(max_length = 128)]
    provider_reference: Option<String>,
}

/// Why the bank did not take a payout, or sent it back.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailBody {
    /// The bank's code, such as `AC04`.
    #[schema(max_length = 64)]
    failure_code: Option<String>,
}

pub async fn approve(app: Arc<App>, request: Request) -> ApiResult {
    act(&app, &request, |_| Ok(Action::Approve)).await
}

pub async fn reject(app: Arc<App>, request: Request) -> ApiResult {
    act(&app, &request, |_| Ok(Action::Reject)).await
}

pub async fn complete(app: Arc<App>, request: Request) -> ApiResult {
    let action = |request: &Request| {
        let body: CompleteBody = request.json()?;
        let provider_reference = text("providerReference", body.provider_reference, MAX_REFERENCE)?;
        Ok(Action::Complete { provider_reference })
    };
    act(&app, &request, action).await
}

pub async fn fail(app: Arc<App>, request: Request) -> ApiResult {
    let action = |request: &Request| {
        let body: FailBody = request.json()?;
        Ok(Action::Fail { failure_code: text("failureCode", body.failure_code, MAX_CODE)? })
    };
    act(&app, &request, action).await
}

/// Existence comes before the body.
async fn act(
    app: &App,
    request: &Request,
    action: impl FnOnce(&Request) -> Result<Action, ApiError>,
) -> ApiResult {
    let id = request.id("payoutId", PayoutId)?;
    let home = app.payees.home_of(id)?.ok_or_else(ApiError::missing)?;
    let payee = home.payee.unwrap_or(OWN);
    let action = action(request)?;
    let payout = app.payees.move_payout(home.seller, payee, id, action).await?;
    Ok(Response::ok(&PayoutView::from(&payout)))
}

/// Whose payout the path names.
fn account(app: &App, request: &Request) -> Option<SellerId> {
    let id = request.id("payoutId", PayoutId).ok()?;
    Some(app.payees.home_of(id).ok()??.seller)
}

fn text(field: &str, value: Option<String>, max: usize) -> Result<Option<String>, ApiError> {
    let value = value.filter(|text| !text.is_empty());
    if value.as_ref().is_some_and(|text| text.chars().count() > max) {
        return Err(ApiError::invalid(format!("{field} must have at most {max} characters")));
    }
    Ok(value)
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/payouts/{payoutId}/approve", approve)
            .named("approvePayout")
            .summary("Approve a payout")
            .path_id("payoutId")
            .about(account)
            .answer::<PayoutView>(200, "The payout, on its way.")
            .refuses(409, "The payout is not awaiting approval."),
        Route::post("/payouts/{payoutId}/reject", reject)
            .named("rejectPayout")
            .summary("Reject a payout")
            .path_id("payoutId")
            .about(account)
            .answer::<PayoutView>(200, "The payout, cancelled; its money is back.")
            .refuses(409, "The payout is not awaiting approval."),
        Route::post("/payouts/{payoutId}/complete", complete)
            .named("completePayout")
            .summary("Complete a payout")
            .path_id("payoutId")
            .about(account)
            .body_optional::<CompleteBody>()
            .answer::<PayoutView>(200, "The payout, completed; also of one that was before.")
            .refuses(400, "The reference is too long.")
            .refuses(
                409,
                "The payout is not on its way, or was completed under another reference.",
            ),
        Route::post("/payouts/{payoutId}/fail", fail)
            .named("failPayout")
            .summary("Fail a payout")
            .describe("Also for a completed payout that the bank has sent back.")
            .path_id("payoutId")
            .about(account)
            .body_optional::<FailBody>()
            .answer::<PayoutView>(200, "The payout, failed; its money is back.")
            .refuses(400, "The code is too long.")
            .refuses(409, "The payout is not on its way, or has failed with another code."),
    ]
}
