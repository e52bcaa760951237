//! Shards: every key begins with one, so that a shard is one range of keys.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::engine::Change;
use crate::key::{Key, KeyError, KeyReader, KeyWriter};

/// A part of all rows that somebody could hold without the others: 0 up to [`COUNT`](Self::COUNT).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard(u16);

impl Shard {
    pub const COUNT: u16 = 1_024;

    /// Where the rows are whose keys name no shard.
    pub const FIRST: Self = Self(0);

    pub(crate) const LAST: Self = Self(Self::COUNT - 1);

    /// The shard of a number: what is left of it by [`COUNT`](Self::COUNT).
    pub const fn of(number: u64) -> Self {
        Self((number % Self::COUNT as u64) as u16)
    }

    pub const fn number(self) -> u16 {
        self.0
    }

    fn up(self) -> Option<Self> {
        (self < Self::LAST).then_some(Self(self.0 + 1))
    }

    fn down(self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }
}

/// A part of a key that takes no bytes and says in which shard the key is.
impl Key for Shard {
    const SHARDED: bool = true;

    fn shard(&self) -> Option<Shard> {
        Some(*self)
    }

    fn write(&self, _: &mut KeyWriter) {}

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        Ok(from.shard())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Shards from one to another, both included; none where they do not rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shards {
    from: Shard,
    to: Shard,
    is_empty: bool,
}

impl Shards {
    pub(crate) fn between(from: Shard, to: Shard) -> Self {
        Self { from, to, is_empty: from > to }
    }

    pub(crate) fn one(shard: Shard) -> Self {
        Self::between(shard, shard)
    }

    /// The shard, where it is one alone.
    pub(crate) fn only(&self) -> Option<Shard> {
        (self.from == self.to && !self.is_empty).then_some(self.from)
    }

    /// Takes the next one that has rows, in walking direction.
    pub(crate) fn next(&mut self, occupied: &Occupied, reverse: bool) -> Option<Shard> {
        while !self.is_empty {
            let next = if reverse { self.to } else { self.from };
            let (moved, goes_on) = match if reverse { next.down() } else { next.up() } {
                Some(moved) => (moved, self.from != self.to),
                None => (next, false),
            };
            *(if reverse { &mut self.to } else { &mut self.from }) = moved;
            self.is_empty = !goes_on;
            if occupied.has(next) {
                return Some(next);
            }
        }
        None
    }
}

/// The shards that have had a row since the store was opened: walks pass over the others.
#[derive(Debug, Default)]
pub(crate) struct Occupied {
    bits: [AtomicU64; Shard::COUNT as usize / 64],
}

impl Occupied {
    pub(crate) fn has(&self, shard: Shard) -> bool {
        let (word, bit) = Self::place(shard);
        self.bits[word].load(Ordering::Acquire) & bit != 0
    }

    pub(crate) fn add(&self, shard: Shard) {
        if !self.has(shard) {
            let (word, bit) = Self::place(shard);
            self.bits[word].fetch_or(bit, Ordering::AcqRel);
        }
    }

    /// Takes note of rows before anybody sees them.
    pub(crate) fn note(&self, changes: &[Change]) {
        for (key, row) in changes {
            if row.is_some()
                && let Some(shard) = crate::layout::shard_of(key)
            {
                self.add(shard);
            }
        }
    }

    fn place(shard: Shard) -> (usize, u64) {
        (usize::from(shard.0 / 64), 1 << (shard.0 % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_over_shards_meets_those_that_have_rows() {
        let occupied = Occupied::default();
        for number in [0, 7, 63, 64, 1_023] {
            occupied.add(Shard::of(number));
        }
        let walk = |from: u64, to: u64, reverse: bool| {
            let mut shards = Shards::between(Shard::of(from), Shard::of(to));
            let next = || shards.next(&occupied, reverse).map(Shard::number);
            std::iter::from_fn(next).collect::<Vec<_>>()
        };
        assert_eq!(walk(0, 1_023, false), [0, 7, 63, 64, 1_023]);
        assert_eq!(walk(0, 1_023, true), [1_023, 64, 63, 7, 0]);
        assert_eq!(walk(1, 64, false), [7, 63, 64]);
        assert_eq!(walk(8, 62, true), [0_u16; 0]);
        assert_eq!(walk(63, 7, false), [0_u16; 0]);
        assert_eq!(walk(64, 64, true), [64]);
    }
}
