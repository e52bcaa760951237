//! How a group becomes durable: under a fence, so that only who opened the store last writes, and
//! under its number, so that what is asked for twice happens once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use super::Spent;
use crate::fatal::Fuse;

/// How long one rests before asking again for a group of which it is not known whether it is
/// written; twice as long each time, up to the longest.
const FIRST_REST: Duration = Duration::from_millis(1);
const LONGEST_REST: Duration = Duration::from_secs(1);

/// Stands for one opening of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence(u64);

impl Fence {
    /// One of a folder, which is locked while it is open: nobody but this process can have another.
    pub(crate) fn new() -> Self {
        static OPENINGS: AtomicU64 = AtomicU64::new(0);
        Self(OPENINGS.fetch_add(1, Ordering::Relaxed))
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotApplied {
    /// It is not written, nor will any later one of this opening be.
    #[error("somebody else has opened the store since")]
    Fenced,
    /// Nobody knows what is on the disk, and asking again does not tell.
    #[error("{0}")]
    Refused(String),
    /// It is written or not, and asking again tells.
    #[cfg_attr(not(feature = "testing"), expect(dead_code, reason = "a folder always knows"))]
    #[error("it is not known whether the last group is written")]
    Unknown,
}

pub(crate) trait Apply: Sync {
    /// Writes all changes of a [payload](crate::journal::payload_of) as the group of this number, the
    /// one behind the last, and returns when they would survive a power cut. The last group, asked
    /// for again, is not written again. Called by one thread.
    fn apply(&self, fence: Fence, group: u64, payload: &[u8]) -> Result<Spent, NotApplied>;
}

impl<A: Apply> Apply for &A {
    fn apply(&self, fence: Fence, group: u64, payload: &[u8]) -> Result<Spent, NotApplied> {
        (**self).apply(fence, group, payload)
    }
}

/// Applies a group, and asks again for as long as nobody knows whether it is written, unless the
/// fuse has blown meanwhile.
pub(crate) fn apply_for_sure(
    durable: &dyn Apply,
    fence: Fence,
    group: u64,
    payload: &[u8],
    fuse: &Fuse,
) -> Result<Spent, NotApplied> {
    let mut rest = FIRST_REST;
    loop {
        match durable.apply(fence, group, payload) {
            Err(NotApplied::Unknown) if fuse.blown().is_none() => {
                tracing::warn!(group, ?rest, "a group may be written or not: asked again");
                thread::sleep(rest);
                rest = LONGEST_REST.min(rest * 2);
            }
            known => return known,
        }
    }
}
