//! All rows of a store, as bytes: for backups that are restored into an empty store, perhaps of
//! another engine.
//!
//! The rows of all tables are there, and the counters of sequences and ids; what the engine
//! keeps about itself is not.

use std::fmt;

use crate::batch::Batch;
use crate::engine::Range;
use crate::error::{CommitError, ReadError};
use crate::record;
use crate::scan::Rows;
use crate::store::Store;
use crate::table::{ENGINE_TAG, SEQUENCE_TAG, TAG_BYTES};

/// Bytes of keys and rows that an import commits at a time.
const IMPORT_BYTES: usize = 512 * 1024;

/// A key and its row as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRow {
    /// The key, with the tag of its table.
    pub key: Vec<u8>,
    /// The row, in its envelope.
    pub row: Vec<u8>,
}

impl RawRow {
    /// The tag of the row's table; 0xFFF0 and above are counters of the store.
    pub fn tag(&self) -> u16 {
        self.key.first_chunk::<TAG_BYTES>().map_or(0, |tag| u16::from_be_bytes(*tag))
    }

    /// Whether the row is what was written. Counters have no checksum, but a fixed length.
    fn is_whole(&self) -> bool {
        if self.tag() >= SEQUENCE_TAG {
            self.row.len() == size_of::<u64>()
        } else {
            record::open(&self.row).is_some()
        }
    }
}

/// All rows of a store, in the order of their keys. A row that is damaged is answered as an
/// error, and the walk goes on behind it.
pub struct Export {
    rows: Rows,
}

impl Iterator for Export {
    type Item = Result<RawRow, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let row = match self.rows.next()? {
                Ok((key, row)) => RawRow { key, row },
                Err(failed) => return Some(Err(failed)),
            };
            if row.tag() == ENGINE_TAG {
                continue;
            }
            if row.is_whole() {
                return Some(Ok(row));
            }
            let key = record::hex(&row.key);
            return Some(Err(ReadError::Damaged { table: "an unnamed table", key }));
        }
    }
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export").finish_non_exhaustive()
    }
}

impl Store {
    /// Walks over all rows. Like a scan it is no snapshot: nobody may write meanwhile, or rows
    /// that belong together may come from different moments.
    pub fn export(&self) -> Export {
        let range = Range { from: Vec::new(), until: vec![u8::MAX; TAG_BYTES] };
        Export { rows: Rows::new(self.handle.shared.clone(), range, false) }
    }

    /// Writes exported rows into this store, which must be empty, and gives their number.
    /// Blocks until all of them are durable.
    ///
    /// # Errors
    /// [`CommitError::Failed`] when the store is not empty or a row is damaged, and whatever a
    /// commit answers. Rows before the error are written: begin again with another folder.
    pub fn import(&self, rows: impl IntoIterator<Item = RawRow>) -> Result<u64, CommitError> {
        match self.export().next() {
            None => {}
            Some(Err(ReadError::Closed)) => return Err(CommitError::Closed),
            Some(_) => return Err(CommitError::Failed("the store is not empty".to_owned())),
        }
        let mut count = 0;
        let mut batch = Batch::new();
        for row in rows {
            if row.tag() == ENGINE_TAG || !row.is_whole() {
                let key = record::hex(&row.key);
                return Err(CommitError::Failed(format!("the row of key {key} is damaged")));
            }
            batch.put_raw(row.key, row.row);
            count += 1;
            if batch.bytes >= IMPORT_BYTES {
                self.write_blocking(std::mem::take(&mut batch))?;
            }
        }
        self.write_blocking(batch)?;
        Ok(count)
    }
}
