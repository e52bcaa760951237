//! The actor around a room: loads it, hands it its commands, gives way to a successor.

use std::marker::PhantomData;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use storage::Lane;

use super::rooms::{RoomKind, Slot};
use super::{Desk, Room};

/// The actor that hosts one room.
pub(super) struct Host<R>(PhantomData<fn() -> R>);

impl<R> Host<R> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

/// What a host starts with.
pub(super) struct Arrival<R: Room> {
    pub(super) id: R::Id,
    pub(super) kind: Arc<RoomKind<R>>,
    pub(super) slot: Arc<Slot>,
    /// Set when the room takes over from one that failed: how long to hold back first.
    pub(super) after_failure: Option<Duration>,
}

/// A hosted room; `room` is there once the host has started.
pub(super) struct Hosted<R: Room> {
    id: R::Id,
    room: Option<R>,
    desk: Desk<R>,
    kind: Arc<RoomKind<R>>,
    after_failure: Option<Duration>,
}

impl<R: Room> Actor for Host<R> {
    type Msg = R::Command;
    type State = Hosted<R>;
    type Arguments = Arrival<R>;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        arrival: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        let Arrival { id, kind, slot, after_failure } = arrival;
        let desk = Desk {
            store: kind.store.clone(),
            clock: kind.clock.clone(),
            tools: Arc::clone(&kind.tools),
            lane: Lane::new(),
            slot,
        };
        Ok(Hosted { id, room: None, desk, kind, after_failure })
    }

    /// Reads the rows here and not before: a failure is then seen by the supervisor.
    async fn post_start(
        &self,
        _: ActorRef<Self::Msg>,
        hosted: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        if let Some(pause) = hosted.after_failure {
            tokio::time::sleep(pause).await;
            // The predecessor's batches must land before the rows are read.
            hosted.kind.store.barrier().await;
        }
        let (kind, id) = (Arc::clone(&hosted.kind), hosted.id);
        let read = move || R::load(id, &kind.store, &kind.tools);
        hosted.room = Some(tokio::task::spawn_blocking(read).await??);
        Ok(())
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        command: Self::Msg,
        hosted: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        let Hosted { id, room, desk, kind, .. } = hosted;
        match room {
            Some(room) if !desk.lane.is_broken() && !desk.slot.is_doomed() => {
                // Caught here, so that what waits behind the panic is not lost with the mailbox.
                if AssertUnwindSafe(room.handle(command, desk)).catch_unwind().await.is_err() {
                    desk.slot.doom();
                    kind.note_failure(*id, "panicked");
                }
            }
            // What still waits here was sent to a memory that never came to be true.
            _ => kind.pass_on(*id, command, &desk.slot),
        }
        desk.slot.took_one();
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
            SupervisionEvent::ActorFailed(who, error) => kind.failed(&who, &error.to_string()),
            SupervisionEvent::ActorTerminated(who, _, _) => kind.ended(&who),
            _ => {}
        }
        Ok(())
    }
}
