//! For tests: a store in a temporary folder, and failures on demand.

mod uncertain;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use tempfile::TempDir;

use crate::engine::journaled::Journaled;
use uncertain::{Answers, UncertainEngine};
pub use uncertain::{FENCED_AT, HeldGroups, UNCERTAIN};

use crate::record;
use crate::{Batch, Fatal, Options, RawRow, Store};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterFailure {
    WorksOn,
    StaysFailed,
}

impl Store {
    /// Makes the `n`th commit from now on, counted from 1, answer
    /// [`CommitError::Failed`](crate::CommitError::Failed) and write nothing. Commits count in
    /// the order they were handed in, those already queued too; `n` of 0 calls the failure off,
    /// and mends a store that has stayed failed.
    pub fn fail_at(&self, n: u64, after: AfterFailure) {
        *self.faults().plan.lock() = Plan { commits_left: n, after: Some(after), stays: false };
    }

    /// Ends the upkeep of runs at its `n`th step from now on, counted from 1, and leaves all as
    /// it is at that moment, as a killed process would; `n` of 0 calls it off.
    pub fn end_upkeep_at(&self, n: u64) {
        self.faults().upkeep_left.store(n, Ordering::Relaxed);
    }

    /// Takes the disk to have so many free bytes, whatever it has; `None` calls it off.
    pub fn pretend_free_space(&self, bytes: Option<u64>) {
        self.handle.shared.free_space.pretend(bytes);
    }

    /// Holds the store as a restore leaves it, in an epoch of its own, until it is
    /// [resumed](Store::resume).
    ///
    /// # Panics
    /// When that cannot be written.
    pub fn hold_as_restored(&self) {
        assert!(self.begin_epoch().is_ok(), "the hold is written");
    }

    /// Makes the committer panic at the next commit.
    pub fn panic_in_committer(&self) {
        self.faults().panics.store(true, Ordering::Relaxed);
    }

    /// Changes the bytes of a row that is there, as nothing else can; `key` is the whole one, with
    /// its shard and the tag of its table.
    ///
    /// # Panics
    /// When there is no such row, or it cannot be written.
    pub fn tamper(&self, key: &[u8], change: impl FnOnce(&mut Vec<u8>)) {
        let found = self.handle.shared.get(key, None);
        let Ok(Some(mut row)) = found else { panic!("no row to change: {found:?}") };
        change(&mut row);
        let mut batch = Batch::new();
        batch.put_raw(key.to_vec(), row);
        assert!(self.write_blocking(batch).is_ok(), "the changed row is written");
    }

    /// Lays `most` rows out as a program from before shards did, as far as
    /// [`Options::shard_of`] leads back. The next opening moves them.
    ///
    /// # Panics
    /// When rows cannot be read or written.
    pub fn lay_out_as_before(&self, most: usize) {
        let shard_of = self.handle.shared.shard_of.unwrap_or(|_, _| crate::Shard::FIRST);
        let mut batch = Batch::new();
        let leads_back =
            |row: &RawRow| row.shard() == Some(shard_of(row.tag(), row.key_in_table()));
        for row in self.export().flatten().filter(leads_back).take(most) {
            let key = [&row.tag().to_be_bytes(), row.key_in_table()].concat();
            let Some(before) = record::reseal(&row.key, &row.row, &key) else {
                panic!("a damaged row");
            };
            batch.put_raw(key, before);
            batch.delete_raw(row.key);
        }
        assert!(self.write_blocking(batch).is_ok(), "the rows are written");
    }

    /// Waits until the engine holds all that is durable, and needs the journal no more.
    pub fn hand_over(&self) {
        // A closed store hands over nothing.
        let _ = self.handle.shared.with_engine(Journaled::hand_over);
    }

    pub fn upkeep_is_at_rest(&self) -> bool {
        self.handle.shared.indexes.is_at_rest() || self.upkeep_has_ended()
    }

    pub fn upkeep_has_ended(&self) -> bool {
        self.handle.shared.indexes.has_ended()
    }
}

static SEGMENT_BYTES: AtomicUsize = AtomicUsize::new(0);

/// From here on this process makes its stores with smaller segments, which are filled, cleaned and
/// used again all the time, and opens only such; each that is full calls for a snapshot of the
/// engine's pages. A page of rows must stay below a quarter of one.
pub fn use_segments_of(bytes: usize) {
    SEGMENT_BYTES.store(bytes, Ordering::Relaxed);
}

pub(crate) fn segment_bytes() -> Option<usize> {
    Some(SEGMENT_BYTES.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
}

#[derive(Debug, Default)]
pub(crate) struct Faults {
    plan: Mutex<Plan>,
    upkeep_left: AtomicU64,
    panics: AtomicBool,
    answers: Answers,
}

#[derive(Debug, Default)]
struct Plan {
    /// Commits until the failure, with the one that fails; 0 for none.
    commits_left: u64,
    after: Option<AfterFailure>,
    stays: bool,
}

impl Faults {
    pub(crate) fn around<'e>(&'e self, engine: &'e Journaled) -> UncertainEngine<'e> {
        UncertainEngine { engine, answers: &self.answers }
    }

    pub(crate) fn upkeep_strikes(&self) -> bool {
        let less = |left: u64| left.checked_sub(1);
        self.upkeep_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) == Ok(1)
    }

    pub(crate) fn strikes(&self) -> bool {
        assert!(!self.panics.swap(false, Ordering::Relaxed), "a test asked the committer to panic");
        let mut plan = self.plan.lock();
        if plan.commits_left > 0 {
            plan.commits_left -= 1;
            if plan.commits_left == 0 {
                plan.stays = plan.after == Some(AfterFailure::StaysFailed);
                return true;
            }
        }
        plan.stays
    }
}

/// A store in a temporary folder, which is removed when this is dropped.
#[derive(Debug)]
pub struct TempStore {
    // Closed before the folder goes.
    store: Store,
    options: Options,
    data: PathBuf,
    _folder: TempDir,
}

impl TempStore {
    /// An empty store with a small cache, which poisons itself where a real one ends the
    /// process.
    pub fn new() -> Self {
        Self::with(Options {
            cache_bytes: 16 * 1024 * 1024,
            free_bytes: 1024 * 1024,
            fatal: Fatal::Poison,
            ..Options::default()
        })
    }

    pub fn with(options: Options) -> Self {
        let folder = match tempfile::tempdir() {
            Ok(folder) => folder,
            Err(error) => panic!("no temporary folder: {error}"),
        };
        let data = folder.path().join("data");
        Self { store: open(&data, options.clone()), options, data, _folder: folder }
    }

    /// Closes the store and opens its folder again. Clones of the store stay closed.
    pub fn reopen(&mut self) {
        self.store.close();
        self.store = open(&self.data, self.options.clone());
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    pub fn folder(&self) -> &Path {
        &self.data
    }
}

impl Default for TempStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for TempStore {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl Drop for TempStore {
    fn drop(&mut self) {
        // Clones may be about, and would write into a folder that is gone.
        self.store.close();
    }
}

fn open(folder: &Path, options: Options) -> Store {
    match Store::open(folder, options) {
        Ok(store) => store,
        Err(error) => panic!("{error}"),
    }
}
