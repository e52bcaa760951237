//! The embedded engine: one sled tree in the folder, synced by ourselves.
//!
//! `flush` of sled 0.34 ends in `sync_file_range`, which neither writes the file's length nor
//! empties the cache of the disk: after a power cut the rows are gone. So what was written is
//! flushed and then synced with `File::sync_data` on sled's file. Nothing else may be needed to
//! read the rows: values stay so small that sled never spills them into files of their own.
//!
//! What a start reads is bounded by snapshots that are written while it runs.

mod handle;
mod log;
pub(crate) mod opening;
mod read_ahead;
mod snapshot;
mod watch;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};
use rustix::fs::Dir;
use sled::IVec;

use self::handle::Handle;
use self::opening::{
    CREATING, DATA_FILE, SETTINGS_FILE, SPILL_FOLDER, begin_creation, close_to_others, mend_crash,
    open_sled, segment_bytes,
};
use self::watch::Watch;
use super::{Change, Engine, EngineError, Range, Row, counted, opening_failed};
use crate::error::OpenError;
use crate::fatal::guarded;
use crate::folder;

/// How long sled's threads may take to let go of the file after the store is closed.
const LETTING_GO: Duration = Duration::from_secs(10);

/// Of each written row sled replaces about one page in memory, and one step of its collector frees
/// 512 of them at most. Four times what is needed, so that it catches up after steps in which a
/// reader held everything.
const ROWS_FOR_EACH_STEP: usize = 128;
/// What is replaced is freed two steps later at the earliest, when no reader can see it any more.
const LEAST_STEPS: usize = 4;

/// The part of a segment that is written between two syncs at most, as it is [`counted`]. sled
/// writes about three times as much, and must stay below a segment: of what is not durable yet it
/// takes only the last for what a crash may have torn, and it writes over segments that were freed
/// before what replaces them is durable.
const UNSYNCED_PART: usize = 8;

/// Segments' worth of rows after which a snapshot is due, and how many times its own bytes: what
/// sled reads when it is opened is three to four times as much.
const SNAPSHOT_SEGMENTS: u64 = 8;
const SNAPSHOT_TIMES: u64 = 4;

pub(crate) struct SledEngine {
    // Ends before the engine does.
    watch: Watch,
    db: Handle,
    home: PathBuf,
    data: File,
    /// Whether a write has failed in the middle: what is read since need not be what was written.
    torn: RwLock<bool>,
    /// Where sled would spill rows to. Open for good: a sync must not need another file.
    spilled: Mutex<Dir>,
    /// Rows that were written since replaced pages were last freed.
    written: AtomicUsize,
    /// What was written since the last sync counts for.
    unsynced: AtomicUsize,
    /// What is still to be written until a snapshot is due.
    until_snapshot: AtomicU64,
}

impl SledEngine {
    /// Opens the folder, or creates what is missing, so that it survives a power cut from here
    /// on. The caller holds the folder's lock.
    pub(crate) fn open(home: &Path, cache_bytes: u64) -> Result<Self, OpenError> {
        let refused = |source| folder::refusal(home, source);
        let failed = |error| opening_failed(home, error);
        let damaged = |detail: String| OpenError::Damaged { folder: home.to_owned(), detail };

        let fresh = begin_creation(home)?;
        if !fresh {
            mend_crash(home).map_err(refused)?;
        }
        let db = Handle::new(open_sled(home, cache_bytes).map_err(failed)?);
        let data =
            File::options().read(true).write(true).open(home.join(DATA_FILE)).map_err(refused)?;
        close_to_others(home).map_err(refused)?;
        let spill = home.join(SPILL_FOLDER);
        let opened = File::open(&spill).and_then(|folder| Ok(Dir::new(folder)?));
        let mut spilled = opened.map_err(refused)?;
        if !is_empty(&mut spilled).map_err(refused)? {
            return Err(damaged(format!("there are files in {}", spill.display())));
        }

        let watch = Watch::begin(&db).map_err(refused)?;
        let engine = Self {
            watch,
            db,
            home: home.to_owned(),
            data,
            torn: RwLock::new(false),
            spilled: Mutex::new(spilled),
            written: AtomicUsize::new(0),
            unsynced: AtomicUsize::new(0),
            until_snapshot: AtomicU64::new(snapshot_after(0)),
        };
        engine.settle(home, fresh).map_err(failed)?;
        Ok(engine)
    }

    /// Syncs all that opening has written: the first pages, the settings, the snapshot that
    /// replaces an older one, and the entries of the folder.
    fn settle(&self, home: &Path, fresh: bool) -> Result<(), EngineError> {
        self.flush()?;
        self.data.sync_all()?;
        File::open(home.join(SETTINGS_FILE))?.sync_all()?;
        folder::sync(&home.join(SPILL_FOLDER))?;
        folder::sync(home)?;
        if fresh {
            fs::remove_file(home.join(CREATING))?;
            folder::sync(home)?;
        }
        Ok(())
    }

    /// Reads what whole writes have left.
    fn read<T>(&self, read: impl FnOnce() -> Result<T, sled::Error>) -> Result<T, EngineError> {
        let torn = self.torn.read();
        if *torn {
            return Err(EngineError::Broken("the last write has failed in the middle".to_owned()));
        }
        Ok(guarded(read).map_err(EngineError::Broken)??)
    }

    fn flush(&self) -> Result<(), EngineError> {
        self.watch.over(|| guarded(|| self.db.flush())).map_err(EngineError::Broken)??;
        Ok(())
    }

