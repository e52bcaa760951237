//! What a store engine must do. All else is built on these three.
//!
//! The trait is narrow on purpose: ordered byte keys, pages of a range, and an atomic set of
//! writes that is durable when the call returns. [`sled`] is the embedded engine.

pub(crate) mod sled;
mod watermark;

use std::io;
use std::time::Duration;

pub(crate) type Row = (Vec<u8>, Vec<u8>);

/// A key and its new row; `None` deletes.
pub(crate) type Change = (Vec<u8>, Option<Vec<u8>>);

/// Keys from `from`, inclusive, to `until`, exclusive. Empty when they do not rise.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) from: Vec<u8>,
    pub(crate) until: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// Handing the bytes to the operating system.
    pub(crate) flush: Duration,
    pub(crate) sync: Duration,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum EngineError {
    /// The operating system has refused something.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// What is on the disk, or the engine itself, is not as it should be.
    #[error("{0}")]
    Broken(String),
}

/// An ordered map of bytes on a disk.
///
/// Reads may come from any thread at any time. Writes come from one thread. No call panics.
pub(crate) trait Engine: Send + Sync {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError>;

    /// The first `limit` rows of a range in walking direction; fewer only when there are no
    /// more.
    fn page(&self, range: &Range, reverse: bool, limit: usize) -> Result<Vec<Row>, EngineError>;

    /// Applies all changes as one, and returns when they would survive a power cut. Each key
    /// is named once. After an error nobody knows what is on the disk.
    fn apply(&self, changes: Vec<Change>) -> Result<Spent, EngineError>;

    /// Gives back the memory of what earlier writes have replaced. Called behind each group, on
    /// the thread that applies them.
    fn free_replaced(&self);

    /// Lets go of the folder, and returns when another process could open it.
    fn close(self: Box<Self>);
}
