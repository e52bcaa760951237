//! A running room as its callers see it, and the map of all of one kind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::{DashMap, Entry as Slot};
use ractor::{ActorId, ActorRef, MessagingErr};
use tokio::time::Instant;

use super::actor::Work;
use super::{AskError, Room};

#[derive(Debug)]
pub(super) struct Entry {
    /// How many batches the room has handed in, and how many of them were answered, in order.
    pub(super) submitted: AtomicU64,
    pub(super) answered: AtomicU64,
    /// Whether the room may be stopped when it is idle.
    pub(super) rests: AtomicBool,
    queued: AtomicUsize,
    last_used_millis: AtomicU64,
    retired: AtomicBool,
}

impl Entry {
    pub(super) fn new() -> Self {
        Self {
            submitted: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            rests: AtomicBool::new(true),
            queued: AtomicUsize::new(0),
            last_used_millis: AtomicU64::new(0),
            retired: AtomicBool::new(false),
        }
    }

    /// Marks the room as one whose memory is not to be trusted: the next command goes to a
    /// successor.
    pub(super) fn retire(&self) {
        self.retired.store(true, Ordering::Release);
    }

    pub(super) fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Acquire)
    }

    pub(super) fn has_landed(&self) -> bool {
        self.answered.load(Ordering::Acquire) >= self.submitted.load(Ordering::Acquire)
    }

    pub(super) fn took_one(&self) {
        self.queued.fetch_sub(1, Ordering::AcqRel);
    }
}

pub(super) struct Entries<R: Room> {
    rooms: DashMap<R::Id, Running<R>>,
    ids: DashMap<ActorId, R::Id>,
    queue: usize,
    epoch: Instant,
}

pub(super) struct Running<R: Room> {
    pub(super) actor: ActorRef<Work<R>>,
    pub(super) entry: Arc<Entry>,
}

enum Offer<R: Room> {
    Taken,
    Full,
    /// The room is no more; here is the command back.
    Gone(Work<R>),
}

impl<R: Room> Offer<R> {
    fn done(self) -> Result<(), AskError> {
        match self {
            Self::Taken => Ok(()),
            Self::Full | Self::Gone(_) => Err(AskError::Busy),
        }
    }
}

impl<R: Room> Entries<R> {
    /// No rooms; at most `queue` commands may wait for each that starts.
    pub(super) fn new(queue: usize) -> Self {
        Self { rooms: DashMap::new(), ids: DashMap::new(), queue, epoch: Instant::now() }
    }

    pub(super) fn len(&self) -> usize {
        self.rooms.len()
    }

    pub(super) fn clear(&self) {
        self.rooms.clear();
    }

    /// Sends a command to the room of `id`. Where there is none, or one that is no more, `start`
    /// starts it; it is told whether it takes over from another.
    pub(super) fn send(
        &self,
        id: R::Id,
        work: Work<R>,
        start: impl FnOnce(bool) -> Result<Running<R>, AskError>,
    ) -> Result<(), AskError> {
        let mut work = work;
        if let Some(room) = self.rooms.get(&id) {
            match self.offer(&room, work) {
                Offer::Gone(returned) => work = returned,
                offer => return offer.done(),
            }
        }
        match self.rooms.entry(id) {
            Slot::Vacant(vacant) => {
                let room = start(false)?;
                self.ids.insert(room.actor.get_id(), id);
                let offer = self.offer(&room, work);
                vacant.insert(room);
                offer.done()
            }
            Slot::Occupied(mut occupied) => {
                let work = match self.offer(occupied.get(), work) {
                    Offer::Gone(returned) => returned,
                    offer => return offer.done(),
                };
                let room = start(true)?;
                self.ids.insert(room.actor.get_id(), id);
                let offer = self.offer(&room, work);
                let predecessor = occupied.insert(room);
                let _ = predecessor.actor.get_cell().drain();
                offer.done()
            }
        }
    }

    fn offer(&self, room: &Running<R>, work: Work<R>) -> Offer<R> {
        let entry = &room.entry;
        if entry.is_retired() {
            return Offer::Gone(work);
        }
        if entry.queued.load(Ordering::Acquire) >= self.queue {
            return Offer::Full;
        }
        entry.queued.fetch_add(1, Ordering::AcqRel);
        entry.last_used_millis.store(self.millis(), Ordering::Release);
        match room.actor.send_message(work) {
            Ok(()) => Offer::Taken,
            Err(MessagingErr::SendErr(work)) => {
                entry.took_one();
                Offer::Gone(work)
            }
            Err(_) => Offer::Full,
        }
    }

    /// Forgets a room that has ended; its id, unless it was forgotten before.
    pub(super) fn ended(&self, who: ActorId) -> Option<R::Id> {
        let (_, id) = self.ids.remove(&who)?;
        self.rooms.remove_if(&id, |_, room| room.actor.get_id() == who);
        Some(id)
    }

    /// Stops the rooms that have nothing under way and that nobody asked for `idle`, or whose
    /// next command goes to a successor in any case.
    pub(super) fn stop_idle(&self, idle: Duration) {
        let idle = u64::try_from(idle.as_millis()).unwrap_or(u64::MAX);
        let now = self.millis();
        let before = self.rooms.len();
        self.rooms.retain(|_, room| {
            let entry = &room.entry;
            let last = entry.last_used_millis.load(Ordering::Acquire);
            let stops = entry.queued.load(Ordering::Acquire) == 0
                && entry.has_landed()
                && (entry.is_retired()
                    || entry.rests.load(Ordering::Acquire) && now.saturating_sub(last) >= idle);
            if stops {
                let _ = room.actor.get_cell().drain();
            }
            !stops
        });
        if self.rooms.len() < before / 2 {
            self.rooms.shrink_to_fit();
        }
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
