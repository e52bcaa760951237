//! Reading a run from its first entry to its last, a page at a time.

use std::sync::Arc;

use super::Run;
use crate::index::block::Block;
use crate::index::entry::Entry;
use crate::index::fault::Fault;
use crate::index::filters::Part;

pub(in crate::index) struct Reader {
    run: Arc<Run>,
    /// The block whose pages are read, and the next of them.
    block: Option<(Block, usize)>,
    next_block: usize,
    page: std::vec::IntoIter<Entry>,
}

impl Reader {
    pub(in crate::index) fn new(run: Arc<Run>) -> Self {
        Self { run, block: None, next_block: 0, page: Vec::new().into_iter() }
    }

    pub(in crate::index) fn next(&mut self) -> Result<Option<Entry>, Fault> {
        loop {
            if let Some(entry) = self.page.next() {
                return Ok(Some(entry));
            }
            if !self.turn()? {
                return Ok(None);
            }
        }
    }

    fn turn(&mut self) -> Result<bool, Fault> {
        let ended = self.block.as_ref().is_none_or(|(block, page)| *page == block.pages());
        if ended {
            if self.next_block == self.run.tops.len() {
                return Ok(false);
            }
            self.block = Some((self.run.block(self.next_block, Part::Fences)?, 0));
            self.next_block += 1;
        }
        if let Some((block, page)) = &mut self.block {
            let (place, bytes) = block.span(*page);
            let at = self.run.tops[self.next_block - 1].pages + place;
            let entries = self.run.page(at, bytes, |page| page.entries().collect::<Vec<_>>())?;
            self.page = entries.into_iter();
            *page += 1;
        }
        Ok(true)
    }
}
