//! Uploads of events as CSV, taken in while they come and recorded behind.

mod form;
mod parts;
mod row;

use std::sync::Arc;

use actors::domain::billing::usage::upload::{Upload, UploadStatus};
use actors::domain::ids::UploadId;
use actors::domain::platform::seller::Scope;
use actors::intake::ReceiveError;
use actors::query;
use hyper::header::CONTENT_TYPE;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use self::form::Form;
pub use self::row::read_row;
use super::dead_letters;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;

/// The largest body: the file, the mapping and what stands around them.
pub const MAX_BODY_BYTES: usize = MAX_FILE_BYTES + 64 * 1024;

/// The parts of an upload, in either order.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the shape of an upload; its parts are read while they come")]
pub struct UploadForm {
    /// A CSV file with a header: UTF-8, at most 16 MiB. Cells are separated by commas, semicolons
    /// or tabs, whichever the header shows, and may be quoted.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    /// Which column is which field: a JSON object with `contractId`, `metric`, `quantity` and
    /// `occurredAt`, and optionally `idempotencyKey` and `metadata`. Each field is a column name,
    /// or `{"const": "value"}`; `metadata` is an object of key to such. At most 8 KiB.
    mapping: String,
}

/// An upload that is on disk.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadAccepted {
    upload_id: u64,
    /// Rows without the header.
    rows: u64,
}

/// How far an upload is.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadView {
    upload_id: u64,
    status: UploadStatus,
    /// Rows without the header.
    rows: u64,
    ingested: u64,
    /// Rows that repeat an event that was recorded before.
    duplicates: u64,
    /// Rows that were refused, and lie among the dead letters.
    parked: u64,
    /// Of a stopped upload: the last row that was taken. It was refused, unless the account may
    /// keep no more; nothing behind it is recorded.
    stopped_at_row: Option<u64>,
    /// Why it stopped.
    reason: Option<String>,
}

pub async fn upload(app: Arc<App>, mut request: Request) -> ApiResult {
    dead_letters::room(&app, request.seller_id())?;
    let boundary = request
        .header(CONTENT_TYPE.as_str())
        .and_then(|kind| multer::parse_boundary(kind).ok())
        .ok_or_else(|| invalid("expected multipart/form-data with the parts file and mapping"))?;
    let form = Form::new(request.take_upload().pieces(), boundary);
    let mut receiving = app.intake.receive(request.seller_id());
    match parts::read(form, &mut receiving).await {
        Ok(upload) => {
            Ok(Response::accepted(&UploadAccepted { upload_id: upload.id.0, rows: upload.rows }))
        }
        Err(problem) => {
            receiving.abandon().await;
            Err(problem)
        }
    }
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("uploadId", UploadId)?;
    let upload =
        query::upload(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)?;
    Ok(Response::ok(&UploadView::from(&upload)))
}

impl From<&Upload> for UploadView {
    fn from(upload: &Upload) -> Self {
        Self {
            upload_id: upload.id.0,
            status: upload.status(),
            rows: upload.rows,
            ingested: upload.ingested,
            duplicates: upload.duplicates,
            parked: upload.parked,
            stopped_at_row: upload.stopped.as_ref().map(|stopped| stopped.row),
            reason: upload.stopped.as_ref().map(|stopped| stopped.reason.clone()),
        }
    }
}

fn invalid(why: &str) -> ApiError {
    ApiError::invalid(format!("invalid request body: {why}"))
}

impl From<ReceiveError> for ApiError {
    fn from(error: ReceiveError) -> Self {
        match error {
            ReceiveError::File(_) | ReceiveError::Mapping(_) => invalid(&error.to_string()),
            ReceiveError::Room(error) => error.into(),
            ReceiveError::Store(_) => Self::internal(&error),
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/csv", upload)
            .named("uploadUsageCsv")
            .needs(Scope::UsageWrite)
            .summary("Upload events as CSV")
            .describe(
                "The file is on disk when this answers; its rows are recorded behind, by the \
                 rules of `POST /usage/events`. It may take nine minutes to come, and a seller has \
                 at most 8 on their way at once. Rows are counted from 1, the header not \
                 counted. A row that is refused is parked among the dead letters, its reason \
                 beginning with its number. Without a mapped `idempotencyKey` a row has the \
                 key `csv:<uploadId>:<row>`. An empty cell is no member of `metadata`. A cell that \
                 begins with a quote ends with one, and a quote within it is doubled; so it may \
                 go over several lines. A row with text behind a closing quote is parked, with all \
                 the lines that its quotes tie together, and a file that ends within quotes is \
                 refused as a whole. Elsewhere in a cell a quote stands for itself. A row \
                 with more than 24 KiB in its mapped columns is parked, with their beginnings. \
                 After 1,000 rows refused one after the other, or 10,000 in all, or when as many \
                 letters are parked as may be, or when a sandbox account keeps as much as it may, \
                 the upload stops: its `status` is `stopped`, and nothing behind `stoppedAtRow` is \
                 recorded.",
            )
            .multipart::<UploadForm>(MAX_BODY_BYTES)
            .answer::<UploadAccepted>(202, "The upload is on disk.")
            .refuses(
                400,
                "A part is missing, the file has no header, a quote in it is not closed, or the \
                 mapping names a column that is not there.",
            )
            .refuses(413, "The file is larger than 16 MiB.")
            .refuses(429, "As many dead letters are parked as may be: redrive or discard some."),
        Route::get("/csv/{uploadId}", get)
            .named("getUsageUpload")
            .needs_one_of(&[Scope::BillingRead, Scope::UsageWrite])
            .summary("Read how far an upload is")
            .path_id("uploadId")
            .answer::<UploadView>(200, "The rows so far, by what became of them."),
    ]
}
