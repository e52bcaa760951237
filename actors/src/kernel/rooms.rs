//! The handle to all rooms of one kind: found or started, asked, stopped when idle.

use std::marker::PhantomData;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use ractor::{Actor, ActorCell, ActorRuntime, SpawnErr};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::actor::{RoomActor, Start, Supervisor, Work};
use super::commit::{self, Decided, Outcome, Reply};
use super::entry::{Entries, Entry, Running};
use super::restarts::Restarts;
use super::resting::sweep;
use super::{AskError, Context, Decision, Halt, Once, Room, Services};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::timers::TimerKind;

/// How often a command is decided again because others were first with what it claims, before
/// its caller is told "busy".
const ATTEMPTS: u32 = 16;

/// How long a room stays after a command of somebody who comes by.
const IN_PASSING: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug)]
pub struct RoomSettings {
    /// A room that was asked nothing for this long is stopped.
    pub idle: Duration,
    /// Beyond so many rooms in memory the least recently used are stopped, whatever their age.
    pub most: usize,
    /// How many commands may wait for one room; beyond it the caller is told "busy".
    pub queue: usize,
    /// How long a caller waits before it is told "unanswered".
    pub answer_within: Duration,
}

impl Default for RoomSettings {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(60),
            most: 50_000,
            queue: 10_000,
            answer_within: Duration::from_secs(30),
        }
    }
}

/// The handle to all rooms of one kind. Clones are the same handle.
pub struct Rooms<R: Room> {
    pub(super) kind: Arc<RoomKind<R>>,
}

impl<R: Room> Clone for Rooms<R> {
    fn clone(&self) -> Self {
        Self { kind: Arc::clone(&self.kind) }
    }
}

pub(super) struct RoomKind<R: Room> {
    pub(super) services: Services,
    pub(super) tools: R::Tools,
    pub(super) entries: Entries<R>,
    settings: RoomSettings,
    restarts: Restarts<R::Id>,
    supervisor: Mutex<Option<ActorCell>>,
}

impl<R: Room> Rooms<R> {
    pub async fn start(
        services: Services,
        tools: R::Tools,
        settings: RoomSettings,
    ) -> Result<Self, SpawnErr> {
        let kind = Arc::new(RoomKind {
            services,
            tools,
            entries: Entries::new(settings.queue),
            settings,
            restarts: Restarts::new(),
            supervisor: Mutex::new(None),
        });
        let (supervisor, _) =
            Actor::spawn(None, Supervisor::<R>(PhantomData), Arc::clone(&kind)).await?;
        *kind.supervisor.lock() = Some(supervisor.get_cell());
        let swept = Arc::downgrade(&kind);
        kind.services
            .supervisor
            .run_quiet(R::WORKER, move || sweep(Weak::clone(&swept), settings.idle, settings.most));
        Ok(Self { kind })
    }

