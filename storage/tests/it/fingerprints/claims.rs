//! One claim after the other.

use std::sync::mpsc;

use storage::testing::{AfterFailure, TempStore};
use storage::{Batch, CommitError, Fingerprint, Lane, Seen, Table};

use super::{KEYS, OTHERS, claim, entries, find, print, refused, settle, taken, tiny};

const ROWS: Table<u64, u64> = Table::new(1, "rows");

#[test]
fn what_was_claimed_is_found_and_nothing_else() {
    let mut store = tiny();
    store.write_blocking(claim(7, 0..1_000)).unwrap();
    for _ in 0..2 {
        let found = find(&store, 7, 0..2_000);
        for (number, found) in (0..2_000).zip(found) {
            assert_eq!(found, (number < 1_000).then(|| taken(number)), "{number}");
        }
        assert!(find(&store, 8, 0..1_000).iter().all(Option::is_none));
        let other = store.find_fingerprints(OTHERS, 7, &[print(1)]).unwrap();
        assert_eq!(other.found, [None]);
        settle(&store);
        store.reopen();
    }
}

#[test]
fn a_claim_on_what_is_taken_tells_what_for() {
    let store = tiny();
    for round in 0..20 {
        store.write_blocking(claim(3, round * 20..round * 20 + 20)).unwrap();
    }
    settle(&store);
    let claimed = refused(store.write_blocking(claim(3, [900, 17, 901])));
    assert_eq!(claimed.taken(KEYS), Some((3, print(17), taken(17))));
    assert_eq!(claimed.taken(OTHERS), None);
    assert_eq!(claimed.name, "keys");
    assert_eq!(claimed.existing(ROWS), None);
    store.write_blocking(claim(4, [17])).unwrap();
    let mut batch = Batch::new();
    batch.claim_fingerprints(OTHERS, 3, entries([17]), Seen::default());
    store.write_blocking(batch).unwrap();
}

#[test]
fn a_refused_batch_claims_nothing_and_writes_nothing() {
    let store = tiny();
    store.write_blocking(claim(1, [1])).unwrap();
    let mut row = Batch::new();
    row.claim(ROWS, &1, &1);
    store.write_blocking(row).unwrap();

    let mut by_key = claim(1, [2, 3]);
    by_key.claim_fingerprints(KEYS, 2, entries([4, 5]), Seen::default());
    by_key.claim_fingerprints(KEYS, 1, entries([6, 1, 7]), Seen::default());
    by_key.put(ROWS, &2, &2);
    refused(store.write_blocking(by_key));
    let mut by_row = claim(1, [2, 3]);
    by_row.claim(ROWS, &1, &1);
    assert_eq!(refused(store.write_blocking(by_row)).existing(ROWS), Some(1));
    let mut by_numbers = claim(1, [2, 3]);
    by_numbers.with_numbers(|_, _| panic!("this is part of a test"));
    assert!(store.write_blocking(by_numbers).is_err());
    store.fail_at(1, AfterFailure::WorksOn);
    assert!(store.write_blocking(claim(1, [2, 3])).is_err());

    assert_eq!(store.get(ROWS, &2), Ok(None));
    assert!(find(&store, 1, [2, 3, 6, 7]).iter().all(Option::is_none));
    assert!(find(&store, 2, [4, 5]).iter().all(Option::is_none));
    assert_eq!(store.stats().index.entries, 1);
    store.write_blocking(claim(1, [2, 3, 6, 7])).unwrap();
    store.write_blocking(claim(2, [4, 5])).unwrap();
}

#[test]
fn a_batch_cannot_claim_a_fingerprint_twice() {
    let store = tiny();
    let mut twice = claim(1, [1, 2]);
    twice.claim_fingerprints(KEYS, 1, vec![(print(2), taken(9))], Seen::default());
    let claimed = refused(store.write_blocking(twice));
    assert_eq!(claimed.taken(KEYS), Some((1, print(2), taken(2))));
    refused(store.write_blocking(claim(1, [5, 6, 5])));
    assert!(find(&store, 1, [1, 2, 5, 6]).iter().all(Option::is_none));
}

