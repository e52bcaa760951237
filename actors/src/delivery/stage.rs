//! Writes events in the batch that causes them: one row each, under the sequence that the commit
//! draws. Nothing else is written there; the [expander](super::expand) makes the deliveries.
//!
//! A room stages into its batch, and hands the [`Staged`] to the pool once that is durable:
//!
//! ```text
//! let staged = stage_events(&mut batch, &origin, &webhooks, events, || store.next_id(ids::EVENT));
//! store.commit(batch, move |result| if result.is_ok() { pool.notify(staged) });
//! ```
//!
//! Where the events tell what only the commit knows, their places are [`Reserved`] before and
//! filled inside of [`Batch::with_numbers`].

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use storage::{Batch, Numbers};

use crate::domain::ids::{EventId, SellerId};
use crate::domain::platform::event::{Event, EventObject, EventSequence, NewEvent};
use crate::domain::platform::webhook::Webhook;
use crate::domain::time::Timestamp;
use crate::tables::EVENTS;

#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub seller: SellerId,
    /// The object of the room that tells.
    pub object: EventObject,
    /// The wall time of the write, at which the first attempts are due.
    pub now: Timestamp,
    /// The epoch of the store.
    pub epoch: Option<u64>,
}

/// Events that a batch writes; the pool is told of them once they are durable.
#[derive(Clone, Debug)]
#[must_use = "deliveries go out when the pool is notified of them"]
pub struct Staged {
    pub(super) seller: SellerId,
    written: Arc<OnceLock<Written>>,
}

/// What the commit has made of staged events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) first: u64,
    pub(super) last: u64,
    /// Whether any webhook subscribes to any of them.
    pub(super) heard: bool,
}

/// Places in the sequence for events that are made in the commit.
#[derive(Debug)]
pub struct Reserved {
    seller: SellerId,
    draws: Range<usize>,
    written: Arc<OnceLock<Written>>,
}

/// Adds these events to `batch`, in their order. Each draws an id from `next_id` (of
/// [`ids::EVENT`](crate::tables::ids::EVENT)).
pub fn stage_events(
    batch: &mut Batch,
    origin: &Origin,
    webhooks: &[Arc<Webhook>],
    events: &[NewEvent],
    mut next_id: impl FnMut() -> u64,
) -> Option<Staged> {
    let rows: Vec<_> =
        events.iter().map(|event| origin.event(next_id(), event, webhooks)).collect();
    let reserved = Reserved::draw(batch, origin.seller, rows.len())?;
    let staged = reserved.staged();
    batch.with_numbers(move |numbers, batch| reserved.put(numbers, batch, rows));
    Some(staged)
}

impl Origin {
    pub fn event(&self, id: u64, event: &NewEvent, webhooks: &[Arc<Webhook>]) -> Event {
        let object = EventObject::of(self.seller, self.object, event.kind);
        Event::new(EventId(id), object, event, webhooks, (self.now, self.epoch))
    }
}

impl Reserved {
    /// Draws the places of `count` events; `None` for none.
    pub fn draw(batch: &mut Batch, seller: SellerId, count: usize) -> Option<Self> {
        let draws: Vec<_> = (0..count).map(|_| batch.draw(&EventSequence(seller))).collect();
        let draws = *draws.first()?..*draws.last()? + 1;
        Some(Self { seller, draws, written: Arc::default() })
    }

    pub fn staged(&self) -> Staged {
        Staged { seller: self.seller, written: Arc::clone(&self.written) }
    }

    /// Puts the events at their places.
    ///
    /// # Panics
    /// When there are more or fewer than places: the sequence would have a gap. Within a commit
    /// that refuses the batch.
    pub fn put(self, numbers: &Numbers, batch: &mut Batch, events: Vec<Event>) {
        assert_eq!(events.len(), self.draws.len(), "every reserved place of an event is filled");
        let (first, last) = (numbers[self.draws.start], numbers[self.draws.end - 1]);
        let heard = events.iter().any(|event| !event.webhooks.is_empty());
        for (draw, event) in self.draws.zip(&events) {
            batch.put(EVENTS, &(self.seller, numbers[draw]), event);
        }
        // A place is filled once.
        let _ = self.written.set(Written { first, last, heard });
    }
}

impl Staged {
    /// What was written; `None` before the commit.
    pub(super) fn written(&self) -> Option<Written> {
        self.written.get().copied()
    }
}
