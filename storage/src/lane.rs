//! Lanes: batches that stand or fall one after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The line of batches of one writer whose memory runs ahead of the disk.
///
/// Such a writer hands in its next batch before the last one is answered. When one is refused,
/// those behind it were decided on a state that never came to be: the refusal breaks the lane,
/// and each later batch of it is refused with
/// [`CommitError::LaneBroken`](crate::CommitError::LaneBroken). The writer then starts again
/// from the committed rows, with a new lane.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    broken: Arc<AtomicBool>,
}

impl Lane {
    pub fn new() -> Self {
        Self::default()
    }

    /// Breaks the lane: what is queued on it and what will be is refused.
    pub fn break_now(&self) {
        self.broken.store(true, Ordering::Release);
    }

    /// Whether a batch of this lane was refused, or somebody broke it.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }
}
