//! `GET /invoices/{invoiceId}/xml`: the document as an electronic invoice.

use std::sync::Arc;

use actors::domain::billing::invoice::Invoice;
use serde::Serialize;
use utoipa::ToSchema;

use super::load_invoice;
use super::pdf::{answer, made};
use crate::app::App;
use crate::documents::{self, Document, Syntax};
use crate::gate::Request;
use crate::http::{ApiError, ApiResult};

pub(super) const XML: &str = "application/xml";
pub(super) const SYNTAXES: &[&str] = &["cii", "ubl"];

/// Whether the document can be an electronic invoice of EN 16931.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EInvoiceView {
    available: bool,
    /// What it lacks: fields of the invoice. Those of `seller` are as they were on the day of
    /// issue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<&'static str>,
}

impl EInvoiceView {
    pub(super) fn of(invoice: &Invoice) -> Self {
        let missing = documents::missing(invoice);
        Self { available: missing.is_empty(), missing }
    }
}

pub async fn xml(app: Arc<App>, request: Request) -> ApiResult {
    let expected = format!("one of {}", SYNTAXES.join(", "));
    let syntax = request.query_as("syntax", &expected, parse)?.unwrap_or(Syntax::Cii);
    let make = move |document: &Document| documents::xml(document, syntax);
    let invoice = load_invoice(&app, &request)?;
    let (name, made) = made(&app, (request.seller_id(), invoice), make).await?;
    let file = made.map_err(|missing| ApiError::unprocessable(missing.to_string()))?;
    Ok(answer(XML, file, &format!("{name}.xml")))
}

fn parse(name: &str) -> Option<Syntax> {
    match name {
        "cii" => Some(Syntax::Cii),
        "ubl" => Some(Syntax::Ubl),
        _ => None,
    }
}
