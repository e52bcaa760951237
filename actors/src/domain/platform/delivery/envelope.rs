use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::domain::ids::EventId;
use crate::domain::platform::event::Event;
use crate::domain::time::Timestamp;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a> {
    event_id: EventId,
    sequence: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<u64>,
    event_type: &'static str,
    seller_account_uuid: Uuid,
    occurred_at: Timestamp,
    payload: &'a RawValue,
}

/// The envelope of an event as JSON: the same bytes for every webhook and every attempt. `None`
/// for a payload that is no JSON, which only a damaged row has.
pub fn render(sequence: u64, seller: Uuid, event: &Event) -> Option<Bytes> {
    let envelope = Envelope {
        event_id: event.id,
        sequence,
        epoch: event.epoch,
        event_type: event.kind.name(),
        seller_account_uuid: seller,
        occurred_at: event.occurred_at,
        payload: serde_json::from_slice(&event.payload).ok()?,
    };
    serde_json::to_vec(&envelope).map(Bytes::from).ok()
}
