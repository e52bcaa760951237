//! Random claims against a map.

use std::collections::HashMap;

use storage::testing::TempStore;
use storage::{Batch, CommitError, Fingerprint, Index, IndexOptions, Seen, Taken};

use super::{KEYS, OTHERS, Random, TINY, print, settle, taken, with};

type Place = (u16, u64);

struct Model {
    store: TempStore,
    known: HashMap<(Place, Fingerprint), Taken>,
    /// Searches whose claims are still to come.
    searches: Vec<(Index, u64, Vec<u64>, Seen)>,
    random: Random,
    next: u64,
}

#[test]
fn random_claims_do_what_a_map_would_do() {
    for (seed, index) in [
        (1, TINY),
        (2, IndexOptions { table: 20, page: 1, fan_in: 2, filter_bytes: 0 }),
        (3, IndexOptions { table: 30, page: 64, fan_in: 4, filter_bytes: u64::MAX }),
    ] {
        println!("seed {seed}");
        let mut model = Model {
            store: with(index),
            known: HashMap::new(),
            searches: Vec::new(),
            random: Random(seed),
            next: 0,
        };
        for step in 0..300 {
            model.step();
            if step % 100 == 99 {
                model.check();
            }
        }
    }
}

impl Model {
    fn step(&mut self) {
        match self.random.below(20) {
            0 => self.store.reopen(),
            1 => settle(&self.store),
            2..5 => self.claim_blindly(),
            5..12 => self.search(),
            _ => self.claim_what_was_found_free(),
        }
    }

    fn place(&mut self) -> (Index, u64) {
        let index = if self.random.below(4) == 0 { OTHERS } else { KEYS };
        (index, self.random.below(3))
    }

    /// Numbers that are new, with some among them that may be taken.
    fn numbers(&mut self) -> Vec<u64> {
        let mut numbers = Vec::new();
        for _ in 0..=self.random.below(30) {
            let fresh = self.random.below(8) > 0;
            let number = if fresh { self.next } else { self.random.below(self.next + 20) };
            self.next += 1;
            numbers.push(number);
        }
        numbers
    }

    fn search(&mut self) {
        let (index, scope) = self.place();
        let numbers = self.numbers();
        let wanted: Vec<_> = numbers.iter().map(|&number| print(number)).collect();
        let lookup = self.store.find_fingerprints(index, scope, &wanted).unwrap();
        let expected: Vec<_> =
            wanted.iter().map(|w| self.known.get(&((index.tag(), scope), *w)).copied()).collect();
        assert_eq!(lookup.found, expected);
        let free = numbers.into_iter().zip(lookup.found).filter(|(_, found)| found.is_none());
        self.searches.push((index, scope, free.map(|(number, _)| number).collect(), lookup.seen));
    }

    /// Claims what some search has found free, now or long ago.
    fn claim_what_was_found_free(&mut self) {
        if self.searches.is_empty() {
            return;
        }
        let at = self.random.below(self.searches.len() as u64);
        let (index, scope, mut numbers, seen) =
            self.searches.swap_remove(usize::try_from(at).unwrap());
        if self.random.below(3) > 0 {
            numbers.sort_unstable();
            numbers.dedup();
        }
        self.claim(index, scope, numbers, seen);
    }

    fn claim_blindly(&mut self) {
        let (index, scope) = self.place();
        let mut numbers = self.numbers();
        if self.random.below(2) > 0 {
            let known = &self.known;
            numbers.retain(|&n| !known.contains_key(&((index.tag(), scope), print(n))));
        }
        self.claim(index, scope, numbers, Seen::default());
    }

    fn claim(&mut self, index: Index, scope: u64, numbers: Vec<u64>, seen: Seen) {
        let mut after = self.known.clone();
        let fine = numbers.iter().all(|&number| {
            after.insert(((index.tag(), scope), print(number)), taken(number)).is_none()
        });
        let entries = numbers.into_iter().map(|number| (print(number), taken(number))).collect();
        let mut batch = Batch::new();
        batch.claim_fingerprints(index, scope, entries, seen);
        match self.store.write_blocking(batch) {
            Ok(_) => {
                assert!(fine, "a fingerprint was claimed twice");
                self.known = after;
            }
            Err(CommitError::Claimed(claimed)) => {
                let (scope, fingerprint, taken) = claimed.taken(index).unwrap();
                let place = (index.tag(), scope);
                assert!(!fine && claimed.name == index.name());
                let before = self.known.get(&(place, fingerprint));
                assert!(before.is_none_or(|before| *before == taken));
            }
            Err(other) => panic!("{other}"),
        }
    }

    fn check(&mut self) {
        assert_eq!(self.store.stats().index.entries, self.known.len() as u64);
        for index in [KEYS, OTHERS] {
            for scope in 0..3 {
                let wanted: Vec<_> = (0..self.next + 20).map(print).collect();
                let found = self.store.find_fingerprints(index, scope, &wanted).unwrap().found;
                for (wanted, found) in wanted.into_iter().zip(found) {
                    assert_eq!(found.as_ref(), self.known.get(&((index.tag(), scope), wanted)));
                }
            }
        }
    }
}
