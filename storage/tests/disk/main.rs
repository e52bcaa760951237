//! What a process does to its files is recorded, and what a disk may hold after a power cut, or
//! after a call that has failed, is made from it and opened again.
//!
//! `DISK_STATES` says how many states are opened, `DISK_SECONDS` how long the load lasts that is
//! recorded, `DISK_FAULTS` how many failures are tried, `DISK_FAULT` which one alone (like
//! `write:137:EIO`), and `DISK_SEED` what is drawn; it is printed by each run.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "this is a test")]

mod archive;
mod cuts;
#[path = "../recorder/src/event.rs"]
#[allow(dead_code, unreachable_pub, reason = "a part of it is for the process that is recorded")]
mod event;
mod faults;
mod model;
mod random;
mod recording;
mod snapshots;
mod state;
#[path = "../writer/mod.rs"]
mod writer;

/// So small that the engine fills, cleans and uses again many of them in a short load, and still
/// several times what one group takes.
pub(crate) const SEGMENT_BYTES: usize = 1024 * 1024;

#[test]
#[ignore = "the process that the other tests record"]
fn writer_process() {
    storage::testing::use_segments_of(SEGMENT_BYTES);
    writer::run_lives();
}

/// A number from the environment, or the one that is usual.
fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}
