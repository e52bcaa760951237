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

/// Ids that are reserved with one write. After a restart the rest of a block is skipped.
const BLOCK: u64 = 10_000;

/// The counts of all kinds of ids.
#[derive(Default)]
pub(crate) struct Ids {
    kinds: RwLock<HashMap<u16, Arc<Kind>>>,
}

/// The count of one kind.
#[derive(Default)]
struct Kind {
    blocks: Mutex<Blocks>,
    changed: Condvar,
}

#[derive(Default)]
struct Blocks {
    /// What is left of the block in use.
    left: Range<u64>,
    /// The block to use next; durable.
    ahead: Option<Range<u64>>,
    /// A block has been asked for and not come yet.
    asked: bool,
    /// The store will never write again, so no id can reach the disk any more.
    ended: bool,
}

impl Ids {
    /// The next id of a kind. Waits only for the first block of the kind since the store was
    /// opened, or when a whole block is used up while the next one is written.
    pub(crate) fn next(&self, shared: &Arc<Shared>, kind: IdKind) -> u64 {
        let counted = self.kind(kind.tag());
        let mut blocks = counted.blocks.lock();
        loop {
            if let Some(id) = blocks.take() {
                let ask = blocks.should_ask();
                drop(blocks);
                if ask {
                    reserve(shared, kind, &counted);
                }
                return id;
            }
            if blocks.should_ask() {
                drop(blocks);
                reserve(shared, kind, &counted);
                blocks = counted.blocks.lock();
                continue;
            }
            assert!(!on_committer(), "the committer would wait for itself for {}", kind.name());
            counted.changed.wait(&mut blocks);
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
    fn take(&mut self) -> Option<u64> {
        if self.left.is_empty()
            && let Some(ahead) = self.ahead.take()
        {
            self.left = ahead;
        }
        if self.left.is_empty() && self.ended {
            // Ids go on rising, for callers that are about to learn that the store has ended.
            self.left = self.left.end.max(1)..self.left.end.max(1) + BLOCK;
        }
        self.left.next()
    }

    /// Whether the caller has to ask for a block; notes that it does.
    fn should_ask(&mut self) -> bool {
        let ask = self.ahead.is_none() && !self.asked && !self.ended;
        self.asked |= ask;
        ask
    }
}

/// Asks the committer for a block. The kind must not be locked: a closed store answers at once.
fn reserve(shared: &Arc<Shared>, kind: IdKind, counted: &Arc<Kind>) {
    let mut batch = Batch::new();
    let index = batch.draw_block(kind);
    let counted = counted.clone();
    let fuse = shared.fuse.clone();
    let answer = move |result: Result<crate::batch::Receipt, CommitError>| {
        let mut blocks = counted.blocks.lock();
        blocks.asked = false;
        match result {
            Ok(receipt) => {
                let block = receipt.numbers[index];
                blocks.ahead = Some((block - 1) * BLOCK + 1..block * BLOCK + 1);
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
