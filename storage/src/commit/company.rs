//! How much company a group waits for.
//!
//! A group costs the processors some 100 microseconds, whatever is in it: two switches of a thread,
//! the call to the disk, the wake-ups of those who are answered. Where many wait anyway, and the
//! processors are what they wait for, fewer and larger groups answer all of them sooner. A few
//! writers, or many of which only one can write at a time, would wait in vain.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::shared::Shared;

/// Writers from which on a group waits for company.
const CROWD: usize = 48;
/// Jobs that the group before must have had: they show that writers do not wait for each other.
const FEW: usize = 4;
/// The part of the writers that is waited for, and its most.
const PART: usize = 4;
const MOST: usize = 16;
/// How long it is waited for at most.
pub(super) const PATIENCE: Duration = Duration::from_micros(600);

/// Those who write now or are about to.
#[derive(Debug, Default)]
pub(crate) struct Writers(AtomicUsize);

/// Somebody who is about to write, and waits for the answer, until this is dropped.
pub struct Writer(Arc<Shared>);

impl Writer {
    pub(crate) fn of(shared: Arc<Shared>) -> Self {
        shared.writers.0.fetch_add(1, Ordering::Relaxed);
        Self(shared)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.writers.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Writers {
    /// The jobs that a group waits for behind one that had `before`; 0 where it does not wait.
    pub(super) fn company(&self, before: usize) -> usize {
        let writers = self.0.load(Ordering::Relaxed);
        if writers < CROWD || before < FEW { 0 } else { (writers / PART).min(MOST) }
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}
