//! The instants at which something was done that is allowed so many times within a window. Who has
//! used all of them waits until the first is that long ago: no window has more.

use std::collections::VecDeque;
use std::hash::Hash;

use dashmap::DashMap;

use crate::domain::time::Timestamp;

/// By key, what still counts.
pub(super) struct Window<K: Eq + Hash> {
    held: DashMap<K, VecDeque<Timestamp>>,
    seconds: i64,
}

/// Seconds until the next attempt is let through, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyAttempts {
    pub retry_after_seconds: u64,
}

impl<K: Eq + Hash> Window<K> {
    pub(super) fn of(seconds: i64) -> Self {
        Self { held: DashMap::new(), seconds }
    }

    /// Counts one more of at most `most`.
    pub(super) fn take(&self, key: K, most: usize, now: Timestamp) -> Result<(), TooManyAttempts> {
        let mut held = self.held.entry(key).or_default();
        let counted = now.plus_seconds(-self.seconds);
        while held.front().is_some_and(|at| *at <= counted) {
            held.pop_front();
        }
        // Of those that are there, the one that has to leave first.
        let leaves = held.len().checked_sub(most).and_then(|beyond| held.get(beyond));
        match leaves {
            Some(at) => {
                let wait = at.plus_seconds(self.seconds).micros() - now.micros();
                let retry_after_seconds = wait.max(1).unsigned_abs().div_ceil(1_000_000);
                Err(TooManyAttempts { retry_after_seconds })
            }
            None => {
                held.push_back(now);
                Ok(())
            }
        }
    }

    /// Takes back what was counted at `begun`.
    pub(super) fn take_back(&self, key: &K, begun: Timestamp) {
        if let Some(mut held) = self.held.get_mut(key)
            && let Some(place) = held.iter().rposition(|at| *at == begun)
        {
            held.remove(place);
        }
    }

    pub(super) fn sweep(&self, now: Timestamp) {
        let counted = now.plus_seconds(-self.seconds);
        self.held.retain(|_, held| held.back().is_some_and(|at| *at > counted));
        if self.held.capacity() > 4 * self.held.len() + 1_024 {
            self.held.shrink_to_fit();
        }
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}
