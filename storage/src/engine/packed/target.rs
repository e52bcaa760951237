//! Blocks that are changed together, and what becomes of them.

use super::block::{self, Rows};
use super::{MOST_BYTES, SPLIT_BYTES};
use crate::engine::{Change, EngineError, Row, counted};

/// A block as it is there.
pub(super) struct Block {
    pub(super) begin: Vec<u8>,
    pub(super) plain: Vec<u8>,
    /// What it takes in the engine, with its key.
    bytes: usize,
}

impl Block {
    pub(super) fn of((begin, kept): Row) -> Result<Self, EngineError> {
        let bytes = begin.len() + kept.len();
        Ok(Self { begin, plain: block::plain(kept)?, bytes })
    }
}

pub(super) struct Target {
    pub(super) blocks: Vec<Block>,
    pub(super) rows: Rows,
    /// Where the next block begins.
    pub(super) until: Option<Vec<u8>>,
}

impl Target {
    /// What the engine is to write, given the changes of this target's keys in order, each with
    /// what it [counts](counted) for.
    pub(super) fn change(self, changes: Vec<Change>) -> Vec<(Change, usize)> {
        let Self { blocks, rows, .. } = self;
        let last = rows.last_key().map(<[u8]>::to_vec);
        let appends = changes.first().is_some_and(|(key, _)| last.is_none_or(|last| *key > last));
        let Some(rows) = rows.merge(changes) else { return Vec::new() };
        let begin = blocks.first().map(|block| block.begin.clone());
        let parts = rows.split(if appends { MOST_BYTES } else { SPLIT_BYTES }, MOST_BYTES);
        let mut made: Vec<Row> = Vec::with_capacity(parts.len());
        for part in parts {
            let first = part.first_key().unwrap_or_default().to_vec();
            let begin = if made.is_empty() { begin.clone().unwrap_or(first) } else { first };
            made.push((begin, part.to_bytes()));
        }
        let mut writes = Vec::with_capacity(made.len() + blocks.len());
        let mut write = |change: Change, before: Option<&Block>| {
            let bytes = counted(&change, before.map_or(0, |before| before.bytes));
            writes.push((change, bytes));
        };
        for block in &blocks {
            if !made.iter().any(|(kept, _)| *kept == block.begin) {
                write((block.begin.clone(), None), Some(block));
            }
        }
        for (begin, made) in made {
            let before = blocks.iter().find(|block| block.begin == begin);
            if before.is_none_or(|before| before.plain != made) {
                write((begin, Some(block::compressed(made))), before);
            }
        }
        writes
    }
}
