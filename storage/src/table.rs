//! Names of things in the one key space: every key starts with the tag of its table.

use std::fmt;
use std::marker::PhantomData;

use crate::key::{Key, KeyWriter};

/// The first tag that tables and id kinds may not use: what is above belongs to the store.
pub const FIRST_RESERVED_TAG: u16 = 0xFFEF;

pub(crate) const TAG_BYTES: usize = 2;

/// The epoch of a store that was restored.
pub(crate) const RESTORED_TAG: u16 = 0xFFEF;
/// Rows that the engine keeps about itself.
pub(crate) const ENGINE_TAG: u16 = 0xFFF0;
/// Last number drawn of each sequence.
pub(crate) const SEQUENCE_TAG: u16 = 0xFFF1;
/// Last block reserved of each id kind.
pub(crate) const ID_TAG: u16 = 0xFFF2;
/// The log of claims on fingerprints.
pub(crate) const CLAIM_TAG: u16 = 0xFFF3;
pub(crate) const RUN_TAG: u16 = 0xFFF4;

/// A typed range of the key space.
///
/// The tag is what the disk knows: it is never changed and never given to another table. The
/// name is for messages only.
pub struct Table<K, V> {
    tag: u16,
    name: &'static str,
    types: PhantomData<fn() -> (K, V)>,
}

impl<K, V> Table<K, V> {
    /// A table with this tag.
    ///
    /// # Panics
    /// When the tag is `0xFFEF` or above; in a `const` that is an error of compilation.
    pub const fn new(tag: u16, name: &'static str) -> Self {
        assert!(tag < FIRST_RESERVED_TAG, "tags from 0xFFEF on belong to the store");
        Self { tag, name, types: PhantomData }
    }

    pub const fn tag(&self) -> u16 {
        self.tag
    }

    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl<K: Key, V> Table<K, V> {
    pub(crate) fn bytes(&self, key: &K) -> Vec<u8> {
        tagged(self.tag, key)
    }
}

impl<K, V> Clone for Table<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Table<K, V> {}

impl<K, V> fmt::Debug for Table<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} {})", self.tag, self.name)
    }
}

/// A kind of ids, each counted on its own from persisted blocks; see
/// [`Store::next_id`](crate::Store::next_id).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdKind {
    tag: u16,
    name: &'static str,
}

impl IdKind {
    /// A kind of ids. The tag is what the disk knows: it is never changed and never given to
    /// another kind. Tags of id kinds and tags of tables do not meet.
    pub const fn new(tag: u16, name: &'static str) -> Self {
        Self { tag, name }
    }

    pub const fn tag(&self) -> u16 {
        self.tag
    }

    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn counter(&self) -> Vec<u8> {
        tagged(ID_TAG, &self.tag)
    }
}

pub(crate) fn sequence_counter(sequence: &impl Key) -> Vec<u8> {
    tagged(SEQUENCE_TAG, sequence)
}

fn tagged(tag: u16, key: &impl Key) -> Vec<u8> {
    let mut out = KeyWriter::tagged(tag);
    key.write(&mut out);
    out.into_bytes()
}
