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
