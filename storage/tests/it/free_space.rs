//! Free space: told from a mark on, and below it nothing large is begun.

use storage::testing::TempStore;
use storage::{Fatal, Options};

const MARK: u64 = 1024 * 1024;

fn with_mark(mark: u64) -> TempStore {
    TempStore::with(Options { free_bytes: mark, fatal: Fatal::Poison, ..Options::default() })
}

#[test]
fn a_disk_with_room_is_not_low_and_one_without_is() {
    let store = with_mark(1);
    let disk = store.free_space();
    assert!(disk.bytes() > 1_000 && disk.bytes() < u64::MAX, "{}", disk.bytes());
    assert!(!disk.is_low());
    let full = with_mark(u64::MAX);
    assert!(full.free_space().is_low());
}

#[test]
fn it_is_low_below_the_mark_and_well_again_from_the_mark_on() {
    let store = with_mark(MARK);
    let disk = store.free_space();
    for (bytes, low) in [(Some(MARK), false), (Some(MARK - 1), true), (Some(0), true)] {
        store.pretend_free_space(bytes);
        assert_eq!(disk.is_low(), low, "{bytes:?}");
    }
    store.pretend_free_space(None);
    assert!(!disk.is_low());
}

#[test]
fn a_mark_of_nothing_is_never_reached() {
    let store = with_mark(0);
    store.pretend_free_space(Some(0));
    assert!(!store.free_space().is_low());
}
