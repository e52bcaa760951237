//! The thread that gives frozen tables to the engine: the last row of each key, in order, in
//! small writes, so that no reader waits long for one.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::EngineError;
use super::journaled::{Behind, applied_key};
use crate::fatal::{Fuse, guarded};
use crate::recent::Table;
use crate::record;

/// Rows that are handed over at a time, and their bytes at most, unless it is one row alone.
/// Neighbours share a record of the engine.
const AT_ONCE: usize = 512;
const BYTES_AT_ONCE: usize = 128 * 1024;
/// Tables' worth of rows that may wait for the engine before writers wait as well.
const MOST_TABLES: usize = 4;
/// From two tables' worth on each group waits a little, the longer the more wait, so that nobody
/// waits long at the end.
const EASY_TABLES: usize = 2;
const LONGEST_WAIT: Duration = Duration::from_millis(8);
/// Tables' worth of the journal after which a table is frozen that is not full: rows that replace
/// each other do not fill it, and a start replays what the engine has not got.
const MOST_JOURNAL: usize = 4;
/// After so long without a write the engine gets also what does not fill a table.
const QUIET: Duration = Duration::from_secs(5);
/// How often it is looked whether a table's groups are durable, and whether an older pin is gone.
const LOOKED: Duration = Duration::from_millis(2);
/// The part of a table's time to fill in which the one before it is handed over, in percent.
const HANDED_OVER_IN: usize = 75;
/// How long at most the rest after a write to the engine lasts: with few writers a table takes long
/// to fill.
const LONGEST_REST: Duration = Duration::from_millis(8);
/// How long writers wait for the end of older snapshots.
const PATIENCE: Duration = Duration::from_millis(500);

pub(super) struct Applier {
    inner: Arc<Inner>,
    thread: Option<JoinHandle<()>>,
}

struct Inner {
    behind: Arc<Behind>,
    table_bytes: usize,
    applied: AtomicU64,
    records: AtomicU64,
    /// Bytes of the journal since a table was frozen.
    journaled: AtomicUsize,
    calls: Mutex<Calls>,
    called: Condvar,
    /// Somebody waits for room, and some may have come.
    room: Condvar,
}

#[derive(Default)]
struct Calls {
    stopping: bool,
    frozen: bool,
    /// The last write since there was quiet.
    written: Option<Instant>,
    /// Somebody waits until all that is frozen is handed over.
    waited_for: bool,
    /// The thread is no more.
    ended: bool,
}

impl Applier {
    pub(super) fn start(
        behind: &Arc<Behind>,
        applied: u64,
        table_bytes: usize,
        fuse: &Arc<Fuse>,
    ) -> io::Result<Self> {
        let inner = Arc::new(Inner {
            behind: Arc::clone(behind),
            table_bytes,
            applied: AtomicU64::new(applied),
            records: AtomicU64::new(0),
            journaled: AtomicUsize::new(0),
            calls: Mutex::default(),
            called: Condvar::new(),
            room: Condvar::new(),
        });
        let (runner, fuse) = (Arc::clone(&inner), Arc::clone(fuse));
        let run = move || {
            let reason = match guarded(|| runner.run()) {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(format!("the engine could not be written: {error}")),
                Err(panicked) => Some(format!("the applier panicked: {panicked}")),
            };
            if let Some(reason) = reason {
                fuse.blow(&reason);
            }
            runner.calls.lock().ended = true;
            runner.room.notify_all();
        };
        let thread = thread::Builder::new().name("store-apply".to_owned()).spawn(run)?;
        Ok(Self { inner, thread: Some(thread) })
    }

    /// The last group that the engine holds for good, with all before it.
    pub(super) fn applied(&self) -> u64 {
        self.inner.applied.load(Ordering::Acquire)
    }

    pub(super) fn records(&self) -> u64 {
        self.inner.records.load(Ordering::Relaxed)
    }

    /// Waits while more rows wait for the engine than memory is meant for, and a little before.
    pub(super) fn make_room(&self) {
        let inner = &self.inner;
        let waiting = inner.behind.recent.bytes();
        let (easy, most) = (inner.table_bytes * EASY_TABLES, inner.table_bytes * MOST_TABLES);
        if waiting <= easy {
            return;
        }
        if waiting < most {
            let part = LONGEST_WAIT / 256 * ((waiting - easy) * 256 / (most - easy)) as u32;
            thread::sleep(part);
            return;
        }
        let mut calls = inner.calls.lock();
        while inner.is_crowded() && !calls.ended {
            inner.room.wait(&mut calls);
        }
    }

    /// Notes a group that took `bytes` in the journal. Freezes the table in memory once it is
    /// full.
    pub(super) fn note_written(&self, bytes: usize) {
        let inner = &self.inner;
        let journaled = inner.journaled.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let is_full = inner.behind.recent.active_bytes() >= inner.table_bytes
            || journaled >= inner.table_bytes * MOST_JOURNAL;
        if is_full {
            inner.journaled.store(0, Ordering::Relaxed);
            inner.behind.recent.freeze();
            inner.calls.lock().frozen = true;
            inner.called.notify_one();
        } else {
            // The thread looks itself whether others have followed the first.
            let is_first = inner.calls.lock().written.replace(Instant::now()).is_none();
            if is_first {
                inner.called.notify_one();
            }
        }
    }

