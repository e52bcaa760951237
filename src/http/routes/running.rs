//! Health, figures and the API document.

use crate::http::operations;
use crate::http::route::Route;

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/healthz", operations::health).summary("Whether the process runs").answer_as(
            200,
            "text/plain",
            "It does.",
        ),
        Route::get("/readyz", operations::readiness)
            .summary("Whether requests are taken")
            .answer_as(200, "text/plain", "They are.")
            .refuses(503, "Not yet, or not any more."),
        Route::get("/metrics", operations::metrics).summary("Figures for Prometheus").answer_as(
            200,
            "application/openmetrics-text",
            "The figures.",
        ),
        Route::get("/openapi.json", operations::document).summary("This document").answer_as(
            200,
            "application/json",
            "OpenAPI 3.1.",
        ),
        Route::get("/docs", operations::page).summary("This document to read").answer_as(
            200,
            "text/html",
            "A page.",
        ),
        Route::get("/docs/{file}", operations::asset)
            .summary("A file of the page")
            .path_text("file", "Name of the file.")
            .answer_as(200, "*/*", "The file.")
            .refuses(404, "No such file."),
    ]
}
