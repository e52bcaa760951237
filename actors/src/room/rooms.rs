//! The handle to all rooms of one kind: found or started, stopped when idle, started again.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::{DashMap, Entry};
use parking_lot::Mutex;
use ractor::{Actor, ActorCell, ActorId, ActorRef, ActorRuntime, MessagingErr, SpawnErr};
use storage::Store;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::host::{Arrival, Host, Supervisor};
use super::{AskError, Flight, Outcome, Reply, Room};
use crate::clock::Clock;
use crate::domain::refusal::Refusal;
use crate::kernel::RoomSettings;

/// The first pause before a failed room starts again; it doubles with each failure.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
/// The longest pause before a failed room starts again.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// After this long without a failure the pauses begin anew.
const FORGIVEN_AFTER: Duration = Duration::from_secs(60);

/// The handle to all rooms of one kind. Clones are the same handle.
pub struct Rooms<R: Room> {
    pub(super) kind: Arc<RoomKind<R>>,
}

impl<R: Room> Clone for Rooms<R> {
    fn clone(&self) -> Self {
        Self { kind: Arc::clone(&self.kind) }
    }
}

/// What is shared by the rooms of one kind, their hosts and their supervisor.
pub(super) struct RoomKind<R: Room> {
    pub(super) store: Store,
    pub(super) clock: Clock,
    pub(super) tools: Arc<R::Tools>,
    settings: RoomSettings,
    seats: DashMap<R::Id, Seat<R>>,
    ids: DashMap<ActorId, R::Id>,
    failures: DashMap<R::Id, Failures>,
    supervisor: Mutex<Option<ActorCell>>,
    epoch: Instant,
}

/// A running room as its callers see it.
struct Seat<R: Room> {
    actor: ActorRef<R::Command>,
    slot: Arc<Slot>,
}

/// What a room and its callers know of each other.
#[derive(Debug, Default)]
pub(super) struct Slot {
    pub(super) flight: Flight,
    queued: AtomicUsize,
    last_used_millis: AtomicU64,
    doomed: AtomicBool,
}

impl Slot {
    /// Marks the room as one whose memory is wrong: the next command goes to a successor.
    pub(super) fn doom(&self) {
        self.doomed.store(true, Ordering::Release);
    }

    pub(super) fn is_doomed(&self) -> bool {
        self.doomed.load(Ordering::Acquire)
    }

    /// Counts a command as taken from the queue.
    pub(super) fn took_one(&self) {
        self.queued.fetch_sub(1, Ordering::AcqRel);
    }
}

#[derive(Clone, Copy)]
struct Failures {
    count: u32,
    last: Instant,
}

impl<R: Room> Rooms<R> {
    /// Starts the supervisor of a kind of rooms. No room runs until it is asked.
    ///
    /// # Errors
    /// When the supervising actor cannot be started.
    pub async fn start(
        store: Store,
        clock: Clock,
        tools: R::Tools,
        settings: RoomSettings,
    ) -> Result<Self, SpawnErr> {
        let kind = Arc::new(RoomKind {
            store,
            clock,
            tools: Arc::new(tools),
            settings,
            seats: DashMap::new(),
            ids: DashMap::new(),
            failures: DashMap::new(),
            supervisor: Mutex::new(None),
            epoch: Instant::now(),
        });
        let (supervisor, _) =
            Actor::spawn(None, Supervisor::<R>(PhantomData), Arc::clone(&kind)).await?;
        *kind.supervisor.lock() = Some(supervisor.get_cell());
        tokio::spawn(sweep(Arc::downgrade(&kind), settings.idle));
        Ok(Self { kind })
    }

