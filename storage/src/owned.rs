//! Rows by the beginning of their keys, whatever table they are of: to measure and to remove all
//! that somebody owns.

use crate::batch::Batch;
use crate::error::ReadError;
use crate::key::Key;
use crate::scan::{Rows, Scan};
use crate::shard::Shards;
use crate::store::Store;
use crate::view::View;

/// The key of a row whose table nobody asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowKey(Vec<u8>);

impl Store {
    /// The keys of at most `limit` rows of the table with this tag that begin with `prefix`.
    pub fn keys_under(
        &self,
        tag: u16,
        prefix: &impl Key,
        limit: usize,
    ) -> Result<Vec<RowKey>, ReadError> {
        self.rows_under(tag, prefix).take(limit).map(|row| Ok(RowKey(row?.0))).collect()
    }

    /// Bytes of the keys and rows of the table with this tag that begin with `prefix`.
    pub fn bytes_under(&self, tag: u16, prefix: &impl Key) -> Result<u64, ReadError> {
        self.rows_under(tag, prefix).try_fold(0, |sum, row| {
            let (key, row) = row?;
            Ok(sum + (key.len() + row.len()) as u64)
        })
    }

    fn rows_under(&self, tag: u16, prefix: &impl Key) -> Rows {
        let shards = Shards::one(prefix.shard().unwrap_or_default());
        Rows::over(View::clone(self), Scan::prefix(prefix), tag, shards)
    }
}

impl Batch {
    pub fn delete_row(&mut self, RowKey(key): RowKey) {
        self.delete_raw(key);
    }
}
