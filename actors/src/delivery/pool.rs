//! What the pool's tasks share: the queues, the slots, and what is under way.

mod passing;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustls::ClientConfig;
use storage::Store;
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::client::tls;
use super::counts::{Counts, Tally};
use super::dissolve::Unfinished;
use super::feed::Feeds;
use super::queue::{EndpointKey, Queue};
use super::queues::Queues;
use super::record::{self, Entry};
use super::slots::Slots;
use super::unwritten::Unwritten;
use super::{DeliverySettings, Staged, WebhookLookup, expand, fetch, resume, retain, worker};
use crate::clock::Clock;
use crate::domain::ids::{DeliveryId, SellerId};
use crate::domain::platform::address::AddressGuard;
use crate::entropy::Entropy;
use crate::link_tokens::LinkTokens;
use crate::queue::Supervisor;
use crate::secrets::SecretBox;
use crate::watchers::Watchers;

/// Fetches that read the disk at once.
const FETCHES: usize = 8;

/// How long the recorder may take at the end.
const RECORDING: Duration = Duration::from_secs(60);

pub(super) struct Pool {
    pub(super) store: Store,
    pub(super) clock: Clock,
    pub(super) entropy: Entropy,
    pub(super) settings: DeliverySettings,
    pub(super) guard: AddressGuard,
    pub(super) lookup: WebhookLookup,
    pub(super) secrets: SecretBox,
    pub(super) links: LinkTokens,
    pub(super) tls: ClientConfig,
    /// Slots of endpoints that answered promptly the last time.
    pub(super) prompt_slots: Semaphore,
    /// Slots of endpoints of which nothing is known.
    pub(super) unknown_slots: Slots,
    pub(super) slow_slots: Slots,
    pub(super) fetch_slots: Semaphore,
    pub(super) feeds: Feeds,
    /// Who follows the events of a seller live.
    pub(super) followers: Watchers<SellerId>,
    pub(super) unwritten: Unwritten,
    pub(super) entries_in: mpsc::Sender<Entry>,
    /// The recorder's end, kept here so that one can follow another.
    pub(super) entries: tokio::sync::Mutex<mpsc::Receiver<Entry>>,
    pub(super) unfinished: Mutex<Unfinished>,
    /// The recorder has something to do beside what is handed in.
    pub(super) to_write: Notify,
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
    /// Whether the recorder is to panic with its next group.
    #[cfg(test)]
    pub(super) panics: std::sync::atomic::AtomicBool,
}

impl Pool {
    pub(super) fn start(
        store: Store,
        clock: Clock,
        entropy: Entropy,
        settings: DeliverySettings,
        lookup: WebhookLookup,
        (secrets, links): (SecretBox, LinkTokens),
        supervisor: &Supervisor,
    ) -> Arc<Self> {
        let (entries_in, entries) = mpsc::channel(record::QUEUE);
        let pool = Arc::new(Self {
            guard: settings.guard.clone(),
            prompt_slots: Semaphore::new(settings.at_once),
            unknown_slots: Slots::new(settings.at_once, settings.at_once_of_seller()),
            slow_slots: Slots::new(settings.at_once, settings.at_once_of_seller()),
            fetch_slots: Semaphore::new(FETCHES),
            tls: tls(),
            queues: Mutex::new(Queues::new(settings.per_endpoint, settings.held_per_endpoint)),
            store,
            clock,
            entropy,
            settings,
            lookup,
            secrets,
            links,
            feeds: Feeds::default(),
            followers: Watchers::default(),
            unwritten: Unwritten::default(),
            entries_in,
            entries: tokio::sync::Mutex::new(entries),
            unfinished: Mutex::default(),
            to_write: Notify::new(),
            wake: Notify::new(),
            stopping: CancellationToken::new(),
            abandon: CancellationToken::new(),
            drained: CancellationToken::new(),
            recorded: CancellationToken::new(),
            tasks: TaskTracker::new(),
            runtime: Handle::current(),
            tally: Tally::default(),
            #[cfg(test)]
            looks: Default::default(),
            #[cfg(test)]
            panics: Default::default(),
        });
        let recorder = Arc::clone(&pool);
        supervisor.run_quiet("webhook recorder", move || record::run(Arc::clone(&recorder)));
        pool.keep(supervisor, "webhook resumption", resume::run);
        pool.keep(supervisor, "webhook expander", expand::run);
        pool.keep(supervisor, "webhook fetcher", fetch::watch);
        pool.keep(supervisor, "webhook retention", retain::run);
        pool
    }

    /// Runs a worker that [`stop`](Self::stop) waits for.
    fn keep<F>(
        self: &Arc<Self>,
        supervisor: &Supervisor,
        name: &'static str,
        run: impl Fn(Arc<Self>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let pool = Arc::clone(self);
        supervisor.run_quiet(name, move || pool.tasks.track_future(run(Arc::clone(&pool))));
    }

    /// Starts a task that [`stop`](Self::stop) waits for; may be called from any thread.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn_on(task, &self.runtime);
    }

    pub(super) fn notify(&self, staged: &Staged) {
        if let Some(written) = staged.written() {
            self.feeds.notify(staged.seller, written);
            self.to_write.notify_one();
            self.followers.notify(&staged.seller);
        }
    }

    pub(super) fn start_workers(self: &Arc<Self>, key: EndpointKey) {
        if self.stopping.is_cancelled() {
            return;
        }
        for _ in 0..self.with_queue(key, Queue::start_workers) {
            self.spawn(worker::run(self.clone(), key));
        }
    }

    pub(super) fn attempted(self: &Arc<Self>, key: EndpointKey, success: bool, prompt: bool) {
        self.tally.attempted();
        let widest = self.settings.per_endpoint;
        self.with_queue(key, |queue| queue.adjust_window(success, prompt, widest));
        // The window of an unknown endpoint widens after a failure as well.
        self.start_workers(key);
    }

    pub(super) fn claim(&self, key: EndpointKey, id: DeliveryId) -> bool {
        self.with_queue(key, |queue| queue.claim(id))
    }

    pub(super) fn with_queue<R>(&self, key: EndpointKey, with: impl FnOnce(&mut Queue) -> R) -> R {
        self.queues.lock().with(key, with)
    }

    pub(super) fn queues(&self) -> parking_lot::MutexGuard<'_, Queues> {
        self.queues.lock()
    }

    pub(super) fn counts(&self) -> Counts {
        let queues = self.queues.lock();
        self.tally.counts(queues.waiting(), queues.held())
    }

    pub(super) async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        if timeout(self.settings.grace, self.tasks.wait()).await.is_err() {
            self.abandon.cancel();
            self.tasks.wait().await;
        }
        self.drained.cancel();
        // One that panics again and again is not waited for.
        let _ = timeout(RECORDING, self.recorded.cancelled()).await;
    }
}

#[cfg(test)]
impl Pool {
    /// Lets the recorder panic with its next group.
    pub(super) fn fail_recorder(&self) {
        self.panics.store(true, std::sync::atomic::Ordering::SeqCst);
    }

    /// Whether no attempt, fetch or write is under way or to be done before the clock is pushed.
    /// The expander, the watcher and the sweeper are the only tasks that do not end by themselves.
    pub(super) fn is_at_rest(&self) -> bool {
        let now = self.clock.now();
        let loops = if self.stopping.is_cancelled() { 0 } else { 3 };
        // In this order: a task that has ended has left its work in the queues.
        self.tasks.len() == loops
            && self.feeds.is_at_rest()
            && self.unwritten.is_empty()
            && self.queues.lock().is_at_rest(now)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("counts", &self.counts()).finish_non_exhaustive()
    }
}
