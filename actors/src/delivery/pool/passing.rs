//! How deliveries pass between the expander, the queues, the workers and the recorder.

use std::sync::Arc;

use super::Pool;
use crate::delivery::POLL;
use crate::delivery::queue::{EndpointKey, Job, Standing};
use crate::delivery::queues::Queues;
use crate::delivery::record::Entry;
use crate::domain::ids::DeliveryId;
use crate::domain::platform::delivery::Delivery;
use crate::domain::time::Timestamp;

impl Pool {
    /// Takes a delivery into the queue of its endpoint, before any row tells of it; gives it back
    /// when there is no room.
    pub(in crate::delivery) fn admit(&self, key: EndpointKey, job: Job) -> Option<Job> {
        let mut queues = self.queues.lock();
        if self.room(&queues, key) == 0 {
            return Some(job);
        }
        queues.with(key, |queue| {
            if queue.claim(job.delivery.id) {
                self.unwritten.add(job.delivery.clone());
                queue.push(job);
            } else {
                // The expander made it before it panicked, and makes it once more.
                self.feeds.let_go(key.0, job.delivery.sequence);
            }
        });
        None
    }

    /// How many more deliveries of an endpoint memory has room for. Each may have a few, however
    /// many others have.
    pub(in crate::delivery) fn room_of(&self, key: EndpointKey) -> usize {
        self.room(&self.queues.lock(), key)
    }

    fn room(&self, queues: &Queues, key: EndpointKey) -> usize {
        let held = queues.held_of(key);
        let left = self.settings.held.saturating_sub(queues.held());
        let own = self.settings.held_per_endpoint.saturating_sub(held);
        own.min(left.max(self.settings.held_at_least().saturating_sub(held)))
    }

    pub(in crate::delivery) fn take(&self, key: EndpointKey) -> Option<(Job, Standing)> {
        let stopping = self.stopping.is_cancelled();
        let mut queues = self.queues.lock();
        let next = queues.with(key, |queue| {
            if stopping {
                queue.end_worker();
                return None;
            }
            queue.take().map(|job| (job, queue.standing))
        });
        if next.is_some() && queues.is_due(key, self.clock.now()) {
            self.wake.notify_one();
        }
        next
    }

    /// A row tells of a delivery that was attempted before.
    pub(in crate::delivery) fn on_disk(&self, delivery: &Delivery) {
        self.unwritten.written(delivery.id);
        self.feeds.let_go(delivery.seller, delivery.sequence);
    }

    /// What was written is not under way any more.
    pub(in crate::delivery) fn release(&self, deliveries: impl Iterator<Item = Delivery>) {
        let mut waits = false;
        for delivery in deliveries {
            self.tally.recorded(delivery.status);
            let due = delivery.next_attempt_at;
            waits |= due.is_some();
            let key = (delivery.seller, delivery.webhook);
            self.with_queue(key, |queue| queue.release(delivery.id, due));
        }
        if waits {
            self.wake.notify_one();
        }
    }

    pub(in crate::delivery) fn note_on_disk(&self, delivery: &Delivery) {
        if let Some(due) = delivery.next_attempt_at {
            let key = (delivery.seller, delivery.webhook);
            self.with_queue(key, |queue| queue.note_on_disk(due));
            self.wake.notify_one();
        }
    }

    /// Gives a delivery back without an attempt, to be fetched at `again`.
    pub(in crate::delivery) fn postpone(&self, key: EndpointKey, id: DeliveryId, again: Timestamp) {
        if self.unwritten.give_up(id, again) {
            self.to_write.notify_one();
            return;
        }
        self.with_queue(key, |queue| queue.release(id, Some(again)));
        self.wake.notify_one();
    }

    /// Hands deliveries to the recorder again that could not be written.
    pub(in crate::delivery) fn hand_back(self: &Arc<Self>, new: Vec<Delivery>) {
        if new.is_empty() {
            return;
        }
        let pool = Arc::clone(self);
        self.spawn(async move {
            tokio::time::sleep(POLL).await;
            for mut delivery in new {
                delivery.next_attempt_at = Some(delivery.created_at);
                let _ = pool.entries_in.send(Entry::New(delivery)).await;
            }
        });
    }
}
