//! The store as its users see it.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "this is a test")]

mod archive;
mod backup;
mod clock;
mod commits;
mod export;
mod fingerprints;
mod free_space;
mod groups;
mod ids;
mod in_flight;
mod journal;
mod keys;
mod lanes;
mod opening;
mod reading;
mod reads;
mod rows;
mod scans;
mod sequences;
mod shards;
mod snapshots;
mod sums;
mod uncertain;

use std::thread;
use std::time::{Duration, Instant};

/// Waits until something is so, and says what has not become so in a minute.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}
