//! Recording usage events, one or many at a time.

mod batch;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

use actors::domain::platform::seller::Scope;

pub use super::event::EventBody;
pub use batch::{BATCH_LIMIT, EventBatchBody, ingest_batch};
pub use view::{BatchItemView, BatchView, IngestView};

use super::event;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

pub async fn ingest(app: Arc<App>, request: Request) -> ApiResult {
    let (contract, event) = event::from_body(&request.body)?;
    let asked = app.contracts.record_usage(request.seller_id(), contract, vec![event]).await;
    let outcome = asked?.pop().ok_or_else(ApiError::unanswered)?;
    let ingested = outcome?;
    let view = IngestView::from(&ingested);
    Ok(if ingested.duplicate { Response::ok(&view) } else { Response::created(&view) })
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/events", ingest)
            .named("recordUsageEvent")
            .needs(Scope::UsageWrite)
            .summary("Record a usage event")
            .describe(
                "An answered event is counted: the next usage snapshot has it. A key is \
                 unique for the seller for ever, across contracts: with the same event it is \
                 a `duplicate` and nothing is written, whatever has changed since; with \
                 another it is `409`. Events are equal when all other fields are: quantities \
                 by value, `occurredAt` as an instant, `metadata` as a JSON value in which \
                 neither blanks, escapes and the order of members nor the notation of \
                 numbers matter.\n\nAn event that no subscription covers is kept with \
                 `metered` false, and counts once one that covers it is made. One whose \
                 period is closed for its metric is kept and `late`: it is listed for \
                 correction and moves no closed amount. Seats take no events.",
            )
            .body::<EventBody>()
            .answer::<IngestView>(201, "It is recorded.")
            .answer::<IngestView>(200, "It was recorded before.")
            .refuses(
                400,
                "A field is missing or malformed, the metric is not registered or counts a \
                 `uniqueKey` that `metadata` lacks, `occurredAt` is ahead of now, or a hard \
                 usage limit would be passed. Nothing is recorded, and the key is not spent.",
            )
            .refuses(404, "The contract is unknown, or another seller's.")
            .refuses(409, "The key was used for another event."),
        Route::post("/events:batch", ingest_batch)
            .named("recordUsageEvents")
            .needs(Scope::UsageWrite)
            .summary("Record many usage events")
            .describe(
                "At most 500, each judged for itself as a single event is: a rejected item \
                 stops no other. Items of one contract are judged in their order; of two \
                 items with one key the earlier one is first. `500` says that not every item \
                 was judged: send the whole batch again, what was recorded answers as \
                 duplicate.",
            )
            .body::<EventBatchBody>()
            .answer::<BatchView>(200, "What became of each item.")
            .refuses(400, "There is no list `events`.")
            .refuses(413, "More than 500 events, or 1 MiB; nothing is recorded."),
    ]
}
