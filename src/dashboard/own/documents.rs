//! Documents: voided, written off, credited.

use std::sync::Arc;

use actors::domain::platform::limits::QuotaKind;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::reason::Reason;
use crate::api::billing::invoices::{InvoiceView, LineBody, create, load_invoice, whole};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// Why an invoice ends.
#[derive(Deserialize, ToSchema)]
struct ReasonBody {
    reason: Reason,
}

/// A credit note over an issued invoice; amounts are given positive.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CreditNoteBody {
    /// The number of the invoice.
    corrects: String,
    #[schema(value_type = Vec<LineBody>)]
    lines: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    memo: Option<Box<RawValue>>,
    #[serde(skip_deserializing)]
    #[schema(ignore)]
    invoice_type: &'static str,
}

async fn void(app: Arc<App>, request: Request) -> ApiResult {
    let ReasonBody { reason: Reason(reason) } = request.json()?;
    let invoice = load_invoice(&app, &request)?;
    let (seller, contract) = (request.seller_id(), invoice.contract);
    let voided = app.contracts.void_invoice(seller, contract, invoice.id, reason).await?;
    Ok(Response::ok(&whole(&app, &voided, &request)?))
}

async fn write_off(app: Arc<App>, request: Request) -> ApiResult {
    let ReasonBody { reason: Reason(reason) } = request.json()?;
    let invoice = load_invoice(&app, &request)?;
    let (seller, contract) = (request.seller_id(), invoice.contract);
    let ended = app.contracts.write_off_invoice(seller, contract, invoice.id, reason).await?;
    Ok(Response::ok(&whole(&app, &ended, &request)?))
}

/// An invoice of the type `credit_note`: what it corrects says the rest.
async fn credit(app: Arc<App>, mut request: Request) -> ApiResult {
    let note = CreditNoteBody { invoice_type: "credit_note", ..request.json()? };
    let body = serde_json::to_vec(&note).map_err(|error| ApiError::internal(&error))?;
    request.body = Bytes::from(body);
    create(app, request).await
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/invoices/{invoiceId}/void", void)
            .summary("Void an invoice: what it billed is due again, what it had drawn comes back")
            .path_id("invoiceId")
            .body::<ReasonBody>()
            .answer::<InvoiceView>(200, "The invoice."),
        Route::post("/invoices/{invoiceId}/write-off", write_off)
            .summary("Give up what is outstanding of an invoice")
            .path_id("invoiceId")
            .body::<ReasonBody>()
            .answer::<InvoiceView>(200, "The invoice."),
        Route::post("/credit-notes", credit)
            .quota(QuotaKind::Invoices)
            .idempotent()
            .summary("Credit an issued invoice")
            .body::<CreditNoteBody>()
            .answer::<InvoiceView>(201, "The credit note."),
    ]
}
