//! Runs: claims in order, in a file that is written once.
//!
//! A file consists of groups of pages, each followed by its block; then, for each block, its
//! first key, its place, its length and the place of its first page; and at the end the
//! trailer. A file counts from the moment its row is committed, which is after it is durable.

mod read;
mod write;

pub(super) use read::Reader;
pub(super) use write::Writer;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use minicbor::{Decode, Encode};

use super::Taken;
use super::block::Block;
use super::entry::{KEY_BYTES, Key, Wanted};
use super::fault::Fault;
use super::filter::Shape;
use super::filters::{Filters, Part, Slot};
use super::page::Page;
use crate::record::CborRecord;

const ENDING: &str = "run";
/// First key, place of the block and its length, place of its first page.
const TOP_BYTES: usize = KEY_BYTES + 8 + 4 + 8;
/// Number of the blocks, keys of a page at most, the checksum of the tops and of these.
const TRAILER_BYTES: usize = 4 + 4 + 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub(super) struct RunRow {
    #[n(0)]
    pub(super) bytes: u64,
    #[n(1)]
    pub(super) entries: u64,
    /// The log rows below this one that are not in older runs are in this one.
    #[n(2)]
    pub(super) until: u64,
}

impl CborRecord for RunRow {}

#[derive(Debug)]
pub(super) struct Run {
    pub(super) id: u64,
    pub(super) row: RunRow,
    file: File,
    shape: Shape,
    tops: Vec<Top>,
    slots: Vec<Slot>,
    filters: Arc<Filters>,
}

#[derive(Clone, Copy, Debug)]
struct Top {
    first: Key,
    block: u64,
    bytes: u32,
    pages: u64,
}

impl Run {
    pub(super) fn open(
        folder: &Path,
        id: u64,
        row: RunRow,
        filters: &Arc<Filters>,
    ) -> Result<Self, Fault> {
        let file = File::open(path(folder, id))?;
        let damaged = |at| Fault::Damaged { run: id, at };
        if file.metadata()?.len() != row.bytes {
            return Err(damaged(row.bytes));
        }
        let end = read_end(&file, row.bytes)?;
        let (tops, shape) = end.map_err(damaged)?;
        Ok(Self::new(id, row, file, shape, tops, filters))
    }

    fn new(
        id: u64,
        row: RunRow,
        file: File,
        shape: Shape,
        tops: Vec<Top>,
        filters: &Arc<Filters>,
    ) -> Self {
        let slots = tops.iter().map(|_| Slot::default()).collect();
        Self { id, row, file, shape, tops, slots, filters: filters.clone() }
    }

    /// Fills in what keys were claimed for; they are in order. `now` is the time of the search.
    pub(super) fn search(
        &self,
        mut wanted: &[Wanted],
        now: u32,
        found: &mut [Option<Taken>],
    ) -> Result<(), Fault> {
        let mut candidates = Vec::new();
        let mut index = 0;
        while let Some(first) = wanted.first() {
            let rest = &self.tops[index..];
            let behind = index + rest.partition_point(|top| top.first <= first.key);
            // Keys up to here are on pages of the block before.
            let until = self.tops.get(behind).map_or(wanted.len(), |top| {
                wanted.iter().take_while(|wanted| wanted.key < top.first).count()
            });
            let here;
            (here, wanted) = wanted.split_at(until);
            let Some(block) = behind.checked_sub(1) else { continue };
            index = block;
            self.filters.with(
                &self.slots[block],
                (now, here.len(), self.tops[block].bytes),
                |part| self.block(block, part),
                |filters| {
                    filters.pages_of(here, |wanted, page| {
                        let (place, bytes) = filters.span(page);
                        candidates.push((wanted, self.tops[block].pages + place, bytes));
                    });
                },
            )?;
        }
        for together in candidates.chunk_by(|(_, one, _), (_, other, _)| one == other) {
            let (_, at, bytes) = together[0];
            self.page(at, bytes, |page| {
                for (wanted, ..) in together {
                    found[wanted.at] = page.find(&wanted.key).or(found[wanted.at]);
                }
            })?;
        }
        Ok(())
    }

    /// Removes its file, which those who read it keep until they are done.
    pub(super) fn remove_file(&self, folder: &Path) {
        if let Err(error) = fs::remove_file(path(folder, self.id)) {
            tracing::warn!(%error, run = self.id, "the file of a merged run stays until the next start");
        }
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    fn block(&self, index: usize, part: Part) -> Result<Block, Fault> {
        let top = &self.tops[index];
        let damaged = || Fault::Damaged { run: self.id, at: top.block };
        let whole = top.bytes as usize;
        let fences = Block::fence_bytes(whole, self.shape).ok_or_else(damaged)?;
        let mut bytes = vec![0; if part == Part::Whole { whole } else { fences }];
        self.file.read_exact_at(&mut bytes, top.block)?;
        Block::open(bytes, fences, self.shape).ok_or_else(damaged)
    }

    fn page<T>(&self, at: u64, bytes: usize, work: impl FnOnce(Page<'_>) -> T) -> Result<T, Fault> {
        let mut buffer = vec![0; bytes];
        self.file.read_exact_at(&mut buffer, at)?;
        Page::open(&buffer).map(work).ok_or(Fault::Damaged { run: self.id, at })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.slots.iter().for_each(|slot| self.filters.forget(slot));
    }
}

impl Top {
    fn read(bytes: &[u8]) -> Self {
        let (first, rest) = bytes.split_at(KEY_BYTES);
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(first);
        let wide =
            |from: usize| rest[from..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let narrow = rest[8..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        Self { first: key, block: wide(0), bytes: narrow, pages: wide(12) }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.first);
        out.extend_from_slice(&self.block.to_le_bytes());
        out.extend_from_slice(&self.bytes.to_le_bytes());
        out.extend_from_slice(&self.pages.to_le_bytes());
    }
}

/// Whether this is a file of a run whose end was never written.
pub(super) fn is_cut_short(path: &Path) -> io::Result<bool> {
    let found = fs::metadata(path)?;
    if !found.is_file() || path.extension().is_none_or(|ending| ending != ENDING) {
        return Ok(false);
    }
    Ok(read_end(&File::open(path)?, found.len())?.is_err())
}

/// The tops of a file of so many bytes; the place of the damage when its end is not whole.
fn read_end(file: &File, bytes: u64) -> io::Result<Result<(Vec<Top>, Shape), u64>> {
    let Some(at) = bytes.checked_sub(TRAILER_BYTES as u64) else { return Ok(Err(0)) };
    let mut trailer = [0; TRAILER_BYTES];
    file.read_exact_at(&mut trailer, at)?;
    let number =
        |from: usize| trailer[from..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let (blocks, page) = (number(0) as usize, number(4) as usize);
    let Some(tops_at) = at.checked_sub((blocks * TOP_BYTES) as u64) else { return Ok(Err(at)) };
    let mut tops = vec![0; blocks * TOP_BYTES];
    file.read_exact_at(&mut tops, tops_at)?;
    let mut crc = crc32fast::Hasher::new();
    crc.update(&tops);
    crc.update(&trailer[..8]);
    if crc.finalize() != number(8) {
        return Ok(Err(tops_at));
    }
    Ok(Ok((tops.chunks_exact(TOP_BYTES).map(Top::read).collect(), Shape::new(page))))
}

pub(super) fn path(folder: &Path, id: u64) -> PathBuf {
    folder.join(format!("{id:016x}.{ENDING}"))
}
