//! The queues of all endpoints, with how much they hold together and which are to be filled next.

use std::collections::{BTreeSet, HashMap};

use tokio::time::{Duration, Instant};

use super::queue::{EndpointKey, Queue, Standing};
use crate::domain::time::Timestamp;

/// How long a slow endpoint is remembered after its queue is dropped, and how many are at most:
/// it is not to take the slots of unknown ones with every retry.
const REMEMBERED: Duration = Duration::from_secs(3600);
const MOST_REMEMBERED: usize = 16_384;

#[derive(Debug)]
pub(super) struct Queues {
    by_key: HashMap<EndpointKey, Queue>,
    /// When the queues of slow endpoints were dropped.
    slow: HashMap<EndpointKey, Instant>,
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
            slow: HashMap::new(),
            due: BTreeSet::new(),
            waiting: 0,
            held: 0,
            widest,
            held_per_endpoint,
        }
    }

    pub(super) fn with<R>(&mut self, key: EndpointKey, with: impl FnOnce(&mut Queue) -> R) -> R {
        let room = self.held_per_endpoint;
        let queue = self.by_key.entry(key).or_insert_with(|| {
            let slow = self.slow.remove(&key).is_some_and(|since| since.elapsed() < REMEMBERED);
            Queue::new(if slow { Standing::Slow } else { Standing::Unknown }, self.widest)
        });
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
        self.slow.retain(|_, since| now.duration_since(*since) < REMEMBERED);
        self.by_key.retain(|key, queue| {
            let kept = !queue.is_idle() || now.duration_since(queue.last_used()) < time;
            if !kept && queue.standing == Standing::Slow && self.slow.len() < MOST_REMEMBERED {
                self.slow.insert(*key, now);
            }
            kept
        });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{SellerId, WebhookId};

    #[test]
    fn of_endpoints_that_are_idle_the_slow_ones_alone_are_remembered() {
        let mut queues = Queues::new(16, 16);
        let key = |id| (SellerId(1), WebhookId(id));
        for (id, success) in [(1, true), (2, false)] {
            queues.with(key(id), |queue| queue.adjust_window(success, true, 16));
        }
        assert!(!queues.drop_idle(Duration::ZERO));
        let mut standing = |id| queues.with(key(id), |queue| queue.standing);
        assert_eq!(
            [1, 2, 3].map(&mut standing),
            [Standing::Unknown, Standing::Slow, Standing::Unknown]
        );
    }
}
