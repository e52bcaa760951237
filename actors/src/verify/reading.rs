//! What checks read through: the one place that knows where rows come from.

use storage::{
    Export, Fingerprint, Index, Key, ReadError, Record, Scan, ScanIter, Store, Table, Taken, View,
};

use crate::backfill::{self, Backfill};
use crate::chunked::{self, Chunked, Parts};
use crate::domain::chain::Link;

/// Whether rows change while they are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Nobody writes.
    Still,
    /// The store is in use.
    Moving,
}

pub(super) struct Reading(View);

impl Reading {
    /// All rows as of one moment, read without a rest.
    pub(super) fn at_once(rows: &View) -> Result<Self, ReadError> {
        Ok(Self(View::clone(&*rows.snapshot()?)))
    }

    /// All rows as of one moment, read beside others who write: it ends before they wait.
    pub(super) fn of_a_moment(store: &Store) -> Result<Self, ReadError> {
        Ok(Self(store.yielding_snapshot()?.with_rests()))
    }

    /// Each row as it is when it is read, beside others who write.
    pub(super) fn of_now(store: &Store) -> Self {
        Self(store.with_rests())
    }

    /// Whether rows change while they are looked at.
    pub(super) fn moves(&self) -> bool {
        self.0.group().is_none()
    }

    /// The number of the last group that is seen; none while rows move.
    pub(super) fn group(&self) -> Option<u64> {
        self.0.group()
    }

    /// The same rows, as of one moment.
    pub(super) fn now(&self) -> Result<Self, ReadError> {
        Self::at_once(&self.0)
    }

    /// Refuses what was found where the moment that it was to be of has ended meanwhile.
    pub(super) fn vouch<T>(&self, found: T) -> Result<T, ReadError> {
        if self.0.holds() { Ok(found) } else { Err(ReadError::SnapshotGone) }
    }

    pub(super) fn get<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
    ) -> Result<Option<V>, ReadError> {
        self.0.get(table, key)
    }

    pub(super) fn contains<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
    ) -> Result<bool, ReadError> {
        self.0.contains(table, key)
    }

    pub(super) fn scan<K: Key, V: Record>(&self, table: Table<K, V>, scan: Scan) -> ScanIter<K, V> {
        self.0.scan(table, scan)
    }

    /// The value of a row that may lie in parts.
    pub(super) fn joined<K: Key, P: Key + Clone, T: Record + Clone>(
        &self,
        table: Table<K, Chunked<T>>,
        (key, row): (&K, &Chunked<T>),
        parts: Parts<P>,
        parts_key: &P,
    ) -> Result<T, ReadError> {
        chunked::join(&self.0, (key, row.clone()), table, parts, parts_key)
    }

    /// The last number of a sequence.
    pub(super) fn drawn(&self, sequence: &impl Key) -> Result<u64, ReadError> {
        self.0.drawn(sequence)
    }

    /// The link of the last number of a sequence.
    pub(super) fn last_link(&self, sequence: &impl Key) -> Result<Option<Link>, ReadError> {
        self.0.last_link(sequence)
    }

    /// What keys are taken for: all that rows of this moment have claimed, which is never undone.
    pub(super) fn taken(
        &self,
        index: Index,
        scope: u64,
        wanted: &[Fingerprint],
    ) -> Result<Vec<Option<Taken>>, ReadError> {
        Ok(self.0.find_fingerprints(index, scope, wanted)?.found)
    }

    /// All rows as bytes.
    pub(super) fn export(&self) -> Export {
        self.0.export()
    }

    /// Whether the store has all that a backfill makes: one from before it lacks that until it is
    /// started.
    pub(super) fn is_complete(&self, of: Backfill) -> Result<bool, ReadError> {
        backfill::is_complete(&self.0, of)
    }

    /// The rows, for rules that read for themselves.
    pub(super) fn rows(&self) -> &View {
        &self.0
    }
}