    /// Writes a snapshot up to the segment that was the newest before the last sync. Without one
    /// sled only takes longer to open.
    fn write_snapshot(&self, newest: u64) {
        let carried_on = snapshot::carry_on(&self.home, &self.data, segment_bytes(), newest);
        let bytes = match carried_on {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                tracing::warn!("the engine's log does not tell of all pages: no snapshot of them");
                0
            }
            Err(error) => {
                tracing::warn!(%error, "no snapshot of the engine's pages could be written");
                0
            }
        };
        self.until_snapshot.store(snapshot_after(bytes), Ordering::Relaxed);
    }

    /// sled copies a page, of up to 17 rows, for each row that it writes, and leaves the old one
    /// to `crossbeam_epoch`. That frees a little once in 128 entries of a thread, and a whole
    /// batch is one entry: left to itself it falls ever further behind, by 3 KB a row.
    fn free_replaced(&self) {
        let rows = self.written.swap(0, Ordering::Relaxed);
        for _ in 0..rows / ROWS_FOR_EACH_STEP + LEAST_STEPS {
            crossbeam_epoch::pin().flush();
        }
    }
}

impl Engine for SledEngine {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, EngineError> {
        let get = |key: &&[u8]| Ok(self.db.get(key)?.map(|row| row.to_vec()));
        self.read(|| keys.iter().map(get).collect())
    }

    fn page(&self, range: &Range, reverse: bool, limit: usize) -> Result<Vec<Row>, EngineError> {
        if range.from >= range.until {
            return Ok(Vec::new());
        }
        let take = |found: Result<(IVec, IVec), sled::Error>| {
            found.map(|(key, row)| (key.to_vec(), row.to_vec()))
        };
        self.read(|| {
            let walk = self.db.range(range.from.as_slice()..range.until.as_slice());
            if reverse {
                walk.rev().take(limit).map(take).collect()
            } else {
                walk.take(limit).map(take).collect()
            }
        })
    }

    fn write(&self, changes: Vec<Change>) -> Result<usize, EngineError> {
        let bytes = changes.iter().map(|change| counted(change, 0)).sum();
        self.write_counted(changes, bytes)
    }

    fn write_counted(&self, changes: Vec<Change>, bytes: usize) -> Result<usize, EngineError> {
        self.sync_before(bytes)?;
        self.unsynced.fetch_add(bytes, Ordering::Relaxed);
        let left = self.until_snapshot.load(Ordering::Relaxed).saturating_sub(bytes as u64);
        self.until_snapshot.store(left, Ordering::Relaxed);
        let records = changes.len();
        let rows = self.written.fetch_add(records, Ordering::Relaxed) + records;
        let mut batch = sled::Batch::default();
        for (key, row) in changes {
            match row {
                Some(row) => batch.insert(key, row),
                None => batch.remove(key),
            }
        }
        // Readers wait for a batch in sled as well.
        let mut torn = self.torn.write();
        *torn = true;
        guarded(|| self.db.apply_batch(batch)).map_err(EngineError::Broken)??;
        *torn = false;
        drop(torn);
        if rows >= ROWS_FOR_EACH_STEP {
            self.free_replaced();
        }
        Ok(records)
    }

    fn sync_before(&self, bytes: usize) -> Result<(), EngineError> {
        let unsynced = self.unsynced.load(Ordering::Relaxed);
        if unsynced > 0 && unsynced + bytes > segment_bytes() / UNSYNCED_PART {
            self.sync()?;
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), EngineError> {
        let is_due = self.until_snapshot.load(Ordering::Relaxed) == 0;
        let newest = is_due.then(|| snapshot::newest_segment(&self.data, segment_bytes()));
        let newest = newest.transpose()?;
        self.flush()?;
        self.data.sync_data()?;
        if !is_empty(&mut self.spilled.lock())? {
            let reason = "rows were written outside the file that is synced";
            return Err(EngineError::Broken(reason.to_owned()));
        }
        self.unsynced.store(0, Ordering::Relaxed);
        if let Some(newest) = newest {
            self.write_snapshot(newest);
        }
        Ok(())
    }

    fn close(self: Box<Self>) {
        let Self { db, data, watch, .. } = *self;
        drop(watch);
        drop(db);
        // sled's threads may hold its file, and with it its own lock, a little longer.
        let started = Instant::now();
        while data.try_lock().is_err() && started.elapsed() < LETTING_GO {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl From<sled::Error> for EngineError {
    fn from(error: sled::Error) -> Self {
        match error {
            sled::Error::Corruption { .. } => {
                Self::Broken("a page is not what was written".to_owned())
            }
            // A file that ends too early is damage.
            sled::Error::Io(source) if source.kind() != io::ErrorKind::UnexpectedEof => {
                Self::Io(source)
            }
            other => Self::Broken(other.to_string()),
        }
    }
}

/// Bytes of the journal that are kept although the engine holds their rows. What it has synced no
/// crash takes from it again, as far as is known: they are there for what nobody has thought of.
pub(super) fn kept_journal_bytes() -> u64 {
    // Who takes the power away tries it without them.
    #[cfg(feature = "testing")]
    if crate::testing::segment_bytes().is_some() {
        return 1;
    }
    4 * segment_bytes() as u64
}

/// Bytes of rows after which a snapshot is due where the last one has this many.
fn snapshot_after(bytes: u64) -> u64 {
    #[cfg(feature = "testing")]
    if crate::testing::segment_bytes().is_some() {
        return 0;
    }
    (SNAPSHOT_SEGMENTS * segment_bytes() as u64).max(SNAPSHOT_TIMES * bytes)
}

fn is_empty(folder: &mut Dir) -> io::Result<bool> {
    folder.rewind();
    while let Some(entry) = folder.read() {
        if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) fn absent_is_fine(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
