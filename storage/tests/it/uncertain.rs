//! A disk that answers late or not at all, and one that is somebody else's by now: nothing is lost,
//! and nothing happens twice.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::thread;

use storage::testing::TempStore;
use storage::{Batch, CommitError, Sum, Table};

/// Each paper of a writer, with its number.
const PAPERS: Table<(u64, u64), u64> = Table::new(1, "papers");
const SUM: Table<u8, Sum> = Table::new(2, "sum");
const SEQUENCE: u64 = 7;
const WRITERS: u64 = 8;
const ROUNDS: u64 = 60;

/// Seeds that are printed: of a test that fails the last one repeats it.
fn seeds() -> Vec<u64> {
    let given = std::env::var("SEED").ok().map(|seed| seed.parse().unwrap());
    given.map_or_else(|| vec![1, 2, RandomState::new().hash_one(0_u8)], |seed| vec![seed])
}

fn write(store: &TempStore, writer: u64, round: u64) -> Result<u64, CommitError> {
    let mut batch = Batch::new();
    let drawn = batch.draw(&SEQUENCE);
    batch.add(SUM, &0, 1);
    batch.with_numbers(move |numbers, rows| rows.put(PAPERS, &(writer, round), &numbers[drawn]));
    store.write_blocking(batch).map(|receipt| receipt.numbers[drawn])
}

/// Writes from several threads until each has written all or is refused: what was acknowledged,
/// and why somebody was refused.
fn write_all(store: &TempStore) -> (BTreeMap<(u64, u64), u64>, Option<CommitError>) {
    let (mut acknowledged, mut refused) = (BTreeMap::new(), None);
    thread::scope(|scope| {
        let writers = (0..WRITERS).map(|writer| {
            scope.spawn(move || {
                let rounds =
                    (0..ROUNDS).map(|round| ((writer, round), write(store, writer, round)));
                rounds.collect::<Vec<_>>()
            })
        });
        let writers: Vec<_> = writers.collect();
        for (key, answer) in writers.into_iter().flat_map(|writer| writer.join().unwrap()) {
            match answer {
                Ok(number) => drop(acknowledged.insert(key, number)),
                Err(error) => refused = Some(error),
            }
        }
    });
    (acknowledged, refused)
}

/// Demands that what is there is there once: the papers, their numbers without gaps, their sum.
fn papers(store: &TempStore) -> BTreeMap<(u64, u64), u64> {
    let rows: Result<BTreeMap<_, _>, _> = store.scan(PAPERS, storage::Scan::all()).collect();
    let papers = rows.unwrap();
    let mut numbers: Vec<u64> = papers.values().copied().collect();
    numbers.sort_unstable();
    let many = papers.len() as u64;
    assert!(numbers.into_iter().eq(1..=many));
    assert_eq!(store.drawn(&SEQUENCE), Ok(many));
    assert_eq!(store.get(SUM, &0).unwrap().map_or(0, Sum::value), i128::from(many));
    papers
}

#[test]
fn what_is_answered_late_or_not_at_all_is_written_once() {
    for seed in seeds() {
        println!("SEED={seed}");
        let mut store = TempStore::new();
        store.answer_uncertainly(seed);
        let (acknowledged, refused) = write_all(&store);
        assert_eq!((acknowledged.len() as u64, refused), (WRITERS * ROUNDS, None));
        assert_eq!(papers(&store), acknowledged);
        store.hand_over();
        store.reopen();
        assert_eq!(papers(&store), acknowledged);
    }
}

#[test]
fn a_store_that_is_somebody_elses_writes_nothing_more_and_keeps_what_it_has_acknowledged() {
    for seed in seeds() {
        println!("SEED={seed}");
        let mut store = TempStore::new();
        store.answer_uncertainly(seed);
        store.fence_off_at(10 + seed % 30);
        let (acknowledged, refused) = write_all(&store);
        let Some(CommitError::Failed(reason)) = refused else { panic!("{refused:?}") };
        assert_eq!(reason, "somebody else has opened the store since");
        assert!(store.fault().is_some_and(|fault| fault.contains(&reason)));
        store.reopen();
        let there = papers(&store);
        assert!(acknowledged.iter().all(|(key, number)| there.get(key) == Some(number)));
        // What was on its way may be there as well, which its writer was not told.
        assert!(there.len() - acknowledged.len() <= WRITERS as usize, "{}", there.len());
        write(&store, WRITERS, 0).unwrap();
    }
}
