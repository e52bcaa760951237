//! The store: the one page through which the rest of the program writes, and [reads](View).

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::batch::{Batch, Receipt};
use crate::commit::{self, Writer};
use crate::engine::sled::opening;
use crate::error::{CommitError, OpenError};
use crate::fatal::Fatal;
use crate::free_space::FreeSpace;
use crate::index::IndexOptions;
use crate::shard::Shard;
use crate::shared::{Handle, Shared};
use crate::stats::Stats;
use crate::table::IdKind;
use crate::view::View;

/// How long batches may wait for the committer before something is wrong with it or its disk.
const STALLED: Duration = Duration::from_secs(10);

/// The shard of a row, by the tag of its table and the bytes of its key there. The rows of
/// sequences have the tag [`SEQUENCES`].
pub type ShardOf = fn(u16, &[u8]) -> Shard;

#[derive(Clone, Debug)]
pub struct Options {
    /// Memory that pages may take; 64 MiB unless told.
    pub cache_bytes: u64,
    /// Bytes of a file of the journal; 64 MiB unless told. Rows of half as many bytes stand in one
    /// table in memory, and up to four such tables may wait for the engine.
    pub journal_bytes: u64,
    /// A folder that gets a copy of each file of the journal before it is used again: at least each
    /// 10 seconds, when something was written, and at the end. None unless told.
    pub archive: Option<PathBuf>,
    /// Whether all files of the journal stay: who opens the folder otherwise may have an archive that
    /// lacks them. Not unless told.
    pub keeps_journal: bool,
    /// The wall clock's microseconds since 1970, which the journal notes with each group; always
    /// 0 unless told.
    pub clock: fn() -> u64,
    /// In which shard the row of a table's tag and key is, for rows of a folder from before shards,
    /// which are moved there at the opening; without it, such a folder is refused.
    pub shard_of: Option<ShardOf>,
    /// Free space of the disk below which [`Store::free_space`] is low; 0 unless told, which it
    /// never is.
    pub free_bytes: u64,
    /// Batches that are made durable together at most; 1,024 unless told.
    pub group_jobs: usize,
    /// Rows that are made durable together, unless one batch alone has more; 4,000 unless told,
    /// which take the engine about 50 ms. Whoever hands in a batch meanwhile waits for them.
    pub group_rows: usize,
    /// Bytes of keys and rows that are made durable together, unless one batch alone has more;
    /// 1 MiB unless told.
    pub group_bytes: usize,
    /// Whether a second thread resolves the next group while one is on its way to the disk; unless
    /// told, where there are four processors or more: with fewer it takes more time from whoever
    /// hands in batches than it saves. Debug builds always have it.
    pub resolve_ahead: bool,
    pub index: IndexOptions,
    /// What to do after a write to the disk has failed.
    pub fatal: Fatal,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache_bytes: 64 * 1024 * 1024,
            journal_bytes: 64 * 1024 * 1024,
            archive: None,
            keeps_journal: false,
            clock: || 0,
            shard_of: None,
            free_bytes: 0,
            group_jobs: 1_024,
            group_rows: 4_000,
            group_bytes: 1024 * 1024,
            resolve_ahead: cfg!(debug_assertions) || processors() >= 4,
            index: IndexOptions::default(),
            fatal: Fatal::default(),
        }
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// An open folder of rows. Clones are the same store; it closes with the last of them.
#[derive(Clone)]
pub struct Store {
    pub(crate) handle: Arc<Handle>,
    view: View,
}

impl Store {
    /// Opens the folder, creating it when it is missing, and starts the committer. Moves what a
    /// program from before shards has written.
    pub fn open(folder: &Path, options: Options) -> Result<Self, OpenError> {
        let store = Self::of(Handle::open(folder, options)?);
        let moved = store.settle();
        moved.inspect_err(|_| store.close()).map_err(|error| {
            let (folder, detail) = (folder.to_owned(), error.to_string());
            OpenError::NotMoved { folder, detail }
        })?;
        Ok(store)
    }

    /// Whether the folder holds a store, be it whole or not.
    pub fn is_in(folder: &Path) -> bool {
        opening::is_there(folder)
    }

    pub(crate) fn of(handle: Handle) -> Self {
        let view = View::of_now(Arc::clone(&handle.shared));
        Self { handle: Arc::new(handle), view }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.handle.shared
    }

    /// Notes that somebody is about to write and waits for the answer, until what is returned is
    /// dropped: groups are larger while there are many.
    pub fn writer(&self) -> Writer {
        Writer::of(Arc::clone(self.shared()))
    }

    /// Hands a batch to the committer, without waiting for it. The keys of claims are looked up
    /// before, which may wait for the disk.
    ///
    /// `answer` is called once the batch is durable or refused, strictly in the order in which
    /// batches were handed in, on the committer's thread: it must be quick, and must not call
    /// [`write_blocking`](Store::write_blocking) or [`next_id`](Store::next_id). On a closed
    /// store it is called at once, on this thread.
    pub fn commit(
        &self,
        batch: Batch,
        answer: impl FnOnce(Result<Receipt, CommitError>) + Send + 'static,
    ) {
        self.handle.shared.look_up_claims(&batch);
        self.handle.shared.hand_in(batch, Box::new(answer), false);
    }

