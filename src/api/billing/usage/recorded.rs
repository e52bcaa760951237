//! Recorded events as they are listed: those behind an invoice line, and those that came late.

mod behind_line;
mod late;

use actors::domain::billing::usage::UsageEvent;
use actors::domain::quantity::Quantity;
use actors::domain::time::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

pub use behind_line::{LineEventList, behind_line};
pub use late::{LateEventList, LateEventView, late};

use crate::gate::Route;

/// A recorded event.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageEventView {
    event_id: u64,
    idempotency_key: String,
    quantity: Quantity,
    occurred_at: Timestamp,
    /// When it was recorded.
    received_at: Timestamp,
    /// The version of the metric that measures it: the current one on its arrival.
    metric_version: u32,
    /// As it was sent.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Box<RawValue>>,
}

impl From<UsageEvent> for UsageEventView {
    fn from(of: UsageEvent) -> Self {
        Self {
            event_id: of.id.0,
            idempotency_key: of.key.as_str().to_owned(),
            quantity: of.quantity,
            occurred_at: of.occurred_at,
            received_at: of.received_at,
            metric_version: of.version,
            metadata: of.metadata.and_then(|text| RawValue::from_string(text).ok()),
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/contracts/{contractId}/usage/late", late)
            .named("listLateEvents")
            .summary("List late events")
            .describe(
                "Events whose period was closed for their metric before they came. They move no \
                 closed amount and wait for the seller's correction.",
            )
            .path_id("contractId")
            .paged("beforeId")
            .answer::<LateEventList>(200, "Newest first."),
        Route::get("/invoices/{invoiceId}/lines/{lineId}/events", behind_line)
            .named("listLineEvents")
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
            .answer::<LineEventList>(200, "In the order of the list; maybe none."),
    ]
}
