//! What is due on a contract, and work that is done.

use std::sync::Arc;

use actors::contract::{BillingRun, Issued};
use actors::domain::billing::invoice::Origin;
use actors::domain::ids::{ContractId, LineItemId};
use actors::domain::refusal::Refusal;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::usage::require_contract;
use crate::api::billing::contracts::ContractMade;
use crate::api::billing::invoices::InvoiceView;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WorkItemBody {
    contract_id: ContractId,
    line_item_id: LineItemId,
}

/// What a run has made, and what it could not make.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunView {
    /// In the order in which they were issued.
    invoices: Vec<InvoiceView>,
    /// The models of which something is due and could not be billed.
    failures: Vec<RunFailureView>,
    /// Whether something may be due still.
    has_more: bool,
}

#[derive(Serialize, ToSchema)]
struct RunFailureView {
    origin: Origin,
    status: u16,
    error: String,
}

impl From<(Origin, Refusal)> for RunFailureView {
    fn from((origin, refusal): (Origin, Refusal)) -> Self {
        let error = ApiError::from(refusal);
        Self { origin, status: error.status().as_u16(), error: error.text().to_owned() }
    }
}

async fn run(app: Arc<App>, request: Request) -> ApiResult {
    let (seller, contract) = (request.seller_id(), request.id("contractId", ContractId)?);
    let BillingRun { issued, failed, has_more } =
        app.contracts.run_billing(seller, contract).await?;
    let view = |Issued { invoice, lines }: &Issued| {
        InvoiceView::new(invoice, app.payment_url(seller, invoice)).with_lines(lines)
    };
    Ok(Response::ok(&RunView {
        invoices: issued.iter().map(view).collect(),
        failures: failed.into_iter().map(RunFailureView::from).collect(),
        has_more,
    }))
}

async fn complete(app: Arc<App>, request: Request) -> ApiResult {
    let WorkItemBody { contract_id, line_item_id } = request.json()?;
    let seller = request.seller_id();
    require_contract(&app, seller, contract_id)?;
    let done = app.contracts.complete_work_item(seller, contract_id, line_item_id).await?;
    Ok(Response::ok(&ContractMade::from(done)))
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/contracts/{contractId}/billing-run", run)
            .summary(
                "Bill what is due on a contract, whatever passes are on, in up to 100 documents; \
                 what could not be billed, and that more is due, is told by errors beside them",
            )
            .path_id("contractId")
            .answer::<RunView>(200, "What was issued, and what could not be."),
        Route::post("/work-items", complete)
            .summary("Say of a project or milestone that its work is done")
            .body::<WorkItemBody>()
            .answer::<ContractMade>(200, "The contract."),
    ]
}
