//! Many writers and readers at once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use storage::{Batch, CommitError, Fingerprint, Seen, Taken};

use super::{KEYS, Random, find, print, tiny};

const THREADS: u64 = 8;
const KEYSPACE: u64 = 1_500;

#[test]
fn of_many_claims_on_a_fingerprint_exactly_one_holds() {
    let store = tiny();
    let won: Vec<(u64, Taken)> = thread::scope(|scope| {
        let threads: Vec<_> = (1..=THREADS)
            .map(|thread| {
                let store = &store;
                scope.spawn(move || {
                    let mut random = Random(thread);
                    let mut won = Vec::new();
                    for round in 0..60 {
                        let start = random.below(KEYSPACE);
                        let numbers: Vec<u64> = (start..start + 1 + random.below(30)).collect();
                        let mark = u128::from(thread << 32 | round).to_be_bytes();
                        won.extend(claim_what_is_free(store, &numbers, mark, round % 3 > 0));
                    }
                    won
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut winners: HashMap<u64, Taken> = HashMap::new();
    for (number, mark) in won {
        assert_eq!(winners.insert(number, mark), None, "{number} was claimed twice");
    }
    let found = find(&store, 0, 0..KEYSPACE + 30);
    for (number, found) in (0..).zip(found) {
        assert_eq!(found.as_ref(), winners.get(&number), "{number}");
    }
    assert_eq!(store.stats().index.entries, winners.len() as u64);
    assert!(winners.len() > 1_000);
}

/// Claims those of the numbers that a search finds free, or all of them; gives what was won.
fn claim_what_is_free(
    store: &storage::Store,
    numbers: &[u64],
    mark: Taken,
    after_search: bool,
) -> Vec<(u64, Taken)> {
    let wanted: Vec<Fingerprint> = numbers.iter().map(|&number| print(number)).collect();
    let (mut free, mut seen) = (numbers.to_vec(), Seen::default());
    if after_search {
        let lookup = store.find_fingerprints(KEYS, 0, &wanted).unwrap();
        let is_free = numbers.iter().zip(lookup.found).filter(|(_, found)| found.is_none());
        (free, seen) = (is_free.map(|(number, _)| *number).collect(), lookup.seen);
    }
    let mut batch = Batch::new();
    let entries = free.iter().map(|&number| (print(number), mark)).collect();
    batch.claim_fingerprints(KEYS, 0, entries, seen);
    match store.write_blocking(batch) {
        Ok(_) => free.into_iter().map(|number| (number, mark)).collect(),
        Err(CommitError::Claimed(_)) => Vec::new(),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn what_was_answered_is_found_by_everybody_while_runs_come_and_go() {
    let store = tiny();
    let done = AtomicBool::new(false);
    let claimed = AtomicU64::new(0);
    thread::scope(|scope| {
        let (store, done, claimed) = (&store, &done, &claimed);
        for thread in 0..3 {
            scope.spawn(move || {
                let mut random = Random(thread + 1);
                while !done.load(Ordering::Relaxed) {
                    let until = claimed.load(Ordering::Acquire);
                    let from = random.below(until + 1).min(until.saturating_sub(20));
                    let found = find(store, 0, from..until.min(from + 20));
                    assert!(found.iter().all(Option::is_some), "from {from} below {until}");
                    let ahead = find(store, 0, [1_000_000]);
                    assert_eq!(ahead, [None]);
                }
            });
        }
        scope.spawn(move || {
            let _done = Raised(done);
            for round in 0..300 {
                store.write_blocking(super::claim(0, round * 10..round * 10 + 10)).unwrap();
                claimed.store(round * 10 + 10, Ordering::Release);
            }
        });
    });
}

/// Raises a flag when dropped, also by a panic.
struct Raised<'f>(&'f AtomicBool);

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
