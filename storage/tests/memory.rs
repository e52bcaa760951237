//! What is written does not stay in memory: only as much of it as the cache may hold.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use std::fs;

use storage::testing::TempStore;
use storage::{Batch, Table};

const ROWS: Table<u64, Vec<u8>> = Table::new(1, "rows");
const BATCHES: u64 = 40;
const BATCH: u64 = 2_000;
/// The engine's buffers and the small cache of a test. Rows are 6 MB in all; the pages that
/// writing them replaces are 260 MB.
const MOST_MIB: u64 = 100;

fn resident_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
fn many_small_rows_side_by_side_leave_no_garbage_in_memory() {
    let store = TempStore::new();
    let before = resident_mib();
    for first in (0..BATCHES).map(|number| number * BATCH) {
        let mut batch = Batch::new();
        (first..first + BATCH).for_each(|row| batch.put(ROWS, &row, &vec![7; 60]));
        store.write_blocking(batch).unwrap();
    }
    let grown = resident_mib().saturating_sub(before);
    assert!(grown < MOST_MIB, "{grown} MiB more for {} rows", BATCHES * BATCH);
}
