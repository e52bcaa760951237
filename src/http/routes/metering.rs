//! Metered usage: events, and what is read of them.

use super::twin::twin;
use crate::api::billing::usage::{events, recorded, series, snapshot};
use crate::http::route::Route;

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    [recording(), reading()].concat()
}

/// Recording events; each under both prefixes.
fn recording() -> Vec<Route> {
    [
        twin(
            "/usage/v1/events",
            Route::post("/billing-api/v1/usage/events", events::ingest)
                .tag("Metering")
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
                .body::<events::EventBody>()
                .answer::<events::IngestView>(201, "It is recorded.")
                .answer::<events::IngestView>(200, "It was recorded before.")
                .refuses(
                    400,
                    "A field is missing or malformed, the metric is not registered or counts a \
                     `uniqueKey` that `metadata` lacks, `occurredAt` is ahead of now, or a hard \
                     usage limit would be passed. Nothing is recorded, and the key is not spent.",
                )
                .refuses(404, "The contract is unknown, or another seller's.")
                .refuses(409, "The key was used for another event."),
        ),
        twin(
            "/usage/v1/events:batch",
            Route::post("/billing-api/v1/usage/events:batch", events::ingest_batch)
                .tag("Metering")
                .summary("Record many usage events")
                .describe(
                    "At most 500, each judged for itself as a single event is: a rejected item \
                     stops no other. Items of one contract are judged in their order; of two \
                     items with one key the earlier one is first. `500` says that not every item \
                     was judged: send the whole batch again, what was recorded answers as \
                     duplicate.",
                )
                .body::<events::EventBatchBody>()
                .answer::<events::BatchView>(200, "What became of each item.")
                .refuses(400, "There is no list `events`.")
                .refuses(413, "More than 500 events, or 1 MiB; nothing is recorded."),
        ),
    ]
    .concat()
}

/// Reading what was recorded.
fn reading() -> Vec<Route> {
    vec![
        Route::get("/billing-api/v1/contracts/{contractId}/usage", snapshot::snapshot)
            .tag("Metering")
            .summary("Read the usage of the open period")
            .describe(
                "A live reading before any allowance, credit, discount or rounding: not what is \
                 owed. An event that was answered is in it. Metering goes by the wall clock, not \
                 by the contract's test clock.",
            )
            .path_id("contractId")
            .answer::<snapshot::UsageView>(200, "The metrics of the open period; maybe none."),
        Route::get("/billing-api/v1/contracts/{contractId}/usage/{metric}/series", series::series)
            .tag("Metering")
            .summary("Read usage by hour or day")
            .describe(
                "Buckets are whole hours or days in UTC: all that have a part of the time from \
                 `from` up to `to`, at most 10,000. By default `bucket` is `day`, `to` is now, \
                 and `from` is 30 days before `to`. A bucket without an event is `\"0\"`. Each \
                 bucket is aggregated for itself, so those of `sum` and `count` add up to the \
                 period's quantity and others need not. Events that no subscription covers are \
                 in it; late ones are not.",
            )
            .path_id("contractId")
            .path_text("metric", "The name of a registered metric.")
            .query_time("from", "Where the first bucket lies.")
            .query_time("to", "What the last bucket lies before.")
            .query_one_of("bucket", series::BUCKETS, "How long a bucket is.")
            .answer::<series::SeriesView>(200, "Every bucket, in order of time.")
            .refuses(400, "A bound is malformed, `from` is not before `to`, or too many buckets.")
            .refuses(404, "The contract or the metric is unknown, or another seller's."),
        Route::get("/billing-api/v1/contracts/{contractId}/usage/late", recorded::late)
            .tag("Metering")
            .summary("List late events")
            .describe(
                "Events whose period was closed for their metric before they came. They move no \
                 closed amount and wait for the seller's correction.",
            )
            .path_id("contractId")
            .paged("beforeId")
            .answer::<recorded::LateEventList>(200, "Newest first."),
        Route::get(
            "/billing-api/v1/invoices/{invoiceId}/lines/{lineId}/events",
            recorded::behind_line,
        )
        .tag("Metering")
        .summary("List the events behind an invoice line")
        .describe(
            "The counted events of a usage line's metric and period, by the day on which they \
             happened and then in order of arrival; of a correction the late events that it \
             settles. Any other line bills no events and has an empty list: the question applies \
             to every line, and the answer is that there are none. Seats are explained by the \
             line's `ratingBreakdown`. The cursor is a place in this line's list, not an event's \
             id.",
        )
        .path_id("invoiceId")
        .path_id("lineId")
        .paged("afterId")
        .answer::<recorded::LineEventList>(200, "In the order of the list; maybe none."),
    ]
}
