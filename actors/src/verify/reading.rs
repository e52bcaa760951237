//! What checks read through: the one place that knows where rows come from.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use storage::{
    Export, Fingerprint, Index, Key, ReadError, Record, Scan, ScanIter, Store, Table, Taken,
};

use crate::chunked::{self, Chunked, Parts};
use crate::domain::chain::Link;

/// The pause before what looks wrong is looked at again, while so few faults are sure.
const PAUSE: Duration = Duration::from_millis(50);
const FEW_FAULTS: usize = 100;

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
    /// How many faults are sure so far.
    faults: AtomicUsize,
}

impl Reading {
    pub(super) fn new(store: Store, rows: Rows) -> Self {
        Self { store, rows, faults: AtomicUsize::new(0) }
    }

    pub(super) fn moves(&self) -> bool {
        self.rows == Rows::Moving
    }

    pub(super) fn note_faults(&self, faults: usize) {
        self.faults.fetch_add(faults, Ordering::Relaxed);
    }

    /// The pause before a second look. Where much is wrong, it is not the moment that is.
    pub(super) fn pause(&self) -> Duration {
        let few = self.faults.load(Ordering::Relaxed) < FEW_FAULTS;
        if few { PAUSE } else { Duration::ZERO }
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

    /// The link of the last number of a sequence.
    pub(super) fn last_link(&self, sequence: &impl Key) -> Result<Option<Link>, ReadError> {
        self.store.last_link(sequence)
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
