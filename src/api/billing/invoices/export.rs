//! `GET /invoices/export`: the documents of a period as one file, sent while it is read.

mod csv;
mod filter;
mod topup;

use std::sync::Arc;

use actors::domain::billing::invoice::parse_bound;
use actors::domain::ids::SellerId;
use actors::query::{Export, ExportRow, MAX_EXPORT};
use bytes::Bytes;
use futures::{Stream, stream};
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};

use self::filter::{ORIGINS, STATUSES};
use self::topup::TopupRow;
use super::InvoiceView;
use super::filter::{BOUND, TYPES};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::response::BodyError;
use crate::http::{self, ApiError, ApiResult, Response};

const CSV: &str = "text/csv";
const NDJSON: &str = "application/x-ndjson";
const FORMATS: &[&str] = &["csv", "ndjson"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Ndjson,
}

/// A file on its way.
struct Sending {
    app: Arc<App>,
    seller: SellerId,
    format: Format,
    /// None where nothing can be in it.
    export: Option<Export>,
    begun: bool,
}

/// A route of the export, with what it is asked by and the file that it answers.
pub(crate) fn as_export(route: Route) -> Route {
    route
        .query_needed_time("issuedFrom", "Only those issued at this time or later.")
        .query_needed_time("issuedTo", "Only those issued before this time.")
        .query_one_of("format", FORMATS, "CSV unless stated.")
        .query_text("contractId", "Only those of this contract.")
        .query_text("sellerCustomerId", "Only those of this customer.")
        .query_one_of("origin", ORIGINS, "Only those that bill this.")
        .query_one_of("status", STATUSES, "Only those that stand so.")
        .query_one_of("invoiceType", TYPES, "Only documents of this sort.")
        .answer_file(CSV, "The file.")
        .answer_file(NDJSON, "The file, if it was asked for as such.")
}

pub async fn export(app: Arc<App>, request: Request) -> ApiResult {
    let format = request.query_as("format", "one of csv, ndjson", Format::parse)?;
    let format = format.unwrap_or(Format::Csv);
    let filter = filter::read(&request)?;
    require_period(&request)?;
    let (seller, now) = (request.seller_id(), request.now);
    let export = match filter {
        None => None,
        Some(filter) => {
            let opened = app
                .blocking(move |store| Export::open(store, seller, filter, now, MAX_EXPORT))
                .await?;
            let too_many = format!("the period has more than {MAX_EXPORT} documents");
            Some(opened.ok_or_else(|| ApiError::invalid(too_many))?)
        }
    };
    let sending = Sending { app, seller, format, export, begun: false };
    let file = Response::stream(format.kind(), sending.pieces());
    let name = HeaderValue::from_static(format.disposition());
    Ok(file.header(CONTENT_DISPOSITION, name).unstored())
}

/// Both ends, the first of them first.
fn require_period(request: &Request) -> Result<(), ApiError> {
    let bound = |name: &str| {
        let bound = request.query_as(name, BOUND, parse_bound)?;
        bound.ok_or_else(|| ApiError::invalid(format!("{name} is required")))
    };
    if bound("issuedFrom")? > bound("issuedTo")? {
        return Err(ApiError::invalid("issuedTo must not be before issuedFrom"));
    }
    Ok(())
}

impl Format {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "csv" => Some(Self::Csv),
            "ndjson" => Some(Self::Ndjson),
            _ => None,
        }
    }

    fn kind(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Ndjson => NDJSON,
        })
    }

    fn disposition(self) -> &'static str {
        match self {
            Self::Csv => "attachment; filename=\"invoices.csv\"",
            Self::Ndjson => "attachment; filename=\"invoices.ndjson\"",
        }
    }
}

impl Sending {
    /// Each piece is read when the one before it is on its way: a slow reader keeps no thread, and
    /// no more than one piece in memory. What is cut off ends with the part that is being read.
    fn pieces(self) -> impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static {
        stream::try_unfold(self, |mut sending| async move {
            loop {
                let read = http::blocking(move || Ok(sending.next())).await;
                let read = read.map_err(|error| BodyError::from(error.to_string())).flatten();
                match read {
                    // An empty piece would be no harm, and is no use.
                    Ok(Some((piece, rest))) if piece.is_empty() => sending = rest,
                    Err(error) => {
                        tracing::error!(%error, "an export was broken off");
                        return Err(error);
                    }
                    read => return read,
                }
            }
        })
    }

    /// The next piece, perhaps an empty one, and what comes after it; nothing at the end.
    fn next(mut self) -> Result<Option<(Bytes, Self)>, BodyError> {
        let mut piece = Vec::new();
        if !std::mem::replace(&mut self.begun, true) && self.format == Format::Csv {
            csv::head(&mut piece)?;
            return Ok(Some((piece.into(), self)));
        }
        let Some(export) = &mut self.export else { return Ok(None) };
        let Some(rows) = export.part()? else { return Ok(None) };
        match self.format {
            Format::Csv => csv::rows(&rows, self.app.clock.now(), &mut piece)?,
            Format::Ndjson => lines(&self.app, self.seller, &rows, &mut piece)?,
        }
        Ok(Some((piece.into(), self)))
    }
}

fn lines(
    app: &App,
    seller: SellerId,
    rows: &[ExportRow],
    to: &mut Vec<u8>,
) -> Result<(), BodyError> {
    for row in rows {
        match row {
            ExportRow::Invoice(invoice) => {
                let page = app.payment_url(seller, invoice);
                serde_json::to_writer(&mut *to, &InvoiceView::new(invoice, page))?;
            }
            ExportRow::Topup(topup) => {
                serde_json::to_writer(&mut *to, &TopupRow::of(topup.as_ref(), app.clock.now()))?;
            }
        }
        to.push(b'\n');
    }
    Ok(())
}
