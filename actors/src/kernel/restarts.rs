//! Rooms that failed: how long the next start of each must hold back.

use std::hash::Hash;
use std::time::Duration;

use dashmap::DashMap;
use tokio::time::Instant;

/// The first pause before a failed room starts again; it doubles with each failure.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
/// The longest pause before a failed room starts again.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// After this long without a failure the pauses begin anew.
const FORGIVEN_AFTER: Duration = Duration::from_secs(60);

pub(crate) struct Restarts<I>(DashMap<I, Failures>);

#[derive(Clone, Copy)]
struct Failures {
    count: u32,
    last: Instant,
}

impl<I: Copy + Eq + Hash> Restarts<I> {
    pub(crate) fn new() -> Self {
        Self(DashMap::new())
    }

    pub(crate) fn note(&self, id: I) {
        let now = Instant::now();
        let mut failures = self.0.entry(id).or_insert(Failures { count: 0, last: now });
        failures.count += 1;
        failures.last = now;
    }

    /// How long the next start must hold back, if the room failed lately.
    pub(crate) fn pause(&self, id: I) -> Option<Duration> {
        let failures = *self.0.get(&id)?;
        if failures.last.elapsed() > FORGIVEN_AFTER {
            self.0.remove(&id);
            return None;
        }
        let doubled = FIRST_PAUSE.saturating_mul(1 << failures.count.min(16).saturating_sub(1));
        Some(doubled.min(LONGEST_PAUSE))
    }

    /// Drops the failures that are forgiven.
    pub(crate) fn tidy(&self) {
        self.0.retain(|_, failures| failures.last.elapsed() <= FORGIVEN_AFTER);
    }
}
