//! What the disk knows of a delivery: its row, its places in the index and among the open ones.

use storage::Batch;

use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus};
use crate::domain::time::Timestamp;
use crate::tables::{DELIVERIES, DELIVERY_INDEX, DELIVERY_LINES, OPEN_DELIVERIES};

/// The webhook under which the index keeps all call-backs.
pub(super) const CALL_BACKS: WebhookId = WebhookId(0);

/// What of a row decides where it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) status: DeliveryStatus,
    pub(super) due: Option<Timestamp>,
}

impl Place {
    pub(super) fn of(delivery: &Delivery) -> Self {
        Self { status: delivery.status, due: delivery.next_attempt_at }
    }

    /// Where a delivery is that waits for an attempt at `due`.
    pub(super) fn pending(due: Option<Timestamp>) -> Self {
        Self { status: DeliveryStatus::Pending, due }
    }
}

/// Puts a delivery; `before` is where its row is found now, if it has one.
pub(super) fn put(batch: &mut Batch, before: Option<Place>, delivery: &Delivery) {
    let now = Place::of(delivery);
    batch.put(DELIVERIES, &(delivery.seller, delivery.id), delivery);
    if before.map(|place| place.status) != Some(now.status) {
        if let Some(place) = before {
            batch.delete(DELIVERY_INDEX, &index_key(delivery, place.status));
        }
        batch.put_new(DELIVERY_INDEX, &index_key(delivery, now.status), &());
    }
    if before.and_then(|place| place.due) != now.due {
        if let Some(due) = before.and_then(|place| place.due) {
            batch.delete(OPEN_DELIVERIES, &open_key(delivery, due));
        }
        if let Some(due) = now.due {
            batch.put_new(OPEN_DELIVERIES, &open_key(delivery, due), &());
        }
    }
}

/// Deletes all rows of a delivery.
pub(super) fn delete(batch: &mut Batch, delivery: &Delivery) {
    batch.delete(DELIVERIES, &(delivery.seller, delivery.id));
    batch.delete(DELIVERY_INDEX, &index_key(delivery, delivery.status));
    if let Some(due) = delivery.next_attempt_at {
        batch.delete(OPEN_DELIVERIES, &open_key(delivery, due));
    }
    if let Some(line) = line_key(delivery) {
        batch.delete(DELIVERY_LINES, &line);
    }
}

/// The delivery's place in the line of its object.
pub(crate) fn line_key(delivery: &Delivery) -> Option<(SellerId, WebhookId, u8, u64, u64)> {
    let object = delivery.line?;
    let Delivery { seller, webhook, sequence, .. } = *delivery;
    Some((seller, webhook, object.kind as u8, object.id, sequence))
}

/// The delivery's place among those of its webhook.
pub(crate) fn index_key(
    delivery: &Delivery,
    status: DeliveryStatus,
) -> (SellerId, WebhookId, u8, String, DeliveryId) {
    let kind = delivery.event_type;
    let webhook = if kind.is_call_back() { CALL_BACKS } else { delivery.webhook };
    (delivery.seller, webhook, status as u8, kind.name().to_owned(), delivery.id)
}

/// The delivery's place among those that are due.
pub(crate) fn open_key(
    delivery: &Delivery,
    due: Timestamp,
) -> (SellerId, WebhookId, Timestamp, DeliveryId) {
    (delivery.seller, delivery.webhook, due, delivery.id)
}
