//! Ids from persisted blocks, a block ahead of what is given out.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex, RwLock};

use crate::batch::Batch;
use crate::commit::on_committer;
use crate::error::CommitError;
use crate::shared::Shared;
use crate::table::IdKind;

/// Ids of a block. After a restart the rest of what was reserved is skipped.
const BLOCK: u64 = 10_000;
/// Blocks that are reserved with one write for a kind that is drawn fast.
const MOST_BLOCKS: u64 = 16;

#[derive(Default)]
pub(crate) struct Ids {
    kinds: RwLock<HashMap<u16, Arc<Kind>>>,
}

#[derive(Default)]
struct Kind {
    blocks: Mutex<Blocks>,
    changed: Condvar,
}

#[derive(Default)]
struct Blocks {
    left: Range<u64>,
    ahead: Option<Range<u64>>,
    /// Blocks to ask for at a time: twice as many each time that they came too late.
    wanted: u64,
    missed: bool,
    /// A block has been asked for and not come yet.
    asked: bool,
    /// The store will never write again, so no id can reach the disk any more.
    ended: bool,
}

impl Ids {
    /// The next id of a kind. Waits only for the first block of the kind since the store was
    /// opened, or when all that is reserved is used up while more is written.
    pub(crate) fn next(&self, shared: &Arc<Shared>, kind: IdKind) -> u64 {
        let mut id = 0;
        self.take(shared, kind, 1, |ids| id = ids.start);
        id
    }

    pub(crate) fn next_many(&self, shared: &Arc<Shared>, kind: IdKind, count: usize) -> Vec<u64> {
        let mut drawn = Vec::with_capacity(count);
        self.take(shared, kind, count as u64, |ids| drawn.extend(ids));
        drawn
    }

    fn take(
        &self,
        shared: &Arc<Shared>,
        kind: IdKind,
        mut count: u64,
        mut taken: impl FnMut(Range<u64>),
    ) {
        let counted = self.kind(kind.tag());
        let mut blocks = counted.blocks.lock();
        while count > 0 {
            let ids = blocks.take(count);
            let none_left = ids.is_none();
            if let Some(ids) = ids {
                count -= ids.end - ids.start;
                taken(ids);
            }
            if let Some(wanted) = blocks.should_ask() {
                drop(blocks);
                reserve(shared, kind, &counted, wanted);
                blocks = counted.blocks.lock();
            } else if none_left {
                assert!(!on_committer(), "the committer would wait for itself for {}", kind.name());
                blocks.missed = true;
                counted.changed.wait(&mut blocks);
            }
        }
    }

    fn kind(&self, tag: u16) -> Arc<Kind> {
        if let Some(known) = self.kinds.read().get(&tag) {
            return known.clone();
        }
        self.kinds.write().entry(tag).or_default().clone()
    }
}

impl Blocks {
    fn take(&mut self, count: u64) -> Option<Range<u64>> {
        if self.left.is_empty()
            && let Some(ahead) = self.ahead.take()
        {
            self.left = ahead;
        }
        if self.left.is_empty() && self.ended {
            // Ids go on rising, for callers that are about to learn that the store has ended.
            self.left = self.left.end.max(1)..self.left.end.max(1) + BLOCK;
        }
        if self.left.is_empty() {
            return None;
        }
        let first = self.left.start;
        self.left.start = self.left.end.min(first + count);
        Some(first..self.left.start)
    }

    /// How many blocks the caller has to ask for; notes that it does.
    fn should_ask(&mut self) -> Option<u64> {
        let ask = self.ahead.is_none() && !self.asked && !self.ended;
        self.asked |= ask;
        ask.then(|| self.wanted.max(1))
    }
}

/// Asks the committer for blocks that follow each other. The kind must not be locked: a closed
/// store answers at once.
fn reserve(shared: &Arc<Shared>, kind: IdKind, counted: &Arc<Kind>, wanted: u64) {
    let mut batch = Batch::new();
    let first = batch.draw_block(kind);
    let last = (1..wanted).fold(first, |_, _| batch.draw_block(kind));
    let counted = counted.clone();
    let fuse = shared.fuse.clone();
    let answer = move |result: Result<crate::batch::Receipt, CommitError>| {
        let mut blocks = counted.blocks.lock();
        blocks.asked = false;
        match result {
            Ok(receipt) => {
                // Nothing was reserved ahead of the first block, which says nothing of its kind.
                let late = std::mem::take(&mut blocks.missed) && blocks.left.end > 0;
                blocks.wanted = (wanted << u32::from(late)).min(MOST_BLOCKS);
                let (first, last) = (receipt.numbers[first], receipt.numbers[last]);
                blocks.ahead = Some((first - 1) * BLOCK + 1..last * BLOCK + 1);
            }
            Err(CommitError::Closed) => blocks.ended = true,
            // Whoever waits asks again, unless the store has stopped.
            Err(refused) => {
                blocks.ended = fuse.blown().is_some();
                tracing::error!(%refused, kind = kind.name(), "no block of ids could be reserved");
            }
        }
        drop(blocks);
        counted.changed.notify_all();
    };
    shared.hand_in(batch, Box::new(answer), true);
}
