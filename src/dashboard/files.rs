//! Files by the session's cookie: documents as the API prints them, and lists for spreadsheets.
//! Nothing is decided here: documents come from the handlers of the API, and a list is walked page
//! by page over its own route.

mod lists;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use bytes::Bytes;
use futures::{Stream, stream};
use hyper::Method;
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};
use serde_json::value::RawValue;

use self::lists::{LISTS, ListFile};
use super::INSIDE;
use crate::api::billing::invoices::{as_export, export, pdf, xml};
use crate::api::spreadsheet::{defused, write};
use crate::app::App;
use crate::gate::{Behalf, Request, Route};
use crate::http::request::parse_id;
use crate::http::response::BodyError;
use crate::http::{ApiError, ApiResult, Response};

const CSV: HeaderValue = HeaderValue::from_static("text/csv; charset=utf-8; header=present");

/// Rows of a file of a list; whoever has more narrows the list.
const MOST_ROWS: usize = 100_000;

/// The parameters by which the list turns its own pages.
const PAGING: [&str; 4] = ["limit", "cursor", "beforeId", "afterId"];

type Fields = BTreeMap<String, Box<RawValue>>;

/// A list on its way.
struct Sending {
    by: Behalf,
    file: &'static ListFile,
    /// The list's address with its filters, ready for more parameters.
    target: String,
    /// A page that was read and is not sent.
    page: Option<Page>,
    sent: usize,
    begun: bool,
}

struct Page {
    items: Vec<Fields>,
    next: Option<u64>,
}

async fn list(app: Arc<App>, request: Request, file: &'static ListFile) -> ApiResult {
    let by = Behalf::of(&app, &request);
    let target = target(file, request.uri.query().unwrap_or_default())?;
    // Read before anything is sent: what is wrong with the filters has an answer of its own.
    let page = match page(&by, file, &target, None).await? {
        Ok(page) => page,
        Err(refused) => return Ok(refused),
    };
    let sending = Sending { by, file, target, page: Some(page), sent: 0, begun: false };
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let name = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let name = name.map_err(|error| ApiError::internal(&error))?;
    Ok(Response::stream(CSV, sending.pieces()).header(CONTENT_DISPOSITION, name).unstored())
}

/// The address of a list, narrowed as `query` says.
fn target(file: &ListFile, query: &str) -> Result<String, ApiError> {
    let mut target = file.route.to_owned();
    let mut rest = form_urlencoded::Serializer::new(String::new());
    let (mut contract, place) = (None, "{contractId}");
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if name == "contractId" && target.contains(place) {
            contract = Some(parse_id("contractId", &value)?);
        } else if !PAGING.contains(&name.as_ref()) {
            rest.append_pair(&name, &value);
        }
    }
    if target.contains(place) {
        let contract = contract.ok_or_else(|| ApiError::invalid("contractId is required"))?;
        target = target.replace(place, &contract.to_string());
    }
    let _ = write!(target, "?limit=100&{}", rest.finish());
    Ok(target)
}

/// A page of the list, or its route's refusal.
async fn page(
    by: &Behalf,
    file: &ListFile,
    target: &str,
    cursor: Option<u64>,
) -> Result<Result<Page, Response>, ApiError> {
    let target = match cursor {
        Some(cursor) => format!("{target}&cursor={cursor}"),
        None => target.to_owned(),
    };
    let answer = INSIDE.ask(by, (Method::GET, &target), None, Bytes::new()).await;
    if !answer.status().is_success() {
        return Ok(Err(answer));
    }
    let (_, body) = answer.into_whole();
    let wrong = |error: serde_json::Error| ApiError::internal(&error);
    let mut fields: Fields = serde_json::from_slice(&body).map_err(wrong)?;
    let items = fields.remove(file.items);
    let items = items.map(|items| serde_json::from_str(items.get())).transpose().map_err(wrong)?;
    let next = fields.get("nextCursor").map(|next| serde_json::from_str(next.get()));
    let next = next.transpose().map_err(wrong)?;
    Ok(Ok(Page { items: items.unwrap_or_default(), next }))
}

impl Sending {
    /// Each page is read when the one before it is on its way.
    fn pieces(self) -> impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static {
        stream::try_unfold(self, |mut sending| async move {
            let piece = sending.next().await;
            let piece = piece.inspect_err(|error| tracing::error!(%error, "a file was broken off"));
            Ok(piece?.map(|piece| (piece, sending)))
        })
    }

