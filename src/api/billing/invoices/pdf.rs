//! `GET /invoices/{invoiceId}/pdf`: the document as it is printed.

use std::sync::Arc;

use actors::query;
use hyper::StatusCode;
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};
use tokio::sync::Semaphore;

use super::load_invoice;
use crate::app::App;
use crate::documents::{self, Document};
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

pub(super) const PDF: &str = "application/pdf";

/// Documents that are made at once: a thread that is busy with one is not there for writes.
static PLACES: Semaphore = Semaphore::const_new(2);

pub async fn pdf(app: Arc<App>, request: Request) -> ApiResult {
    let document = load(&app, &request)?;
    let name = file_name(&document, "pdf");
    let made = off_thread(move || documents::pdf(&document)).await?;
    let file = made.map_err(|error| ApiError::internal(&error))?;
    let kind = HeaderValue::from_static(PDF);
    Ok(named(Response::bytes(StatusCode::OK, kind, file), &name))
}

/// Makes a file away from the threads that serve connections, when its turn has come.
pub(super) async fn off_thread<T: Send + 'static>(
    make: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    let place = PLACES.acquire().await.map_err(|closed| ApiError::internal(&closed))?;
    let make = move || {
        // Kept to the end, also when nobody waits for the file any more.
        let _place = place;
        make()
    };
    tokio::task::spawn_blocking(make).await.map_err(|error| ApiError::internal(&error))
}

/// The document of the invoice in the path.
pub(super) fn load(app: &App, request: &Request) -> Result<Document, ApiError> {
    let invoice = load_invoice(app, request)?;
    let lines = query::invoice_lines(&app.store, request.seller_id(), invoice.id)?;
    let payment_url = app.payment_url(request.seller_id(), &invoice);
    Ok(Document { invoice, lines, payment_url })
}

/// What a browser calls the file: the number of the document, or its id while it has none.
pub(super) fn file_name(document: &Document, extension: &str) -> String {
    let invoice = &document.invoice;
    let number = invoice.number.map(|number| number.to_string());
    format!("{}.{extension}", number.unwrap_or_else(|| invoice.id.0.to_string()))
}

/// The same answer under a file name, which has no character that would have to be quoted.
pub(super) fn named(response: Response, name: &str) -> Response {
    match HeaderValue::from_str(&format!("inline; filename=\"{name}\"")) {
        Ok(value) => response.header(CONTENT_DISPOSITION, value),
        Err(_) => response,
    }
}
