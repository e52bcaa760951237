//! The queue of one endpoint: what waits in memory, how many attempts may run at once, and when
//! there is more to fetch from the disk.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use tokio::time::{Duration, Instant};

use super::client::EndpointClient;
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::Delivery;
use crate::domain::platform::event::Event;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::time::Timestamp;

/// The window of a failing endpoint: wide enough that deliveries which wait for a hanging
/// endpoint are given up in reasonable time.
const NARROW: usize = 4;

/// The window of an endpoint of which nothing is known: one answer says enough.
const NARROWEST: usize = 1;

/// Failures in a row after which the workers of an endpoint pause between attempts.
const PATIENCE: u32 = 64;
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

pub(super) type EndpointKey = (SellerId, WebhookId);

/// What an endpoint's latest answer says of its next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It was a prompt success.
    Prompt,
    /// There was none yet, or a good one long ago.
    Unknown,
    /// It was late, a failure, or did not come.
    Slow,
}

/// A delivery with what it carries.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) delivery: Delivery,
    pub(super) event: Arc<Event>,
}

#[derive(Debug)]
pub(super) struct Queue {
    ready: VecDeque<Job>,
    /// What is in `ready`, being attempted or being recorded: fetching passes it over.
    claimed: HashSet<DeliveryId>,
    /// Tasks that take from `ready`, at most `window`.
    workers: usize,
    window: usize,
    pub(super) standing: Standing,
    /// How many attempts have failed since the last success.
    failures: u32,
    /// The earliest instant at which an open delivery that is only on disk is due.
    on_disk: Option<Timestamp>,
    fetching: bool,
    client: Option<Arc<EndpointClient>>,
    used: Instant,
}

impl Queue {
    pub(super) fn new(standing: Standing, widest: usize) -> Self {
        let window = if standing == Standing::Unknown { NARROWEST } else { NARROW };
        Self {
            ready: VecDeque::new(),
            claimed: HashSet::new(),
            workers: 0,
            window: window.min(widest),
            standing,
            failures: 0,
            on_disk: None,
            fetching: false,
            client: None,
            used: Instant::now(),
        }
    }

    pub(super) fn waiting(&self) -> usize {
        self.ready.len()
    }

    pub(super) fn held(&self) -> usize {
        self.claimed.len()
    }

    pub(super) fn claim(&mut self, id: DeliveryId) -> bool {
        self.claimed.insert(id)
    }

    /// The delivery is on disk as it stands; `due` is when it is to be attempted again.
    pub(super) fn release(&mut self, id: DeliveryId, due: Option<Timestamp>) {
        self.claimed.remove(&id);
        if let Some(due) = due {
            self.note_on_disk(due);
        }
    }

    pub(super) fn push(&mut self, job: Job) {
        self.used = Instant::now();
        self.ready.push_back(job);
    }

    pub(super) fn note_on_disk(&mut self, due: Timestamp) {
        self.on_disk = Some(self.on_disk.map_or(due, |known| known.min(due)));
    }

    /// How many more workers to start. They are counted as started.
    pub(super) fn start_workers(&mut self) -> usize {
        let more = self.window.saturating_sub(self.workers).min(self.ready.len());
        self.workers += more;
        more
    }

    /// The next delivery for a worker; `None` ends the worker.
    pub(super) fn take(&mut self) -> Option<Job> {
        self.used = Instant::now();
        let next = if self.workers > self.window { None } else { self.ready.pop_front() };
        if next.is_none() {
            self.workers -= 1;
        }
        next
    }

    /// A worker ends without having been told by [`take`](Self::take).
    pub(super) fn end_worker(&mut self) {
        self.workers = self.workers.saturating_sub(1);
    }

    /// Everything that waits, taken out; it stays claimed.
    pub(super) fn drain(&mut self) -> Vec<Job> {
        self.ready.drain(..).collect()
    }

    /// Widens the window after a success, narrows it after a failure.
    pub(super) fn adjust_window(&mut self, success: bool, prompt: bool, widest: usize) {
        self.window = if success { self.window.max(NARROW) + 1 } else { NARROW }.min(widest);
        self.standing = if success && prompt { Standing::Prompt } else { Standing::Slow };
        self.failures = if success { 0 } else { self.failures.saturating_add(1) };
    }

    /// How long a worker waits before its next attempt: an endpoint that fails and fails is not
    /// flooded with all that is owed to it.
    pub(super) fn pause(&self) -> Duration {
        match self.failures.checked_sub(PATIENCE) {
            Some(over) => (SHORTEST_PAUSE * (1 << over.min(7))).min(LONGEST_PAUSE),
            None => Duration::ZERO,
        }
    }

    /// When rows on disk are to be fetched: not while memory has no room for half of `room`.
    pub(super) fn wanted_at(&self, room: usize) -> Option<Timestamp> {
        self.on_disk.filter(|_| !self.fetching && self.ready.len() <= room / 2)
    }

    /// A fetch begins: it finds all that is on disk by now.
    pub(super) fn begin_fetch(&mut self) {
        self.fetching = true;
        self.on_disk = None;
    }

    pub(super) fn end_fetch(&mut self) {
        self.fetching = false;
    }

    fn is_busy(&self) -> bool {
        !self.claimed.is_empty() || self.workers > 0 || self.fetching
    }

    /// Whether nothing would be lost if the queue were dropped.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_busy() && self.on_disk.is_none()
    }

    /// Whether nothing is to be done before `now` has passed.
    #[cfg(test)]
    pub(super) fn is_at_rest(&self, now: Timestamp) -> bool {
        !self.is_busy() && self.on_disk.is_none_or(|due| due > now)
    }

    pub(super) fn last_used(&self) -> Instant {
        self.used
    }

    pub(super) fn client(&self, url: &WebhookUrl) -> Option<Arc<EndpointClient>> {
        self.client.clone().filter(|client| client.url() == url)
    }

    pub(super) fn keep_client(&mut self, client: Arc<EndpointClient>) {
        self.client = Some(client);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_that_fails_and_fails_is_asked_ever_more_seldom() {
        let mut queue = Queue::new(Standing::Unknown, 16);
        let mut after = |failures: u32| {
            (0..failures).for_each(|_| queue.adjust_window(false, false, 16));
            queue.pause()
        };
        assert_eq!(after(PATIENCE - 1), Duration::ZERO);
        assert_eq!(after(1), SHORTEST_PAUSE);
        assert_eq!(after(2), SHORTEST_PAUSE * 4);
        assert_eq!(after(1_000), LONGEST_PAUSE);
        queue.adjust_window(true, true, 16);
        assert_eq!(queue.pause(), Duration::ZERO);
    }
}