#[test]
fn batches_of_one_group_are_held_against_each_other() {
    let store = tiny();
    let (sender, answers) = mpsc::channel();
    for numbers in [[1, 2], [2, 3], [3, 4], [4, 5], [1, 5]] {
        let sender = sender.clone();
        store.commit(claim(1, numbers), move |result| sender.send(result.is_ok()).unwrap());
    }
    drop(sender);
    assert_eq!(answers.iter().collect::<Vec<_>>(), [true, false, true, false, false]);
    let found: Vec<bool> = find(&store, 1, 1..=5).iter().map(Option::is_some).collect();
    assert_eq!(found, [true, true, true, true, false]);
}

#[test]
fn a_refused_claim_breaks_the_lane() {
    let store = tiny();
    let lane = Lane::new();
    let on_lane = |numbers: [u64; 1]| {
        let mut batch = claim(1, numbers);
        batch.lane(&lane);
        batch
    };
    store.write_blocking(on_lane([1])).unwrap();
    refused(store.write_blocking(on_lane([1])));
    assert_eq!(store.write_blocking(on_lane([2])), Err(CommitError::LaneBroken));
    assert_eq!(find(&store, 1, [2]), [None]);
}

#[test]
fn a_claim_is_not_found_before_it_is_durable() {
    let store = tiny();
    let clone = store.store().clone();
    let (sender, seen) = mpsc::channel();
    let mut batch = claim(1, [1]);
    batch.with_numbers(move |_, _| sender.send(find(&clone, 1, [1])).unwrap());
    store.write_blocking(batch).unwrap();
    assert_eq!(seen.recv().unwrap(), [None]);
    assert_eq!(find(&store, 1, [1]), [Some(taken(1))]);
}

#[test]
fn fingerprints_that_are_not_spread_are_kept_exactly_too() {
    let low = |n: u16| (u128::from(n) + 1).to_be_bytes();
    let high = |n: u16| (u128::from(n) << 112).to_be_bytes();
    let middle = |n: u16| (u128::from(n) << 56 | 7).to_be_bytes();
    for spread in [low, high, middle] {
        let store = tiny();
        for chunk in 0..40 {
            let mut batch = Batch::new();
            let numbers = chunk * 10..chunk * 10 + 10;
            let entries = numbers.map(|n| (Fingerprint(spread(n)), taken(u64::from(n)))).collect();
            batch.claim_fingerprints(KEYS, u64::from(chunk % 2), entries, Seen::default());
            store.write_blocking(batch).unwrap();
        }
        settle(&store);
        for number in 0..500 {
            let (scope, wanted) = (u64::from(number / 10 % 2), [Fingerprint(spread(number))]);
            let there = (number < 400).then(|| taken(u64::from(number)));
            let found = |scope| store.find_fingerprints(KEYS, scope, &wanted).unwrap().found;
            assert_eq!(found(scope), [there], "{number}");
            assert_eq!(found(1 - scope), [None]);
        }
    }
}

#[test]
fn exported_claims_are_all_there_while_runs_are_written_and_merged() {
    let from = tiny();
    for round in 0..60 {
        from.write_blocking(claim(round % 3, round * 10..round * 10 + 10)).unwrap();
        if round % 20 == 19 {
            let rows: Vec<_> = from.export().map(Result::unwrap).collect();
            let into = TempStore::new();
            into.import(rows.clone()).unwrap();
            for number in 0..=round * 10 + 9 {
                let found = find(&into, number / 10 % 3, [number]);
                assert_eq!(found, [Some(taken(number))], "{number} of round {round}");
            }
            let again: Vec<_> = into.export().map(Result::unwrap).collect();
            assert_eq!(again, rows);
            assert_eq!(into.stats().index.entries, round * 10 + 10);
            refused(into.write_blocking(claim(0, [5])));
            let held = TempStore::new();
            held.write_blocking(claim(9, [1])).unwrap();
            assert!(held.import(rows).is_err(), "claims are rows of a store as others are");
        }
    }
}
