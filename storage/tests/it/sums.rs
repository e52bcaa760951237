//! Sums, with many writers at once.

use std::thread;

use storage::testing::TempStore;
use storage::{Batch, CommitError, ReadError, Record, RecordError, Sum, Table};

const TOTALS: Table<u8, Sum> = Table::new(1, "totals");
const KEYS: Table<u64, u64> = Table::new(2, "keys");

/// The rows of sums, as they are on the disk.
const RAW: Table<u8, Vec<u8>> = Table::new(1, "totals");
const NEWER: Table<u8, Newer> = Table::new(1, "totals");

/// A sum as a later program may write it.
struct Newer;

impl Record for Newer {
    const VERSION: u8 = 2;

    fn encode(&self) -> Vec<u8> {
        vec![0; 16]
    }

    fn decode(_version: u8, _bytes: &[u8]) -> Result<Self, RecordError> {
        Ok(Self)
    }
}

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

#[test]
fn what_is_added_to_a_sum_that_is_damaged_is_left_out_and_the_rest_is_written() {
    let mut store = TempStore::new();
    let noise = vec![0xFF; 3];
    let mut batch = Batch::new();
    batch.put(RAW, &1, &noise);
    store.write_blocking(batch).unwrap();
    for round in 1..=2 {
        let mut batch = adding(&[(1, 5), (2, 7), (1, 3)]);
        batch.put(KEYS, &round, &round);
        store.write_blocking(batch).unwrap();
    }
    store.reopen();
    assert!(matches!(store.get(TOTALS, &1), Err(ReadError::Record { .. })));
    assert_eq!(store.get(RAW, &1), Ok(Some(noise)));
    assert_eq!((total(&store, 2), store.get(KEYS, &2)), (Some(14), Ok(Some(2))));
}

#[test]
fn nothing_is_written_beside_a_sum_of_a_newer_program() {
    let store = TempStore::new();
    let mut batch = Batch::new();
    batch.put(NEWER, &1, &Newer);
    store.write_blocking(batch).unwrap();
    let mut batch = adding(&[(1, 5)]);
    batch.put(KEYS, &1, &1);
    assert!(matches!(store.write_blocking(batch), Err(CommitError::Failed(_))));
    assert_eq!(store.get(KEYS, &1), Ok(None));
}
