//! Sums, with many writers at once.

use std::thread;

use storage::testing::TempStore;
use storage::{Batch, CommitError, Sum, Table};

const TOTALS: Table<u8, Sum> = Table::new(1, "totals");
const KEYS: Table<u64, u64> = Table::new(2, "keys");

fn total(store: &TempStore, key: u8) -> Option<i128> {
    store.get(TOTALS, &key).unwrap().map(Sum::value)
}

fn adding(deltas: &[(u8, i64)]) -> Batch {
    let mut batch = Batch::new();
    for (key, delta) in deltas {
        batch.add(TOTALS, key, *delta);
    }
    batch
}

#[test]
fn hundreds_of_writers_add_to_one_sum_and_nothing_is_lost() {
    let mut store = TempStore::new();
    thread::scope(|scope| {
        for writer in 1..=200_i64 {
            let store = &store;
            scope.spawn(move || {
                for _ in 0..5 {
                    store.write_blocking(adding(&[(1, 3 * writer), (2, -writer)])).unwrap();
                }
            });
        }
    });
    let all = 5 * 200 * 201 / 2;
    assert_eq!(
        (total(&store, 1), total(&store, 2), total(&store, 3)),
        (Some(3 * all), Some(-all), None)
    );
    store.reopen();
    store.write_blocking(adding(&[(1, 1)])).unwrap();
    assert_eq!((total(&store, 1), total(&store, 2)), (Some(3 * all + 1), Some(-all)));
}

#[test]
fn additions_of_one_batch_and_of_those_appended_to_it_count_together() {
    let store = TempStore::new();
    let mut batch = adding(&[(1, 5), (1, -7), (2, 1), (1, i64::MAX), (1, i64::MAX)]);
    batch.append(adding(&[(1, 2), (3, 0)]));
    assert!(!batch.is_empty());
    store.write_blocking(batch).unwrap();
    assert_eq!(total(&store, 1), Some(2 * i128::from(i64::MAX)));
    assert_eq!((total(&store, 2), total(&store, 3)), (Some(1), Some(0)));
}

#[test]
fn refused_batches_add_nothing() {
    let store = TempStore::new();
    let mut first = adding(&[(1, 10)]);
    first.claim(KEYS, &1, &1);
    store.write_blocking(first).unwrap();
    let mut second = adding(&[(1, 100)]);
    second.claim(KEYS, &1, &2);
    assert!(matches!(store.write_blocking(second), Err(CommitError::Claimed(_))));
    let mut late = Batch::new();
    late.draw(&1_u8);
    late.with_numbers(|_, rows| rows.add(TOTALS, &1, 1_000));
    assert!(matches!(store.write_blocking(late), Err(CommitError::Failed(_))));
    assert_eq!(total(&store, 1), Some(10));
}
