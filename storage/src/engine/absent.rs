//! Keys that were looked for in vain: who claims a key has looked for it before, and is looked for
//! again by the committer.
//!
//! That a key was absent while all groups up to one were in sight stays true. Nothing is taken back
//! when the key is written: what later groups write stands in memory, which is asked before, until
//! the engine has got it; from then on the engine is asked again.

use std::hash::{BuildHasher, RandomState};

use parking_lot::Mutex;

/// Keys that are known at a time; a newer one takes the place of another.
const PLACES: usize = 8 * 1024;
/// Longer keys are not kept.
const MOST_BYTES: usize = 256;

pub(super) struct Absent {
    places: Box<[Mutex<Known>]>,
    hasher: RandomState,
}

#[derive(Default)]
struct Known {
    key: Vec<u8>,
    group: u64,
}

impl Default for Absent {
    fn default() -> Self {
        let places = (0..PLACES).map(|_| Mutex::default()).collect();
        Self { places, hasher: RandomState::new() }
    }
}

impl Absent {
    /// Keeps that a key was absent with all groups up to this one in sight.
    pub(super) fn note(&self, key: &[u8], group: u64) {
        if key.len() <= MOST_BYTES {
            let mut known = self.place(key).lock();
            known.key.clear();
            known.key.extend_from_slice(key);
            known.group = group;
        }
    }

    /// Whether a key is known to have been absent with all groups up to this one in sight.
    pub(super) fn has(&self, key: &[u8], group: u64) -> bool {
        let known = self.place(key).lock();
        known.key == key && known.group >= group
    }

    fn place(&self, key: &[u8]) -> &Mutex<Known> {
        &self.places[self.hasher.hash_one(key) as usize % PLACES]
    }
}
