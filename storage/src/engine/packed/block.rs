//! The rows of a block: each `key bytes: u16`, `row bytes: u32`, key and row, in the order of the
//! keys. Numbers are little endian.
//!
//! In the engine a block is compressed where that makes it smaller: `0xFFFF`, which no key is long,
//! `block bytes: u32`, and the block by LZ4. Blocks of earlier programs stand as they are.

use crate::engine::{Change, EngineError, Row};

const HEAD_BYTES: usize = 6;

const COMPRESSED: [u8; 2] = [0xFF; 2];
/// More than any block has: a row alone may be 64 KiB with a key of 4 KiB.
const LONGEST: usize = 1024 * 1024;

/// A block as the engine keeps it.
pub(super) fn compressed(block: Vec<u8>) -> Vec<u8> {
    let packed = lz4_flex::compress_prepend_size(&block);
    if COMPRESSED.len() + packed.len() < block.len() {
        [&COMPRESSED[..], &packed].concat()
    } else {
        block
    }
}

/// A block from what the engine has kept.
pub(super) fn plain(kept: Vec<u8>) -> Result<Vec<u8>, EngineError> {
    let Some(packed) = kept.strip_prefix(&COMPRESSED) else { return Ok(kept) };
    lz4_flex::block::uncompressed_size(packed)
        .ok()
        .filter(|(bytes, _)| *bytes <= LONGEST)
        .and_then(|(bytes, packed)| lz4_flex::decompress(packed, bytes).ok())
        .ok_or_else(damaged)
}

fn damaged() -> EngineError {
    EngineError::Broken("a block of rows is damaged".to_owned())
}

#[derive(Debug, Default)]
pub(super) struct Rows(Vec<Row>);

pub(super) fn bytes_of((key, row): &Row) -> usize {
    HEAD_BYTES + key.len() + row.len()
}

/// Goes over a block once, for keys that come in order.
#[derive(Default)]
pub(super) struct Walk {
    block: Vec<u8>,
    /// Where the rows begin that no key was behind yet.
    at: usize,
}

impl Walk {
    pub(super) fn over(block: Vec<u8>) -> Self {
        Self { block, at: 0 }
    }

    /// Whether the block has a row at this key or behind it; goes as far as that.
    pub(super) fn reaches(&mut self, key: &[u8]) -> Result<bool, EngineError> {
        let mut rest = &self.block[self.at..];
        while let Some((own, _, behind)) = next(rest)? {
            if own >= key {
                self.at = self.block.len() - rest.len();
                return Ok(true);
            }
            rest = behind;
        }
        self.at = self.block.len();
        Ok(false)
    }

    pub(super) fn find(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        if !self.reaches(key)? {
            return Ok(None);
        }
        let first = next(&self.block[self.at..])?;
        Ok(first.filter(|(own, _, _)| *own == key).map(|(_, row, _)| row.to_vec()))
    }
}

/// The keys and rows of a block, in order.
pub(super) fn rows(block: &[u8]) -> impl Iterator<Item = Result<(&[u8], &[u8]), EngineError>> {
    let mut rest = block;
    std::iter::from_fn(move || {
        let first = next(rest);
        rest = first.as_ref().ok().and_then(Option::as_ref).map_or(&[], |(_, _, behind)| behind);
        first.map(|first| first.map(|(key, row, _)| (key, row))).transpose()
    })
}

type Parts<'b> = (&'b [u8], &'b [u8], &'b [u8]);

/// The first key and row of the rest of a block, and what is behind them.
fn next(rest: &[u8]) -> Result<Option<Parts<'_>>, EngineError> {
    if rest.is_empty() {
        return Ok(None);
    }
    let parts = rest.split_first_chunk().and_then(|(key_bytes, behind)| {
        let (row_bytes, behind) = behind.split_first_chunk()?;
        let (key, behind) = behind.split_at_checked(usize::from(u16::from_le_bytes(*key_bytes)))?;
        let (row, behind) = behind.split_at_checked(u32::from_le_bytes(*row_bytes) as usize)?;
        Some((key, row, behind))
    });
    parts.map(Some).ok_or_else(damaged)
}

impl Rows {
    pub(super) fn of(block: &[u8]) -> Result<Self, EngineError> {
        let owned = rows(block).map(|row| row.map(|(key, row)| (key.to_vec(), row.to_vec())));
        owned.collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.iter().map(bytes_of).sum());
        for (key, row) in &self.0 {
            // Keys are at most 4 KiB and rows at most 64 KiB: batches refuse what is longer.
            bytes.extend_from_slice(&(key.len() as u16).to_le_bytes());
            bytes.extend_from_slice(&(row.len() as u32).to_le_bytes());
            bytes.extend_from_slice(key);
            bytes.extend_from_slice(row);
        }
        bytes
    }

    pub(super) fn append(&mut self, mut behind: Self) {
        self.0.append(&mut behind.0);
    }

    pub(super) fn first_key(&self) -> Option<&[u8]> {
        self.0.first().map(|(key, _)| key.as_slice())
    }

    pub(super) fn last_key(&self) -> Option<&[u8]> {
        self.0.last().map(|(key, _)| key.as_slice())
    }

    /// The rows with these changes, which come in order; `None` where they change nothing.
    pub(super) fn merge(self, changes: Vec<Change>) -> Option<Self> {
        let mut rows = Vec::with_capacity(self.0.len() + changes.len());
        let mut old = self.0.into_iter().peekable();
        let mut changed = false;
        for (key, row) in changes {
            while let Some(before) = old.next_if(|(before, _)| *before < key) {
                rows.push(before);
            }
            let replaced = old.next_if(|(before, _)| *before == key);
            changed |= replaced.is_some() || row.is_some();
            rows.extend(row.map(|row| (key, row)));
        }
        rows.extend(old);
        changed.then_some(Self(rows))
    }

    /// The rows in parts of about `part` bytes, if they are more than `most`, which no part is
    /// unless it is one row.
    pub(super) fn split(self, part: usize, most: usize) -> Vec<Self> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let total: usize = self.0.iter().map(bytes_of).sum();
        if total <= most {
            return vec![self];
        }
        let part = if part < most { total.div_ceil(total.div_ceil(part)) } else { most };
        let (mut parts, mut bytes) = (vec![Self::default()], 0);
        for row in self.0 {
            let own = bytes_of(&row);
            if bytes > 0 && bytes + own > part {
                parts.push(Self::default());
                bytes = 0;
            }
            bytes += own;
            if let Some(last) = parts.last_mut() {
                last.0.push(row);
            }
        }
        parts
    }
}
