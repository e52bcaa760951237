//! Rows from before shards, whose keys began with the tag of their table: moved to the shards that
//! they are in, some at a time. Each step is one batch, so that what was broken off is gone on with.

use crate::batch::Batch;
use crate::engine::{Range, Row};
use crate::error::{CommitError, ReadError};
use crate::layout;
use crate::record;
use crate::store::{ShardOf, Store};
use crate::table::SEQUENCE_TAG;

/// Rows, and bytes of them, that are moved at a time.
const STRIDE: usize = 1_000;
const STRIDE_BYTES: usize = 512 * 1024;

/// After how many rows the log tells how far it is.
const TOLD: u64 = 250_000;

#[derive(Debug, thiserror::Error)]
pub(crate) enum MoveError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] CommitError),
    #[error("it was opened without a word on where they belong")]
    NoPlaces,
}

impl From<MoveError> for CommitError {
    fn from(error: MoveError) -> Self {
        match error {
            MoveError::Write(error) => error,
            other => Self::Failed(other.to_string()),
        }
    }
}

impl Store {
    /// Moves what is left of the layout before, and looks up what its ids went up to. Blocks until
    /// that is durable.
    pub(crate) fn settle(&self) -> Result<(), MoveError> {
        let moved = self.move_rows()?;
        if moved > 0 {
            tracing::info!(moved, "all rows from before shards are in their shards");
        }
        Ok(self.shared().ids.look_up(self.shared())?)
    }

    fn move_rows(&self) -> Result<u64, MoveError> {
        let tables = Range { from: Vec::new(), until: layout::all_shards().from };
        let mut moved = 0;
        for range in [tables, layout::own_keys(SEQUENCE_TAG)] {
            loop {
                let rows = self.shared().page(&range, false, STRIDE, None)?;
                if rows.is_empty() {
                    break;
                }
                let shard_of = self.shared().shard_of.ok_or(MoveError::NoPlaces)?;
                if moved == 0 {
                    tracing::info!("the rows of this folder are moved to shards");
                    self.shut_out_older()?;
                }
                let (batch, count) = stride(rows, shard_of);
                self.write_blocking(batch)?;
                if (moved + count) / TOLD > moved / TOLD {
                    tracing::info!(moved = moved + count, "rows are moved to shards");
                }
                moved += count;
            }
        }
        Ok(moved)
    }
}

fn stride(rows: Vec<Row>, shard_of: ShardOf) -> (Batch, u64) {
    let (mut batch, mut count) = (Batch::new(), 0);
    for (key, row) in rows {
        if batch.bytes() > STRIDE_BYTES {
            break;
        }
        let (tag, own) = (layout::tag_of(&key), layout::behind_tag(&key));
        let new_key = [&layout::prefix(shard_of(tag, own), tag), own].concat();
        let moved = record::reseal(&key, &row, &new_key).unwrap_or_else(|| {
            // It stays what it is, and is told of where it is read.
            tracing::error!(table = tag, key = record::hex(own), "a damaged row is moved");
            row
        });
        batch.put_raw(new_key, moved);
        batch.delete_raw(key);
        count += 1;
    }
    (batch, count)
}