    async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        let mut piece = Vec::new();
        if !std::mem::replace(&mut self.begun, true) {
            write(&mut piece, |writer| writer.write_record(self.file.columns))?;
        }
        let Some(page) = self.page.take() else { return Ok(None) };
        let room = MOST_ROWS - self.sent;
        let rows = &page.items[..room.min(page.items.len())];
        self.sent += rows.len();
        write(&mut piece, |writer| {
            rows.iter().try_for_each(|item| {
                let cells = self.file.columns.iter().map(|column| cell(item, column));
                writer.write_record(cells)
            })
        })?;
        if let Some(next) = page.next {
            self.page = match self.sent < MOST_ROWS {
                true => Some(self.read(next).await?),
                false => None,
            };
        }
        Ok(Some(piece.into()))
    }

    async fn read(&self, cursor: u64) -> Result<Page, BodyError> {
        let read = page(&self.by, self.file, &self.target, Some(cursor)).await;
        let read = read.map_err(|error| BodyError::from(error.text().to_owned()))?;
        read.map_err(|refused| format!("a page was answered {}", refused.status()).into())
    }
}

/// The value of a field as a spreadsheet takes it: numbers as they stand in the answer.
fn cell(item: &Fields, column: &str) -> String {
    let (name, below) = match column.split_once('.') {
        Some((name, below)) => (name, Some(below)),
        None => (column, None),
    };
    let Some(value) = item.get(name) else { return String::new() };
    if let Some(below) = below {
        let inner: Fields = serde_json::from_str(value.get()).unwrap_or_default();
        return cell(&inner, below);
    }
    match serde_json::from_str::<Option<String>>(value.get()) {
        Ok(text) => defused(&text.unwrap_or_default()).into_owned(),
        Err(_) => value.get().to_owned(),
    }
}

fn route(file: &'static ListFile) -> Route {
    let route = Route::get(file.path, move |app, request| list(app, request, file))
        .summary(file.about)
        .describe(
            "CSV for spreadsheets by the session's cookie, with the filters and in the order of \
             the list, of at most 100,000 rows. Pages are read one after the other while the file \
             is sent. A text that a spreadsheet would run as a formula begins with an apostrophe.",
        )
        .answer_file("text/csv", "The file.")
        .refuses(400, "A filter is malformed.");
    file.filters.iter().fold(route, |route, (name, about)| route.query_text(name, about))
}

pub fn routes() -> Vec<Route> {
    let mut all = vec![
        Route::get("/dashboard/files/invoices/{invoiceId}/pdf", pdf)
            .summary("Print an invoice")
            .path_id("invoiceId")
            .answer_file("application/pdf", "The file, as the API makes it."),
        Route::get("/dashboard/files/invoices/{invoiceId}/xml", xml)
            .summary("Read an invoice as an electronic invoice")
            .path_id("invoiceId")
            .query_one_of("syntax", &["cii", "ubl"], "How it is written.")
            .answer_file("application/xml", "The file, as the API makes it.")
            .refuses(422, "It lacks what an electronic invoice has to say; the fields are named."),
        as_export(Route::get("/dashboard/files/invoices/export", export))
            .summary("Export the invoices of a period")
            .describe("As `/billing-api/v1/invoices/export`, with all of its parameters.")
            .refuses(400, "A parameter is malformed, or the period has too many documents."),
    ];
    all.extend(LISTS.iter().map(route));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> &'static ListFile {
        let found = LISTS.iter().find(|file| file.path.ends_with(name));
        found.expect("a file of this name")
    }

    #[test]
    fn filters_go_on_to_the_list_and_pages_are_its_own() {
        let invoices = file("/invoices.csv");
        let query = "status=paid&limit=5&cursor=7&issuedFrom=2027-01-01T00%3A00%3A00%2B01%3A00";
        assert_eq!(
            target(invoices, query).expect("a target"),
            "/billing-api/v1/invoices?limit=100&status=paid&\
             issuedFrom=2027-01-01T00%3A00%3A00%2B01%3A00"
        );
        let entries = file("/credit-entries.csv");
        assert_eq!(
            target(entries, "contractId=7").expect("a target"),
            "/billing-api/v1/contracts/7/credits?limit=100&"
        );
        let refused = |query| target(entries, query).expect_err("a refusal").text().to_owned();
        assert_eq!(refused(""), "contractId is required");
        assert!(refused("contractId=..%2F..").starts_with("contractId must be"));
    }

    #[test]
    fn cells_keep_numbers_to_the_letter_and_take_nothing_for_a_formula() {
        let item = r#"{"id":7,"amount":10.50,"delta":-3,"name":"=1+1","none":null,"ok":true,
            "card":{"last4":"4242"},"quantity":"1.000"}"#;
        let item: Fields = serde_json::from_str(item).expect("JSON");
        for (column, expected) in [
            ("id", "7"),
            ("amount", "10.50"),
            ("delta", "-3"),
            ("name", "'=1+1"),
            ("none", ""),
            ("missing", ""),
            ("ok", "true"),
            ("card.last4", "4242"),
            ("card.brand", ""),
            ("missing.brand", ""),
            ("quantity", "1.000"),
        ] {
            assert_eq!(cell(&item, column), expected, "{column}");
        }
    }
}
