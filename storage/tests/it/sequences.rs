//! Gapless numbers and claims, with many writers at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc;
use std::thread;

use storage::testing::{AfterFailure, TempStore};
use storage::{Batch, CommitError, Scan, Table};

const PAPERS: Table<(u8, u64), u64> = Table::new(1, "papers");
const KEYS: Table<u64, u64> = Table::new(2, "keys");

#[test]
fn hundreds_of_writers_draw_every_number_once_and_leave_no_gap() {
    let store = TempStore::new();
    thread::scope(|scope| {
        for writer in 0..300_u64 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..5 {
                    let sequence = u8::try_from((writer + round) % 3).unwrap();
                    let mut batch = Batch::new();
                    // One in five is a claim that somebody else holds or will hold.
                    batch.claim(
                        KEYS,
                        &if round == 4 { 0 } else { writer * 10 + round + 1 },
                        &writer,
                    );
                    let drawn = batch.draw(&sequence);
                    batch.with_numbers(move |numbers, rows| {
                        rows.put(PAPERS, &(sequence, numbers[drawn]), &writer);
                    });
                    match store.write_blocking(batch) {
                        Ok(receipt) => {
                            let key = (sequence, receipt.numbers[drawn]);
                            assert_eq!(store.get(PAPERS, &key), Ok(Some(writer)));
                        }
                        Err(CommitError::Claimed(claimed)) => {
                            assert!(claimed.existing(KEYS).is_some());
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
            });
        }
    });

    let mut drawn: BTreeMap<u8, Vec<u64>> = BTreeMap::new();
    for row in store.scan(PAPERS, Scan::all()) {
        let ((sequence, number), _) = row.unwrap();
        drawn.entry(sequence).or_default().push(number);
    }
    for numbers in drawn.values() {
        let expected: Vec<u64> = (1..=numbers.len() as u64).collect();
        assert_eq!(*numbers, expected);
    }
    // Four claims of each writer hold, and one of all that claim key 0.
    assert_eq!(drawn.values().map(Vec::len).sum::<usize>(), 300 * 4 + 1);
    assert_eq!(store.scan(KEYS, Scan::all()).count(), 300 * 4 + 1);
}

#[test]
fn a_batch_may_draw_several_numbers_of_several_sequences() {
    let store = TempStore::new();
    let mut batch = Batch::new();
    let indexes = [batch.draw(&1_u8), batch.draw(&2_u8), batch.draw(&1_u8)];
    let numbers = store.write_blocking(batch).unwrap().numbers;
    assert_eq!(indexes.map(|index| numbers[index]), [1, 1, 2]);
    assert_eq!((numbers.len(), numbers.get(3)), (3, None));
}

#[test]
fn refused_batches_consume_no_number() {
    let store = TempStore::new();
    let draw = || {
        let mut batch = Batch::new();
        batch.draw(&1_u8);
        batch
    };
    let mut claims = draw();
    claims.claim(KEYS, &1, &1);
    store.write_blocking(claims).unwrap();

    let (sender, answers) = mpsc::channel();
    let mut claimed = draw();
    claimed.claim(KEYS, &1, &2);
    let mut late_claim = draw();
    late_claim.with_numbers(|_, rows| rows.claim(KEYS, &2, &2));
    let mut late_draw = draw();
    late_draw.with_numbers(|_, rows| {
        rows.draw(&1_u8);
    });
    let mut panics = draw();
    panics.with_numbers(|numbers, rows| rows.put(KEYS, &3, &numbers[1]));
    for batch in [claimed, late_claim, late_draw, panics, draw()] {
        let sender = sender.clone();
        store.commit(batch, move |result| {
            sender.send(result.ok().map(|receipt| receipt.numbers[0])).unwrap();
        });
    }
    drop(sender);
    assert_eq!(answers.iter().collect::<Vec<_>>(), [None, None, None, None, Some(2)]);

    store.fail_at(1, AfterFailure::WorksOn);
    assert!(store.write_blocking(draw()).is_err());
    assert_eq!(store.write_blocking(draw()).unwrap().numbers[0], 3);
}

#[test]
fn of_many_claims_of_one_key_exactly_one_holds() {
    let store = TempStore::new();
    let winners: BTreeSet<(u64, u64)> = thread::scope(|scope| {
        let writers: Vec<_> = (0..200_u64)
            .map(|writer| {
                let store = &store;
                scope.spawn(move || {
                    let mut won = Vec::new();
                    for key in 0..10 {
                        let mut batch = Batch::new();
                        batch.claim(KEYS, &key, &writer);
                        match store.write_blocking(batch) {
                            Ok(_) => won.push((key, writer)),
                            Err(CommitError::Claimed(claimed)) => {
                                assert_ne!(claimed.existing(KEYS), Some(writer));
                            }
                            Err(other) => panic!("{other}"),
                        }
                    }
                    won
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let rows: BTreeSet<_> = store.scan(KEYS, Scan::all()).map(Result::unwrap).collect();
    assert_eq!(winners, rows);
    assert_eq!(rows.len(), 10);
}
