//! What the pool counts, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::domain::platform::delivery::DeliveryStatus;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Deliveries in memory that wait for their attempt.
    pub waiting: usize,
    /// Deliveries in memory: waiting, being attempted, or being recorded.
    pub held: usize,
    /// Since the start, as the next two.
    pub attempts: u64,
    pub delivered: u64,
    /// Given up, also as their webhook has ended.
    pub failed: u64,
}

#[derive(Default)]
pub(super) struct Tally {
    attempts: AtomicU64,
    delivered: AtomicU64,
    failed: AtomicU64,
}

impl Tally {
    pub(super) fn attempted(&self) {
        self.attempts.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn recorded(&self, status: DeliveryStatus) {
        match status {
            DeliveryStatus::Pending => {}
            DeliveryStatus::Delivered => _ = self.delivered.fetch_add(1, Ordering::Relaxed),
            DeliveryStatus::Failed => _ = self.failed.fetch_add(1, Ordering::Relaxed),
        }
    }

    pub(super) fn counts(&self, waiting: usize, held: usize) -> Counts {
        Counts {
            waiting,
            held,
            attempts: self.attempts.load(Ordering::Relaxed),
            delivered: self.delivered.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }
}