    /// Sends a command to a room and waits for its answer. `command` is called again when the
    /// room had to start anew before anything of the command was written.
    ///
    /// # Errors
    /// [`AskError::Refused`] and [`AskError::Busy`] when nothing was done,
    /// [`AskError::Unanswered`] when nobody knows.
    pub async fn ask<T>(
        &self,
        id: R::Id,
        command: impl Fn(Reply<Result<T, Refusal>>) -> R::Command,
    ) -> Result<T, AskError> {
        let deadline = Instant::now() + self.kind.settings.answer_within;
        loop {
            let (port, answer) = oneshot::channel();
            self.kind.send(id, command(Reply(port)))?;
            match tokio::time::timeout_at(deadline, answer).await {
                Ok(Ok(Outcome::Answer(answer))) => return answer.map_err(AskError::Refused),
                Ok(Ok(Outcome::StartAgain)) => {}
                Ok(Err(_)) | Err(_) => return Err(AskError::Unanswered),
            }
        }
    }

    /// Sends a command whose answer nobody waits for.
    ///
    /// # Errors
    /// [`AskError::Busy`] when the room's queue is full; nothing was done then.
    pub fn tell<T>(
        &self,
        id: R::Id,
        command: impl FnOnce(Reply<T>) -> R::Command,
    ) -> Result<(), AskError> {
        let (port, _) = oneshot::channel();
        self.kind.send(id, command(Reply(port)))
    }

    /// How many rooms are in memory now.
    pub fn alive(&self) -> usize {
        self.kind.seats.len()
    }

    /// What all rooms of this kind share.
    pub fn tools(&self) -> &R::Tools {
        &self.kind.tools
    }

    /// Stops all rooms after they have taken what waits at their doors.
    pub async fn stop(&self) {
        let supervisor = self.kind.supervisor.lock().take();
        if let Some(supervisor) = supervisor {
            supervisor.drain_children_and_wait(Some(Duration::from_secs(10))).await;
            supervisor.stop(None);
        }
        self.kind.store.barrier().await;
        self.kind.seats.clear();
    }
}

impl<R: Room> RoomKind<R> {
    pub(super) fn send(self: &Arc<Self>, id: R::Id, command: R::Command) -> Result<(), AskError> {
        let mut command = command;
        if let Some(seat) = self.seats.get(&id) {
            match self.offer(&seat, command) {
                Offer::Taken => return Ok(()),
                Offer::Full => return Err(AskError::Busy),
                Offer::Gone(returned) => command = returned,
            }
        }
        match self.seats.entry(id) {
            Entry::Vacant(vacant) => {
                let seat = self.seat(id, false)?;
                let offer = self.offer(&seat, command);
                vacant.insert(seat);
                offer.done()
            }
            Entry::Occupied(mut occupied) => {
                let command = match self.offer(occupied.get(), command) {
                    Offer::Gone(returned) => returned,
                    settled => return settled.done(),
                };
                let seat = self.seat(id, true)?;
                let offer = self.offer(&seat, command);
                let predecessor = occupied.insert(seat);
                let _ = predecessor.actor.get_cell().drain();
                offer.done()
            }
        }
    }

    fn offer(&self, seat: &Seat<R>, command: R::Command) -> Offer<R::Command> {
        if seat.slot.is_doomed() {
            return Offer::Gone(command);
        }
        if seat.slot.queued.load(Ordering::Acquire) >= self.settings.queue {
            return Offer::Full;
        }
        seat.slot.queued.fetch_add(1, Ordering::AcqRel);
        seat.slot.last_used_millis.store(self.millis(), Ordering::Release);
        match seat.actor.send_message(command) {
            Ok(()) => Offer::Taken,
            Err(MessagingErr::SendErr(command)) => {
                seat.slot.took_one();
                Offer::Gone(command)
            }
            Err(_) => Offer::Full,
        }
    }

    /// Starts a room. `after_another`: it takes over from one that failed.
    fn seat(self: &Arc<Self>, id: R::Id, after_another: bool) -> Result<Seat<R>, AskError> {
        let Some(supervisor) = self.supervisor.lock().clone() else {
            return Err(AskError::Busy);
        };
        let slot = Arc::new(Slot::default());
        let pause = self.pause(id);
        let arrival = Arrival {
            id,
            kind: Arc::clone(self),
            slot: Arc::clone(&slot),
            after_failure: pause.or(after_another.then_some(Duration::ZERO)),
        };
        let (actor, _) =
            ActorRuntime::<Host<R>>::spawn_linked_instant(None, Host::new(), arrival, supervisor)
                .map_err(|_| AskError::Busy)?;
        self.ids.insert(actor.get_id(), id);
        Ok(Seat { actor, slot })
    }

