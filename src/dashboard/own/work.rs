//! What is due on a contract, and work that is done.

use std::sync::Arc;

use actors::contract::{BillingRun, Issued};
use actors::domain::ids::{ContractId, LineItemId};
use serde::Deserialize;
use utoipa::ToSchema;

use super::usage::require_contract;
use crate::api::billing::contracts::ContractMade;
use crate::api::billing::invoices::InvoiceView;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiResult, Response};

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WorkItemBody {
    contract_id: ContractId,
    line_item_id: LineItemId,
}

/// The invoices that a run has made. Where it made none and something is due, why.
async fn run(app: Arc<App>, request: Request) -> ApiResult {
    let (seller, contract) = (request.seller_id(), request.id("contractId", ContractId)?);
    let BillingRun { issued, failed, .. } = app.contracts.run_billing(seller, contract).await?;
    if let Some((_, refusal)) = failed.into_iter().next().filter(|_| issued.is_empty()) {
        return Err(refusal.into());
    }
    let view = |Issued { invoice, lines }: &Issued| {
        InvoiceView::new(invoice, app.payment_url(seller, invoice)).with_lines(lines)
    };
    Ok(Response::ok(&issued.iter().map(view).collect::<Vec<_>>()))
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
                "Bill what is due on a contract, whatever passes are on, in up to 100 documents",
            )
            .path_id("contractId")
            .answer::<Vec<InvoiceView>>(200, "What was issued, in order."),
        Route::post("/work-items", complete)
            .summary("Say of a project or milestone that its work is done")
            .body::<WorkItemBody>()
            .answer::<ContractMade>(200, "The contract."),
    ]
}
