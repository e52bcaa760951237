//! What comes in as metered usage beside single events: metrics, uploads, dead letters, inbound
//! endpoints and the receiver behind them. All but the receiver answer under two paths.

use super::twin::twin;
use crate::api::billing::usage::{csv, dead_letters, endpoints, metrics, receiver};
use crate::http::route::Route;

/// What dead letters can be asked for by.
const LETTER_STATUSES: &[&str] = &["parked", "redriven", "discarded"];

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    [registry(), uploads(), letters(), inbound()].concat()
}

fn registry() -> Vec<Route> {
    [
        twin(
            "/usage/v1/metrics",
            Route::post("/billing-api/v1/usage/metrics", metrics::register)
                .tag("Metrics")
                .summary("Register a metric")
                .describe(
                    "The definition is `aggregation`, `uniqueKey` and `unit`. Registering it \
                     again changes nothing; another one under the same name is the next version, \
                     to which events belong from then on. A new `description` alone makes no \
                     version. `platform.seat.active` is reserved.",
                )
                .body::<metrics::NewMetricBody>()
                .answer::<metrics::MetricView>(201, "The metric in its current version.")
                .refuses(400, "A field is missing or wrong; the text names it."),
        ),
        twin(
            "/usage/v1/metrics",
            Route::get("/billing-api/v1/usage/metrics", metrics::list)
                .tag("Metrics")
                .summary("List metrics")
                .answer::<metrics::MetricList>(200, "All of them, by name."),
        ),
        twin(
            "/usage/v1/metrics/{metricName}",
            Route::get("/billing-api/v1/usage/metrics/{metricName}", metrics::get)
                .tag("Metrics")
                .summary("Read a metric")
                .path_text("metricName", "The name it is registered under.")
                .answer::<metrics::MetricView>(200, "The metric in its current version.")
                .refuses(404, "No metric is registered under the name."),
        ),
    ]
    .concat()
}

fn uploads() -> Vec<Route> {
    [
        twin(
            "/usage/v1/csv",
            Route::post("/billing-api/v1/usage/csv", csv::upload)
                .tag("Usage")
                .summary("Upload events as CSV")
                .describe(
                    "The file is on disk when this answers; its rows are recorded behind, by the \
                     rules of `POST /usage/events`. Rows are counted from 1, the header not \
                     counted. A row that is refused is parked among the dead letters, its reason \
                     beginning with its number. Without a mapped `idempotencyKey` a row has the \
                     key `csv:<uploadId>:<row>`. An empty cell is no member of `metadata`. A row \
                     of more than 24 KiB is parked, with its beginning.",
                )
                .multipart::<csv::UploadForm>(csv::MAX_BODY_BYTES)
                .answer::<csv::UploadAccepted>(202, "The upload is on disk.")
                .refuses(
                    400,
                    "A part is missing, the file has no header, or the mapping names a \
                               column that is not there.",
                )
                .refuses(413, "The file is larger than 16 MiB."),
        ),
        twin(
            "/usage/v1/csv/{uploadId}",
            Route::get("/billing-api/v1/usage/csv/{uploadId}", csv::get)
                .tag("Usage")
                .summary("Read how far an upload is")
                .path_id("uploadId")
                .answer::<csv::UploadView>(200, "The rows so far, by what became of them."),
        ),
    ]
    .concat()
}

fn letters() -> Vec<Route> {
    [
        twin(
            "/usage/v1/dead-letters",
            Route::get("/billing-api/v1/usage/dead-letters", dead_letters::list)
                .tag("Dead letters")
                .summary("List dead letters")
                .describe(
                    "Events of uploads and inbound endpoints that were refused. `event` is what \
                     was sent; of one larger than 32 KiB parts are cut away, and `eventCut` says \
                     so.",
                )
                .query_one_of("status", LETTER_STATUSES, "Only those of this status.")
                .paged("beforeId")
                .answer::<dead_letters::DeadLetterList>(200, "Newest first."),
        ),
        twin(
            "/usage/v1/dead-letters/{deadLetterId}/redrive",
            Route::post(
                "/billing-api/v1/usage/dead-letters/{deadLetterId}/redrive",
                dead_letters::redrive,
            )
            .tag("Dead letters")
            .summary("Try a dead letter again")
            .describe(
                "An event that is refused still stays `parked`, with one more attempt and the \
                 new reason.",
            )
            .path_id("deadLetterId")
            .answer::<dead_letters::DeadLetterView>(200, "The dead letter as it is now.")
            .refuses(422, "It is not parked."),
        ),
        twin(
            "/usage/v1/dead-letters/{deadLetterId}/discard",
            Route::post(
                "/billing-api/v1/usage/dead-letters/{deadLetterId}/discard",
                dead_letters::discard,
            )
            .tag("Dead letters")
            .summary("Give a dead letter up")
            .path_id("deadLetterId")
            .answer::<dead_letters::DeadLetterView>(200, "The dead letter as it is now.")
            .refuses(422, "It is not parked."),
        ),
    ]
    .concat()
}

