//! How much an operation answers, counted while it is made: its own bound, and its part of the
//! memory for answers.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::http::budget::Share;

/// What routes answer to an operation and what is made of it, in bytes: a full page with all that
/// is in it, and a half more.
const MOST: usize = 24 * 1024 * 1024;

/// Memory is taken by so many bytes: a usual operation takes none.
const STEP: usize = 256 * 1024;

pub(super) struct Tally {
    bytes: AtomicUsize,
    room: Mutex<Share<IpAddr>>,
    is_crowded: AtomicBool,
}

impl Tally {
    /// Takes what it counts of `room`.
    pub(super) fn new(room: Share<IpAddr>) -> Self {
        let (bytes, is_crowded) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { bytes, room: Mutex::new(room), is_crowded }
    }

    /// Counts bytes of what is answered. Once they are too many no field has a value any more.
    pub(super) fn has_room_for(&self, bytes: usize) -> bool {
        let before = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let after = before + bytes;
        if after <= MOST && after / STEP > before / STEP {
            let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
            if room.grow((after / STEP - before / STEP) * STEP).is_err() {
                self.is_crowded.store(true, Ordering::Relaxed);
            }
        }
        !self.is_beyond_room()
    }

    /// Whether it is more than an operation may answer, or than there is memory for.
    pub(super) fn is_beyond_room(&self) -> bool {
        self.is_crowded() || self.bytes.load(Ordering::Relaxed) > MOST
    }

    /// Whether others hold the memory that it would take.
    pub(super) fn is_crowded(&self) -> bool {
        self.is_crowded.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::http::budget::Budget;

    fn tally(budget: &Arc<Budget<IpAddr>>) -> Tally {
        Tally::new(budget.share("192.0.2.1".parse().expect("an address")))
    }

    #[test]
    fn an_operation_has_its_bound_and_all_of_a_client_share_theirs() {
        let budget = Budget::in_quarters(16 * STEP);
        let first = tally(&budget);
        assert!(first.has_room_for(STEP - 1));
        let second = tally(&budget);
        assert!(second.has_room_for(4 * STEP), "nothing is taken for what is small");
        assert!(!first.has_room_for(1) && first.is_crowded() && first.is_beyond_room());
        drop(second);
        assert!(tally(&budget).has_room_for(4 * STEP));
        let large = tally(&Budget::in_quarters(8 * MOST));
        assert!(large.has_room_for(MOST) && !large.has_room_for(1));
        assert!(large.is_beyond_room() && !large.is_crowded());
    }
}
