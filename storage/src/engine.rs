//! What a store engine must do: ordered byte keys, pages of a range, and sets of writes.
//!
//! The trait is narrow on purpose. [`sled`] is the embedded engine. It stands behind the
//! [journal](crate::journal), which makes each group durable, and gets its rows in the
//! background, so neither an answer nor a reader waits for it.

mod absent;
mod applier;
pub(crate) mod apply;
pub(crate) mod journaled;
#[cfg(test)]
pub(crate) mod memory;
mod packed;
pub(crate) mod sled;
mod watermark;

use std::io;
use std::path::Path;
use std::time::Duration;

use crate::error::OpenError;
use crate::folder;
pub(crate) use crate::recent::Pin;

pub(crate) type Row = (Vec<u8>, Vec<u8>);

/// A key and its new row; `None` deletes.
pub(crate) type Change = (Vec<u8>, Option<Vec<u8>>);

/// Keys from `from`, inclusive, to `until`, exclusive. Empty when they do not rise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) from: Vec<u8>,
    pub(crate) until: Vec<u8>,
}

impl Range {
    /// Takes away what a walk has passed with this key.
    pub(crate) fn leave_behind(&mut self, key: &[u8], reverse: bool) {
        if reverse {
            self.until = key.to_vec();
        } else {
            // The smallest byte string above the key.
            self.from = [key, &[0]].concat();
        }
    }

    /// Takes away what a walk would pass behind this key.
    pub(crate) fn end_with(&mut self, mut key: Vec<u8>, reverse: bool) {
        if reverse {
            self.from = key;
        } else {
            key.push(0);
            self.until = key;
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// Handing the bytes to the operating system.
    pub(crate) append: Duration,
    pub(crate) sync: Duration,
    /// What the group takes in the journal.
    pub(crate) bytes: usize,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum EngineError {
    /// The operating system has refused something.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// What is on the disk, or the engine itself, is not as it should be.
    #[error("{0}")]
    Broken(String),
    /// Too much was written since the pin was set.
    #[error("the rows of that moment are gone")]
    PinGone,
}

/// An ordered map of bytes on a disk.
///
/// Reads may come from any thread at any time. Writes come from one thread. No call panics.
pub(crate) trait Engine: Send + Sync {
    /// The rows of keys that come in order, each in the place of its key.
    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, EngineError>;

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        Ok(self.get_many(&[key])?.pop().flatten())
    }

    /// The first `limit` rows of a range in walking direction; fewer only when there are no
    /// more.
    fn page(&self, range: &Range, reverse: bool, limit: usize) -> Result<Vec<Row>, EngineError>;

    /// Writes all changes; each key is named once. They survive a power cut behind the next
    /// [`sync`](Self::sync), and until then each of them may or may not. Says how many records
    /// that took.
    fn write(&self, changes: Vec<Change>) -> Result<usize, EngineError>;

    /// The same for who has [counted](counted) the changes, with what was there before them.
    fn write_counted(&self, changes: Vec<Change>, _bytes: usize) -> Result<usize, EngineError> {
        self.write(changes)
    }

    /// Syncs where the next [`write_counted`](Self::write_counted), of so many bytes, would: for who
    /// must not wait for the disk then.
    fn sync_before(&self, _bytes: usize) -> Result<(), EngineError> {
        Ok(())
    }

    /// Returns when all that was written would survive a power cut. After an error nobody knows
    /// what is on the disk.
    fn sync(&self) -> Result<(), EngineError>;

    /// Lets go of the folder, and returns when another process could open it.
    fn close(self: Box<Self>);
}

/// What a change counts at least, a deletion as well: every few changes of a page make the engine
/// write all of it anew, whatever the size of what is changed.
const LEAST_BYTES: usize = 2 * 1024;

/// What a change counts for when the engine is to be synced, where a block of so many bytes is
/// there before it: what is left of its page is written anew, and mostly has such blocks as well.
fn counted((key, row): &Change, before: usize) -> usize {
    (key.len() + row.as_ref().map_or(0, Vec::len)).max(before).max(LEAST_BYTES)
}

fn opening_failed(home: &Path, error: EngineError) -> OpenError {
    match error {
        EngineError::Io(source) => folder::refusal(home, source),
        other => OpenError::Damaged { folder: home.to_owned(), detail: other.to_string() },
    }
}
