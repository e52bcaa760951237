use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::domain::ids::EventId;
use crate::domain::platform::event::NewEvent;
use crate::domain::time::Timestamp;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a> {
    event_id: EventId,
    event_type: &'static str,
    seller_account_uuid: Uuid,
    occurred_at: Timestamp,
    payload: &'a Value,
}

/// The envelope of an event as JSON. It is rendered once; every webhook and every attempt gets
/// these bytes.
pub fn render(id: EventId, seller: Uuid, event: &NewEvent) -> Bytes {
    let envelope = Envelope {
        event_id: id,
        event_type: event.kind.name(),
        seller_account_uuid: seller,
        occurred_at: event.occurred_at,
        payload: &event.payload,
    };
    let bytes = serde_json::to_vec(&envelope).expect("a JSON value has text for its keys");
    Bytes::from(bytes)
}
