//! What an open store consists of: the engine, the queue before the committer, the counts.

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use parking_lot::{Mutex, RwLock};

use crate::batch::Batch;
use crate::commit::{self, Answer, Job, Limits, Queue, Writers};
use crate::engine::journaled::Journaled;
use crate::engine::{EngineError, Pin, Range, Row};
use crate::error::{CommitError, OpenError, ReadError};
use crate::fatal::{Fuse, guarded};
use crate::folder::{self, Held};
use crate::free_space::FreeSpace;
use crate::ids::Ids;
use crate::index::{self, Indexes};
use crate::reads::{STRIDE, Walk};
use crate::restored::Restored;
use crate::stats::Counters;
use crate::store::{Options, ShardOf};
#[cfg(feature = "testing")]
use crate::testing::Faults;

/// What all clones of a store have in common; the store closes when this is dropped.
pub(crate) struct Handle {
    pub(crate) shared: Arc<Shared>,
    committer: Mutex<Option<JoinHandle<()>>>,
}

pub(crate) struct Shared {
    /// Taken away when the store closes; only the committer does that.
    open: RwLock<Option<Open>>,
    pub(crate) queue: Queue,
    pub(crate) writers: Writers,
    pub(crate) fuse: Arc<Fuse>,
    pub(crate) counters: Counters,
    pub(crate) ids: Ids,
    pub(crate) indexes: Indexes,
    pub(crate) free_space: FreeSpace,
    pub(crate) restored: Restored,
    pub(crate) shard_of: Option<ShardOf>,
    pub(crate) faults: Faults,
}

/// The rows of keys, each in the place of its key, and a page of each range.
pub(crate) type Fetched = (Vec<Option<Vec<u8>>>, Vec<Vec<Row>>);

struct Open {
    engine: Journaled,
    held: Held,
}

/// Outside of tests nothing fails on demand.
#[cfg(not(feature = "testing"))]
#[derive(Default)]
pub(crate) struct Faults {}

#[cfg(not(feature = "testing"))]
impl Faults {
    pub(crate) fn strikes(&self) -> bool {
        false
    }

    pub(crate) fn upkeep_strikes(&self) -> bool {
        false
    }

    pub(crate) fn around<'e>(&self, engine: &'e Journaled) -> &'e Journaled {
        engine
    }
}

impl Handle {
    pub(crate) fn open(folder: &Path, options: Options) -> Result<Self, OpenError> {
        if folder::restoring(folder).exists() {
            return Err(OpenError::Restoring(folder.to_owned()));
        }
        Self::open_restoring(folder, options)
    }

    /// Opens a folder whether or not it is being restored into.
    pub(crate) fn open_restoring(folder: &Path, options: Options) -> Result<Self, OpenError> {
        let held = folder::hold(folder)?;
        let fuse = Fuse::new(options.fatal);
        let engine = Journaled::open(folder, &options, &fuse)?;
        let (indexes, log_start) = Indexes::open(folder, &engine, options.index)?;
        let restored = Restored::read(&engine).map_err(|error| OpenError::Damaged {
            folder: folder.to_owned(),
            detail: error.to_string(),
        })?;
        let shared = Arc::new(Shared {
            restored,
            shard_of: options.shard_of,
            open: RwLock::new(Some(Open { engine, held })),
            queue: Queue::default(),
            writers: Writers::default(),
            fuse,
            counters: Counters::default(),
            ids: Ids::default(),
            indexes,
            free_space: FreeSpace::of(folder, options.free_bytes),
            faults: Faults::default(),
        });
        let limits = Limits {
            jobs: options.group_jobs,
            rows: options.group_rows,
            bytes: options.group_bytes,
        };
        let start = |name: &str, work: Box<dyn FnOnce(&Shared) + Send>| {
            let shared = shared.clone();
            let thread = thread::Builder::new().name(name.to_owned());
            let work = move || {
                // Nobody else does what this thread did: writers would wait for ever.
                if let Err(panicked) = guarded(|| work(&shared)) {
                    shared.fuse.blow(&format!("a thread of the store panicked: {panicked}"));
                }
            };
            thread.spawn(work).map_err(|source| folder::refusal(folder, source))
        };
        let upkeep = start(
            "store-upkeep",
            Box::new(move |shared| index::look_after_runs(shared, log_start)),
        )?;
        let ahead = options.resolve_ahead;
        let run = Box::new(move |shared: &Shared| commit::run(shared, limits, ahead, upkeep));
        let committer = start("store-commit", run).inspect_err(|_| {
            // Whoever looks after the runs must not go on alone.
            shared.queue.close();
            shared.indexes.stop();
        })?;
        Ok(Self { shared, committer: Mutex::new(Some(committer)) })
    }

