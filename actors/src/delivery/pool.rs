//! What the pool's tasks share: the queues, the slots, and how deliveries pass between them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use rustls::ClientConfig;
use storage::Store;
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::time::{Duration, Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::client::tls;
use super::counts::{Counts, Tally};
use super::queue::{EndpointKey, Queue};
use super::record::{self, AttemptResult};
use super::{DeliverySettings, Staged, WebhookLookup, fetch, worker};
use crate::clock::Clock;
use crate::domain::ids::DeliveryId;
use crate::domain::platform::address::AddressGuard;
use crate::domain::platform::delivery::Delivery;
use crate::domain::time::Timestamp;
use crate::entropy::Entropy;
use crate::secrets::SecretBox;

pub(super) struct Pool {
    pub(super) store: Store,
    pub(super) clock: Clock,
    pub(super) entropy: Entropy,
    pub(super) settings: DeliverySettings,
    pub(super) guard: AddressGuard,
    pub(super) lookup: WebhookLookup,
    pub(super) secrets: SecretBox,
    pub(super) tls: ClientConfig,
    /// Slots of endpoints that answered promptly the last time.
    pub(super) prompt_slots: Semaphore,
    pub(super) other_slots: Semaphore,
    pub(super) results: mpsc::Sender<AttemptResult>,
    /// An open delivery was noted as being on disk.
    pub(super) wake: Notify,
    /// No attempt begins any more. The next three follow in order as the pool stops.
    pub(super) stopping: CancellationToken,
    /// Attempts under way are abandoned.
    pub(super) abandon: CancellationToken,
    /// No result comes any more.
    pub(super) drained: CancellationToken,
    /// The recorder has written all it was given.
    pub(super) recorded: CancellationToken,
    pub(super) tasks: TaskTracker,
    runtime: Handle,
    queues: Mutex<Queues>,
    tally: Tally,
    #[cfg(test)]
    pub(super) looks: std::sync::atomic::AtomicU64,
}

#[derive(Default)]
struct Queues {
    by_key: HashMap<EndpointKey, Queue>,
    waiting: usize,
}

impl Pool {
    pub(super) fn start(
        store: Store,
        clock: Clock,
        entropy: Entropy,
        settings: DeliverySettings,
        lookup: WebhookLookup,
        secrets: SecretBox,
    ) -> Arc<Self> {
        let (results, to_record) = mpsc::channel(record::QUEUE);
        let pool = Arc::new(Self {
            guard: settings.guard.clone(),
            prompt_slots: Semaphore::new(settings.at_once),
            other_slots: Semaphore::new(settings.at_once),
            tls: tls(),
            store,
            clock,
            entropy,
            settings,
            lookup,
            secrets,
            results,
            wake: Notify::new(),
            stopping: CancellationToken::new(),
            abandon: CancellationToken::new(),
            drained: CancellationToken::new(),
            recorded: CancellationToken::new(),
            tasks: TaskTracker::new(),
            runtime: Handle::current(),
            queues: Mutex::default(),
            tally: Tally::default(),
            #[cfg(test)]
            looks: Default::default(),
        });
        tokio::spawn(record::run(pool.clone(), to_record));
        pool.spawn(fetch::resume(pool.clone()));
        pool.spawn(fetch::watch(pool.clone()));
        pool
    }

    /// Starts a task that [`stop`](Self::stop) waits for; may be called from any thread.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn_on(task, &self.runtime);
    }

    pub(super) fn notify(self: &Arc<Self>, staged: Staged) {
        if staged.is_empty() || self.stopping.is_cancelled() {
            return;
        }
        let mut touched: Vec<EndpointKey> = Vec::new();
        for delivery in staged.deliveries {
            let key = (delivery.seller, delivery.webhook);
            self.admit(key, delivery);
            if !touched.contains(&key) {
                touched.push(key);
            }
        }
        for key in touched {
            self.start_workers(key);
        }
    }

    fn admit(&self, key: EndpointKey, delivery: Delivery) {
        let full = self.queues.lock().waiting >= self.settings.held;
        self.with_queue(key, |queue| {
            if full || queue.waiting() >= self.settings.held_per_endpoint {
                queue.note_on_disk(delivery.next_attempt_at.unwrap_or(delivery.created_at));
                self.wake.notify_one();
            } else if queue.claim(delivery.id) {
                queue.push(delivery);
            }
        });
    }

    pub(super) fn start_workers(self: &Arc<Self>, key: EndpointKey) {
        if self.stopping.is_cancelled() {
            return;
        }
        for _ in 0..self.with_queue(key, Queue::start_workers) {
            self.spawn(worker::run(self.clone(), key));
        }
    }

    pub(super) fn take(self: &Arc<Self>, key: EndpointKey) -> Option<(Delivery, bool)> {
        let stopping = self.stopping.is_cancelled();
        let (next, fetch) = self.with_queue(key, |queue| {
            if stopping {
                queue.end_worker();
                return (None, false);
            }
            let next = queue.take().map(|delivery| (delivery, queue.prompt));
            let fetch = queue.waits()
                && queue.wants_fetch(self.clock.now(), self.settings.held_per_endpoint);
            if fetch {
                queue.begin_fetch();
            }
            (next, fetch)
        });
        if fetch {
            self.spawn(fetch::fetch_due(self.clone(), key));
        }
        next
    }

    pub(super) fn attempted(self: &Arc<Self>, key: EndpointKey, success: bool, prompt: bool) {
        self.tally.attempted();
        let widest = self.settings.per_endpoint;
        self.with_queue(key, |queue| queue.adjust_window(success, prompt, widest));
        if success {
            self.start_workers(key);
        }
    }

    pub(super) fn release(&self, deliveries: impl Iterator<Item = Delivery>) {
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

    /// Releases deliveries that could not be recorded, to be attempted again at `due`.
    pub(super) fn postpone(&self, deliveries: impl Iterator<Item = Delivery>, due: Timestamp) {
        for delivery in deliveries {
            let key = (delivery.seller, delivery.webhook);
            self.with_queue(key, |queue| queue.release(delivery.id, Some(due)));
        }
        self.wake.notify_one();
    }

    pub(super) fn claim(&self, key: EndpointKey, id: DeliveryId) -> bool {
        self.with_queue(key, |queue| queue.claim(id))
    }

    pub(super) fn with_queue<R>(&self, key: EndpointKey, with: impl FnOnce(&mut Queue) -> R) -> R {
        let mut queues = self.queues.lock();
        let queue =
            queues.by_key.entry(key).or_insert_with(|| Queue::new(self.settings.per_endpoint));
        let before = queue.waiting();
        let result = with(queue);
        let after = queue.waiting();
        queues.waiting = queues.waiting + after - before;
        result
    }

    /// Begins a fetch on every queue that has rows due and room for them, and returns which; and
    /// whether anything on disk waits for its time.
    pub(super) fn endpoints_due(&self) -> (Vec<EndpointKey>, bool) {
        let now = self.clock.now();
        let room = self.settings.held_per_endpoint;
        let mut due = Vec::new();
        let mut waits = false;
        for (key, queue) in &mut self.queues.lock().by_key {
            if queue.wants_fetch(now, room) {
                queue.begin_fetch();
                due.push(*key);
            }
            waits |= queue.waits();
        }
        (due, waits)
    }

    /// Drops queues that have been idle for `time`; returns whether any are left.
    pub(super) fn drop_idle(&self, time: Duration) -> bool {
        let now = Instant::now();
        let mut queues = self.queues.lock();
        queues
            .by_key
            .retain(|_, queue| !queue.is_idle() || now.duration_since(queue.last_used()) < time);
        if queues.by_key.is_empty() {
            queues.by_key.shrink_to_fit();
        }
        !queues.by_key.is_empty()
    }

    pub(super) fn counts(&self) -> Counts {
        let queues = self.queues.lock();
        let held = queues.by_key.values().map(Queue::held).sum();
        self.tally.counts(queues.waiting, held)
    }

    /// Whether no attempt, fetch or write is under way or to be done before the clock is pushed.
    /// The watcher is the only task that does not end by itself.
    #[cfg(test)]
    pub(super) fn is_at_rest(&self) -> bool {
        let now = self.clock.now();
        let watchers = usize::from(!self.stopping.is_cancelled());
        // In this order: a task that has ended has left its work in the queues.
        self.tasks.len() == watchers
            && self.queues.lock().by_key.values().all(|queue| queue.is_at_rest(now))
    }

    pub(super) async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        if timeout(self.settings.grace, self.tasks.wait()).await.is_err() {
            self.abandon.cancel();
            self.tasks.wait().await;
        }
        self.drained.cancel();
        self.recorded.cancelled().await;
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("counts", &self.counts()).finish_non_exhaustive()
    }
}
