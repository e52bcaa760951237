//! `POST /sellers/{sellerAccountId}/contracts/{contractId}/billing-run`: bills what is due.

use std::sync::Arc;

use actors::contract::{BillingRun, Issued};
use actors::domain::billing::invoice::Origin;
use actors::domain::ids::{ContractId, SellerId};
use actors::domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::billing::invoices::InvoiceView;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// What a billing run did.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BillingRunView {
    contract_id: u64,
    /// In the order in which they were issued, without their lines.
    invoices: Vec<InvoiceView>,
    /// The models of which something is due and could not be billed.
    failures: Vec<BillingFailureView>,
    /// Whether something may be due still.
    has_more: bool,
}

/// Why a model was not billed, or not to its end.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BillingFailureView {
    origin: Origin,
    error: String,
}

pub async fn run(app: Arc<App>, request: Request) -> ApiResult {
    let seller = request.id("sellerAccountId", SellerId)?;
    let contract = request.id("contractId", ContractId)?;
    app.directory.seller(seller)?.ok_or_else(ApiError::missing)?;
    let BillingRun { issued, failed, has_more } =
        app.contracts.run_billing(seller, contract).await?;
    let view = |Issued { invoice, .. }: &Issued| {
        InvoiceView::new(invoice, app.payment_url(seller, invoice))
    };
    let failure =
        |(origin, refusal): (Origin, Refusal)| BillingFailureView { origin, error: refusal.text };
    Ok(Response::ok(&BillingRunView {
        contract_id: contract.0,
        invoices: issued.iter().map(view).collect(),
        failures: failed.into_iter().map(failure).collect(),
        has_more,
    }))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/sellers/{sellerAccountId}/contracts/{contractId}/billing-run", run)
            .named("billContract")
            .summary("Bill what is due on a contract")
            .describe(
                "Whatever passes are switched on, and model by model: due subscription terms, \
                 oldest first; closed usage; projects and milestones that are completed; one-time \
                 items and adjustments. Each makes documents of its own origin. A model that \
                 cannot be billed leaves the documents of the others as they are, and a repeated \
                 run makes only what is missing. Unlike the pass, a run also issues a contract's \
                 first recurring invoice. It begins no terms and closes no usage. One run makes at \
                 most 100 documents; `hasMore` says to run again.\n\nProjects, \
                 milestones, one-time items and adjustments are the line items of the contract's \
                 current version, at `quantity` times `amountMinor`; each is billed once, however \
                 it is amended, until its document is voided. Documents are made out and collected \
                 as the last recurring or usage invoice of the contract, else to its customer by \
                 payment link. Items of type `marketplace` have no price of their own: they are \
                 invoiced with lines.",
            )
            .path_id("sellerAccountId")
            .path_id("contractId")
            .answer::<BillingRunView>(200, "What was issued, and what could not be.")
            .refuses(404, "There is no such seller, or no such contract of its."),
    ]
}
