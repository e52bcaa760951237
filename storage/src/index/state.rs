//! The claims of an open store: recent ones in memory, the others in runs.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex, RwLock};

use super::entry::Place;
use super::filters::Filters;
use super::memory::Memory;
use super::run::Run;
use super::{IndexOptions, IndexStats};
use crate::batch::Claims;

/// Full tables that may wait to become runs, before commits wait for them.
const WAITING_TABLES: usize = 3;
/// Claims that are taken in at a time, so that searches get in between.
const TAKEN_IN: usize = 2_048;

pub(crate) struct Indexes {
    pub(super) options: IndexOptions,
    pub(super) folder: PathBuf,
    pub(super) filters: Arc<Filters>,
    recent: RwLock<Recent>,
    /// The number of the next row of the log. Only the committer counts.
    next_row: AtomicU64,
    /// So many tables wait to become runs that commits have to wait.
    crowded: AtomicBool,
    ended: AtomicBool,
    upkeep: Mutex<Calls>,
    called: Condvar,
}

#[derive(Default)]
struct Calls {
    stopping: bool,
    /// There was nothing to do when it looked last, and nobody has called it since.
    resting: bool,
}

/// Where claims are looked for, in one consistent view.
pub(super) struct Recent {
    /// Durable claims, each of which is in a row of the log.
    pub(super) active: Memory,
    /// Tables that are full, the oldest first.
    pub(super) waiting: VecDeque<Arc<Waiting>>,
    pub(super) runs: Runs,
    /// The claims of all rows of the log below this one are in runs.
    pub(super) floor: u64,
}

/// All runs; the list is replaced, never changed.
pub(super) type Runs = Arc<Vec<Arc<Run>>>;

pub(super) struct Waiting {
    pub(super) memory: Memory,
    /// The first row of the log whose claims are not in this table or an older one.
    pub(super) until: u64,
}

impl Indexes {
    pub(super) fn new(
        options: IndexOptions,
        folder: PathBuf,
        filters: Arc<Filters>,
        recent: Recent,
        next_row: u64,
    ) -> Self {
        Self {
            options,
            folder,
            filters,
            recent: RwLock::new(recent),
            next_row: AtomicU64::new(next_row),
            crowded: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            upkeep: Mutex::default(),
            called: Condvar::new(),
        }
    }

    /// Takes in claims that have become durable, which `rows` rows of the log hold.
    pub(super) fn take_in(&self, claims: &[Claims], rows: u64) {
        let until = self.next_row.fetch_add(rows, Ordering::Relaxed) + rows;
        for part in claims {
            let place = Place::new(part.index, part.scope);
            for entries in part.entries.chunks(TAKEN_IN) {
                let mut recent = self.recent.write();
                let slot = recent.active.number(place);
                for (fingerprint, taken) in entries {
                    recent.active.put(slot, *fingerprint, *taken);
                }
            }
        }
        let mut recent = self.recent.write();
        if recent.active.len() >= self.options.table {
            recent.set_aside(until, self.options.table);
            self.note_crowd(&recent);
            drop(recent);
            self.call();
        }
    }

    pub(super) fn next_row(&self) -> u64 {
        self.next_row.load(Ordering::Relaxed)
    }

    /// Whether commits have to wait until a table has become a run.
    pub(crate) fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Acquire) && !self.ended.load(Ordering::Acquire)
    }

    pub(super) fn read<T>(&self, look: impl FnOnce(&Recent) -> T) -> T {
        look(&self.recent.read())
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Recent)) {
        let mut recent = self.recent.write();
        change(&mut recent);
        self.note_crowd(&recent);
    }

    pub(crate) fn stop(&self) {
        self.upkeep.lock().stopping = true;
        self.called.notify_all();
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.upkeep.lock().stopping
    }

    /// Waits until there is something to do, or `None` when it is time to stop.
    pub(super) fn wait_for<T>(&self, mut look: impl FnMut() -> Option<T>) -> Option<T> {
        let mut calls = self.upkeep.lock();
        loop {
            if calls.stopping {
                return None;
            }
            if let Some(work) = look() {
                return Some(work);
            }
            calls.resting = true;
            self.called.wait(&mut calls);
        }
    }

    /// Nobody turns tables into runs any more, so nobody must wait for it.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    #[cfg(feature = "testing")]
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    #[cfg(feature = "testing")]
    pub(crate) fn is_at_rest(&self) -> bool {
        self.upkeep.lock().resting
    }

    pub(crate) fn stats(&self) -> IndexStats {
        let recent = self.recent.read();
        let waiting = recent.waiting.iter().map(|table| table.memory.len());
        let in_memory = recent.active.len() + waiting.sum::<usize>();
        IndexStats {
            entries: in_memory as u64 + recent.runs.iter().map(|run| run.row.entries).sum::<u64>(),
            in_memory,
            runs: recent.runs.len(),
            run_bytes: recent.runs.iter().map(|run| run.row.bytes).sum(),
            filter_bytes: self.filters.bytes(),
        }
    }

    fn note_crowd(&self, recent: &Recent) {
        let crowded = recent.waiting.len() >= WAITING_TABLES;
        if crowded && !self.crowded.load(Ordering::Relaxed) {
            tracing::warn!("claims come faster than they can be sorted away: commits have to wait");
        }
        self.crowded.store(crowded, Ordering::Release);
    }

    fn call(&self) {
        // Whoever has just looked and found nothing is waiting once this lock is free.
        self.upkeep.lock().resting = false;
        self.called.notify_all();
    }
}

impl Recent {
    pub(super) fn set_aside(&mut self, until: u64, capacity: usize) {
        let memory = std::mem::replace(&mut self.active, Memory::with_capacity(capacity));
        self.waiting.push_back(Arc::new(Waiting { memory, until }));
    }
}
