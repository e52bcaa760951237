//! Rows packed into blocks, for an engine that is paid by the record: neighbours in the order of
//! keys share one.
//!
//! A block stands under the key of its first row at the time it was made, and holds the rows from
//! there up to the key of the next block. Blocks that grow too large are split, and small ones
//! take in their successors when they are written. What is appended fills its blocks. They are
//! compressed on their way to the engine.

mod block;
mod target;
#[cfg(test)]
mod tests;

use self::block::{Rows, Walk};
use self::target::{Block, Target};
use super::{Change, Engine, EngineError, Range, Row};
use crate::lock::RwLock;

/// Bytes of rows that a block holds at most, unless it is one row alone.
const MOST_BYTES: usize = 4 * 1024;
/// What the parts of a split block have.
const SPLIT_BYTES: usize = MOST_BYTES / 2;
/// A block below this takes in its successor, if both fit.
const SMALL_BYTES: usize = MOST_BYTES / 4;
/// Blocks of one write: the engine lets no reader in meanwhile.
const AT_ONCE: usize = 48;
/// Blocks that a page reads at a time.
const FIRST_BLOCKS: usize = 2;
const MOST_BLOCKS: usize = 16;

pub(crate) struct Packed {
    engine: Box<dyn Engine>,
    /// Held while blocks are changed, so that a page sees no row twice and none too few, and that
    /// nobody comes upon the lock of the engine's own that shuts readers out.
    moving: RwLock<()>,
}

impl Packed {
    pub(crate) fn new(engine: Box<dyn Engine>) -> Self {
        Self { engine, moving: RwLock::default() }
    }

    fn blocks(&self, range: &Range, reverse: bool, many: usize) -> Result<Vec<Row>, EngineError> {
        let kept = self.engine.page(range, reverse, many)?;
        kept.into_iter().map(|(begin, block)| Ok((begin, block::plain(block)?))).collect()
    }

    /// The block that a key is in, if it is there.
    fn block_of(&self, key: &[u8]) -> Result<Option<Block>, EngineError> {
        let up_to = Range { from: Vec::new(), until: [key, &[0]].concat() };
        self.engine.page(&up_to, true, 1)?.pop().map(Block::of).transpose()
    }

    /// The next blocks as the engine keeps them: mostly only where they begin is asked for.
    fn kept_behind(&self, key: &[u8], many: usize) -> Result<Vec<Row>, EngineError> {
        let range = Range { from: [key, &[0]].concat(), until: end() };
        self.engine.page(&range, false, many)
    }

    fn page_forward(&self, range: &Range, limit: usize) -> Result<Vec<Row>, EngineError> {
        let mut rows = Vec::with_capacity(limit.min(64));
        let first = self.block_of(&range.from)?.map(|block| (block.begin, block.plain));
        let mut blocks: Vec<Row> = first.into_iter().collect();
        let mut behind = Range { from: [range.from.as_slice(), &[0]].concat(), ..range.clone() };
        let mut many = FIRST_BLOCKS;
        loop {
            for (_, block) in &blocks {
                for row in block::rows(block) {
                    let (key, row) = row?;
                    if key >= &*range.until {
                        // What later blocks have is behind it as well.
                        return Ok(rows);
                    }
                    if key >= &*range.from {
                        rows.push((key.to_vec(), row.to_vec()));
                    }
                    if rows.len() == limit {
                        return Ok(rows);
                    }
                }
            }
            if behind.from >= behind.until {
                return Ok(rows);
            }
            blocks = self.blocks(&behind, false, many)?;
            let Some((last, _)) = blocks.last() else { return Ok(rows) };
            behind.leave_behind(last, false);
            many = (many * 2).min(MOST_BLOCKS);
        }
    }

    fn page_backward(&self, range: &Range, limit: usize) -> Result<Vec<Row>, EngineError> {
        let mut rows = Vec::with_capacity(limit.min(64));
        let mut before = Range { from: Vec::new(), until: range.until.clone() };
        let mut many = FIRST_BLOCKS;
        loop {
            let blocks = self.blocks(&before, true, many)?;
            let Some((last, _)) = blocks.last() else { return Ok(rows) };
            before.leave_behind(last, true);
            for (begin, block) in &blocks {
                let own = block::rows(block).collect::<Result<Vec<_>, _>>()?;
                for (key, row) in own.into_iter().rev() {
                    if key >= &*range.from && key < &*range.until {
                        rows.push((key.to_vec(), row.to_vec()));
                    }
                    if rows.len() == limit {
                        return Ok(rows);
                    }
                }
                if *begin <= range.from {
                    return Ok(rows);
                }
            }
            many = (many * 2).min(MOST_BLOCKS);
        }
    }

