//! Payees in the operator's hands: their verification.

use std::sync::Arc;

use actors::domain::ids::{PayeeId, SellerId};
use actors::domain::payments::payee::{Decision, PayeeRefusal};
use actors::domain::refusal::Refusal;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::payments::payees::PayeeView;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// A decision on a payee.
#[derive(Deserialize, ToSchema)]
pub struct DecisionBody {
    /// `approved`, `rejected_retry`, `rejected_final` or `manual_review`.
    #[schema(required)]
    decision: Option<String>,
}

pub async fn verify(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("payeeId", PayeeId)?;
    let seller = app.payees.seller_of(id)?.ok_or_else(ApiError::missing)?;
    let body: DecisionBody = request.json()?;
    let refused = |refusal: PayeeRefusal| ApiError::from(Refusal::from(refusal));
    let name = body.decision.ok_or_else(|| refused(PayeeRefusal::Required("decision")))?;
    let decision = Decision::parse(&name).ok_or_else(|| refused(PayeeRefusal::Decision))?;
    let payee = app.payees.decide(seller, id, decision).await?;
    let mode = app.directory.seller(seller)?.ok_or_else(ApiError::missing)?.seller.mode;
    Ok(Response::ok(&PayeeView::new(&payee, mode)))
}

/// Whose payee the path names.
fn account(app: &App, request: &Request) -> Option<SellerId> {
    app.payees.seller_of(request.id("payeeId", PayeeId).ok()?).ok()?
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/payees/{payeeId}/verification", verify)
            .named("decidePayeeVerification")
            .summary("Decide on the verification of a payee")
            .describe("The same decision again changes nothing.")
            .path_id("payeeId")
            .about(account)
            .body::<DecisionBody>()
            .answer::<PayeeView>(200, "The payee as it is now.")
            .refuses(400, "No such decision.")
            .refuses(409, "The payee is archived."),
    ]
}
