//! Blocks: the first key and the place of each of a few neighbouring pages, and their filters.
//!
//! A block stands in the file of its run right behind its pages. It has two parts, so that one
//! can be read alone: the fences, `crc32 of the rest of them: u32`, `pages: u32`, for each page
//! its first key and `its place behind the first page: u32`, and the place behind the last page;
//! then `crc32 of the filters: u32` and the filters. Numbers are little endian.

use super::entry::{KEY_BYTES, Key, Wanted, place_of, prefix_of};
use super::filter::{self, Shape};

const CRC_BYTES: usize = 4;
const HEAD_BYTES: usize = CRC_BYTES + 4;
const FENCE_BYTES: usize = KEY_BYTES + 4;
/// Keys whose filters are fetched together.
const TOGETHER: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Draft {
    fences: Vec<u8>,
    filters: Vec<u8>,
    pages: u32,
}

impl Draft {
    pub(super) fn pages(&self) -> usize {
        self.pages as usize
    }

    pub(super) fn add(&mut self, shape: Shape, first: &Key, place: u32, probes: &[u64]) {
        self.fences.extend_from_slice(first);
        self.fences.extend_from_slice(&place.to_le_bytes());
        filter::write(shape, probes, &mut self.filters);
        self.pages += 1;
    }

    /// Appends the block, and begins a new one. `end` is the place behind the last page.
    pub(super) fn finish(&mut self, end: u32, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&self.pages.to_le_bytes());
        out.append(&mut self.fences);
        out.extend_from_slice(&end.to_le_bytes());
        let crc = crc32fast::hash(&out[start + CRC_BYTES..]);
        out[start..start + CRC_BYTES].copy_from_slice(&crc.to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(&self.filters).to_le_bytes());
        out.append(&mut self.filters);
        self.pages = 0;
    }
}

#[derive(Debug)]
pub(super) struct Block {
    fences: Box<[u8]>,
    /// Absent when only the fences were read: then each page may hold what belongs there.
    filters: Option<Box<[u8]>>,
    pages: usize,
    shape: Shape,
    guide: Option<Guide>,
}

/// Where the pages begin, of a block that begins and ends in one place: fingerprints are spread
/// evenly, so that arithmetic nearly finds the page.
#[derive(Debug)]
struct Guide {
    prefixes: Box<[u64]>,
    /// Pages for each unit of the prefix, in parts of 2^64.
    density: u64,
}

impl Block {
    /// How many of a block's bytes are its fences; `None` when no block has so many bytes.
    pub(super) fn fence_bytes(bytes: usize, shape: Shape) -> Option<usize> {
        let of_pages = bytes.checked_sub(HEAD_BYTES + 4 + CRC_BYTES)?;
        let pages = of_pages / (FENCE_BYTES + shape.bytes);
        let whole = pages > 0 && of_pages % (FENCE_BYTES + shape.bytes) == 0;
        whole.then_some(HEAD_BYTES + 4 + pages * FENCE_BYTES)
    }

    /// A block of its fences, which the filters may follow. `None` when the bytes are not what
    /// was written.
    pub(super) fn open(mut bytes: Vec<u8>, fences: usize, shape: Shape) -> Option<Self> {
        let filters = (bytes.len() > fences).then(|| bytes.split_off(fences));
        let (crc, rest) = bytes.split_first_chunk()?;
        let pages = u32::from_le_bytes(*rest.first_chunk()?) as usize;
        let whole = crc32fast::hash(rest) == u32::from_le_bytes(*crc)
            && pages > 0
            && bytes.len() == HEAD_BYTES + 4 + pages * FENCE_BYTES;
        if !whole {
            return None;
        }
        let filters = match filters {
            None => None,
            Some(filters) => Some(open_filters(filters, pages * shape.bytes)?),
        };
        let mut block =
            Self { fences: bytes.into_boxed_slice(), filters, pages, shape, guide: None };
        block.guide = Guide::new(&block);
        Some(block)
    }

    /// Forgets the filters; the fences stay.
    pub(super) fn forget_filters(&mut self) -> bool {
        self.filters = None;
        true
    }

    pub(super) fn has_filters(&self) -> bool {
        self.filters.is_some()
    }

    pub(super) fn pages(&self) -> usize {
        self.pages
    }

