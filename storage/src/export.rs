//! All rows of a store, as bytes: for backups that are restored into an empty store, perhaps of
//! another engine.
//!
//! The rows of all tables are there, and the counters of sequences and ids; what the engine
//! keeps about itself is not. Claims on fingerprints come at the end, all of them as rows of a
//! log, whether they are in a log, in memory or in runs.

use std::fmt;
use std::sync::Arc;

use crate::batch::Batch;
use crate::engine::{Range, Row};
use crate::error::{CommitError, ReadError};
use crate::index::{self, Walk};
use crate::record;
use crate::scan::Rows;
use crate::shared::Shared;
use crate::store::Store;
use crate::table::{CLAIM_TAG, ENGINE_TAG, RUN_TAG, TAG_BYTES};

/// Bytes of keys and rows, and rows, that an import commits at a time.
const IMPORT_BYTES: usize = 512 * 1024;
const IMPORT_ROWS: usize = 4_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRow {
    pub key: Vec<u8>,
    pub row: Vec<u8>,
}

impl RawRow {
    /// The tag of the row's table; 0xFFF0 and above are the store's own.
    pub fn tag(&self) -> u16 {
        self.key.first_chunk::<TAG_BYTES>().map_or(0, |tag| u16::from_be_bytes(*tag))
    }

    /// Whether the row is what was written under its key.
    fn is_whole(&self) -> bool {
        record::open(&self.key, &self.row).is_some()
    }
}

/// All rows of a store, in the order of their keys. A row that is damaged is answered as an
/// error, and the walk goes on behind it.
pub struct Export {
    rows: Rows,
    claims: Claims,
}

enum Claims {
    Ahead(Arc<Shared>),
    Walk(Box<Walk>),
    Done,
}

impl Claims {
    /// The next row of claims. They are looked at once all rows are exported, so that they are
    /// not older than these.
    fn next(&mut self) -> Option<Result<Row, ReadError>> {
        if let Self::Ahead(shared) = self {
            let begun = shared.with_engine(|_| shared.indexes.walk()).flatten();
            match begun {
                Ok(walk) => *self = Self::Walk(Box::new(walk)),
                Err(failed) => {
                    *self = Self::Done;
                    return Some(Err(failed));
                }
            }
        }
        let Self::Walk(walk) = self else { return None };
        walk.next()
    }
}

impl Iterator for Export {
    type Item = Result<RawRow, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let row = match self.rows.next().or_else(|| self.claims.next())? {
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
        let range = Range { from: Vec::new(), until: CLAIM_TAG.to_be_bytes().to_vec() };
        let shared = self.handle.shared.clone();
        Export { rows: Rows::new(shared.clone(), range, false), claims: Claims::Ahead(shared) }
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
            let known = !matches!(row.tag(), ENGINE_TAG | RUN_TAG..);
            if !known || !row.is_whole() {
                let key = record::hex(&row.key);
                return Err(CommitError::Failed(format!("the row of key {key} is damaged")));
            }
            if row.tag() == CLAIM_TAG {
                let claims = index::claims(&row.key, &row.row);
                let claims = claims.map_err(|error| CommitError::Failed(error.to_string()))?;
                claims.into_iter().for_each(|claims| batch.push_claims(claims));
            } else {
                batch.put_raw(row.key, row.row);
            }
            count += 1;
            if batch.bytes() >= IMPORT_BYTES || batch.rows() >= IMPORT_ROWS {
                self.write_blocking(std::mem::take(&mut batch))?;
            }
        }
        self.write_blocking(batch)?;
        Ok(count)
    }
}
