//! What a run is made of: keys in order, each with what it was claimed for.

use super::{Fingerprint, Index, Taken};

/// Tag, scope and fingerprint, big endian, so that the order of the bytes is the order of keys.
pub(super) const KEY_BYTES: usize = 2 + 8 + 16;
/// A key and what it was claimed for.
pub(super) const ENTRY_BYTES: usize = KEY_BYTES + 16;

/// A fingerprint in its scope of its index.
pub(super) type Key = [u8; KEY_BYTES];

/// Where a fingerprint counts: a scope of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(super) tag: u16,
    pub(super) scope: u64,
}

impl Place {
    pub(crate) fn new(index: Index, scope: u64) -> Self {
        Self { tag: index.tag(), scope }
    }

    pub(super) fn key(self, fingerprint: Fingerprint) -> Key {
        let mut key = [0; KEY_BYTES];
        key[..2].copy_from_slice(&self.tag.to_be_bytes());
        key[2..10].copy_from_slice(&self.scope.to_be_bytes());
        key[10..].copy_from_slice(&fingerprint.0);
        key
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) key: Key,
    pub(super) probe: u64,
    pub(super) at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry(pub(super) [u8; ENTRY_BYTES]);

impl Entry {
    pub(super) fn new(place: Place, fingerprint: Fingerprint, taken: &Taken) -> Self {
        let mut bytes = [0; ENTRY_BYTES];
        bytes[..KEY_BYTES].copy_from_slice(&place.key(fingerprint));
        bytes[KEY_BYTES..].copy_from_slice(taken);
        Self(bytes)
    }

    pub(super) fn key(&self) -> &Key {
        let Some(key) = self.0.first_chunk() else { unreachable!("a key is the front of it") };
        key
    }

    pub(super) fn place(&self) -> Place {
        Place { tag: number(&self.0[..2]) as u16, scope: number(&self.0[2..10]) }
    }

    pub(super) fn fingerprint(&self) -> Fingerprint {
        Fingerprint(sixteen(&self.0[10..KEY_BYTES]))
    }

    pub(super) fn taken(&self) -> Taken {
        sixteen(&self.0[KEY_BYTES..])
    }
}

/// The bytes of a key that stand for its place.
pub(super) fn place_of(key: &Key) -> &[u8] {
    &key[..10]
}

/// The beginning of a key's fingerprint, as a number of the same order.
pub(super) fn prefix_of(key: &Key) -> u64 {
    number(&key[10..18])
}

/// At most eight bytes as a number, big endian.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn sixteen(bytes: &[u8]) -> [u8; 16] {
    let mut out = [0; 16];
    out.copy_from_slice(bytes);
    out
}
