//! A process that has as many files open as it may.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use storage::testing::TempStore;
use storage::{Batch, Table};

const ROWS: Table<u64, u64> = Table::new(1, "rows");

#[test]
fn what_is_written_reaches_the_engine_while_no_file_can_be_opened() {
    let store = TempStore::new();
    let limit = getrlimit(Resource::Nofile);
    // Those that are open stay so.
    setrlimit(Resource::Nofile, Rlimit { current: Some(0), ..limit }).unwrap();
    let mut batch = Batch::new();
    batch.put(ROWS, &1, &2);
    store.write_blocking(batch).unwrap();
    store.hand_over();
    setrlimit(Resource::Nofile, limit).unwrap();
    let mut batch = Batch::new();
    batch.put(ROWS, &2, &3);
    store.write_blocking(batch).unwrap();
    assert_eq!(store.get(ROWS, &1), Ok(Some(2)));
}
