//! What checks read through: the one place that knows where rows come from.

use storage::{
    Export, Fingerprint, Index, Key, ReadError, Record, Scan, ScanIter, Store, Table, Taken,
};

use crate::chunked::{self, Chunked, Parts};

/// Whether rows change while they are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Nobody writes.
    Still,
    /// The store is in use.
    Moving,
}

pub(super) struct Reading {
    store: Store,
    rows: Rows,
}

impl Reading {
    pub(super) fn new(store: Store, rows: Rows) -> Self {
        Self { store, rows }
    }

    pub(super) fn moves(&self) -> bool {
        self.rows == Rows::Moving
    }

    pub(super) fn get<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
    ) -> Result<Option<V>, ReadError> {
        self.store.get(table, key)
    }

    pub(super) fn contains<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
    ) -> Result<bool, ReadError> {
        self.store.contains(table, key)
    }

    pub(super) fn scan<K: Key, V: Record>(&self, table: Table<K, V>, scan: Scan) -> ScanIter<K, V> {
        self.store.scan(table, scan)
    }

    /// The value of a row that may lie in parts.
    pub(super) fn joined<K: Key, P: Key + Clone, T: Record + Clone>(
        &self,
        table: Table<K, Chunked<T>>,
        (key, row): (&K, &Chunked<T>),
        parts: Parts<P>,
        parts_key: &P,
    ) -> Result<T, ReadError> {
        chunked::join(&self.store, (key, row.clone()), table, parts, parts_key)
    }

    /// The last number of a sequence.
    pub(super) fn drawn(&self, sequence: &impl Key) -> Result<u64, ReadError> {
        self.store.drawn(sequence)
    }

    /// What keys are taken for.
    pub(super) fn taken(
        &self,
        index: Index,
        scope: u64,
        wanted: &[Fingerprint],
    ) -> Result<Vec<Option<Taken>>, ReadError> {
        Ok(self.store.find_fingerprints(index, scope, wanted)?.found)
    }

    /// All rows as bytes.
    pub(super) fn export(&self) -> Export {
        self.store.export()
    }

    /// The store itself, for rules that read for themselves.
    pub(super) fn store(&self) -> &Store {
        &self.store
    }
}
