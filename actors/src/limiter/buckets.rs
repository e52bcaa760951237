//! Token buckets by key, in shards.

use std::hash::Hash;

use dashmap::DashMap;

use crate::domain::platform::limits::{Budget, TokenBucket, Verdict};
use crate::domain::time::Timestamp;

/// The buckets that are not full. One that is missing is full, so a full one may be dropped.
pub(super) struct Buckets<K: Eq + Hash> {
    held: DashMap<K, (Budget, TokenBucket)>,
}

impl<K: Eq + Hash> Default for Buckets<K> {
    fn default() -> Self {
        Self { held: DashMap::new() }
    }
}

impl<K: Eq + Hash> Buckets<K> {
    pub(super) fn take(&self, key: K, budget: Budget, now: Timestamp) -> Verdict {
        if budget.is_off() {
            return Verdict::Unmetered;
        }
        let full = || (budget, TokenBucket::full(budget, now));
        let mut held = self.held.entry(key).or_insert_with(full);
        held.0 = budget;
        held.1.take(budget, now)
    }

    pub(super) fn sweep(&self, now: Timestamp) {
        self.held.retain(|_, (budget, bucket)| !bucket.is_full(*budget, now));
        if self.held.capacity() > 4 * self.held.len() + 1_024 {
            self.held.shrink_to_fit();
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }
}
