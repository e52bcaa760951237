//! Writing a run: entries in order go in, pages and blocks come out, in constant memory.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Run, RunRow, Top};
use crate::folder;
use crate::index::block::Draft;
use crate::index::entry::{Entry, Key};
use crate::index::fault::Fault;
use crate::index::filter::{self, Shape};
use crate::index::filters::Filters;
use crate::index::page;
use crate::open_files::patiently;

/// Pages of a block, whose filters are then about 54 KB.
const BLOCK_PAGES: usize = 128;
/// Bytes that are handed to the operating system and synced together: much at once would hold up
/// the commits beside it.
const CHUNK_BYTES: usize = 256 * 1024;

pub(in crate::index) struct Writer {
    id: u64,
    path: PathBuf,
    file: File,
    shape: Shape,
    page: Vec<Entry>,
    draft: Draft,
    /// Where the first page of the block begins, and its first key.
    group: Option<(u64, Key)>,
    tops: Vec<Top>,
    out: Vec<u8>,
    written: u64,
    entries: u64,
}

impl Writer {
    /// Begins the file of a run, in place of what a crash has left under its name.
    pub(in crate::index) fn create(folder: &Path, id: u64, page: usize) -> Result<Self, Fault> {
        let path = super::path(folder, id);
        let mut options = folder::for_the_owner();
        options.read(true).write(true).create(true).truncate(true);
        let file = patiently(|| options.open(&path))?;
        Ok(Self {
            id,
            path,
            file,
            shape: Shape::new(page),
            page: Vec::with_capacity(page),
            draft: Draft::default(),
            group: None,
            tops: Vec::new(),
            out: Vec::with_capacity(CHUNK_BYTES + CHUNK_BYTES / 4),
            written: 0,
            entries: 0,
        })
    }

    /// Adds an entry, which stands above all that were added.
    pub(in crate::index) fn push(&mut self, entry: Entry) -> Result<(), Fault> {
        self.page.push(entry);
        self.entries += 1;
        if self.page.len() == self.shape.page {
            self.end_page()?;
        }
        Ok(())
    }

    /// Ends the file and makes it durable, with its name. `until` is kept in its row.
    pub(in crate::index) fn finish(
        mut self,
        until: u64,
        filters: &Arc<Filters>,
    ) -> Result<Run, Fault> {
        self.end_page()?;
        self.end_block();
        let mut tail = Vec::new();
        self.tops.iter().for_each(|top| top.write(&mut tail));
        tail.extend_from_slice(&(self.tops.len() as u32).to_le_bytes());
        tail.extend_from_slice(&(self.shape.page as u32).to_le_bytes());
        let crc = crc32fast::hash(&tail);
        tail.extend_from_slice(&crc.to_le_bytes());
        self.out.append(&mut tail);
        self.hand_over()?;
        self.file.sync_all()?;
        if let Some(folder) = self.path.parent() {
            folder::sync(folder)?;
        }
        let row = RunRow { bytes: self.written, entries: self.entries, until };
        Ok(Run::new(self.id, row, self.file, self.shape, self.tops, filters))
    }

    pub(in crate::index) fn abandon(self) {
        // What stays is removed when the store is opened next.
        let _ = fs::remove_file(self.path);
    }

    fn place(&self) -> u64 {
        self.written + self.out.len() as u64
    }

    fn end_page(&mut self) -> Result<(), Fault> {
        let Some(first) = self.page.first() else { return Ok(()) };
        let place = self.place();
        let (start, _) = *self.group.get_or_insert((place, *first.key()));
        let probes: Vec<u64> = self.page.iter().map(|entry| filter::probe(entry.key())).collect();
        self.draft.add(self.shape, first.key(), (place - start) as u32, &probes);
        page::write(&self.page, &mut self.out);
        self.page.clear();
        if self.draft.pages() == BLOCK_PAGES {
            self.end_block();
        }
        if self.out.len() >= CHUNK_BYTES {
            self.hand_over()?;
        }
        Ok(())
    }

    fn end_block(&mut self) {
        let Some((pages, first)) = self.group.take() else { return };
        let block = self.place();
        let before = self.out.len();
        self.draft.finish((block - pages) as u32, &mut self.out);
        let bytes = (self.out.len() - before) as u32;
        self.tops.push(Top { first, block, bytes, pages });
    }

    fn hand_over(&mut self) -> Result<(), Fault> {
        self.file.write_all(&self.out)?;
        self.written += self.out.len() as u64;
        self.out.clear();
        self.file.sync_data()?;
        Ok(())
    }
}
