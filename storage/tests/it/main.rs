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
