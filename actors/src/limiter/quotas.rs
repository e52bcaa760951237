//! Quota counts by seller and kind, and which of them are not in the store yet.

use dashmap::DashMap;

use crate::domain::ids::SellerId;
use crate::domain::platform::limits::{QuotaVerdict, RollingCounter};
use crate::domain::time::Timestamp;

/// Seconds without use after which a written count leaves the memory.
const IDLE_SECONDS: i64 = 600;

pub(super) type QuotaKey = (SellerId, u8);

struct Held {
    counter: RollingCounter,
    used: Timestamp,
    changed: bool,
}

#[derive(Default)]
pub(super) struct Quotas {
    held: DashMap<QuotaKey, Held>,
}

impl Quotas {
    /// Counts a request; `None` when the counter has to be loaded first.
    pub(super) fn take(&self, key: QuotaKey, per_day: u32, now: Timestamp) -> Option<QuotaVerdict> {
        self.held.get_mut(&key).map(|mut held| held.take(per_day, now))
    }

    /// Counts a request after the counter was loaded. Of two callers that loaded it at the same
    /// time the first one's counter stays, and both are counted in it.
    pub(super) fn take_loaded(
        &self,
        key: QuotaKey,
        counter: RollingCounter,
        per_day: u32,
        now: Timestamp,
    ) -> QuotaVerdict {
        let loaded = || Held { counter, used: now, changed: false };
        self.held.entry(key).or_insert_with(loaded).take(per_day, now)
    }

    /// Takes out at most `limit` counters that were counted in since they were last taken.
    pub(super) fn take_changed(&self, limit: usize) -> Vec<(QuotaKey, RollingCounter)> {
        let mut changed = Vec::new();
        for mut entry in self.held.iter_mut().filter(|entry| entry.changed).take(limit) {
            entry.changed = false;
            changed.push((*entry.key(), entry.counter.clone()));
        }
        changed
    }

    pub(super) fn mark_unwritten(&self, keys: impl Iterator<Item = QuotaKey>) {
        for key in keys {
            if let Some(mut held) = self.held.get_mut(&key) {
                held.changed = true;
            }
        }
    }

    pub(super) fn sweep(&self, now: Timestamp) {
        self.held.retain(|_, held| held.changed || now < held.used.plus_seconds(IDLE_SECONDS));
        if self.held.capacity() > 4 * self.held.len() + 1_024 {
            self.held.shrink_to_fit();
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }
}

impl Held {
    fn take(&mut self, per_day: u32, now: Timestamp) -> QuotaVerdict {
        self.used = self.used.max(now);
        let verdict = self.counter.take(per_day, now);
        self.changed |= matches!(verdict, QuotaVerdict::Admitted { .. });
        verdict
    }
}
