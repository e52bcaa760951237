//! Snapshots: rows, numbers and claims as of one moment, and their end where writers need room.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use storage::testing::TempStore;
use storage::{Batch, Fatal, Fingerprint, Index, Options, ReadError, Scan, Seen, Store, Table};

const ROWS: Table<u64, Vec<u8>> = Table::new(1, "rows");
const KEYS: Index = Index::new(2, "keys");

fn options(journal_bytes: u64) -> Options {
    Options { journal_bytes, fatal: Fatal::Poison, ..Options::default() }
}

/// Puts a row, draws the next number, and links it to those before.
fn write(store: &Store, key: u64, bytes: usize) {
    let mut batch = Batch::new();
    batch.put(ROWS, &key, &vec![7; bytes]);
    batch.draw_linked(&7_u64, |last| {
        let mut link = last.copied().unwrap_or_default();
        link[0] += 1;
        link
    });
    store.write_blocking(batch).unwrap();
}

fn fingerprint(number: u64) -> Fingerprint {
    Fingerprint(u128::from(number).to_be_bytes())
}

#[test]
fn numbers_links_and_all_rows_are_of_the_snapshots_moment() {
    let store = TempStore::new();
    write(&store, 1, 1);
    let snapshot = store.snapshot().unwrap();
    write(&store, 2, 1);
    let link = |view: &storage::View| view.last_link(&7_u64).unwrap().map(|link| link[0]);
    assert_eq!((snapshot.drawn(&7_u64), link(&snapshot)), (Ok(1), Some(1)));
    assert_eq!((store.drawn(&7_u64), link(&store)), (Ok(2), Some(2)));
    let rows =
        |view: &storage::View| view.export().filter(|row| row.as_ref().unwrap().tag() == 1).count();
    assert_eq!((rows(&snapshot), rows(&store)), (1, 2));
    // A snapshot of a snapshot is of its moment.
    let same = snapshot.snapshot().unwrap();
    assert_eq!((same.group(), same.contains(ROWS, &2)), (snapshot.group(), Ok(false)));
    assert!(snapshot.holds() && store.group().is_none());
}

#[test]
fn a_snapshot_that_yields_ends_before_writers_wait_and_stays_ended() {
    let store = TempStore::with(options(64 * 1024));
    write(&store, 1, 1);
    let yields = store.yielding_snapshot().unwrap();
    let mut written = 0;
    while yields.holds() {
        assert!(written < 1_000, "so much was written without its end");
        write(&store, 2 + written, 4_000);
        written += 1;
    }
    // Nobody waits for one that has ended.
    store.hand_over();
    assert!(!yields.holds());
    assert_eq!(yields.get(ROWS, &1), Err(ReadError::SnapshotGone));
    assert_eq!(yields.scan(ROWS, Scan::all()).next(), Some(Err(ReadError::SnapshotGone)));
    assert!(store.yielding_snapshot().unwrap().holds());
}

#[test]
fn who_sees_a_row_finds_what_was_claimed_with_it() {
    let store = TempStore::new();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=2_000 {
                let mut batch = Batch::new();
                batch.put(ROWS, &number, &vec![1]);
                let claim = (fingerprint(number), u128::from(number).to_be_bytes());
                batch.claim_fingerprints(KEYS, 0, vec![claim], Seen::default());
                store.write_blocking(batch).unwrap();
            }
            done.store(true, Ordering::Release);
        });
        while !done.load(Ordering::Acquire) {
            let snapshot = store.snapshot().unwrap();
            let Some(last) = snapshot.scan(ROWS, Scan::all().reverse().first()).keys().next()
            else {
                continue;
            };
            let number = last.unwrap();
            let found = snapshot.find_fingerprints(KEYS, 0, &[fingerprint(number)]).unwrap();
            assert!(found.found[0].is_some(), "the claim of row {number} is not there");
        }
    });
}
