//! All rows of a store, as bytes: for backups that are restored into an empty store, perhaps of
//! another engine.
//!
//! The rows of all tables are there, and the counters of sequences and ids; what the engine
//! keeps about itself is not. Claims on fingerprints come at the end, all of them as rows of a
//! log, whether they are in a log, in memory or in runs.

use std::fmt;
use std::sync::Arc;

use crate::batch::Batch;
use crate::engine::{Change, Range, Row};
use crate::error::{CommitError, ReadError};
use crate::index::{self, Walk};
use crate::layout;
use crate::record;
use crate::scan::Rows;
use crate::shard::Shard;
use crate::shared::Shared;
use crate::store::Store;
use crate::table::{CLAIM_TAG, ENGINE_TAG, RUN_TAG};
use crate::view::View;

/// Bytes of keys and rows, and rows, that an import commits at a time.
const IMPORT_BYTES: usize = 512 * 1024;
const IMPORT_ROWS: usize = 4_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRow {
    pub key: Vec<u8>,
    pub row: Vec<u8>,
}

impl RawRow {
    /// The tag of the row's table; [`FIRST_RESERVED_TAG`](crate::FIRST_RESERVED_TAG) and above are
    /// the store's own.
    pub fn tag(&self) -> u16 {
        layout::tag_of(&self.key)
    }

    /// The shard that the row is in; `None` of what the store keeps about itself.
    pub fn shard(&self) -> Option<Shard> {
        layout::shard_of(&self.key)
    }

    /// The bytes of the key within the table.
    pub fn key_in_table(&self) -> &[u8] {
        layout::behind_tag(&self.key)
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

impl Export {
    pub(crate) fn new(view: View, shared: &Arc<Shared>) -> Self {
        let range = Range { from: Vec::new(), until: CLAIM_TAG.to_be_bytes().to_vec() };
        Self { rows: Rows::new(view, range, false), claims: Claims::Ahead(Arc::clone(shared)) }
    }
}

impl Store {
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
        let mut importer = Importer::new(self);
        for row in rows {
            importer.add(row)?;
        }
        importer.flush()?;
        self.settle()?;
        Ok(importer.count)
    }
}

/// Fills an empty store.
pub(crate) struct Importer<'s> {
    store: &'s Store,
    batch: Batch,
    count: u64,
    /// Rows of a group come next, whose claims may have been found with the rows.
    doubtful: bool,
}

impl<'s> Importer<'s> {
    pub(crate) fn new(store: &'s Store) -> Self {
        Self { store, batch: Batch::new(), count: 0, doubtful: false }
    }

    pub(crate) fn add_all(&mut self, changes: Vec<Change>) -> Result<(), CommitError> {
        for (key, row) in changes {
            let row = row.ok_or_else(|| damaged(&key))?;
            self.add(RawRow { key, row })?;
        }
        Ok(())
    }

    /// Adds a row that nothing has changed since.
    fn add(&mut self, row: RawRow) -> Result<(), CommitError> {
        if matches!(row.tag(), ENGINE_TAG | RUN_TAG..) {
            return Err(damaged(&row.key));
        }
        self.put(row)?;
        self.count += 1;
        self.flush_if_full()
    }

    /// Carries out what a group has changed, behind all rows. What the store keeps about itself is
    /// left out: this one has its own.
    pub(crate) fn carry_out(&mut self, changes: Vec<Change>) -> Result<(), CommitError> {
        if !self.doubtful {
            self.flush()?;
            self.doubtful = true;
        }
        for (key, row) in changes {
            let tag = layout::tag_of(&key);
            match row {
                _ if matches!(tag, ENGINE_TAG | RUN_TAG..) => {}
                Some(row) => self.put(RawRow { key, row })?,
                // Claims stay for ever: what goes from their log is in runs.
                None if tag == CLAIM_TAG => {}
                None => self.batch.delete_raw(key),
            }
        }
        self.flush_if_full()
    }

    pub(crate) fn flush(&mut self) -> Result<(), CommitError> {
        self.store.write_blocking(std::mem::take(&mut self.batch)).map(drop)
    }

    fn put(&mut self, row: RawRow) -> Result<(), CommitError> {
        if !row.is_whole() {
            return Err(damaged(&row.key));
        }
        if row.tag() != CLAIM_TAG {
            self.batch.put_raw(row.key, row.row);
            return Ok(());
        }
        let failed = |error: ReadError| CommitError::Failed(error.to_string());
        for mut claims in index::claims(&row.key, &row.row).map_err(failed)? {
            if self.doubtful {
                let wanted: Vec<_> = claims.entries.iter().map(|(wanted, _)| *wanted).collect();
                let found = self.store.find_fingerprints(claims.index, claims.scope, &wanted);
                let found = found.map_err(failed)?;
                let mut known = found.found.iter().map(Option::is_some);
                claims.entries.retain(|_| known.next() == Some(false));
                claims.seen = found.seen;
            }
            self.batch.push_claims(claims);
        }
        Ok(())
    }

    fn flush_if_full(&mut self) -> Result<(), CommitError> {
        let full = self.batch.bytes() >= IMPORT_BYTES || self.batch.rows() >= IMPORT_ROWS;
        if full { self.flush() } else { Ok(()) }
    }
}

fn damaged(key: &[u8]) -> CommitError {
    CommitError::Failed(format!("the row of key {} is damaged", record::hex(key)))
}
