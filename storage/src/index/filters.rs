//! The blocks of all runs that are in memory, and how many of them may stay.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use parking_lot::RwLock;

use super::block::Block;

/// How much of the limit is kept when blocks are forgotten, in parts of eight.
const KEPT_EIGHTHS: u64 = 6;

/// Filters that find no room are read for one in so many of the searches that miss them, and
/// push out those that were of no use for longest. The others read the one page in question, a
/// tenth of the bytes.
const READ_ONE_IN: u32 = 16;

/// Keys of one search that are looked for in a block, from which on its filters are less to read
/// than their pages.
const MANY: usize = 8;

/// What is read of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Fences,
    Whole,
}

#[derive(Debug, Default)]
pub(super) struct Filters {
    limit: u64,
    bytes: AtomicU64,
    /// Counts searches, so that blocks know when they were of use.
    now: AtomicU32,
    missed: AtomicU32,
}

#[derive(Debug, Default)]
pub(super) struct Slot {
    block: RwLock<Option<Block>>,
    used: AtomicU32,
}

impl Filters {
    pub(super) fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self { limit, ..Self::default() })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn tick(&self) -> u32 {
        self.now.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.bytes() > self.limit
    }

    /// Forgets the filters that have been of no use for longest, and fences only when there are
    /// no filters left: they spare as much reading with a tenth of the memory.
    pub(super) fn forget_some<'s>(&self, slots: impl Iterator<Item = &'s Slot>) {
        let now = self.now.load(Ordering::Relaxed);
        let mut held: Vec<(u32, &Slot)> = slots
            .filter(|slot| slot.block.read().is_some())
            .map(|slot| (now.wrapping_sub(slot.used.load(Ordering::Relaxed)), slot))
            .collect();
        held.sort_unstable_by_key(|(age, _)| std::cmp::Reverse(*age));
        for part in [Block::forget_filters, |_: &mut Block| false] {
            for (_, slot) in &held {
                if self.bytes() <= self.limit / 8 * KEPT_EIGHTHS {
                    return;
                }
                self.shrink(slot, part);
            }
        }
    }

    /// Makes a block smaller, or forgets it when nothing is to stay of it.
    fn shrink(&self, slot: &Slot, stays: impl FnOnce(&mut Block) -> bool) {
        let mut place = slot.block.write();
        let Some(block) = &mut *place else { return };
        let before = block.bytes();
        let left = if stays(block) { block.bytes() } else { 0 };
        if left == 0 {
            *place = None;
        }
        self.bytes.fetch_sub((before - left) as u64, Ordering::Relaxed);
    }

    pub(super) fn forget(&self, slot: &Slot) {
        self.shrink(slot, |_| false);
    }

    /// Works with the block of a slot, for so many `keys`. It is loaded when it is not in memory:
    /// `bytes` if as a whole.
    pub(super) fn with<T, E>(
        &self,
        slot: &Slot,
        (now, keys, bytes): (u32, usize, u32),
        load: impl FnOnce(Part) -> Result<Block, E>,
        work: impl FnOnce(&Block) -> T,
    ) -> Result<T, E> {
        slot.used.store(now, Ordering::Relaxed);
        let mut part = None;
        if let Some(block) = &*slot.block.read()
            && (block.has_filters() || *part.insert(self.part(keys, bytes)) == Part::Fences)
        {
            return Ok(work(block));
        }
        let loaded = load(part.unwrap_or_else(|| self.part(keys, bytes)))?;
        let mut place = slot.block.write();
        let there = place.as_ref().map_or(0, Block::bytes);
        // Somebody else may have been faster, and read more.
        if loaded.bytes() > there {
            self.bytes.fetch_add((loaded.bytes() - there) as u64, Ordering::Relaxed);
            *place = Some(loaded);
        }
        let Some(block) = &*place else { unreachable!("no block is without bytes") };
        Ok(work(block))
    }

    /// What to read of a block whose filters are not in memory.
    fn part(&self, keys: usize, bytes: u32) -> Part {
        let whole = self.bytes() + u64::from(bytes) <= self.limit
            || keys >= MANY
            || self.missed.fetch_add(1, Ordering::Relaxed).is_multiple_of(READ_ONE_IN);
        if whole { Part::Whole } else { Part::Fences }
    }
}