    /// Freezes what there is, and waits until the engine holds it.
    #[cfg(feature = "testing")]
    pub(super) fn hand_over(&self, group: u64) {
        let inner = &self.inner;
        inner.behind.recent.freeze();
        let mut calls = inner.calls.lock();
        calls.frozen = true;
        calls.waited_for = true;
        inner.called.notify_one();
        while self.applied() < group && !calls.ended {
            inner.room.wait(&mut calls);
        }
        calls.waited_for = false;
    }

    /// Ends the thread. What the engine has not got by then is in the journal.
    fn end(&mut self) {
        self.inner.calls.lock().stopping = true;
        self.inner.called.notify_all();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the applier has panicked");
        }
    }
}

impl Drop for Applier {
    fn drop(&mut self) {
        self.end();
    }
}

impl Inner {
    fn run(&self) -> Result<(), EngineError> {
        while self.wait() {
            while let Some(table) = self.behind.recent.oldest_frozen() {
                if !self.apply(&table)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Waits for a frozen table, or for quiet after a write; false once it is to stop.
    fn wait(&self) -> bool {
        let mut calls = self.calls.lock();
        loop {
            if calls.stopping {
                return false;
            }
            if std::mem::take(&mut calls.frozen) {
                return true;
            }
            let Some(written) = calls.written else {
                self.called.wait(&mut calls);
                continue;
            };
            let left = QUIET.saturating_sub(written.elapsed());
            if left.is_zero() {
                calls.written = None;
                drop(calls);
                self.behind.recent.freeze();
                return true;
            }
            self.called.wait_for(&mut calls, left);
        }
    }

    /// Whether so many rows wait that writers begin to wait as well, or so many groups that a start
    /// would take its time.
    fn is_in_haste(&self) -> bool {
        let recent = &self.behind.recent;
        recent.bytes() > self.table_bytes * EASY_TABLES || recent.frozen() > EASY_TABLES
    }

    fn is_crowded(&self) -> bool {
        self.behind.recent.bytes() >= self.table_bytes * MOST_TABLES
    }

    /// Rests while a smaller part of the next table is full than is handed over of this one, so that
    /// the work of the engine comes between the writes evenly and not in bursts.
    fn keep_step(&self, handed: usize, of: usize) {
        let started = Instant::now();
        while handed * HANDED_OVER_IN > self.filled_percent() * of
            && started.elapsed() < LONGEST_REST
            && !self.is_in_haste()
        {
            let calls = self.calls.lock();
            if calls.stopping || calls.waited_for {
                return;
            }
            drop(calls);
            thread::sleep(LOOKED);
        }
    }

    /// How much of the table that is written is full.
    fn filled_percent(&self) -> usize {
        let rows = self.behind.recent.active_bytes() * 100 / self.table_bytes;
        let journaled = self.journaled.load(Ordering::Relaxed) * 100;
        rows.max(journaled / (self.table_bytes * MOST_JOURNAL))
    }

    /// Gives a table to the engine; false when it was told to stop meanwhile.
    fn apply(&self, table: &Table) -> Result<bool, EngineError> {
        let Behind { recent, engine } = &*self.behind;
        // The last of its groups may be on its way to the disk.
        while recent.published() < table.last() {
            if self.calls.lock().stopping {
                return Ok(false);
            }
            thread::sleep(LOOKED);
        }
        // Who looks at older rows finds them in the engine, for as long as writers need not wait.
        let mut patience = PATIENCE;
        let is_pinned = || recent.is_pinned_before(table.last(), self.is_in_haste());
        while is_pinned() && !patience.is_zero() {
            if self.calls.lock().stopping {
                return Ok(false);
            }
            thread::sleep(LOOKED);
            if self.is_crowded() {
                patience = patience.saturating_sub(LOOKED);
            }
        }
        recent.let_go_before(table.last());
        let (mut stopped, mut handed) = (false, 0);
        table.for_chunks(AT_ONCE, BYTES_AT_ONCE, |chunk, bytes| {
            stopped = stopped || self.calls.lock().stopping;
            if stopped {
                return Ok(());
            }
            let records = engine.write(chunk)?;
            self.records.fetch_add(records as u64, Ordering::Relaxed);
            recent.applied(bytes);
            // Under the lock, or who is about to wait would miss it.
            drop(self.calls.lock());
            self.room.notify_all();
            handed += bytes;
            self.keep_step(handed, table.bytes());
            Ok::<_, EngineError>(())
        })?;
        if stopped {
            return Ok(false);
        }
        // The number is durable behind what it counts.
        engine.sync()?;
        let key = applied_key();
        let row = record::seal(&key, &table.last());
        engine.write(vec![(key.to_vec(), Some(row))])?;
        engine.sync()?;
        self.applied.store(table.last(), Ordering::Release);
        recent.forget_oldest();
        drop(self.calls.lock());
        self.room.notify_all();
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
