//! Drafts of invoices.

use std::sync::Arc;

use actors::contract::{Issued, IssuedOtherwise};
use actors::domain::billing::invoice::Draft;
use actors::domain::ids::{ContractId, InvoiceId};
use actors::domain::platform::limits::QuotaKind;
use actors::domain::time::Date;
use actors::query;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::billing::invoices::{InvoiceList, InvoiceView, NewInvoiceBody, drafted};
use crate::api::payments::idempotency_key::{self, Done};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "drafts";

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct IssueBody {
    /// Otherwise than the draft says.
    send: Option<bool>,
    /// Otherwise than the draft says, for one whose due date has passed.
    due_date: Option<Date>,
}

fn view(draft: &Draft) -> InvoiceView {
    InvoiceView::new(&draft.invoice, None).with_lines(&draft.lines)
}

async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (seller, paging) = (request.seller_id(), request.paging("beforeId")?);
    let contract = request.query_id("contractId", ContractId)?;
    let found = app.blocking(move |store| query::drafts(store, seller, contract, paging)).await?;
    Ok(Response::ok(&InvoiceList::of(found, |draft| view(&draft))))
}

async fn get(app: Arc<App>, request: Request) -> ApiResult {
    Ok(Response::ok(&view(&load(&app, &request).await?)))
}

async fn load(app: &App, request: &Request) -> Result<Draft, ApiError> {
    let (seller, id) = (request.seller_id(), request.id("invoiceId", InvoiceId)?);
    let found = app.blocking(move |store| query::draft(store, seller, id)).await?;
    found.ok_or_else(ApiError::missing)
}

async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let seller = request.seller_id();
    let create = |claim| async {
        let (contract, order) = drafted(&app, &request).await?;
        let made = app.contracts.create_draft_invoice(seller, contract, order, claim).await?;
        Ok::<_, ApiError>(made)
    };
    let before = match idempotency_key::once(&app, &request, ENDPOINT, create).await? {
        Done::Now(draft) => return Ok(Response::created(&view(&draft))),
        Done::Before(draft) => InvoiceId(draft),
    };
    let draft = app.blocking(move |store| query::any_draft(store, seller, before)).await?;
    let draft = draft.ok_or_else(ApiError::missing)?;
    let view = match draft.issued_as {
        // Its invoice has the lines by now: none are kept of it, and none are shown.
        Some(_) => InvoiceView::new(&draft.invoice, None),
        None => view(&draft),
    };
    Ok(Response::replayed(&view))
}

async fn issue(app: Arc<App>, request: Request) -> ApiResult {
    let IssueBody { send, due_date } = request.json()?;
    let otherwise = IssuedOtherwise { send, due_date };
    let (seller, id) = (request.seller_id(), request.id("invoiceId", InvoiceId)?);
    let draft = app.blocking(move |store| query::any_draft(store, seller, id)).await?;
    let draft = draft.ok_or_else(ApiError::missing)?;
    let (contract, id) = (draft.contract, draft.id);
    let issued = app.contracts.issue_draft_invoice(seller, contract, id, otherwise).await?;
    let Issued { invoice, lines } = issued;
    let view = InvoiceView::new(&invoice, app.payment_url(seller, &invoice)).with_lines(&lines);
    Ok(Response::created(&view))
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/drafts", list)
            .summary("The drafts of invoices that are not issued")
            .query_id("contractId", "Of one contract.")
            .paged("beforeId")
            .answer::<InvoiceList>(200, "Newest first."),
        Route::get("/drafts/{invoiceId}", get)
            .summary("A draft of an invoice")
            .path_id("invoiceId")
            .answer::<InvoiceView>(200, "As it would have been issued when it was made."),
        Route::post("/drafts", create)
            .idempotent()
            .quota(QuotaKind::Invoices)
            .summary("Draft an invoice; it has no number and bills nothing")
            .body::<NewInvoiceBody>()
            .answer::<InvoiceView>(201, "The draft."),
        Route::post("/drafts/{invoiceId}/issue", issue)
            .quota(QuotaKind::Invoices)
            .summary("Issue a draft as of now; one that was issued answers its invoice")
            .path_id("invoiceId")
            .body_optional::<IssueBody>()
            .answer::<InvoiceView>(201, "The invoice."),
    ]
}