    pub(crate) fn close(&self) {
        self.shared.queue.close();
        // An answer may close the store, or drop the last clone of it. The committer cannot
        // wait for itself: it closes right behind the answers.
        if commit::commits_for(&self.shared) {
            return;
        }
        // Who calls second waits for the lock, and with it for the first.
        if let Some(committer) = self.committer.lock().take()
            && committer.join().is_err()
        {
            tracing::error!("the committer has panicked");
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    pub(crate) fn get(&self, key: &[u8], pin: Option<&Pin>) -> Result<Option<Vec<u8>>, ReadError> {
        self.counters.read(1);
        let row = self.with_engine(|engine| match pin {
            Some(pin) => engine.get_at(key, pin),
            None => engine.get(key),
        })?;
        row.map_err(ReadError::from)
    }

    pub(crate) fn page(
        &self,
        range: &Range,
        reverse: bool,
        limit: usize,
        pin: Option<&Pin>,
    ) -> Result<Vec<Row>, ReadError> {
        let page = self.with_engine(|engine| match pin {
            Some(pin) => engine.page_at(range, reverse, limit, pin),
            None => engine.page(range, reverse, limit),
        })??;
        self.counters.read(page.len());
        Ok(page)
    }

    /// The rows of keys that come in order, each in its place, and a stride of each walk: as of a
    /// pin, or of now.
    pub(crate) fn request(
        &self,
        keys: &[&[u8]],
        walks: &[&Walk],
        pin: Option<&Pin>,
    ) -> Result<Fetched, ReadError> {
        let fetched = self.with_engine(|engine| {
            let of_now;
            let pin = match pin {
                Some(pin) => pin,
                None => {
                    of_now = engine.pin(false);
                    &of_now
                }
            };
            let rows = engine.get_many_at(keys, pin)?;
            let page = |walk: &&Walk| engine.page_at(&walk.range, walk.reverse, STRIDE, pin);
            let pages = walks.iter().map(page).collect::<Result<Vec<_>, _>>()?;
            Ok::<_, EngineError>((rows, pages))
        })??;
        self.counters.read(keys.len() + fetched.1.iter().map(Vec::len).sum::<usize>());
        Ok(fetched)
    }

    /// Brings what claims will meet into memory. Claims are often on keys all over a table: the
    /// one committer would wait for the disk, and everybody for the committer.
    pub(crate) fn look_up_claims(&self, batch: &Batch) {
        for write in batch.writes.iter().filter(|write| write.claim.is_some()) {
            // What cannot be read is told by the committer, who looks again.
            let _ = self.get(&write.key, None);
        }
    }

    /// Queues a batch, or answers that the store is closed.
    pub(crate) fn hand_in(&self, batch: Batch, answer: Answer, internal: bool) {
        self.counters.handed_in();
        if let Some(job) = self.queue.push(Job { batch, answer, internal }) {
            self.counters.answered(false);
            (job.answer)(Err(CommitError::Closed));
        }
    }

    /// Blocks until all that was handed in before is answered.
    pub(crate) fn wait_for_answers(&self) {
        let (sender, receiver) = mpsc::sync_channel(1);
        let answer = move |_| {
            let _ = sender.send(());
        };
        self.hand_in(Batch::new(), Box::new(answer), true);
        let _ = receiver.recv();
    }

    /// Queues a batch that makes room for others, or answers that the store is closed.
    pub(crate) fn hand_in_upkeep(&self, batch: Batch, answer: Answer) {
        self.counters.handed_in();
        if let Some(job) = self.queue.push_upkeep(Job { batch, answer, internal: true }) {
            self.counters.answered(false);
            (job.answer)(Err(CommitError::Closed));
        }
    }

    /// Works with the engine while the store is open.
    pub(crate) fn with_engine<T>(
        &self,
        work: impl FnOnce(&Journaled) -> T,
    ) -> Result<T, ReadError> {
        match &*self.open.read() {
            Some(open) => Ok(work(&open.engine)),
            None => Err(ReadError::Closed),
        }
    }

    pub(crate) fn let_go(&self) {
        if let Some(Open { engine, held }) = self.open.write().take() {
            engine.close();
            drop(held);
        }
    }
}

impl From<EngineError> for ReadError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::PinGone => Self::SnapshotGone,
            error => Self::Failed(error.to_string()),
        }
    }
}
