//! Ids: rising, never twice, also after a restart.

use std::collections::BTreeSet;
use std::thread;

use storage::testing::{AfterFailure, TempStore};
use storage::{Batch, IdKind, Table};

const APPLES: IdKind = IdKind::new(1, "apples");
const PEARS: IdKind = IdKind::new(2, "pears");
const ROWS: Table<u64, u64> = Table::new(1, "rows");

#[test]
fn ids_rise_from_one_for_each_kind_on_its_own() {
    let store = TempStore::new();
    let apples: Vec<u64> = (0..25_000).map(|_| store.next_id(APPLES)).collect();
    assert_eq!(apples, (1..=25_000).collect::<Vec<_>>());
    assert_eq!(store.next_id(PEARS), 1);
}

#[test]
fn no_id_is_given_out_twice_by_many_threads_and_restarts() {
    let mut store = TempStore::new();
    let mut seen = BTreeSet::new();
    for _ in 0..3 {
        let highest = seen.last().copied().unwrap_or(0);
        let round: Vec<u64> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let ids: Vec<u64> = (0..4_000).map(|_| store.next_id(APPLES)).collect();
                        assert!(ids.is_sorted());
                        ids
                    })
                })
                .collect();
            threads.into_iter().flat_map(|ids| ids.join().unwrap()).collect()
        });
        assert_eq!(round.len(), 32_000);
        for id in round {
            assert!(id > highest && id < 1 << 53);
            assert!(seen.insert(id), "{id} was given out twice");
        }
        store.reopen();
    }
}

#[test]
fn ids_can_be_drawn_while_a_test_makes_commits_fail() {
    let store = TempStore::new();
    store.fail_at(1, AfterFailure::StaysFailed);
    assert_eq!(store.next_id(APPLES), 1);
}

#[test]
fn a_closed_store_still_answers_with_rising_ids() {
    let store = TempStore::new();
    let first = store.next_id(APPLES);
    store.close();
    let ids: Vec<u64> = (0..30_000).map(|_| store.next_id(APPLES)).collect();
    assert!(ids[0] > first && ids.is_sorted_by(|a, b| a < b));
    assert!(store.next_id(PEARS) > 0);
}

#[test]
fn an_id_never_waits_on_the_committer() {
    let store = TempStore::new();
    let clone = store.store().clone();
    let mut batch = Batch::new();
    batch.with_numbers(move |_, rows| rows.put(ROWS, &clone.next_id(APPLES), &1));
    let refused = store.write_blocking(batch).unwrap_err();
    assert!(refused.to_string().contains("wait for itself"), "{refused}");
    assert_eq!(store.next_id(APPLES), 1);
}

#[test]
fn ids_drawn_together_are_as_unique_as_those_drawn_one_by_one() {
    let mut store = TempStore::new();
    assert_eq!(store.next_ids(PEARS, 0), []);
    assert_eq!(store.next_ids(PEARS, 3), [1, 2, 3]);
    assert_eq!(store.next_id(PEARS), 4);
    let mut seen = BTreeSet::new();
    for _ in 0..2 {
        let highest = seen.last().copied().unwrap_or(0);
        let round: Vec<u64> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let drawn: Vec<u64> =
                            (0..100).flat_map(|_| store.next_ids(APPLES, 777)).collect();
                        assert!(drawn.is_sorted_by(|a, b| a < b));
                        drawn
                    })
                })
                .collect();
            threads.into_iter().flat_map(|ids| ids.join().unwrap()).collect()
        });
        assert_eq!(round.len(), 4 * 77_700);
        assert!(round.iter().all(|&id| id > highest && seen.insert(id)));
        store.reopen();
    }
    let many = store.next_ids(PEARS, 250_000);
    assert!(many.len() == 250_000 && many.is_sorted_by(|a, b| a < b) && many[0] > 4);
    store.close();
    assert_eq!(store.next_ids(PEARS, 30_000).len(), 30_000);
}
