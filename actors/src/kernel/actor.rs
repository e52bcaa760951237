//! The actor around a room: loads it, runs its commands, gives way to a successor.

use std::marker::PhantomData;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use storage::{Lane, ReadError};

use super::commit::Running;
use super::entry::Entry;
use super::late::Late;
use super::rooms::RoomKind;
use super::{Context, Room};
use crate::timers::Timers;

pub(super) struct Work<R: Room>(pub(super) Box<Run<R>>);

type Run<R> = dyn FnOnce(&mut Running<R>) + Send;

pub(super) struct RoomActor<R>(PhantomData<fn() -> R>);

impl<R> RoomActor<R> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

pub(super) struct Start<R: Room> {
    pub(super) id: R::Id,
    pub(super) kind: Arc<RoomKind<R>>,
    pub(super) entry: Arc<Entry>,
    /// Set when the room takes over from one that failed: how long to hold back first.
    pub(super) after_failure: Option<Duration>,
}

/// A room with what it started with; `running` once its rows are read.
pub(super) struct Hosted<R: Room> {
    start: Start<R>,
    running: Option<Running<R>>,
}

impl<R: Room> Actor for RoomActor<R> {
    type Msg = Work<R>;
    type State = Hosted<R>;
    type Arguments = Start<R>;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        start: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(Hosted { start, running: None })
    }

    /// Reads the rows here and not before: a failure is then seen by the supervisor.
    async fn post_start(
        &self,
        _: ActorRef<Self::Msg>,
        hosted: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        let Start { id, kind, entry, after_failure } = &hosted.start;
        if let Some(pause) = after_failure {
            tokio::time::sleep(*pause).await;
            // The predecessor's batches must land before the rows are read.
            kind.services.store.barrier().await;
        }
        let (id, reader) = (*id, Arc::clone(kind));
        let read = move || {
            let store = &reader.services.store;
            let mut room = R::load(id, store, &reader.tools)?;
            let timers = Timers::on_disk(store, R::seller(id), R::object(id), &room.timers())?;
            Ok::<_, ReadError>((room, timers))
        };
        let (room, timers) = match R::IS_ONE_ROW {
            true => read()?,
            false => tokio::task::spawn_blocking(read).await??,
        };
        let (kind, entry) = (Arc::clone(kind), Arc::clone(entry));
        let now = kind.services.clock.now();
        let context = Context { id, kind, in_flight: Arc::default(), now, own: None };
        let (lane, late) = (Lane::new(), Late::default());
        let mut running = Running { room, context, timers, lane, entry, late };
        running.mend_timers();
        hosted.running = Some(running);
        Ok(())
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        work: Self::Msg,
        hosted: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        let Start { id, kind, entry, .. } = &hosted.start;
        match &mut hosted.running {
            Some(running) if !running.lane.is_broken() && !entry.is_retired() => {
                // Caught here, so that what waits behind the panic is not lost with the mailbox.
                let ran = std::panic::catch_unwind(AssertUnwindSafe(|| (work.0)(running)));
                if ran.is_err() {
                    entry.retire();
                    kind.note_failure(*id, "a command panicked");
                }
            }
            // Commands behind a refused batch go to the room that starts from the disk.
            _ => {
                entry.retire();
                // A full queue drops the command: its caller is told "unanswered", nothing was
                // done.
                let _ = kind.send(*id, work, Duration::ZERO);
            }
        }
        entry.took_one();
        Ok(())
    }
}

/// Supervises all rooms of one kind: one that ends takes none with it.
pub(super) struct Supervisor<R>(pub(super) PhantomData<fn() -> R>);

impl<R: Room> Actor for Supervisor<R> {
    type Msg = ();
    type State = Arc<RoomKind<R>>;
    type Arguments = Arc<RoomKind<R>>;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        kind: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(kind)
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<Self::Msg>,
        event: SupervisionEvent,
        kind: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorFailed(who, error) => {
                if let Some(id) = kind.entries.ended(who.get_id()) {
                    kind.note_failure(id, &error.to_string());
                }
            }
            SupervisionEvent::ActorTerminated(who, _, _) => {
                kind.entries.ended(who.get_id());
            }
            _ => {}
        }
        Ok(())
    }
}
