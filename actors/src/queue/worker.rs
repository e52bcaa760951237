//! One loop that looks for work, as an actor, and what is known of how it fares.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use storage::ReadError;
use tokio::task::JoinError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often a worker says at least that it is alive.
pub(crate) const BEAT: Duration = Duration::from_secs(1);

/// Runs what may wait for the disk. A panic in it is one of the worker that waits for it, so that
/// the supervisor tells of it.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await.map_err(JoinError::try_into_panic) {
        Ok(done) => done,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        // The runtime ends.
        Err(Err(_)) => std::future::pending().await,
    }
}

/// Reads what may wait for the disk. A panic in it is a read that failed.
pub(crate) async fn read_blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, ReadError> + Send + 'static,
) -> Result<T, ReadError> {
    let read = tokio::task::spawn_blocking(read).await;
    read.map_err(|error| ReadError::Failed(error.to_string()))?
}

/// What the worker does; called again when it has panicked.
pub(super) type Run = Box<dyn Fn(Pulse) -> BoxFuture<'static, ()> + Send + Sync>;

pub(super) struct Worker {
    pub(super) name: &'static str,
    pub(super) run: Run,
    /// How long it may be silent before it counts as stuck; for ever, unless told.
    pub(super) patience: Option<Duration>,
    pub(super) restarts: AtomicU64,
    life: Mutex<Life>,
    #[cfg(feature = "faults")]
    pub(super) broken: std::sync::atomic::AtomicBool,
}

struct Life {
    beat: Instant,
    /// Why it ended, until it runs again.
    ended: Option<String>,
    /// Whether it has done all that it was to do.
    done: bool,
}

/// By this a worker says that it is alive.
#[derive(Clone)]
pub struct Pulse(pub(super) Arc<Worker>);

impl Pulse {
    /// To be called in each round, at least once a second.
    pub fn beat(&self) {
        #[cfg(feature = "faults")]
        assert!(!self.0.broken.load(Ordering::Relaxed), "a test asked this worker to panic");
        self.0.life.lock().beat = Instant::now();
    }

    /// Waits so long, and says meanwhile that the worker is alive.
    pub(crate) async fn rest(&self, pause: Duration) {
        let next = Instant::now() + pause;
        while Instant::now() < next {
            self.beat();
            tokio::time::sleep(BEAT.min(next.saturating_duration_since(Instant::now()))).await;
        }
    }
}

impl Worker {
    pub(super) fn new(name: &'static str, patience: Option<Duration>, run: Run) -> Self {
        Self {
            name,
            run,
            patience,
            restarts: AtomicU64::new(0),
            life: Mutex::new(Life { beat: Instant::now(), ended: None, done: false }),
            #[cfg(feature = "faults")]
            broken: std::sync::atomic::AtomicBool::new(false),
        }
    }

    pub(super) fn begins(&self) {
        *self.life.lock() = Life { beat: Instant::now(), ended: None, done: false };
    }

    pub(super) fn ended(&self, why: String) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
        self.life.lock().ended = Some(why);
    }

    /// It has done what it was to do.
    pub(super) fn returned(&self) {
        self.life.lock().done = true;
    }

    /// Why it does not do its work, if that is so.
    pub(super) fn check(&self) -> Result<(), String> {
        let life = self.life.lock();
        if life.done {
            return Ok(());
        }
        if let Some(why) = &life.ended {
            return Err(format!("it does not run: {why}"));
        }
        let silent = life.beat.elapsed();
        if self.patience.is_some_and(|patience| silent > patience) {
            return Err(format!("it has been silent for {} s", silent.as_secs()));
        }
        Ok(())
    }
}

pub(super) struct WorkerActor(pub(super) CancellationToken);

impl Actor for WorkerActor {
    type Msg = ();
    type State = Arc<Worker>;
    type Arguments = Arc<Worker>;

    async fn pre_start(
        &self,
        _: ActorRef<()>,
        worker: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(worker)
    }

    /// The one message is the word to begin: a panic in here is seen by the supervisor.
    async fn handle(
        &self,
        myself: ActorRef<()>,
        (): (),
        worker: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        worker.begins();
        tokio::select! {
            () = self.0.cancelled() => {}
            () = (worker.run)(Pulse(Arc::clone(worker))) => {}
        }
        myself.stop(None);
        Ok(())
    }
}
