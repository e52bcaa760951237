//! Requests of many rows, against single reads and a sorted map as referees.

use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use storage::testing::TempStore;
use storage::{
    Batch, Fatal, Options, ReadError, Reads, Scan, Snapshot, Store, Table, View, Wanted,
};

const ROWS: Table<(u8, u16), Vec<u8>> = Table::new(7, "rows");
const NAMES: Table<u64, String> = Table::new(8, "names");

type Model = BTreeMap<(u8, u16), Vec<u8>>;

/// What happens between two groups.
#[derive(Clone, Copy, Debug)]
enum Then {
    Nothing,
    /// The engine gets all rows.
    HandOver,
    /// Somebody looks at the rows as they are from here on, so that full tables stay frozen.
    Hold,
    LetGo,
}

fn then() -> impl Strategy<Value = Then> {
    prop_oneof![
        4 => Just(Then::Nothing),
        1 => Just(Then::HandOver),
        1 => Just(Then::Hold),
        1 => Just(Then::LetGo),
    ]
}

/// Rows of a few hundred bytes, in tables of some thirty; a part of them is deleted.
fn group() -> impl Strategy<Value = BTreeMap<(u8, u16), Option<usize>>> {
    let row = proptest::option::weighted(0.7, 1..900_usize);
    proptest::collection::btree_map((0..4_u8, 0..30_u16), row, 1..40)
}

fn keys() -> impl Strategy<Value = Vec<(u8, u16)>> {
    proptest::collection::vec((0..5_u8, 0..32_u16), 0..60)
}

fn write(store: &Store, model: &mut Model, rows: BTreeMap<(u8, u16), Option<usize>>, round: u8) {
    let mut batch = Batch::new();
    for (key, bytes) in rows {
        match bytes {
            Some(bytes) => {
                let row = vec![round; bytes];
                batch.put(ROWS, &key, &row);
                model.insert(key, row);
            }
            None => {
                batch.delete(ROWS, &key);
                model.remove(&key);
            }
        }
    }
    store.write_blocking(batch).unwrap();
}

/// Compares one request of all kinds with single reads and with the model.
fn agrees(view: &View, model: &Model, keys: &[(u8, u16)]) -> Result<(), TestCaseError> {
    let mut reads = Reads::new();
    let rows: Vec<_> = keys.iter().map(|key| reads.get(ROWS, key)).collect();
    let up: Vec<_> = (0..5_u8).map(|part| reads.scan(ROWS, Scan::prefix(&(part,)))).collect();
    let down = reads.scan(ROWS, Scan::all().reverse());
    let there: Vec<_> = keys.iter().map(|key| reads.contains(ROWS, key)).collect();
    let together = reads.get_many(ROWS, keys.iter().copied());
    let mut found = view.read(&reads)?;
    for (key, (row, there)) in keys.iter().zip(rows.into_iter().zip(there)) {
        let row = found.take(row)?;
        prop_assert_eq!(&row, &model.get(key).cloned(), "{:?}", key);
        prop_assert_eq!(row, view.get(ROWS, key)?);
        prop_assert_eq!(found.take(there)?, model.contains_key(key));
    }
    for (part, rows) in (0..5_u8).zip(up) {
        let rows = found.take(rows)?;
        let expected = model.range((part, 0)..(part + 1, 0));
        prop_assert!(rows.iter().map(|(key, row)| (key, row)).eq(expected), "part {}", part);
        let walked: Result<Vec<_>, _> = view.scan(ROWS, Scan::prefix(&(part,))).collect();
        prop_assert_eq!(Ok(rows), walked);
    }
    let down = found.take(down)?;
    prop_assert!(down.iter().map(|(key, row)| (key, row)).eq(model.iter().rev()));
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    let expected: Vec<_> = sorted.iter().filter_map(|key| model.get(key)).cloned().collect();
    prop_assert_eq!(found.take(together)?, expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn one_request_finds_what_single_reads_find_wherever_the_rows_stand(
        steps in proptest::collection::vec((group(), then(), keys()), 1..24),
    ) {
        let store = TempStore::with(Options {
            journal_bytes: 16 * 1024,
            fatal: Fatal::Poison,
            ..Options::default()
        });
        let (mut model, mut held) = (Model::new(), None::<(Snapshot, Model)>);
        for (round, (rows, then, keys)) in (1..).zip(steps) {
            write(&store, &mut model, rows, round);
            match then {
                Then::Nothing => {}
                Then::HandOver if held.is_none() => store.hand_over(),
                Then::Hold => held = Some((store.snapshot().unwrap(), model.clone())),
                Then::HandOver | Then::LetGo => held = None,
            }
            agrees(&store, &model, &keys)?;
            if let Some((snapshot, model)) = &held {
                agrees_unless_gone(snapshot, model, &keys)?;
            }
        }
    }
}

/// The same of a snapshot, which is gone where too much was written since.
fn agrees_unless_gone(
    snapshot: &Snapshot,
    model: &Model,
    keys: &[(u8, u16)],
) -> Result<(), TestCaseError> {
    match agrees(snapshot, model, keys) {
        Err(TestCaseError::Fail(reason))
            if reason.message() == ReadError::SnapshotGone.to_string() =>
        {
            Ok(())
        }
        compared => compared,
    }
}

fn names(store: &Store, many: u64) {
    let mut batch = Batch::new();
    for number in 0..many {
        batch.put(NAMES, &number, &number.to_string());
    }
    store.write_blocking(batch).unwrap();
}

/// Reads, and says how many requests that took.
fn requests<T>(store: &Store, reads: &Reads, wanted: Wanted<T>) -> (T, u64) {
    let before = store.stats().reads;
    let mut found = store.read(reads).unwrap();
    (found.take(wanted).unwrap(), store.stats().reads - before)
}

#[test]
fn however_many_keys_and_ranges_are_one_request() {
    let store = TempStore::new();
    names(&store, 1_000);
    let mut reads = Reads::new();
    for number in 0..2_000 {
        reads.get(NAMES, &number);
    }
    for part in 0..20_u8 {
        reads.scan(ROWS, Scan::prefix(&(part,)));
    }
    let all = reads.scan(NAMES, Scan::all());
    let (all, requests) = requests(&store, &reads, all);
    assert_eq!((all.len(), requests), (1_000, 1));
}

#[test]
fn nothing_asked_for_is_no_request() {
    let store = TempStore::new();
    let mut reads = Reads::new();
    let none = reads.get_many(NAMES, []);
    assert_eq!(requests(&store, &reads, none), (Vec::new(), 0));
}

#[test]
fn a_long_range_goes_on_in_strides_of_one_moment() {
    let store = TempStore::new();
    names(&store, 3_000);
    for reverse in [false, true] {
        let mut reads = Reads::new();
        let range = if reverse { Scan::all().reverse() } else { Scan::all() };
        let (rows, few) = (reads.scan(NAMES, range), reads.scan(ROWS, Scan::all()));
        let before = store.stats().reads;
        let mut found = store.read(&reads).unwrap();
        assert_eq!(store.stats().reads - before, 3);
        let mut numbers: Vec<u64> =
            found.take(rows).unwrap().into_iter().map(|(number, _)| number).collect();
        if reverse {
            numbers.reverse();
        }
        assert!(numbers.into_iter().eq(0..3_000));
        assert!(found.take(few).unwrap().is_empty());
    }
}

#[test]
fn all_of_a_request_is_of_one_moment_whoever_writes_meanwhile() {
    let store = TempStore::with(Options {
        journal_bytes: 64 * 1024,
        fatal: Fatal::Poison,
        ..Options::default()
    });
    let write = |round: u64| {
        let mut batch = Batch::new();
        for number in 0..1_500 {
            batch.put(NAMES, &number, &round.to_string());
        }
        store.write_blocking(batch).unwrap();
    };
    write(0);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (1..60).for_each(write));
        while !writer.is_finished() {
            let mut reads = Reads::new();
            let (first, all) = (reads.get(NAMES, &0), reads.scan(NAMES, Scan::all()));
            let last = reads.get(NAMES, &1_499);
            let mut found = store.read(&reads).unwrap();
            let first = found.take(first).unwrap();
            let all = found.take(all).unwrap();
            assert_eq!(all.len(), 1_500);
            assert!(all.into_iter().all(|(_, round)| Some(&round) == first.as_ref()), "torn");
            assert_eq!(found.take(last).unwrap(), first);
        }
    });
}

