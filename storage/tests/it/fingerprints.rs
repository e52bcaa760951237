//! Fingerprints: claimed once, found for ever.

mod claims;
mod crashes;
mod files;
mod model;
mod races;

use storage::testing::TempStore;
use storage::{
    Batch, Claimed, CommitError, Fatal, Fingerprint, Index, IndexOptions, Options, Receipt, Seen,
    Store, Taken,
};

use crate::until;

const KEYS: Index = Index::new(1, "keys");
const OTHERS: Index = Index::new(2, "others");

/// Tables and pages so small that there is always something to write and to merge.
const TINY: IndexOptions = IndexOptions { table: 50, page: 5, fan_in: 3, filter_bytes: 2_000 };

fn tiny() -> TempStore {
    with(TINY)
}

fn with(index: IndexOptions) -> TempStore {
    TempStore::with(Options {
        cache_bytes: 16 * 1024 * 1024,
        fatal: Fatal::Poison,
        index,
        ..Options::default()
    })
}

/// The fingerprint of a number; spread like that of a hash.
fn print(number: u64) -> Fingerprint {
    let mut random = Random(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&random.next().to_be_bytes());
    bytes[8..].copy_from_slice(&random.next().to_be_bytes());
    Fingerprint(bytes)
}

fn taken(number: u64) -> Taken {
    u128::from(number).to_be_bytes()
}

fn entries(numbers: impl IntoIterator<Item = u64>) -> Vec<(Fingerprint, Taken)> {
    numbers.into_iter().map(|number| (print(number), taken(number))).collect()
}

fn claim(scope: u64, numbers: impl IntoIterator<Item = u64>) -> Batch {
    let mut batch = Batch::new();
    batch.claim_fingerprints(KEYS, scope, entries(numbers), Seen::default());
    batch
}

/// What the numbers were claimed for.
fn find(store: &Store, scope: u64, numbers: impl IntoIterator<Item = u64>) -> Vec<Option<Taken>> {
    let wanted: Vec<_> = numbers.into_iter().map(print).collect();
    store.find_fingerprints(KEYS, scope, &wanted).unwrap().found
}

fn refused(result: Result<Receipt, CommitError>) -> Claimed {
    match result {
        Err(CommitError::Claimed(claimed)) => claimed,
        other => panic!("{other:?} is no refused claim"),
    }
}

/// Waits until nothing is to be written or merged any more, or nobody does it.
fn settle(store: &Store) {
    until("all is written and merged", || store.upkeep_is_at_rest());
}

/// A sequence of numbers that look random and are always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 11) % limit
    }
}
