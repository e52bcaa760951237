//! How many cards a payment link lets be turned down, so that nobody tries out cards at it.

use super::{Payment, PaymentStatus};
use crate::domain::time::Timestamp;

/// So many declines in [`DECLINE_SECONDS`], and the link rests.
pub const DECLINES: usize = 10;

/// How long a decline counts.
const DECLINE_SECONDS: i64 = 3600;

/// Longer than any attempt at a link lasts: one that was begun earlier was not declined within
/// the hour.
const LOOKED_BACK_SECONDS: i64 = 2 * DECLINE_SECONDS;

/// The declined attempts at a link, as they are looked through from the newest to the oldest.
#[derive(Debug)]
pub struct Declines {
    now: Timestamp,
    counted: Vec<Timestamp>,
}

impl Declines {
    pub fn at(now: Timestamp) -> Self {
        Self { now, counted: Vec::new() }
    }

    /// Counts an attempt; whether older ones may still count.
    pub fn count(&mut self, attempt: &Payment) -> bool {
        let code = attempt.failure.map(|failure| failure.code);
        let declined =
            attempt.status == PaymentStatus::Failed && code.is_some_and(|code| code.is_decline());
        if declined && self.now < attempt.updated_at.plus_seconds(DECLINE_SECONDS) {
            self.counted.push(attempt.updated_at);
        }
        self.now < attempt.created_at.plus_seconds(LOOKED_BACK_SECONDS)
    }

    /// When the link takes cards again; `None` while it takes them.
    pub fn rests_until(mut self) -> Option<Timestamp> {
        self.counted.sort_unstable_by(|one, other| other.cmp(one));
        let last = self.counted.get(DECLINES - 1)?;
        Some(last.plus_seconds(DECLINE_SECONDS))
    }
}
