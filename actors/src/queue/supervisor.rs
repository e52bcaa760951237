//! Who starts the workers, and starts them again when they end.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::FutureExt;
use parking_lot::Mutex;
use ractor::{
    Actor, ActorId, ActorProcessingErr, ActorRef, ActorRuntime, SpawnErr, SupervisionEvent,
};
use tokio_util::sync::CancellationToken;

use super::worker::{Pulse, Run, Worker, WorkerActor};
use crate::health::Health;
use crate::kernel::restarts::Restarts;

/// Runs workers for as long as the program runs. Clones are the same supervisor.
#[derive(Clone)]
pub struct Supervisor {
    actor: ActorRef<Start>,
    workers: Arc<Mutex<Vec<Arc<Worker>>>>,
    health: Health,
    stop: CancellationToken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerFigures {
    pub name: &'static str,
    pub restarts: u64,
}

impl Supervisor {
    /// A supervisor without workers; each of them becomes a part of `health`.
    pub fn start(health: Health) -> Result<Self, SpawnErr> {
        let stop = CancellationToken::new();
        let started = ActorRuntime::<SupervisorActor>::spawn_instant;
        let (actor, _) = started(None, SupervisorActor, stop.clone())?;
        Ok(Self { actor, workers: Arc::default(), health, stop })
    }

    /// Starts a worker: `run` is to beat at least once within `patience`, and is called again when
    /// it has panicked. One that returns has done what it was to do.
    pub fn run<F>(
        &self,
        name: &'static str,
        patience: Duration,
        run: impl Fn(Pulse) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        self.begin(name, Some(patience), Box::new(move |pulse| run(pulse).boxed()));
    }

    /// The same for one that waits for work as long as there is none, and does not beat.
    pub fn run_quiet<F>(&self, name: &'static str, run: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.begin(name, None, Box::new(move |_| run().boxed()));
    }

    fn begin(&self, name: &'static str, patience: Option<Duration>, run: Run) {
        let worker = Arc::new(Worker::new(name, patience, run));
        // What a worker works with may lead back here: it is let go of at the stop.
        let checked = Arc::downgrade(&worker);
        self.health.add(name, move || checked.upgrade().map_or(Ok(()), |worker| worker.check()));
        self.workers.lock().push(Arc::clone(&worker));
        // A supervisor that was stopped starts nobody.
        let _ = self.actor.cast(Start(worker));
    }

    pub fn figures(&self) -> Vec<WorkerFigures> {
        let figures = |worker: &Arc<Worker>| WorkerFigures {
            name: worker.name,
            restarts: worker.restarts.load(Ordering::Relaxed),
        };
        self.workers.lock().iter().map(figures).collect()
    }

    /// Makes a worker panic in each of its rounds, or mends it.
    #[cfg(feature = "faults")]
    pub fn break_worker(&self, name: &str, broken: bool) {
        let workers = self.workers.lock();
        let worker = workers.iter().find(|worker| worker.name == name);
        worker.expect("a worker of this name").broken.store(broken, Ordering::Relaxed);
    }

    /// Ends all workers where they wait, and starts none again.
    pub async fn stop(&self) {
        self.stop.cancel();
        self.actor.stop_children_and_wait(None, None).await;
        // It may be gone already.
        let _ = self.actor.stop_and_wait(None, None).await;
        self.workers.lock().clear();
    }
}

impl fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervisor").field("workers", &self.figures()).finish_non_exhaustive()
    }
}

struct Start(Arc<Worker>);

struct SupervisorActor;

struct Running {
    workers: HashMap<ActorId, Arc<Worker>>,
    restarts: Restarts<&'static str>,
    stop: CancellationToken,
}

impl Running {
    fn returned(&mut self, who: ActorId) {
        let worker = self.workers.remove(&who);
        if let Some(worker) = worker.filter(|_| !self.stop.is_cancelled()) {
            worker.returned();
        }
    }

    /// How long to wait before a worker that has ended starts again.
    fn ended(&mut self, who: ActorId, why: String) -> Option<(Arc<Worker>, Duration)> {
        let worker = self.workers.remove(&who)?;
        if self.stop.is_cancelled() {
            return None;
        }
        tracing::error!(worker = worker.name, why, "a worker ended and starts again");
        worker.ended(why);
        self.restarts.note(worker.name);
        let pause = self.restarts.pause(worker.name).unwrap_or_default();
        Some((worker, pause))
    }
}

impl Actor for SupervisorActor {
    type Msg = Start;
    type State = Running;
    type Arguments = CancellationToken;

    async fn pre_start(
        &self,
        _: ActorRef<Start>,
        stop: CancellationToken,
    ) -> Result<Running, ActorProcessingErr> {
        Ok(Running { workers: HashMap::new(), restarts: Restarts::new(), stop })
    }

    async fn handle(
        &self,
        myself: ActorRef<Start>,
        Start(worker): Start,
        running: &mut Running,
    ) -> Result<(), ActorProcessingErr> {
        if running.stop.is_cancelled() {
            return Ok(());
        }
        let actor = WorkerActor(running.stop.clone());
        let spawned =
            Actor::spawn_linked(None, actor, Arc::clone(&worker), myself.get_cell()).await;
        match spawned {
            Ok((actor, _)) => {
                running.workers.insert(actor.get_id(), worker);
                // One that has ended already is told of as an event.
                let _ = actor.cast(());
            }
            Err(error) => {
                tracing::error!(worker = worker.name, %error, "a worker cannot be started");
                myself.send_after(Duration::from_secs(1), move || Start(worker));
            }
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Start>,
        event: SupervisionEvent,
        running: &mut Running,
    ) -> Result<(), ActorProcessingErr> {
        let ended = match event {
            SupervisionEvent::ActorFailed(who, error) => {
                running.ended(who.get_id(), error.to_string())
            }
            SupervisionEvent::ActorTerminated(who, ..) => {
                running.returned(who.get_id());
                None
            }
            _ => None,
        };
        if let Some((worker, pause)) = ended {
            myself.send_after(pause, move || Start(worker));
        }
        Ok(())
    }
}
