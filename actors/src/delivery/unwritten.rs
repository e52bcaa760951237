//! Deliveries that are attempted before any row tells of them. One that succeeds at once is
//! written once, as delivered; one that takes longer is written as pending meanwhile.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::domain::ids::DeliveryId;
use crate::domain::platform::delivery::Delivery;
use crate::domain::time::Timestamp;

/// How long a delivery may go without a row.
const PATIENCE: Duration = Duration::from_millis(25);

#[derive(Debug, Default)]
pub(super) struct Unwritten {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    deliveries: HashMap<DeliveryId, Waiting>,
    /// When each is to be written; those that were written meanwhile are passed over.
    due: VecDeque<(Instant, DeliveryId)>,
}

#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) delivery: Delivery,
    /// Nobody attempts it any more in this run; when it is to be fetched again.
    pub(super) given_up: Option<Timestamp>,
}

impl Unwritten {
    pub(super) fn add(&self, delivery: Delivery) {
        let mut inner = self.inner.lock();
        inner.due.push_back((Instant::now() + PATIENCE, delivery.id));
        inner.deliveries.insert(delivery.id, Waiting { delivery, given_up: None });
    }

    pub(super) fn contains(&self, id: DeliveryId) -> bool {
        self.inner.lock().deliveries.contains_key(&id)
    }

    /// A row tells of the delivery now.
    pub(super) fn written(&self, id: DeliveryId) {
        self.inner.lock().deliveries.remove(&id);
    }

    /// Whether the delivery was not written: then it is written next, to be fetched at `again`.
    pub(super) fn give_up(&self, id: DeliveryId, again: Timestamp) -> bool {
        let mut inner = self.inner.lock();
        let Some(waiting) = inner.deliveries.get_mut(&id) else { return false };
        waiting.given_up = Some(again);
        inner.due.push_front((Instant::now(), id));
        true
    }

    /// Those that have waited long enough, each once, at most `most`. They stay until they are
    /// [`written`](Self::written).
    pub(super) fn due(&self, most: usize) -> Vec<Waiting> {
        let (mut inner, now) = (self.inner.lock(), Instant::now());
        let (mut found, mut ids) = (Vec::new(), HashSet::new());
        while found.len() < most
            && let Some(&(due, id)) = inner.due.front()
        {
            let waiting = inner.deliveries.get(&id);
            if waiting.is_some() && due > now {
                break;
            }
            // What was given up stands there twice.
            found.extend(waiting.filter(|_| ids.insert(id)).cloned());
            inner.due.pop_front();
        }
        if inner.deliveries.is_empty() {
            (inner.due, inner.deliveries) = Default::default();
        }
        found
    }

    /// When the next one is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let inner = self.inner.lock();
        if inner.deliveries.is_empty() { None } else { inner.due.front().map(|(due, _)| *due) }
    }

    /// They could not be written, and are due again.
    pub(super) fn put_back(&self, ids: impl IntoIterator<Item = DeliveryId>) {
        let (mut inner, due) = (self.inner.lock(), Instant::now() + PATIENCE);
        inner.due.extend(ids.into_iter().map(|id| (due, id)));
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.inner.lock().deliveries.is_empty()
    }
}