    /// Lets a room decide a command, and waits until what it decided is durable. `decide` is
    /// called again when the room had to start anew before anything was written.
    ///
    /// # Errors
    /// [`AskError::Refused`] and [`AskError::Busy`] when nothing was done,
    /// [`AskError::Unanswered`] when nobody knows.
    pub async fn command<T: Send + 'static>(
        &self,
        id: R::Id,
        decide: impl Fn(&R, &Context<R>) -> Result<Decision<R, T>, Refusal> + Send + Sync + 'static,
    ) -> Result<T, AskError> {
        self.command_and_stay(id, self.kind.stay(), decide).await
    }

    /// The same from somebody who comes by and does not return soon, such as a pass over all
    /// objects: a room that nobody else asked for rests shortly after.
    pub async fn command_in_passing<T: Send + 'static>(
        &self,
        id: R::Id,
        decide: impl Fn(&R, &Context<R>) -> Result<Decision<R, T>, Refusal> + Send + Sync + 'static,
    ) -> Result<T, AskError> {
        self.command_and_stay(id, self.kind.stay().min(IN_PASSING), decide).await
    }

    async fn command_and_stay<T: Send + 'static>(
        &self,
        id: R::Id,
        stay: Duration,
        decide: impl Fn(&R, &Context<R>) -> Result<Decision<R, T>, Refusal> + Send + Sync + 'static,
    ) -> Result<T, AskError> {
        let decide = move |room: &R, cx: &Context<R>| decide(room, cx).map_err(Halt::Refused);
        match self.ask(id, stay, Arc::new(decide)).await? {
            Ok(answer) => Ok(answer),
            Err(Halt::Refused(refusal)) => Err(AskError::Refused(refusal)),
            Err(Halt::Repeated) => Err(AskError::Unanswered),
        }
    }

    /// Lets a room decide a command that is carried out once for each key: `decide` looks for
    /// the key with [`Context::once`] and claims it.
    pub async fn once<T: Send + 'static>(
        &self,
        id: R::Id,
        decide: impl Fn(&R, &Context<R>) -> Result<Decision<R, T>, Halt> + Send + Sync + 'static,
    ) -> Result<Once<T>, AskError> {
        match self.ask(id, self.kind.stay(), Arc::new(decide)).await? {
            Ok(answer) => Ok(Once::Made(answer)),
            Err(Halt::Repeated) => Ok(Once::Before),
            Err(Halt::Refused(refusal)) => Err(AskError::Refused(refusal)),
        }
    }

    async fn ask<T: Send + 'static>(
        &self,
        id: R::Id,
        stay: Duration,
        decide: Arc<impl Fn(&R, &Context<R>) -> Decided<R, T> + Send + Sync + 'static>,
    ) -> Result<Result<T, Halt>, AskError> {
        let deadline = Instant::now() + self.kind.settings.answer_within;
        let _writer = self.kind.services.store.writer();
        for _ in 0..ATTEMPTS {
            let (port, answer) = oneshot::channel();
            let (reply, decide) = (Reply(port), Arc::clone(&decide));
            let work = Work(Box::new(move |running: &mut _| running.run(decide, reply)));
            self.kind.send(id, work, stay)?;
            match tokio::time::timeout_at(deadline, answer).await {
                Ok(Ok(Outcome::Answer(answer))) => return Ok(answer),
                Ok(Ok(Outcome::StartAgain)) => {}
                Ok(Err(_)) | Err(_) => return Err(AskError::Unanswered),
            }
        }
        Err(AskError::Busy)
    }

    /// A timer of the object was met that brought nothing about. Deletes its row where the room
    /// does not want it; true if that was so.
    ///
    /// # Errors
    /// As for [`command`](Self::command).
    pub async fn mend_timer(
        &self,
        id: R::Id,
        kind: TimerKind,
        at: Timestamp,
    ) -> Result<bool, AskError> {
        let (port, answer) = oneshot::channel();
        let mend =
            move |running: &mut commit::Running<R>| running.mend_timer(kind, at, Reply(port));
        self.kind.send(id, Work(Box::new(mend)), self.kind.stay().min(IN_PASSING))?;
        match tokio::time::timeout(self.kind.settings.answer_within, answer).await {
            Ok(Ok(Outcome::Answer(Ok(stale)))) => Ok(stale),
            Ok(Ok(Outcome::Answer(Err(Halt::Refused(refusal))))) => Err(AskError::Refused(refusal)),
            _ => Err(AskError::Unanswered),
        }
    }

    pub fn alive(&self) -> usize {
        self.kind.entries.len()
    }

    #[cfg(test)]
    pub(crate) fn is_alive(&self, id: R::Id) -> bool {
        self.kind.entries.contains(id)
    }

    pub fn settings(&self) -> RoomSettings {
        self.kind.settings
    }

    pub fn services(&self) -> &Services {
        &self.kind.services
    }

    pub fn tools(&self) -> &R::Tools {
        &self.kind.tools
    }

    /// Stops all rooms after they have taken what waits for them.
    pub async fn stop(&self) {
        let supervisor = self.kind.supervisor.lock().take();
        if let Some(supervisor) = supervisor {
            supervisor.drain_children_and_wait(Some(Duration::from_secs(10))).await;
            supervisor.stop(None);
        }
        self.kind.services.store.barrier().await;
        self.kind.entries.clear();
    }
}

impl<R: Room> RoomKind<R> {
    /// Sends a command to a room, which stays in memory for so long at least.
    pub(super) fn send(
        self: &Arc<Self>,
        id: R::Id,
        work: Work<R>,
        stay: Duration,
    ) -> Result<(), AskError> {
        let rests_at = self.entries.resting.after(stay);
        self.entries.send(id, work, rests_at, |takes_over| self.start(id, takes_over))
    }

    /// How long a room stays after a command.
    fn stay(&self) -> Duration {
        self.settings.idle.min(R::STAYS)
    }

    pub(super) fn tidy(&self) {
        self.restarts.tidy();
    }

    fn start(self: &Arc<Self>, id: R::Id, takes_over: bool) -> Result<Running<R>, AskError> {
        let Some(supervisor) = self.supervisor.lock().clone() else {
            return Err(AskError::Busy);
        };
        let entry = Arc::new(Entry::new());
        let start = Start {
            id,
            kind: Arc::clone(self),
            entry: Arc::clone(&entry),
            after_failure: self.restarts.pause(id).or(takes_over.then_some(Duration::ZERO)),
        };
        let started = ActorRuntime::<RoomActor<R>>::spawn_linked_instant(
            None,
            RoomActor::new(),
            start,
            supervisor,
        );
        let (actor, _) = started.map_err(|_| AskError::Busy)?;
        if self.entries.len() >= self.settings.most {
            self.entries.resting.crowd();
        }
        Ok(Running { actor, entry })
    }

    pub(super) fn note_failure(&self, id: R::Id, error: &str) {
        let (seller, object) = (R::seller(id).0, R::object(id));
        tracing::error!(room = R::KIND, seller, object, error, "a room failed and starts again");
        self.restarts.note(id);
    }
}
