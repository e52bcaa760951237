//! Ids from persisted blocks, a block ahead of what is given out.

use std::ops::Range;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex, RwLock};
use rustc_hash::FxHashMap as HashMap;

use crate::batch::{Batch, Receipt};
use crate::commit::on_committer;
use crate::error::{CommitError, ReadError};
use crate::layout;
use crate::numbers::Counter;
use crate::record;
use crate::shard::Shard;
use crate::shared::Shared;
use crate::table::{ID_TAG, IdKind};

/// Ids of a block. After a restart the rest of what was reserved is skipped.
const BLOCK: u64 = 10_000;
/// Blocks that are reserved with one write for a kind that is drawn fast.
const MOST_BLOCKS: u64 = 16;

#[derive(Default)]
pub(crate) struct Ids {
    counts: RwLock<HashMap<Counted, Arc<Count>>>,
    /// The kinds whose ids have shards, of those that were drawn.
    sharded: RwLock<Vec<IdKind>>,
    /// By kind, the last id that was reserved without a shard.
    before: RwLock<HashMap<u16, u64>>,
}

/// A kind, and the shard of the ids that have one.
type Counted = (u16, Option<Shard>);

struct Count {
    form: Form,
    blocks: Mutex<Blocks>,
    changed: Condvar,
}

/// What ids are made of the numbers that are counted.
#[derive(Clone, Copy)]
struct Form {
    first: u64,
    step: u64,
}

impl Form {
    /// Ids with a shard say it, and are above the last that was drawn `before` without one.
    fn new(shard: Option<Shard>, before: u64) -> Self {
        let shards = u64::from(Shard::COUNT);
        match shard {
            Some(shard) => {
                Self { first: before / shards * shards + u64::from(shard.number()), step: shards }
            }
            None => Self { first: 0, step: 1 },
        }
    }

    fn number(self, counted: u64) -> u64 {
        self.first + counted * self.step
    }
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
    /// The next id of a kind. Waits only for the first block of the kind, in the shard, since the
    /// store was opened, or when all that is reserved is used up while more is written.
    pub(crate) fn next(&self, shared: &Arc<Shared>, kind: IdKind, shard: Option<Shard>) -> u64 {
        let mut id = 0;
        self.take(shared, (kind, shard), 1, |numbers, of| id = of.number(numbers.start));
        id
    }

    pub(crate) fn next_many(
        &self,
        shared: &Arc<Shared>,
        (kind, shard): (IdKind, Option<Shard>),
        count: usize,
    ) -> Vec<u64> {
        let mut drawn = Vec::with_capacity(count);
        self.take(shared, (kind, shard), count as u64, |numbers, of| {
            drawn.extend(numbers.map(|number| of.number(number)));
        });
        drawn
    }

    /// Looks up which ids were drawn without a shard. Called before any is drawn.
    pub(crate) fn look_up(&self, shared: &Shared) -> Result<(), ReadError> {
        let range = layout::own_keys(ID_TAG);
        let mut before = HashMap::default();
        for (key, row) in shared.page(&range, false, usize::from(u16::MAX), None)? {
            let counter: Counter = record::unseal("counters", &key, &row)?;
            let kind = layout::behind_tag(&key).try_into().map_or(0, u16::from_be_bytes);
            before.insert(kind, counter.last * BLOCK);
        }
        *self.before.write() = before;
        Ok(())
    }

    fn take(
        &self,
        shared: &Arc<Shared>,
        (kind, shard): (IdKind, Option<Shard>),
        mut count: u64,
        mut taken: impl FnMut(Range<u64>, Form),
    ) {
        let counted = self.count(shared, kind, shard);
        let mut blocks = counted.blocks.lock();
        while count > 0 {
            let ids = blocks.take(count);
            let none_left = ids.is_none();
            if let Some(ids) = ids {
                count -= ids.end - ids.start;
                taken(ids, counted.form);
            }
            if let Some(wanted) = blocks.should_ask() {
                drop(blocks);
                reserve(shared, shard, vec![(kind, counted.clone(), wanted)]);
                blocks = counted.blocks.lock();
            } else if none_left {
                assert!(!on_committer(), "the committer would wait for itself for {}", kind.name());
                blocks.missed = true;
                counted.changed.wait(&mut blocks);
            }
        }
    }

