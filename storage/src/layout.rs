//! What the bytes of a key begin with.
//!
//! The key of a row is `4000 | shard: u16`, `tag: u16`, both big endian, and what the table's key
//! writes. What the store keeps about itself begins with a tag of 0xFFEF or above instead. Keys of
//! the layout before had no shard: they began with the tag of their table, below 0x4000.

use crate::engine::Range;
use crate::key::{Key, KeyWriter};
use crate::shard::Shard;
use crate::table::{ID_TAG, RESTORED_TAG, SEQUENCE_TAG};

/// The first tag that no table has: a key that begins with less is of the layout before.
pub(crate) const SHARDS: u16 = 0x4000;

const SHARD_BYTES: usize = 2;
pub(crate) const TAG_BYTES: usize = 2;
/// What stands before a table's own key.
pub(crate) const PREFIX_BYTES: usize = SHARD_BYTES + TAG_BYTES;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A row of a table or a counter, in a shard.
    In(Shard),
    /// A row of the layout before.
    Before,
    /// What the store keeps about itself.
    Own,
}

pub(crate) fn key_in(shard: Shard, tag: u16, key: &impl Key) -> Vec<u8> {
    let mut out = KeyWriter::with_prefix(prefix(shard, tag));
    key.write(&mut out);
    out.into_bytes()
}

/// The key of a row that the store keeps about itself.
pub(crate) fn own_key(tag: u16, key: &impl Key) -> Vec<u8> {
    let mut out = KeyWriter::with_prefix(tag.to_be_bytes());
    key.write(&mut out);
    out.into_bytes()
}

pub(crate) fn prefix(shard: Shard, tag: u16) -> [u8; PREFIX_BYTES] {
    let ([s0, s1], [t0, t1]) = (beginning(shard), tag.to_be_bytes());
    [s0, s1, t0, t1]
}

/// What all keys of a shard begin with.
pub(crate) fn beginning(shard: Shard) -> [u8; SHARD_BYTES] {
    (SHARDS | shard.number()).to_be_bytes()
}

/// All keys of what the store keeps about itself under a tag.
pub(crate) fn own_keys(tag: u16) -> Range {
    Range { from: tag.to_be_bytes().to_vec(), until: (tag + 1).to_be_bytes().to_vec() }
}

/// All keys that begin with a shard.
pub(crate) fn all_shards() -> Range {
    Range { from: beginning(Shard::FIRST).to_vec(), until: behind(Shard::LAST) }
}

/// Behind all keys of a shard.
pub(crate) fn behind(shard: Shard) -> Vec<u8> {
    (SHARDS + shard.number() + 1).to_be_bytes().to_vec()
}

pub(crate) fn shard_of(key: &[u8]) -> Option<Shard> {
    let number = first(key).checked_sub(SHARDS).filter(|number| *number < Shard::COUNT)?;
    (key.len() >= PREFIX_BYTES).then(|| Shard::of(u64::from(number)))
}

pub(crate) fn place_of(key: &[u8]) -> Place {
    match (shard_of(key), first(key)) {
        (Some(shard), _) => Place::In(shard),
        (None, ..SHARDS | SEQUENCE_TAG) => Place::Before,
        (None, _) => Place::Own,
    }
}

/// The tag of a key's table, or what stands for one.
pub(crate) fn tag_of(key: &[u8]) -> u16 {
    match place_of(key) {
        Place::In(_) => first(&key[SHARD_BYTES..]),
        Place::Before | Place::Own => first(key),
    }
}

/// What stands behind the tag.
pub(crate) fn behind_tag(key: &[u8]) -> &[u8] {
    let behind = match place_of(key) {
        Place::In(_) => PREFIX_BYTES,
        Place::Before | Place::Own => TAG_BYTES,
    };
    key.get(behind..).unwrap_or_default()
}

fn first(key: &[u8]) -> u16 {
    key.first_chunk().map_or(0, |number| u16::from_be_bytes(*number))
}

const _: () = assert!(SHARDS + Shard::COUNT <= RESTORED_TAG && SEQUENCE_TAG < ID_TAG);
