//! All rows as of one moment.

use std::fmt;
use std::sync::Arc;

use crate::engine::Pin;
use crate::error::ReadError;
use crate::key::Key;
use crate::record::{self, Record};
use crate::scan::{Scan, ScanIter};
use crate::shared::Shared;
use crate::store::Store;
use crate::table::Table;

/// All rows as of the last group that was durable when it was taken. Clones are of the same
/// moment.
///
/// What is written meanwhile waits in memory until the last snapshot from before it is dropped.
/// Where that would become too much, older snapshots end: reads answer
/// [`ReadError::SnapshotGone`] then.
#[derive(Clone)]
pub struct Snapshot {
    shared: Arc<Shared>,
    pin: Arc<Pin>,
}

impl Store {
    pub fn snapshot(&self) -> Result<Snapshot, ReadError> {
        let shared = Arc::clone(&self.handle.shared);
        let pin = Arc::new(shared.with_engine(|engine| engine.pin())?);
        Ok(Snapshot { shared, pin })
    }
}

impl Snapshot {
    /// The row of a key. May wait for the disk.
    pub fn get<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
    ) -> Result<Option<V>, ReadError> {
        let bytes = table.bytes(key);
        let Some(row) = self.shared.get_at(&bytes, &self.pin)? else { return Ok(None) };
        record::unseal(table.name(), &bytes, &row).map(Some)
    }

    /// Whether a key has a row; the row itself is not looked at. May wait for the disk.
    pub fn contains<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
    ) -> Result<bool, ReadError> {
        Ok(self.shared.get_at(&table.bytes(key), &self.pin)?.is_some())
    }

    /// Walks over rows of a table, fetching them as they are asked for. Each step may wait for
    /// the disk.
    pub fn scan<K: Key, V: Record>(&self, table: Table<K, V>, range: Scan) -> ScanIter<K, V> {
        ScanIter::as_of(Arc::clone(&self.shared), Arc::clone(&self.pin), table, &range)
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("group", &self.pin.group).finish_non_exhaustive()
    }
}
