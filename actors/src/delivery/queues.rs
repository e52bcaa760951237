//! The queues of all endpoints, with how much they hold together and which are to be filled next.

use std::collections::{BTreeSet, HashMap};

use tokio::time::{Duration, Instant};

use super::queue::{EndpointKey, Queue};
use crate::domain::time::Timestamp;

#[derive(Debug)]
pub(super) struct Queues {
    by_key: HashMap<EndpointKey, Queue>,
    /// Queues that have rows on disk and room for them, by when the first row is due.
    due: BTreeSet<(Timestamp, EndpointKey)>,
    waiting: usize,
    held: usize,
    /// The widest window of a queue.
    widest: usize,
    held_per_endpoint: usize,
}

impl Queues {
    pub(super) fn new(widest: usize, held_per_endpoint: usize) -> Self {
        Self {
            by_key: HashMap::new(),
            due: BTreeSet::new(),
            waiting: 0,
            held: 0,
            widest,
            held_per_endpoint,
        }
    }

    pub(super) fn with<R>(&mut self, key: EndpointKey, with: impl FnOnce(&mut Queue) -> R) -> R {
        let room = self.held_per_endpoint;
        let queue = self.by_key.entry(key).or_insert_with(|| Queue::new(self.widest));
        let before = (queue.waiting(), queue.held(), queue.wanted_at(room));
        let result = with(queue);
        let after = (queue.waiting(), queue.held(), queue.wanted_at(room));
        self.waiting = self.waiting + after.0 - before.0;
        self.held = self.held + after.1 - before.1;
        if before.2 != after.2 {
            if let Some(due) = before.2 {
                self.due.remove(&(due, key));
            }
            self.due.extend(after.2.map(|due| (due, key)));
        }
        result
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    pub(super) fn held(&self) -> usize {
        self.held
    }

    pub(super) fn held_of(&self, key: EndpointKey) -> usize {
        self.by_key.get(&key).map_or(0, Queue::held)
    }

    pub(super) fn is_due(&self, key: EndpointKey, now: Timestamp) -> bool {
        let wanted =
            self.by_key.get(&key).and_then(|queue| queue.wanted_at(self.held_per_endpoint));
        wanted.is_some_and(|due| due <= now)
    }

    /// Begins a fetch on each queue with rows due by `now`, and says which, and whether any others
    /// wait for their time.
    pub(super) fn begin_fetches(&mut self, now: Timestamp) -> (Vec<EndpointKey>, bool) {
        let mut begun = Vec::new();
        while let Some(&(due, key)) = self.due.first()
            && due <= now
        {
            self.with(key, Queue::begin_fetch);
            begun.push(key);
        }
        (begun, !self.due.is_empty())
    }

    /// Drops queues that have been idle for `time`; returns whether any are left.
    pub(super) fn drop_idle(&mut self, time: Duration) -> bool {
        let now = Instant::now();
        self.by_key
            .retain(|_, queue| !queue.is_idle() || now.duration_since(queue.last_used()) < time);
        if self.by_key.is_empty() {
            self.by_key.shrink_to_fit();
        }
        !self.by_key.is_empty()
    }

    #[cfg(test)]
    pub(super) fn is_at_rest(&self, now: Timestamp) -> bool {
        self.by_key.values().all(|queue| queue.is_at_rest(now))
    }
}
