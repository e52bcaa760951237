//! Names of things in the one key space: behind its shard, every key has the tag of its table.

use std::fmt;
use std::marker::PhantomData;

use crate::key::Key;
use crate::layout;
use crate::record;
use crate::shard::Shard;

/// The first tag that tables may not use.
pub const FIRST_RESERVED_TAG: u16 = layout::SHARDS;

/// What stands for the tag of the rows of sequences.
pub const SEQUENCES: u16 = 0xFFF1;

/// The epoch of a store that was restored.
pub(crate) const RESTORED_TAG: u16 = 0xFFEF;
/// Rows that the engine keeps about itself.
pub(crate) const ENGINE_TAG: u16 = 0xFFF0;
/// Last number drawn of each sequence, in the shard of its key.
pub(crate) const SEQUENCE_TAG: u16 = SEQUENCES;
/// Last block reserved of each id kind, of ids with a shard in that shard.
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
    /// All rows are in [`Shard::FIRST`], whatever their keys name.
    together: bool,
    types: PhantomData<fn() -> (K, V)>,
}

impl<K, V> Table<K, V> {
    /// A table with this tag, whose rows are in the shards that their keys name.
    ///
    /// # Panics
    /// When the tag is `0x4000` or above; in a `const` that is an error of compilation.
    pub const fn new(tag: u16, name: &'static str) -> Self {
        assert!(tag < FIRST_RESERVED_TAG, "tags from 0x4000 on belong to the store");
        Self { tag, name, together: false, types: PhantomData }
    }

    /// A table whose rows are all in [`Shard::FIRST`], in the order of their keys, whatever these
    /// name.
    ///
    /// # Panics
    /// As [`new`](Self::new) does.
    pub const fn in_first_shard(tag: u16, name: &'static str) -> Self {
        Self { together: true, ..Self::new(tag, name) }
    }

    pub const fn tag(&self) -> u16 {
        self.tag
    }

    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl<K: Key, V> Table<K, V> {
    /// Whether rows may be in several shards.
    pub(crate) fn is_spread(&self) -> bool {
        K::SHARDED && !self.together
    }

    /// The shard of a key's row.
    pub(crate) fn shard(&self, key: &K) -> Shard {
        key.shard().filter(|_| self.is_spread()).unwrap_or_default()
    }

    pub(crate) fn bytes(&self, key: &K) -> Vec<u8> {
        layout::key_in(self.shard(key), self.tag, key)
    }

    /// A key as errors name it.
    pub fn key_text(&self, key: &K) -> String {
        record::hex(layout::behind_tag(&self.bytes(key)))
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

    /// The key of the counter of blocks: of ids with this shard, or of such without one.
    pub(crate) fn counter(&self, shard: Option<Shard>) -> Vec<u8> {
        match shard {
            Some(shard) => layout::key_in(shard, ID_TAG, &self.tag),
            None => layout::own_key(ID_TAG, &self.tag),
        }
    }
}

pub(crate) fn sequence_counter(sequence: &impl Key) -> Vec<u8> {
    layout::key_in(sequence.shard().unwrap_or_default(), SEQUENCE_TAG, sequence)
}
