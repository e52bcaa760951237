//! What the pool's tasks share: the lines, the slots, and how deliveries pass between them.

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
use super::line::{Line, LineKey};
use super::record::{self, Conclusion};
use super::{DeliverySettings, Staged, WebhookLookup, fetch, lane};
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
    /// Slots of all others.
    pub(super) other_slots: Semaphore,
    pub(super) conclusions: mpsc::Sender<Conclusion>,
    /// Something on disk began to wait for its time.
    pub(super) wake: Notify,
    /// No attempt begins any more.
    pub(super) stopping: CancellationToken,
    /// Attempts under way are given up.
    pub(super) abandon: CancellationToken,
    /// No conclusion comes any more.
    pub(super) drained: CancellationToken,
    /// The recorder has written all it was given.
    pub(super) recorded: CancellationToken,
    pub(super) tasks: TaskTracker,
    runtime: Handle,
    lines: Mutex<Lines>,
    tally: Tally,
}

#[derive(Default)]
struct Lines {
    by_key: HashMap<LineKey, Line>,
    /// Deliveries that wait in all lines.
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
        let (conclusions, to_record) = mpsc::channel(record::QUEUE);
        let pool = Arc::new(Self {
            guard: AddressGuard::new(settings.private_cidrs.clone()),
            prompt_slots: Semaphore::new(settings.at_once),
            other_slots: Semaphore::new(settings.at_once),
            tls: tls(),
            store,
            clock,
            entropy,
            settings,
            lookup,
            secrets,
            conclusions,
            wake: Notify::new(),
            stopping: CancellationToken::new(),
            abandon: CancellationToken::new(),
            drained: CancellationToken::new(),
            recorded: CancellationToken::new(),
            tasks: TaskTracker::new(),
            runtime: Handle::current(),
            lines: Mutex::default(),
            tally: Tally::default(),
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
        let mut touched: Vec<LineKey> = Vec::new();
        for delivery in staged.deliveries {
            let key = (delivery.seller, delivery.webhook);
            self.admit(key, delivery);
            if !touched.contains(&key) {
                touched.push(key);
            }
        }
        for key in touched {
            self.open_lanes(key);
        }
    }

    /// Takes a delivery into memory, or leaves it to be fetched when there is room.
    fn admit(&self, key: LineKey, delivery: Delivery) {
        let full = self.lines.lock().waiting >= self.settings.held;
        self.with_line(key, |line| {
            if full || line.waiting() >= self.settings.held_per_endpoint {
                line.note_on_disk(delivery.next_attempt_at.unwrap_or(delivery.created_at));
                self.wake.notify_one();
            } else if line.hold(delivery.id) {
                line.push(delivery);
            }
        });
    }

    /// Starts as many lanes as the line has work and window for.
    pub(super) fn open_lanes(self: &Arc<Self>, key: LineKey) {
        if self.stopping.is_cancelled() {
            return;
        }
        for _ in 0..self.with_line(key, Line::open_lanes) {
            self.spawn(lane::run(self.clone(), key));
        }
    }

    /// The next delivery of a line, and whether its endpoint is a prompt one.
    pub(super) fn take(self: &Arc<Self>, key: LineKey) -> Option<(Delivery, bool)> {
        let stopping = self.stopping.is_cancelled();
        let (next, fetch) = self.with_line(key, |line| {
            if stopping {
                line.close_lane();
                return (None, false);
            }
            let next = line.take().map(|delivery| (delivery, line.prompt));
            let fetch =
                line.waits() && line.wants_fetch(self.clock.now(), self.settings.held_per_endpoint);
            if fetch {
                line.begin_fetch();
            }
            (next, fetch)
        });
        if fetch {
            self.spawn(fetch::due(self.clone(), key));
        }
        next
    }

    /// Counts an attempt, and sets the window of its line by how it went.
    pub(super) fn learn(self: &Arc<Self>, key: LineKey, success: bool, prompt: bool) {
        self.tally.attempted();
        let widest = self.settings.per_endpoint;
        self.with_line(key, |line| line.learn(success, prompt, widest));
        if success {
            self.open_lanes(key);
        }
    }

    /// Lets go of deliveries whose rows are as they stand.
    pub(super) fn settle(&self, deliveries: impl Iterator<Item = Delivery>) {
        let mut waits = false;
        for delivery in deliveries {
            self.tally.recorded(delivery.status);
            let due = delivery.next_attempt_at;
            waits |= due.is_some();
            let key = (delivery.seller, delivery.webhook);
            self.with_line(key, |line| line.release(delivery.id, due));
        }
        if waits {
            self.wake.notify_one();
        }
    }

    /// Lets go of deliveries whose rows could not be written, to look at them again at `due`.
    pub(super) fn put_off(&self, deliveries: impl Iterator<Item = Delivery>, due: Timestamp) {
        for delivery in deliveries {
            let key = (delivery.seller, delivery.webhook);
            self.with_line(key, |line| line.release(delivery.id, Some(due)));
        }
        self.wake.notify_one();
    }

    /// Marks a delivery as being dealt with; false when it already is.
    pub(super) fn hold(&self, key: LineKey, id: DeliveryId) -> bool {
        self.with_line(key, |line| line.hold(id))
    }

    /// Does something with a line, making it when it is not there.
    pub(super) fn with_line<R>(&self, key: LineKey, deal: impl FnOnce(&mut Line) -> R) -> R {
        let mut lines = self.lines.lock();
        let line = lines.by_key.entry(key).or_insert_with(|| Line::new(self.settings.per_endpoint));
        let before = line.waiting();
        let result = deal(line);
        let after = line.waiting();
        lines.waiting = lines.waiting + after - before;
        result
    }

    /// Begins a fetch on every line that has rows due and room for them, and answers which; and
    /// whether any line waits for its time.
    pub(super) fn lines_due(&self) -> (Vec<LineKey>, bool) {
        let now = self.clock.now();
        let room = self.settings.held_per_endpoint;
        let mut due = Vec::new();
        let mut waits = false;
        for (key, line) in &mut self.lines.lock().by_key {
            if line.wants_fetch(now, room) {
                line.begin_fetch();
                due.push(*key);
            }
            waits |= line.waits();
        }
        (due, waits)
    }

    /// Forgets lines that have been idle for `rest`; answers whether any are left.
    pub(super) fn forget_idle(&self, rest: Duration) -> bool {
        let now = Instant::now();
        let mut lines = self.lines.lock();
        lines.by_key.retain(|_, line| !line.is_idle() || now.duration_since(line.used()) < rest);
        if lines.by_key.is_empty() {
            lines.by_key.shrink_to_fit();
        }
        !lines.by_key.is_empty()
    }

    pub(super) fn counts(&self) -> Counts {
        let lines = self.lines.lock();
        let held = lines.by_key.values().map(Line::held).sum();
        self.tally.counts(lines.waiting, held)
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
