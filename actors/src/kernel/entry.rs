//! A running room as its callers see it, and the map of all of one kind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use dashmap::{DashMap, Entry as Slot};
use ractor::{ActorId, ActorRef, MessagingErr};

use super::actor::Work;
use super::resting::Resting;
use super::{AskError, Room};

#[derive(Debug)]
pub(super) struct Entry {
    /// How many batches the room has handed in, and how many of them were answered, in order.
    pub(super) submitted: AtomicU64,
    pub(super) answered: AtomicU64,
    /// Whether the room may be stopped when it is idle.
    pub(super) rests: AtomicBool,
    /// How many commands wait to be told that they came too late.
    pub(super) late: AtomicUsize,
    queued: AtomicUsize,
    /// From when on the room need not stay in memory, by the clock of [`Resting`].
    pub(super) rests_at: AtomicU64,
    retired: AtomicBool,
}

impl Entry {
    pub(super) fn new() -> Self {
        Self {
            submitted: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            rests: AtomicBool::new(true),
            late: AtomicUsize::new(0),
            queued: AtomicUsize::new(0),
            rests_at: AtomicU64::new(0),
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

    /// Whether it may be stopped now: nobody waits for it, nothing is under way.
    fn may_stop(&self) -> bool {
        self.queued.load(Ordering::Acquire) == 0
            && self.has_landed()
            && (self.is_retired() || self.rests.load(Ordering::Acquire))
    }

    pub(super) fn took_one(&self) {
        self.queued.fetch_sub(1, Ordering::AcqRel);
    }
}

pub(super) struct Entries<R: Room> {
    rooms: DashMap<R::Id, Running<R>>,
    ids: DashMap<ActorId, R::Id>,
    alive: AtomicUsize,
    queue: usize,
    pub(super) resting: Resting<R::Id>,
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
        Self {
            rooms: DashMap::new(),
            ids: DashMap::new(),
            alive: AtomicUsize::new(0),
            queue,
            resting: Resting::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.alive.load(Ordering::Acquire)
    }

    #[cfg(test)]
    pub(super) fn contains(&self, id: R::Id) -> bool {
        self.rooms.contains_key(&id)
    }

    pub(super) fn clear(&self) {
        self.rooms.clear();
        self.alive.store(0, Ordering::Release);
    }

    /// Sends a command to the room of `id`, which stays in memory until `rests_at`. Where there is
    /// none, or one that is no more, `start` starts it; it is told whether it takes over from
    /// another.
    pub(super) fn send(
        &self,
        id: R::Id,
        work: Work<R>,
        rests_at: u64,
        start: impl FnOnce(bool) -> Result<Running<R>, AskError>,
    ) -> Result<(), AskError> {
        let mut work = work;
        if let Some(room) = self.rooms.get(&id) {
            match self.offer(&room, work, rests_at) {
                Offer::Gone(returned) => work = returned,
                offer => return offer.done(),
            }
        }
        match self.rooms.entry(id) {
            Slot::Vacant(vacant) => {
                let room = start(false)?;
                self.ids.insert(room.actor.get_id(), id);
                let offer = self.offer(&room, work, rests_at);
                self.resting.note(id, &room.entry);
                self.alive.fetch_add(1, Ordering::AcqRel);
                vacant.insert(room);
                offer.done()
            }
            Slot::Occupied(mut occupied) => {
                let work = match self.offer(occupied.get(), work, rests_at) {
                    Offer::Gone(returned) => returned,
                    offer => return offer.done(),
                };
                let room = start(true)?;
                self.ids.insert(room.actor.get_id(), id);
                let offer = self.offer(&room, work, rests_at);
                self.resting.note(id, &room.entry);
                let predecessor = occupied.insert(room);
                let _ = predecessor.actor.get_cell().drain();
                offer.done()
            }
        }
    }

    /// Sends a command to the room of `id` where one runs that is to be trusted. It starts none, and
    /// so may be called on any thread.
    pub(super) fn send_to_running(&self, id: R::Id, work: Work<R>) {
        if let Some(room) = self.rooms.get(&id) {
            let _ = self.offer(&room, work, 0);
        }
    }

    fn offer(&self, room: &Running<R>, work: Work<R>, rests_at: u64) -> Offer<R> {
        let entry = &room.entry;
        if entry.is_retired() {
            return Offer::Gone(work);
        }
        if entry.queued.load(Ordering::Acquire) >= self.queue {
            return Offer::Full;
        }
        entry.queued.fetch_add(1, Ordering::AcqRel);
        entry.rests_at.fetch_max(rests_at, Ordering::AcqRel);
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
        self.forget(id, |room| room.actor.get_id() == who);
        Some(id)
    }

    /// Stops a room that has nothing under way; says whether it is still there.
    pub(super) fn stop(&self, id: R::Id, entry: &Arc<Entry>) -> Stop {
        let mut is_there = false;
        let stopped = self.forget(id, |room| {
            is_there = Arc::ptr_eq(&room.entry, entry);
            is_there && entry.may_stop()
        });
        match stopped {
            Some(room) => {
                let _ = room.actor.get_cell().drain();
                Stop::Stopped
            }
            None if is_there => Stop::Busy,
            None => Stop::Gone,
        }
    }

    fn forget(&self, id: R::Id, which: impl FnOnce(&Running<R>) -> bool) -> Option<Running<R>> {
        let (_, room) = self.rooms.remove_if(&id, |_, room| which(room))?;
        self.alive.fetch_sub(1, Ordering::AcqRel);
        Some(room)
    }

    /// Gives back memory when few rooms are left of many.
    pub(super) fn shrink(&self) {
        if self.rooms.capacity() / 8 > self.len() {
            self.rooms.shrink_to_fit();
            self.ids.shrink_to_fit();
        }
    }
}

pub(super) enum Stop {
    Stopped,
    /// Something waits for it or is under way.
    Busy,
    Gone,
}
