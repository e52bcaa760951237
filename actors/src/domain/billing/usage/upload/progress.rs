//! How far an upload is, and when so many of its rows were refused, or so much is kept, that it
//! stops.
//!
//! Rows are recorded some at a time, and never more than could all be refused before the upload
//! stops. So it stops exactly behind the row that was one too many: whoever mends the file can go
//! on with the next.

use super::{Stopped, Tally, Upload};
use crate::domain::time::Timestamp;

/// Rows refused one after the other at which an upload stops.
pub const MAX_REFUSED_RUN: u64 = 1_000;

/// Rows refused in all at which an upload stops.
pub const MAX_REFUSED: u64 = 10_000;

pub const TOO_MANY_LETTERS: &str = "too many dead letters: redrive or discard some";

/// What became of rows that were recorded together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fared {
    /// The first of them.
    pub row: u64,
    pub rows: u64,
    /// The part that the rows behind them begin in.
    pub next_part: u32,
    pub tally: Tally,
    /// How many of the last were refused one after the other.
    pub refused_last: u64,
}

impl Upload {
    /// How many rows may be recorded together, when so many more letters can be parked.
    pub fn at_once(&self, letters_left: u64) -> u64 {
        let run = MAX_REFUSED_RUN.saturating_sub(self.refused_run);
        run.min(MAX_REFUSED.saturating_sub(self.parked)).min(letters_left)
    }

    /// The upload behind some rows; `None` when these were counted before, or others come first.
    pub fn advanced(&self, fared: Fared, now: Timestamp) -> Option<Self> {
        if fared.row != self.next_row || self.is_over() {
            return None;
        }
        let mut next = self.clone();
        next.next_part = fared.next_part;
        next.next_row += fared.rows;
        next.ingested += fared.tally.ingested;
        next.duplicates += fared.tally.duplicates;
        next.parked += fared.tally.parked;
        let unbroken = fared.refused_last == fared.rows;
        next.refused_run = fared.refused_last + if unbroken { self.refused_run } else { 0 };
        if next.refused_run >= MAX_REFUSED_RUN {
            next.stop(&format!("{MAX_REFUSED_RUN} rows were refused one after the other"));
        } else if next.parked >= MAX_REFUSED {
            next.stop(&format!("{MAX_REFUSED} rows were refused"));
        }
        next.done_at = next.is_over().then_some(now);
        Some(next)
    }

    /// The upload where there is no room for what it brings; `None` when it is over.
    pub fn without_room(&self, reason: &str, now: Timestamp) -> Option<Self> {
        if self.is_over() {
            return None;
        }
        let mut next = self.clone();
        next.stop(reason);
        next.done_at = Some(now);
        Some(next)
    }

    fn stop(&mut self, reason: &str) {
        self.stopped = Some(Stopped { row: self.next_row - 1, reason: reason.to_owned() });
    }
}