    /// The blocks that a change of this key changes.
    fn target(&self, key: &[u8]) -> Result<Target, EngineError> {
        let Some(block) = self.block_of(key)? else {
            let next = self.kept_behind(key, 1)?.pop();
            let rows = Rows::default();
            return Ok(Target { blocks: Vec::new(), rows, until: next.map(|(begin, _)| begin) });
        };
        let bytes = block.plain.len();
        let is_small = bytes < SMALL_BYTES;
        let mut next = self.kept_behind(&block.begin, 1 + usize::from(is_small))?.into_iter();
        let rows = Rows::of(&block.plain)?;
        let mut target = Target { rows, blocks: vec![block], until: None };
        let mut successor = next.next();
        if is_small && let Some(kept) = successor.take() {
            let block = Block::of(kept)?;
            if bytes + block.plain.len() <= MOST_BYTES {
                target.rows.append(Rows::of(&block.plain)?);
                target.blocks.push(block);
                successor = next.next();
            } else {
                target.until = Some(block.begin);
                return Ok(target);
            }
        }
        target.until = successor.map(|(begin, _)| begin);
        Ok(target)
    }
}

impl Engine for Packed {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, EngineError> {
        let _still = self.moving.read();
        let mut rows = Vec::with_capacity(keys.len());
        let (mut begin, mut walk) = (Vec::new(), Walk::default());
        // Where the block ends, once it is known.
        let mut until: Option<Vec<u8>> = None;
        for key in keys {
            if !walk.reaches(key)? && until.as_deref().is_none_or(|until| *key >= until) {
                // Behind the last row: in this block it is absent, unless another one begins before
                // it.
                match self.block_of(key)? {
                    Some(block) if block.begin != begin => {
                        (begin, walk, until) = (block.begin, Walk::over(block.plain), None);
                    }
                    _ => {
                        let next = self.kept_behind(key, 1)?.pop();
                        until = Some(next.map_or_else(end, |(next, _)| next));
                    }
                }
            }
            rows.push(walk.find(key)?);
        }
        Ok(rows)
    }

    fn page(&self, range: &Range, reverse: bool, limit: usize) -> Result<Vec<Row>, EngineError> {
        if range.from >= range.until || limit == 0 {
            return Ok(Vec::new());
        }
        let _still = self.moving.read();
        if reverse { self.page_backward(range, limit) } else { self.page_forward(range, limit) }
    }

    fn write(&self, mut changes: Vec<Change>) -> Result<usize, EngineError> {
        changes.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let mut changes = changes.into_iter().peekable();
        let (mut writes, mut bytes, mut written) = (Vec::new(), 0, 0);
        while let Some((first, _)) = changes.peek() {
            let target = self.target(first)?;
            let until = target.until.clone();
            let is_in = |change: &Change| until.as_ref().is_none_or(|until| change.0 < *until);
            let mut own = Vec::new();
            while let Some(change) = changes.next_if(is_in) {
                own.push(change);
            }
            for (write, counts) in target.change(own) {
                writes.push(write);
                bytes += counts;
            }
            if writes.len() >= AT_ONCE || (changes.peek().is_none() && !writes.is_empty()) {
                let (writes, bytes) = (std::mem::take(&mut writes), std::mem::take(&mut bytes));
                // No reader waits for the disk.
                self.engine.sync_before(bytes)?;
                let _moving = self.moving.write();
                written += self.engine.write_counted(writes, bytes)?;
            }
        }
        Ok(written)
    }

    fn sync(&self) -> Result<(), EngineError> {
        self.engine.sync()
    }

    fn close(self: Box<Self>) {
        self.engine.close();
    }
}

/// Above all keys: tags stop short of 0xFFFF.
fn end() -> Vec<u8> {
    vec![0xFF, 0xFF]
}