    /// Commits a batch and waits until it is durable. The batch is handed in when the future
    /// is first polled, and is committed even when the future is dropped after that.
    ///
    /// # Errors
    /// [`CommitError`]; nothing of the batch was written then, unless the store has stopped.
    pub async fn write(&self, batch: Batch) -> Result<Receipt, CommitError> {
        let (sender, receiver) = oneshot::channel();
        self.commit(batch, move |result| {
            // A caller that has gone away misses nothing but its answer.
            let _ = sender.send(result);
        });
        receiver.await.unwrap_or(Err(CommitError::Closed))
    }

    /// Commits a batch and blocks this thread until it is durable.
    pub fn write_blocking(&self, batch: Batch) -> Result<Receipt, CommitError> {
        if commit::on_committer() {
            return Err(CommitError::Failed("the committer would wait for itself".to_owned()));
        }
        let (sender, receiver) = mpsc::sync_channel(1);
        self.commit(batch, move |result| {
            let _ = sender.send(result);
        });
        receiver.recv().unwrap_or(Err(CommitError::Closed))
    }

    /// Returns once all that was handed in before is answered.
    pub async fn barrier(&self) {
        let (sender, receiver) = oneshot::channel();
        let answer = move |_| {
            let _ = sender.send(());
        };
        self.handle.shared.hand_in(Batch::new(), Box::new(answer), true);
        let _ = receiver.await;
    }

    pub fn backlog(&self) -> usize {
        self.handle.shared.counters.backlog()
    }

    /// The next id of a kind: positive, below 2^53, rising, and never given out again. Ids
    /// come from blocks of 10,000 that are durable before the first of them is given out, so
    /// a restart leaves a gap.
    ///
    /// Waits for the disk only at the first id of a kind after opening, or when a block is used up
    /// within one commit. On a store that is closed or has stopped the ids still rise, but nothing
    /// can be written under them.
    ///
    /// # Panics
    /// When it would have to wait on the committer's own thread: ids are drawn before a batch is
    /// handed in, never in its answer.
    pub fn next_id(&self, kind: IdKind) -> u64 {
        self.handle.shared.ids.next(&self.handle.shared, kind, None)
    }

    /// Draws several as [`next_id`](Store::next_id) does: rising, not always without gaps.
    pub fn next_ids(&self, kind: IdKind, count: usize) -> Vec<u64> {
        self.handle.shared.ids.next_many(&self.handle.shared, (kind, None), count)
    }

    /// The next id of a kind in a shard: as [`next_id`](Store::next_id) gives it, and such that
    /// [`Shard::of`] it is this shard. A kind's ids have shards always or never, but for those of a
    /// folder from before shards, above which the others begin.
    pub fn next_id_in(&self, kind: IdKind, shard: Shard) -> u64 {
        self.handle.shared.ids.next(&self.handle.shared, kind, Some(shard))
    }

    pub fn next_ids_in(&self, kind: IdKind, shard: Shard, count: usize) -> Vec<u64> {
        self.handle.shared.ids.next_many(&self.handle.shared, (kind, Some(shard)), count)
    }

    pub fn free_space(&self) -> FreeSpace {
        self.handle.shared.free_space.clone()
    }

    /// What the committer has done since the store was opened, and what the indexes hold.
    pub fn stats(&self) -> Stats {
        let shared = &self.handle.shared;
        // A closed store has no engine any more, whose count nobody asks for.
        let records = shared.with_engine(|engine| engine.records()).unwrap_or(0);
        shared.counters.stats(shared.indexes.stats(), records)
    }

    /// Why nothing is written at the moment, if that is so.
    pub fn fault(&self) -> Option<String> {
        let shared = &self.handle.shared;
        if let Some(reason) = shared.fuse.blown() {
            return Some(format!("the store has stopped: {reason}"));
        }
        let stalled = shared.counters.stalled().filter(|stalled| *stalled > STALLED);
        stalled.map(|stalled| format!("the disk has not taken a write for {} s", stalled.as_secs()))
    }

    /// Why the journal cannot be archived, if that is so. Its files are kept meanwhile.
    pub fn archive_fault(&self) -> Option<String> {
        self.handle.shared.with_engine(|engine| engine.archive_fault()).ok().flatten()
    }

    /// Commits and answers what is queued, refuses what comes later with
    /// [`CommitError::Closed`], and returns once another process could open the folder.
    pub fn close(&self) {
        self.handle.close();
    }

    #[cfg(feature = "testing")]
    pub(crate) fn faults(&self) -> &crate::testing::Faults {
        &self.handle.shared.faults
    }
}

impl Deref for Store {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