#[test]
fn several_requests_are_of_one_moment_when_asked_for() {
    let store = TempStore::new();
    names(&store, 1);
    let written = Cell::new(false);
    let read = store.at_one_moment(|rows| {
        let before = rows.get(NAMES, &0)?;
        if !written.replace(true) {
            let mut batch = Batch::new();
            batch.put(NAMES, &0, &"another".to_owned());
            store.write_blocking(batch).unwrap();
        }
        Ok((before, rows.get(NAMES, &0)?))
    });
    let (before, after) = read.unwrap();
    assert_eq!(before.as_deref(), Some("0"));
    assert_eq!(after, before);
    assert_eq!(store.get(NAMES, &0).unwrap().as_deref(), Some("another"));
}

#[test]
fn a_row_that_cannot_be_read_is_told_by_who_takes_it_alone() {
    let store = TempStore::new();
    names(&store, 3);
    store.tamper(&[&[0x40, 0, 0, 8][..], &1_u64.to_be_bytes()].concat(), |row| row.push(7));
    let mut reads = Reads::new();
    let (whole, damaged) = (reads.get(NAMES, &0), reads.get(NAMES, &1));
    let there = reads.contains(NAMES, &1);
    let mut found = store.read(&reads).unwrap();
    assert_eq!(found.take(whole), Ok(Some("0".to_owned())));
    assert_eq!(found.take(there), Ok(true));
    let refused = found.take(damaged).unwrap_err();
    assert!(matches!(&refused, ReadError::Damaged { table: "names", .. }), "{refused}");
}

#[test]
#[should_panic(expected = "another request")]
fn what_was_wanted_of_another_request_is_not_taken() {
    let store = TempStore::new();
    let wanted = Reads::new().get(NAMES, &0);
    let mut reads = Reads::new();
    reads.get(NAMES, &0);
    let _ = store.read(&reads).unwrap().take(wanted);
}

#[test]
fn a_closed_store_answers_that_it_is_closed() {
    let store = TempStore::new();
    store.close();
    let mut reads = Reads::new();
    reads.get(NAMES, &0);
    assert_eq!(store.read(&reads).err(), Some(ReadError::Closed));
}
