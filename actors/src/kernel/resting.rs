//! Puts rooms to rest: those that nobody asked for a while, and the least recently used ones
//! when there are too many.
//!
//! Rooms stand in the order of the instants from which on they need not stay. One that was asked
//! meanwhile has a later instant, and finds its place when its turn comes: neither a command nor
//! a look at what is due walks over the others. They are stopped a few at a time, soon after their
//! instant: a second's worth of payments at once would keep everybody else waiting.

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

/// Rooms that are looked at before others get their turn.
const AT_ONCE: usize = 64;
/// How long it is rested between two looks, while there is no crowd.
const REST: Duration = Duration::from_millis(2);
/// Rooms that are due for so long are looked at without a rest, or many would wait where many come.
const LATE: Duration = Duration::from_millis(50);
/// Rooms that are due within so short a time are looked at together.
const GATHERED: Duration = Duration::from_millis(10);

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

    /// The rooms that are due first, at most `limit` of them, and when they are.
    fn first(&self, until: u64, limit: usize) -> Option<(u64, Noted<I>)> {
        let mut due = self.due.lock();
        let mut first = due.first_entry().filter(|first| *first.key() <= until)?;
        let at = *first.key();
        let rooms = first.get_mut();
        let taken = rooms.split_off(rooms.len().saturating_sub(limit));
        if rooms.is_empty() {
            first.remove();
        }
        Some((at, taken))
    }

    fn is_late(&self) -> bool {
        let late = self.epoch.elapsed().saturating_sub(LATE);
        let first = self.due.lock().first_key_value().map(|(at, _)| Duration::from_millis(*at));
        first.is_some_and(|first| first < late)
    }

    /// How long it is until the first room is due.
    fn until_first(&self) -> Option<Duration> {
        let at = *self.due.lock().first_key_value()?.0;
        Some(Duration::from_millis(at).saturating_sub(self.epoch.elapsed()))
    }
}

impl<R: Room> Entries<R> {
    /// Stops rooms that may rest now, and of the others the least recently used while there are more
    /// than `most`. It looks at a few of them, and says whether there may be more. What is busy is
    /// looked at again after `pace`.
    fn put_to_rest(&self, most: usize, pace: Duration) -> Looked {
        let (now, later) = (self.resting.after(Duration::ZERO), self.resting.after(pace));
        let (mut busy, mut left, before) = (Vec::new(), AT_ONCE, self.len());
        while left > 0 {
            let until = if self.len() > most { u64::MAX } else { now };
            let Some((due, rooms)) = self.resting.first(until, left) else { break };
            left -= rooms.len();
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
        match left {
            0 if self.len() < before => Looked::AndStopped,
            0 => Looked::InVain,
            _ => Looked::AtAll,
        }
    }
}

enum Looked {
    /// At as many as it may, of which some were stopped.
    AndStopped,
    /// At as many as it may, which all stay.
    InVain,
    AtAll,
}

/// Puts rooms to rest until their kind is no more.
pub(super) async fn sweep<R: Room>(kind: Weak<RoomKind<R>>, idle: Duration, most: usize) {
    let pace = (idle / 4).clamp(Duration::from_millis(20), Duration::from_secs(1));
    let mut tidied = Instant::now();
    loop {
        let Some(kind) = kind.upgrade() else { return };
        let looked = kind.entries.put_to_rest(most, pace);
        let is_crowded = kind.entries.len() > most;
        if tidied.elapsed() >= pace {
            kind.entries.shrink();
            kind.tidy();
            tidied = Instant::now();
        }
        match (looked, is_crowded) {
            (Looked::AndStopped, _) if is_crowded || kind.entries.resting.is_late() => {
                tokio::task::yield_now().await;
            }
            (Looked::AndStopped | Looked::InVain, _) => tokio::time::sleep(REST).await,
            // All that are left are busy: looking again at once would only cost.
            (Looked::AtAll, true) => tokio::time::sleep(pace).await,
            (Looked::AtAll, false) => {
                let first = kind.entries.resting.until_first().unwrap_or(pace);
                let crowded = kind.entries.resting.crowded.notified();
                let _ = tokio::time::timeout(first.clamp(GATHERED.min(pace), pace), crowded).await;
            }
        }
    }
}
