//! Puts rooms to rest: those that nobody asked for a while, and the least recently used ones
//! when there are too many.
//!
//! Rooms stand in the order of the instants from which on they need not stay. One that was asked
//! meanwhile has a later instant, and finds its place when its turn comes: neither a command nor
//! a look at what is due walks over the others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Weak;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::Room;
use super::entry::{Entries, Entry, Stop};
use super::rooms::RoomKind;

type Noted<I> = Vec<(I, Arc<Entry>)>;

pub(super) struct Resting<I> {
    epoch: Instant,
    /// By the millisecond at which they are to be looked at.
    due: Mutex<BTreeMap<u64, Noted<I>>>,
    crowded: Notify,
}

impl<I: Copy> Resting<I> {
    pub(super) fn new() -> Self {
        Self { epoch: Instant::now(), due: Mutex::default(), crowded: Notify::new() }
    }

    /// The millisecond that lies this far ahead.
    pub(super) fn after(&self, pause: Duration) -> u64 {
        u64::try_from((self.epoch.elapsed() + pause).as_millis()).unwrap_or(u64::MAX)
    }

    /// Takes note of a room, to be looked at when it may rest.
    pub(super) fn note(&self, id: I, entry: &Arc<Entry>) {
        self.note_at(entry.rests_at.load(Ordering::Acquire), id, entry);
    }

    /// Takes note of a room that may rest as soon as nothing is under way.
    pub(super) fn note_now(&self, id: I, entry: &Arc<Entry>) {
        self.note_at(self.after(Duration::ZERO), id, entry);
    }

    /// Tells that there are more rooms than there may be.
    pub(super) fn crowd(&self) {
        self.crowded.notify_one();
    }

    fn note_at(&self, at: u64, id: I, entry: &Arc<Entry>) {
        self.due.lock().entry(at).or_default().push((id, Arc::clone(entry)));
    }

    fn first(&self, until: u64) -> Option<(u64, Noted<I>)> {
        let mut due = self.due.lock();
        let first = due.first_entry().filter(|first| *first.key() <= until)?;
        Some(first.remove_entry())
    }
}

impl<R: Room> Entries<R> {
    /// Stops the rooms that may rest now, and of the others the least recently used while there
    /// are more than `most`. What is busy is looked at again after `pace`.
    fn put_to_rest(&self, most: usize, pace: Duration) {
        let (now, later) = (self.resting.after(Duration::ZERO), self.resting.after(pace));
        let mut busy = Vec::new();
        loop {
            let until = if self.len() > most { u64::MAX } else { now };
            let Some((due, rooms)) = self.resting.first(until) else { break };
            for (id, entry) in rooms {
                let rests_at = entry.rests_at.load(Ordering::Acquire);
                if due > now && self.len() <= most {
                    self.resting.note_at(due, id, &entry);
                } else if rests_at > due && !entry.is_retired() {
                    self.resting.note_at(rests_at, id, &entry);
                } else if matches!(self.stop(id, &entry), Stop::Busy) {
                    busy.push((id, entry));
                }
            }
        }
        for (id, entry) in busy {
            self.resting.note_at(later, id, &entry);
        }
        self.shrink();
    }
}

/// Puts rooms to rest until their kind is no more.
pub(super) async fn sweep<R: Room>(kind: Weak<RoomKind<R>>, idle: Duration, most: usize) {
    let pace = (idle / 4).clamp(Duration::from_millis(20), Duration::from_secs(1));
    loop {
        let Some(kind) = kind.upgrade() else { return };
        kind.entries.put_to_rest(most, pace);
        kind.tidy();
        if kind.entries.len() > most {
            // All that are left are busy: looking again at once would only cost.
            tokio::time::sleep(pace).await;
        } else {
            let crowded = kind.entries.resting.crowded.notified();
            let _ = tokio::time::timeout(pace, crowded).await;
        }
    }
}
