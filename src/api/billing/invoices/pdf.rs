//! `GET /invoices/{invoiceId}/pdf`: the document as it is printed.

use std::sync::Arc;

use actors::domain::billing::invoice::Invoice;
use actors::domain::ids::SellerId;
use actors::query;
use hyper::StatusCode;
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};
use storage::ReadError;

use super::load_invoice;
use crate::app::App;
use crate::documents::{self, Document};
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

pub(super) const PDF: &str = "application/pdf";

pub async fn pdf(app: Arc<App>, request: Request) -> ApiResult {
    printed(&app, request.seller_id(), load_invoice(&app, &request)?).await
}

/// A document as it is printed.
pub(crate) async fn printed(app: &App, seller: SellerId, invoice: Invoice) -> ApiResult {
    let (name, made) = made(app, (seller, invoice), documents::pdf).await?;
    let file = made.map_err(|error| ApiError::internal(&error))?;
    Ok(answer(PDF, file, &format!("{name}.pdf")))
}

/// Makes something of a document. Answers it with the name of the document: its number, or its id
/// while it has none.
pub(super) async fn made<T: Send + 'static>(
    app: &App,
    (seller, invoice): (SellerId, Invoice),
    make: impl FnOnce(&Document) -> T + Send + 'static,
) -> Result<(String, T), ApiError> {
    let number = invoice.number.map(|number| number.to_string());
    let name = number.unwrap_or_else(|| invoice.id.0.to_string());
    let payment_url = app.payment_url(seller, &invoice);
    let store = app.store.clone();
    let work = move || {
        let lines = query::invoice_lines(&store, seller, invoice.id)?;
        Ok::<T, ReadError>(make(&Document { invoice, lines, payment_url }))
    };
    let made = documents::in_turn(work).await;
    Ok((name, made.map_err(|error| ApiError::internal(&error))??))
}

/// A file under its name, which has no character that would have to be quoted.
pub(super) fn answer(kind: &'static str, file: Vec<u8>, name: &str) -> Response {
    let answer = Response::bytes(StatusCode::OK, HeaderValue::from_static(kind), file);
    match HeaderValue::from_str(&format!("inline; filename=\"{name}\"")) {
        Ok(value) => answer.header(CONTENT_DISPOSITION, value),
        Err(_) => answer,
    }
}
