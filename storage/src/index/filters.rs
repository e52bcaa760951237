//! The blocks of all runs that are in memory, and how many of them may stay.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use parking_lot::RwLock;

use super::block::Block;

/// How much of the limit is kept when blocks are forgotten, in parts of eight.
const KEPT_EIGHTHS: u64 = 6;

#[derive(Debug)]
pub(super) struct Filters {
    limit: u64,
    bytes: AtomicU64,
    /// Counts searches, so that blocks know when they were of use.
    now: AtomicU32,
}

#[derive(Debug, Default)]
pub(super) struct Slot {
    block: RwLock<Option<Block>>,
    used: AtomicU32,
}

impl Filters {
    pub(super) fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self { limit, bytes: AtomicU64::new(0), now: AtomicU32::new(0) })
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

    /// Forgets the blocks that have been of no use for longest.
    pub(super) fn forget_some<'s>(&self, slots: impl Iterator<Item = &'s Slot>) {
        let now = self.now.load(Ordering::Relaxed);
        let mut held: Vec<(u32, &Slot)> = slots
            .filter(|slot| slot.block.read().is_some())
            .map(|slot| (now.wrapping_sub(slot.used.load(Ordering::Relaxed)), slot))
            .collect();
        held.sort_unstable_by_key(|(age, _)| std::cmp::Reverse(*age));
        for (_, slot) in held {
            if self.bytes() <= self.limit / 8 * KEPT_EIGHTHS {
                break;
            }
            self.forget(slot);
        }
    }

    pub(super) fn forget(&self, slot: &Slot) {
        if let Some(block) = slot.block.write().take() {
            self.bytes.fetch_sub(block.bytes() as u64, Ordering::Relaxed);
        }
    }

    /// Works with the block of a slot, which is loaded when it is not in memory.
    pub(super) fn with<T, E>(
        &self,
        slot: &Slot,
        now: u32,
        load: impl FnOnce() -> Result<Block, E>,
        work: impl FnOnce(&Block) -> T,
    ) -> Result<T, E> {
        slot.used.store(now, Ordering::Relaxed);
        if let Some(block) = &*slot.block.read() {
            return Ok(work(block));
        }
        let loaded = load()?;
        let mut place = slot.block.write();
        if place.is_none() {
            self.bytes.fetch_add(loaded.bytes() as u64, Ordering::Relaxed);
        }
        Ok(work(place.get_or_insert(loaded)))
    }
}