    /// How long the next start of this room must hold back, if it failed lately.
    fn pause(&self, id: R::Id) -> Option<Duration> {
        let failures = *self.failures.get(&id)?;
        if failures.last.elapsed() > FORGIVEN_AFTER {
            self.failures.remove(&id);
            return None;
        }
        let doubled = FIRST_PAUSE.saturating_mul(1 << failures.count.min(16).saturating_sub(1));
        Some(doubled.min(LONGEST_PAUSE))
    }

    /// Hands a command that waited at a room's door to its successor.
    pub(super) fn pass_on(self: &Arc<Self>, id: R::Id, command: R::Command, from: &Slot) {
        from.doom();
        // A full queue drops the command: its caller is told "unanswered", nothing was done.
        let _ = self.send(id, command);
    }

    /// Forgets a room that ended by an error, for example because its rows cannot be read.
    pub(super) fn failed(&self, who: &ActorCell, error: &str) {
        let Some((_, id)) = self.ids.remove(&who.get_id()) else { return };
        self.note_failure(id, error);
        self.seats.remove_if(&id, |_, seat| seat.actor.get_id() == who.get_id());
    }

    /// Notes that a room failed; its next start holds back a little.
    pub(super) fn note_failure(&self, id: R::Id, error: &str) {
        tracing::error!(kind = R::KIND, room = ?id, error, "a room failed and will start again");
        let now = Instant::now();
        let mut failures = self.failures.entry(id).or_insert(Failures { count: 0, last: now });
        failures.count += 1;
        failures.last = now;
    }

    /// Forgets a room that stopped in order.
    pub(super) fn ended(&self, who: &ActorCell) {
        if let Some((_, id)) = self.ids.remove(&who.get_id()) {
            self.seats.remove_if(&id, |_, seat| seat.actor.get_id() == who.get_id());
        }
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Stops the rooms that have nothing under way and that nobody asked for a while, or whose
    /// next command goes to a successor in any case.
    fn stop_idle(&self) {
        let idle = u64::try_from(self.settings.idle.as_millis()).unwrap_or(u64::MAX);
        let now = self.millis();
        let before = self.seats.len();
        self.seats.retain(|_, seat| {
            let last = seat.slot.last_used_millis.load(Ordering::Acquire);
            let rests = seat.slot.queued.load(Ordering::Acquire) == 0
                && seat.slot.flight.is_landed()
                && (seat.slot.is_doomed() || now.saturating_sub(last) >= idle);
            if rests {
                let _ = seat.actor.get_cell().drain();
            }
            !rests
        });
        if self.seats.len() < before / 2 {
            self.seats.shrink_to_fit();
        }
        self.failures.retain(|_, failures| failures.last.elapsed() <= FORGIVEN_AFTER);
    }
}

/// What became of a command that was offered to a room.
enum Offer<C> {
    Taken,
    Full,
    /// The room is no more; here is the command back.
    Gone(C),
}

impl<C> Offer<C> {
    fn done(self) -> Result<(), AskError> {
        match self {
            Self::Taken => Ok(()),
            Self::Full | Self::Gone(_) => Err(AskError::Busy),
        }
    }
}

async fn sweep<R: Room>(kind: std::sync::Weak<RoomKind<R>>, idle: Duration) {
    let pace = (idle / 4).clamp(Duration::from_millis(20), Duration::from_secs(5));
    let mut ticks = tokio::time::interval(pace);
    loop {
        ticks.tick().await;
        let Some(kind) = kind.upgrade() else { return };
        kind.stop_idle();
    }
}
