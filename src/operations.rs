//! Health, figures and the API document.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderValue};

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

pub const FIGURES_PATH: &str = "/metrics";

const FIGURES: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
const SCRIPT: HeaderValue = HeaderValue::from_static("text/javascript; charset=utf-8");
const STYLE: HeaderValue = HeaderValue::from_static("text/css; charset=utf-8");
const A_DAY: HeaderValue = HeaderValue::from_static("public, max-age=86400");

/// Redoc, MIT licence; the licences of what it contains stand beside it.
static VIEWER: &[u8] = include_bytes!("operations/redoc.standalone.js");
static LICENCES: &str = include_str!("operations/redoc.LICENSE.txt");
static PAGE: &str = include_str!("operations/docs.html");
static START: &str = include_str!("operations/docs.js");
static LOOKS: &str = include_str!("operations/docs.css");

/// The viewer styles itself as it runs and reads the document in a worker of its own making;
/// nothing comes from anywhere else.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' \
    'unsafe-inline'; img-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The process runs.
async fn health(_: Arc<App>, _: Request) -> ApiResult {
    Ok(Response::text(StatusCode::OK, "ok"))
}

/// The process takes requests, and everything that works by itself does so.
async fn readiness(app: Arc<App>, _: Request) -> ApiResult {
    let faults = app.faults();
    if faults.is_empty() {
        return Ok(Response::text(StatusCode::OK, "ready"));
    }
    let faults: Vec<_> = faults.iter().map(|(part, reason)| format!("{part}: {reason}")).collect();
    Err(ApiError::unavailable(format!("not ready: {}", faults.join("; ")), 1))
}

async fn metrics(app: Arc<App>, _: Request) -> ApiResult {
    let figures = app.metrics.render().map_err(|error| ApiError::internal(&error))?;
    Ok(Response::bytes(StatusCode::OK, FIGURES, figures))
}

async fn document(_: Arc<App>, call: Request) -> ApiResult {
    Ok(Response::json_bytes(StatusCode::OK, call.api_document()))
}

async fn pages_document(_: Arc<App>, call: Request) -> ApiResult {
    Ok(Response::json_bytes(StatusCode::OK, call.pages_document()))
}

async fn page(_: Arc<App>, _: Request) -> ApiResult {
    Ok(Response::html(StatusCode::OK, PAGE).policy(PAGE_POLICY))
}

async fn asset(_: Arc<App>, call: Request) -> ApiResult {
    let name = call.text_param("file")?;
    let reply = match &*name {
        "redoc.standalone.js" => Response::bytes(StatusCode::OK, SCRIPT, VIEWER),
        "docs.js" => Response::bytes(StatusCode::OK, SCRIPT, START),
        "docs.css" => Response::bytes(StatusCode::OK, STYLE, LOOKS),
        "LICENSE.txt" => Response::text(StatusCode::OK, LICENCES),
        _ => return Err(ApiError::missing()),
    };
    Ok(reply.header(CACHE_CONTROL, A_DAY))
}

/// Figures, which may have an address of their own.
pub fn figures() -> Vec<Route> {
    vec![Route::get(FIGURES_PATH, metrics).summary("Figures for Prometheus").answer_as(
        200,
        "application/openmetrics-text",
        "The figures.",
    )]
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/healthz", health).summary("Whether the process runs").answer_as(
            200,
            "text/plain",
            "It does.",
        ),
        Route::get("/readyz", readiness)
            .summary("Whether requests are taken")
            .describe(
                "Requests are taken, and the writer of the disk and the workers behind it make \
                 progress.",
            )
            .answer_as(200, "text/plain", "All is well.")
            .refuses(503, "What is not well, part by part, each with its reason."),
        Route::get("/openapi.json", document).summary("This document").answer_as(
            200,
            "application/json",
            "OpenAPI 3.1.",
        ),
        Route::get("/openapi-pages.json", pages_document)
            .summary("The same of the pages that browsers open, and of their files")
            .answer_as(200, "application/json", "OpenAPI 3.1."),
        Route::get("/docs", page).page().summary("The API document to read").answer_as(
            200,
            "text/html",
            "A page.",
        ),
        Route::get("/docs/{file}", asset)
            .page()
            .summary("A file of the page")
            .path_text("file", "Name of the file.")
            .answer_as(200, "*/*", "The file.")
            .refuses(404, "No such file."),
    ]
}