    pub(super) fn bytes(&self) -> usize {
        let guide = self.guide.as_ref().map_or(0, |guide| size_of_val(&*guide.prefixes));
        self.fences.len() + self.filters.as_ref().map_or(0, |filters| filters.len()) + guide
    }

    /// Which of the keys may be on which page. The keys are in order, and none of them stands
    /// below the first page.
    pub(super) fn pages_of<'w>(
        &self,
        wanted: &'w [Wanted],
        mut may: impl FnMut(&'w Wanted, usize),
    ) {
        let Some(filters) = &self.filters else {
            return wanted.iter().for_each(|wanted| may(wanted, self.page_of(&wanted.key)));
        };
        let filter = |page: usize| &filters[page * self.shape.bytes..][..self.shape.bytes];
        let mut pages = [0; TOGETHER];
        for wanted in wanted.chunks(TOGETHER) {
            let mut touched = 0;
            for (page, wanted) in pages.iter_mut().zip(wanted) {
                *page = self.page_of(&wanted.key);
                // The filters are asked for all together, before the first is looked into.
                touched ^= filter::touch(self.shape, filter(*page), wanted.probe);
            }
            std::hint::black_box(touched);
            for (page, wanted) in pages.iter().zip(wanted) {
                if filter::may_hold(self.shape, filter(*page), wanted.probe) {
                    may(wanted, *page);
                }
            }
        }
    }

    /// Where a page begins and how long it is, counted from the first page of the block.
    pub(super) fn span(&self, page: usize) -> (u64, usize) {
        let place = |page| {
            // Behind the last fence the place of the end stands where a page's key would begin.
            let at = if page < self.pages { KEY_BYTES } else { 0 };
            let bytes = self.fences[HEAD_BYTES + page * FENCE_BYTES + at..].first_chunk();
            bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
        };
        let (from, until) = (place(page), place(page + 1));
        (u64::from(from), until.saturating_sub(from) as usize)
    }

    /// The only page that may hold a key.
    fn page_of(&self, key: &Key) -> usize {
        if let Some(guide) = &self.guide
            && place_of(key) == place_of(self.first(0))
            && let Some(page) = guide.page_of(prefix_of(key))
        {
            return page;
        }
        let (mut low, mut high) = (0, self.pages);
        while low < high {
            let middle = low.midpoint(high);
            if self.first(middle) <= key { low = middle + 1 } else { high = middle }
        }
        low.saturating_sub(1)
    }

    fn first(&self, page: usize) -> &Key {
        let Some(key) = self.fences[HEAD_BYTES + page * FENCE_BYTES..].first_chunk() else {
            unreachable!("the length was looked at when the block was opened")
        };
        key
    }
}

fn open_filters(mut bytes: Vec<u8>, expected: usize) -> Option<Box<[u8]>> {
    let crc = u32::from_le_bytes(*bytes.first_chunk()?);
    let filters = bytes.split_off(CRC_BYTES);
    (filters.len() == expected && crc32fast::hash(&filters) == crc)
        .then(|| filters.into_boxed_slice())
}

impl Guide {
    fn new(block: &Block) -> Option<Self> {
        let last = block.pages - 1;
        if place_of(block.first(0)) != place_of(block.first(last)) {
            return None;
        }
        let prefixes: Box<[u64]> =
            (0..block.pages).map(|page| prefix_of(block.first(page))).collect();
        let width = u128::from(prefixes[last] - prefixes[0]) + 1;
        let density = u64::try_from(((last as u128) << 64) / width).unwrap_or(u64::MAX);
        Some(Self { prefixes, density })
    }

    /// The page for a key of the block's place; `None` when its whole fingerprint decides.
    fn page_of(&self, prefix: u64) -> Option<usize> {
        let distance = prefix.checked_sub(self.prefixes[0])?;
        let guess = ((u128::from(distance) * u128::from(self.density)) >> 64) as usize;
        let mut page = guess.min(self.prefixes.len() - 1);
        while self.prefixes[page] > prefix {
            page -= 1;
        }
        while let Some(next) = self.prefixes.get(page + 1)
            && *next <= prefix
        {
            page += 1;
        }
        (self.prefixes[page] != prefix).then_some(page)
    }
}
