//! What the committer has done since the store was opened, and what the indexes hold.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::engine::Spent;
use crate::index::IndexStats;

/// Figures since the store was opened. They are read one after the other, so they may be a
/// group apart from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Batches that were committed; refused ones are not counted.
    pub commits: u64,
    /// Groups that were written, each with one append to the journal and one sync.
    pub groups: u64,
    /// Rows that were put or deleted; of a row written more than once in a group, one.
    pub records: u64,
    /// Records that the engine has written behind the journal: neighbours share one, and what is
    /// written more than once within some seconds, or gone by then, is in one or none.
    pub engine_records: u64,
    /// Requests for rows: for one key, for a page of a walk, or for all that is needed together.
    pub reads: u64,
    /// Rows that were read, those too that a walk fetched ahead and nobody looked at.
    pub rows_read: u64,
    /// Bytes that the groups take in the journal.
    pub bytes: u64,
    /// Microseconds spent in appending to the journal, over all groups.
    pub append_micros: u64,
    /// Microseconds spent in syncing, over all groups.
    pub sync_micros: u64,
    pub backlog: usize,
    pub index: IndexStats,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    commits: AtomicU64,
    groups: AtomicU64,
    records: AtomicU64,
    reads: AtomicU64,
    rows_read: AtomicU64,
    bytes: AtomicU64,
    append_micros: AtomicU64,
    sync_micros: AtomicU64,
    backlog: AtomicUsize,
    heartbeat: Heartbeat,
}

impl Counters {
    pub(crate) fn handed_in(&self) {
        if self.backlog.fetch_add(1, Ordering::Relaxed) == 0 {
            self.heartbeat.beat();
        }
    }

    pub(crate) fn answered(&self, committed: bool) {
        self.backlog.fetch_sub(1, Ordering::Relaxed);
        self.commits.fetch_add(u64::from(committed), Ordering::Relaxed);
    }

    pub(crate) fn group_answered(&self) {
        self.heartbeat.beat();
    }

    /// How long the oldest batch has waited while the committer finished no group.
    pub(crate) fn stalled(&self) -> Option<Duration> {
        (self.backlog() > 0).then(|| self.heartbeat.silence())
    }

    pub(crate) fn group_written(&self, records: usize, spent: Spent) {
        self.groups.fetch_add(1, Ordering::Relaxed);
        self.records.fetch_add(records as u64, Ordering::Relaxed);
        self.bytes.fetch_add(spent.bytes as u64, Ordering::Relaxed);
        self.append_micros.fetch_add(micros(spent.append), Ordering::Relaxed);
        self.sync_micros.fetch_add(micros(spent.sync), Ordering::Relaxed);
    }

    /// One request has brought so many rows.
    pub(crate) fn read(&self, rows: usize) {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.rows_read.fetch_add(rows as u64, Ordering::Relaxed);
    }

    pub(crate) fn backlog(&self) -> usize {
        self.backlog.load(Ordering::Relaxed)
    }

    pub(crate) fn stats(&self, index: IndexStats, engine_records: u64) -> Stats {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Stats {
            commits: read(&self.commits),
            groups: read(&self.groups),
            records: read(&self.records),
            engine_records,
            reads: read(&self.reads),
            rows_read: read(&self.rows_read),
            bytes: read(&self.bytes),
            append_micros: read(&self.append_micros),
            sync_micros: read(&self.sync_micros),
            backlog: self.backlog(),
            index,
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The last moment at which the committer did something, or had nothing to do.
#[derive(Debug)]
struct Heartbeat {
    epoch: Instant,
    last_millis: AtomicU64,
}

impl Heartbeat {
    fn beat(&self) {
        let millis = u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_millis.store(millis, Ordering::Relaxed);
    }

    fn silence(&self) -> Duration {
        let last = Duration::from_millis(self.last_millis.load(Ordering::Relaxed));
        self.epoch.elapsed().saturating_sub(last)
    }
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self { epoch: Instant::now(), last_millis: AtomicU64::new(0) }
    }
}
