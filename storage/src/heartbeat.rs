//! Whether the committer still makes progress while batches wait for it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The last moment at which the committer did something, or had nothing to do.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    epoch: Instant,
    last_millis: AtomicU64,
}

impl Heartbeat {
    pub(crate) fn beat(&self) {
        let millis = u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_millis.store(millis, Ordering::Relaxed);
    }

    pub(crate) fn silence(&self) -> Duration {
        let last = Duration::from_millis(self.last_millis.load(Ordering::Relaxed));
        self.epoch.elapsed().saturating_sub(last)
    }
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self { epoch: Instant::now(), last_millis: AtomicU64::new(0) }
    }
}