    fn count(&self, shared: &Arc<Shared>, kind: IdKind, shard: Option<Shard>) -> Arc<Count> {
        if let Some(known) = self.counts.read().get(&(kind.tag(), shard)) {
            return known.clone();
        }
        if shard.is_some() {
            let mut sharded = self.sharded.write();
            if !sharded.contains(&kind) {
                sharded.push(kind);
            }
        }
        let form = |kind: IdKind| {
            Form::new(shard, self.before.read().get(&kind.tag()).copied().unwrap_or(0))
        };
        let new = |kind| {
            let (blocks, changed) = (Mutex::default(), Condvar::default());
            Arc::new(Count { form: form(kind), blocks, changed })
        };
        let mut counts = self.counts.write();
        // Whoever draws one id in a shard soon draws others: one write for all of them.
        let kinds = match shard {
            Some(_) => self.sharded.read().clone(),
            None => vec![kind],
        };
        let mut first = Vec::new();
        for kind in kinds {
            let count = counts.entry((kind.tag(), shard)).or_insert_with(|| new(kind));
            if let Some(wanted) = count.blocks.lock().should_ask() {
                first.push((kind, count.clone(), wanted));
            }
        }
        let count = counts.entry((kind.tag(), shard)).or_insert_with(|| new(kind)).clone();
        drop(counts);
        if !first.is_empty() {
            reserve(shared, shard, first);
        }
        count
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

    /// Takes the blocks with these numbers, and those between, which were asked for.
    fn get(&mut self, first: u64, last: u64) {
        let wanted = last - first + 1;
        // Nothing was reserved ahead of the first block, which says nothing of its kind.
        let late = std::mem::take(&mut self.missed) && self.left.end > 0;
        self.wanted = (wanted << u32::from(late)).min(MOST_BLOCKS);
        self.ahead = Some((first - 1) * BLOCK + 1..last * BLOCK + 1);
    }

    /// How many blocks the caller has to ask for; notes that it does.
    fn should_ask(&mut self) -> Option<u64> {
        let ask = self.ahead.is_none() && !self.asked && !self.ended;
        self.asked |= ask;
        ask.then(|| self.wanted.max(1))
    }
}

/// A kind, and how many blocks it is to get.
type Asked = (IdKind, Arc<Count>, u64);

/// Asks the committer for blocks that follow each other, in one write. No count must be locked: a
/// closed store answers at once.
fn reserve(shared: &Arc<Shared>, shard: Option<Shard>, asked: Vec<Asked>) {
    let mut batch = Batch::new();
    let mut draw = |(kind, count, wanted): Asked| {
        let first = batch.draw_block(kind, shard);
        let last = (1..wanted).fold(first, |_, _| batch.draw_block(kind, shard));
        (kind, count, (first, last))
    };
    let drawn: Vec<_> = asked.into_iter().map(&mut draw).collect();
    let fuse = shared.fuse.clone();
    let answer = move |result: Result<Receipt, CommitError>| {
        for (kind, count, (first, last)) in drawn {
            let mut blocks = count.blocks.lock();
            blocks.asked = false;
            match &result {
                Ok(receipt) => blocks.get(receipt.numbers[first], receipt.numbers[last]),
                Err(CommitError::Closed) => blocks.ended = true,
                // Whoever waits asks again, unless the store has stopped.
                Err(refused) => {
                    blocks.ended = fuse.blown().is_some();
                    tracing::error!(%refused, kind = kind.name(), "no block of ids could be reserved");
                }
            }
            drop(blocks);
            count.changed.notify_all();
        }
    };
    shared.hand_in(batch, Box::new(answer), true);
}