fn inbound() -> Vec<Route> {
    let mut routes = [
        twin(
            "/usage/v1/webhook-endpoints",
            Route::post("/billing-api/v1/usage/webhook-endpoints", endpoints::create)
                .tag("Inbound endpoints")
                .summary("Make an inbound endpoint")
                .describe("An address for one sender of usage. The secret is shown once.")
                .body_optional::<endpoints::NewEndpointBody>()
                .answer::<endpoints::EndpointView>(201, "The endpoint with its secret.")
                .refuses(400, "The description is too long.")
                .refuses(422, "As many endpoints are active as can be."),
        ),
        twin(
            "/usage/v1/webhook-endpoints",
            Route::get("/billing-api/v1/usage/webhook-endpoints", endpoints::list)
                .tag("Inbound endpoints")
                .summary("List inbound endpoints")
                .paged("beforeId")
                .answer::<endpoints::EndpointList>(200, "Newest first, revoked ones too."),
        ),
        twin(
            "/usage/v1/webhook-endpoints/{endpointId}/rotate-secret",
            Route::post(
                "/billing-api/v1/usage/webhook-endpoints/{endpointId}/rotate-secret",
                endpoints::rotate_secret,
            )
            .tag("Inbound endpoints")
            .summary("Change the secret of an inbound endpoint")
            .describe("What is signed with the old secret is refused from then on.")
            .path_id("endpointId")
            .answer::<endpoints::EndpointView>(200, "The endpoint with its new secret.")
            .refuses(422, "It is revoked."),
        ),
        twin(
            "/usage/v1/webhook-endpoints/{endpointId}/revoke",
            Route::post(
                "/billing-api/v1/usage/webhook-endpoints/{endpointId}/revoke",
                endpoints::revoke,
            )
            .tag("Inbound endpoints")
            .summary("Revoke an inbound endpoint")
            .describe("Its address leads nowhere from then on. Revoking it again changes nothing.")
            .path_id("endpointId")
            .answer::<endpoints::EndpointView>(200, "The endpoint, without use."),
        ),
    ]
    .concat();
    routes.push(
        Route::post("/usage/v1/webhooks/{token}", receiver::receive)
            .open()
            .tag("Inbound endpoints")
            .summary("Post usage as a third party")
            .describe(
                "Signed with the endpoint's secret instead of a key: `X-Service-Timestamp` is the \
                 time in Unix seconds, at most 5 minutes from now, and `X-Service-Signature` is \
                 `sha256=` with the HMAC-SHA256 of the time, a dot and the body, in lower-case \
                 hexadecimal digits. The body is one event, or `{\"events\": [...]}` with up to \
                 500. When this answers, every event is recorded, was recorded before, or is \
                 parked among the dead letters. The same signed delivery may come again: nothing \
                 happens twice.",
            )
            .path_text("token", "The last part of the endpoint's address.")
            .body::<receiver::DeliveryBody>()
            .answer::<receiver::Accepted>(202, "All events are taken care of.")
            .refuses(400, "The body is not JSON, or there is no event in it.")
            .answer_as(401, "text/plain", "The signature does not match, or is stale.")
            .answer_as(403, "text/plain", "The seller's account is not active.")
            .refuses(404, "The token is unknown, or the endpoint is revoked.")
            .refuses(413, "More than 1 MiB, or more than 500 events."),
    );
    routes
}
