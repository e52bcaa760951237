//! How much a queue holds and carries out at once, and how it treats what fails.

use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Lines that are carried out at once.
    pub places: usize,
    /// Lines that wait for a place; those beyond are left on the disk.
    pub ready: usize,
    /// Lines that pause after a failure; those beyond are left on the disk.
    pub pausing: usize,
    /// The pause after the first failure of a line; it doubles up to the longest.
    pub first_pause: Duration,
    pub longest_pause: Duration,
    /// Failures in a row after which a line is parked.
    pub park_after: u32,
    /// The pause of a parked line.
    pub parked_pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            places: 512,
            ready: 16_384,
            pausing: 65_536,
            first_pause: Duration::from_millis(20),
            longest_pause: Duration::from_secs(5),
            park_after: 9,
            parked_pause: Duration::from_secs(60),
        }
    }
}

impl Limits {
    pub(super) fn pause(&self, failures: u32) -> Duration {
        if failures >= self.park_after {
            return self.parked_pause;
        }
        let doubled = self.first_pause.saturating_mul(1 << failures.clamp(1, 17).saturating_sub(1));
        doubled.min(self.longest_pause)
    }
}
