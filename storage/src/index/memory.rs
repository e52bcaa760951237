//! Claims in memory: found by hash, 42 bytes each when the table is full.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::OnceLock;

use super::entry::{Entry, Place};
use super::{Fingerprint, Taken};

/// A table of claims. Places are written out once and numbered.
#[derive(Default)]
pub(super) struct Memory {
    places: HashMap<Place, u32>,
    claims: HashMap<Numbered, Taken, Mix>,
}

pub(super) type Slot = u32;

#[derive(Clone, Copy, PartialEq, Eq)]
struct Numbered {
    slot: Slot,
    fingerprint: Fingerprint,
}

impl Memory {
    pub(super) fn with_capacity(claims: usize) -> Self {
        let claims = HashMap::with_capacity_and_hasher(claims, Mix::default());
        Self { places: HashMap::new(), claims }
    }

    pub(super) fn len(&self) -> usize {
        self.claims.len()
    }

    /// The number of a place; `None` when nothing is claimed there.
    pub(super) fn slot(&self, place: Place) -> Option<Slot> {
        self.places.get(&place).copied()
    }

    pub(super) fn get(&self, slot: Slot, fingerprint: Fingerprint) -> Option<Taken> {
        self.claims.get(&Numbered { slot, fingerprint }).copied()
    }

    /// The number of a place, given now if it has none.
    pub(super) fn number(&mut self, place: Place) -> Slot {
        let next = self.places.len() as Slot;
        *self.places.entry(place).or_insert(next)
    }

    pub(super) fn put(&mut self, slot: Slot, fingerprint: Fingerprint, taken: Taken) {
        self.claims.insert(Numbered { slot, fingerprint }, taken);
    }

    /// Notes a claim unless the fingerprint is claimed, and gives what is there then.
    pub(super) fn claim(
        &mut self,
        slot: Slot,
        fingerprint: Fingerprint,
        taken: Taken,
    ) -> Option<Taken> {
        use std::collections::hash_map::Entry::{Occupied, Vacant};

        match self.claims.entry(Numbered { slot, fingerprint }) {
            Occupied(there) => Some(*there.get()),
            Vacant(free) => {
                free.insert(taken);
                None
            }
        }
    }

    pub(super) fn take_back(&mut self, slot: Slot, fingerprint: Fingerprint) {
        self.claims.remove(&Numbered { slot, fingerprint });
    }

    /// All claims, in no order.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        let mut places = vec![Place { tag: 0, scope: 0 }; self.places.len()];
        for (place, slot) in &self.places {
            places[*slot as usize] = *place;
        }
        self.claims
            .iter()
            .map(move |(key, taken)| Entry::new(places[key.slot as usize], key.fingerprint, taken))
    }
}

impl Hash for Numbered {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let bits = u128::from_le_bytes(self.fingerprint.0);
        state.write_u64(bits as u64 ^ u64::from(self.slot));
        state.write_u64((bits >> 64) as u64);
    }
}

/// Two multiplications with a secret: fingerprints are random to us, but whoever makes up keys
/// can choose among them those whose plain bits fall together.
#[derive(Clone)]
struct Mix {
    secret: u64,
}

impl Default for Mix {
    fn default() -> Self {
        static SECRET: OnceLock<u64> = OnceLock::new();
        Self { secret: *SECRET.get_or_init(|| RandomState::new().hash_one(0_u64)) }
    }
}

impl BuildHasher for Mix {
    type Hasher = Mixing;

    fn build_hasher(&self) -> Mixing {
        Mixing { state: self.secret }
    }
}

struct Mixing {
    state: u64,
}

impl Hasher for Mixing {
    fn write_u64(&mut self, bits: u64) {
        let product = u128::from(self.state ^ bits) * u128::from(0x9E37_79B9_7F4A_7C15_u64);
        self.state = (product >> 64) as u64 ^ product as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn finish(&self) -> u64 {
        self.state
    }
}
