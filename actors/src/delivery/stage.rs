//! Writes the deliveries of events in the batch that causes the events.
//!
//! A room stages into its batch, and hands the [`Staged`] to the pool once that is durable:
//!
//! ```text
//! let staged = stage_events(&mut batch, &origin, &webhooks, events, || store.next_id(ids::EVENT));
//! store.commit(batch, move |result| if result.is_ok() { pool.notify(staged) });
//! ```
//!
//! When the payload needs a number that only the committer knows, the ids are drawn before
//! (at most [`ids_needed`]), the events are staged inside of [`Batch::with_numbers`], and a
//! [`StagedSlot`] carries them to the closure that runs after the commit. Both closures run on
//! the committer's thread, one after the other.

use std::sync::Arc;

use parking_lot::Mutex;
use storage::Batch;
use uuid::Uuid;

use crate::domain::ids::{DeliveryId, EventId, SellerId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus, render};
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::platform::webhook::Webhook;
use crate::domain::time::Timestamp;
use crate::tables::{DELIVERIES, OPEN_DELIVERIES};

#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub seller: SellerId,
    /// The seller's UUID, which the envelope carries.
    pub uuid: Uuid,
    /// The wall time of the write, at which the first attempts are due.
    pub now: Timestamp,
}

/// Deliveries that a batch writes, to be handed to the pool once it is durable.
#[derive(Debug, Default)]
#[must_use = "deliveries go out when the pool is notified of them"]
pub struct Staged {
    pub(super) deliveries: Vec<Delivery>,
}

/// Carries what was staged on the committer's thread to the closure that runs after the commit.
#[derive(Clone, Debug, Default)]
pub struct StagedSlot(Arc<Mutex<Staged>>);

/// Adds the deliveries of these events to `batch`, one for every webhook that subscribes to the
/// event. Ids are drawn from `next_id` (of [`ids::EVENT`](crate::tables::ids::EVENT)): one for each
/// event that has a subscriber and one for each of its deliveries, in the order of the events.
pub fn stage_events(
    batch: &mut Batch,
    origin: &Origin,
    webhooks: &[Arc<Webhook>],
    events: Vec<NewEvent>,
    mut next_id: impl FnMut() -> u64,
) -> Staged {
    let mut staged = Staged::default();
    for event in &events {
        let mut rendered = None;
        for webhook in webhooks.iter().filter(|webhook| webhook.subscribes_to(event.kind)) {
            let (id, body) = rendered.get_or_insert_with(|| {
                let id = EventId(next_id());
                (id, render(id, origin.uuid, event))
            });
            let delivery = Delivery {
                id: DeliveryId(next_id()),
                seller: origin.seller,
                webhook: webhook.id,
                event: *id,
                event_type: event.kind,
                body: body.clone(),
                status: DeliveryStatus::Pending,
                attempts: 0,
                created_at: origin.now,
                next_attempt_at: Some(origin.now),
                last_attempt_at: None,
                last_status: None,
                last_error: None,
                delivered_at: None,
            };
            put(batch, &delivery);
            staged.deliveries.push(delivery);
        }
    }
    staged
}

/// How many ids [`stage_events`] draws for events of these types.
pub fn ids_needed(webhooks: &[Arc<Webhook>], kinds: impl IntoIterator<Item = EventType>) -> usize {
    let subscribers = |kind| webhooks.iter().filter(|webhook| webhook.subscribes_to(kind)).count();
    kinds.into_iter().map(subscribers).map(|count| count + usize::from(count > 0)).sum()
}

pub(super) fn put(batch: &mut Batch, delivery: &Delivery) {
    batch.put(DELIVERIES, &(delivery.seller, delivery.id), delivery);
    if let Some(due) = delivery.next_attempt_at {
        let open = (delivery.seller, delivery.webhook, due, delivery.id);
        batch.put(OPEN_DELIVERIES, &open, &());
    }
}

pub(super) fn remove_open(batch: &mut Batch, delivery: &Delivery, due: Option<Timestamp>) {
    if let Some(due) = due {
        let open = (delivery.seller, delivery.webhook, due, delivery.id);
        batch.delete(OPEN_DELIVERIES, &open);
    }
}

impl Staged {
    pub fn is_empty(&self) -> bool {
        self.deliveries.is_empty()
    }

    pub fn len(&self) -> usize {
        self.deliveries.len()
    }

    pub fn append(&mut self, mut other: Self) {
        self.deliveries.append(&mut other.deliveries);
    }
}

impl StagedSlot {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn put(&self, staged: Staged) {
        self.0.lock().append(staged);
    }

    pub fn take(&self) -> Staged {
        std::mem::take(&mut *self.0.lock())
    }
}
