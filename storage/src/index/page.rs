//! Pages: entries in order, without the bytes that all of them have in common.
//!
//! A page is `crc32 of the rest: u32`, `entries: u16`, `columns that differ: u48`, the bytes of
//! the other columns, and for each entry its bytes of the columns that differ; numbers are
//! little endian. Of a page whose keys are of one scope, scope, tag and the leading bytes of
//! the fingerprints are written once, and so are the leading zeros of what they were claimed
//! for.

use super::Taken;
use super::entry::{ENTRY_BYTES, Entry, KEY_BYTES, Key};

/// Appends a page of these entries; at least one, at most 65,535.
pub(super) fn write(entries: &[Entry], out: &mut Vec<u8>) {
    let Some(first) = entries.first() else { return };
    let mut differs = [0; ENTRY_BYTES];
    for entry in entries {
        for (column, differ) in differs.iter_mut().enumerate() {
            *differ |= entry.0[column] ^ first.0[column];
        }
    }
    let mask = (0..ENTRY_BYTES).filter(|&c| differs[c] != 0).fold(0_u64, |mask, c| mask | 1 << c);
    let columns = Columns::new(mask);

    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&(entries.len() as u16).to_le_bytes());
    out.extend_from_slice(&mask.to_le_bytes()[..6]);
    out.extend((0..ENTRY_BYTES).filter(|&c| mask >> c & 1 == 0).map(|c| first.0[c]));
    for entry in entries {
        for &(from, until) in columns.spans() {
            out.extend_from_slice(&entry.0[usize::from(from)..usize::from(until)]);
        }
    }
    let crc = crc32fast::hash(&out[start + 4..]);
    out[start..start + 4].copy_from_slice(&crc.to_le_bytes());
}

pub(super) struct Page<'a> {
    columns: Columns,
    /// An entry with the bytes that all have in common; the others are 0.
    common: Entry,
    rows: &'a [u8],
}

impl<'a> Page<'a> {
    /// `None` when the bytes are not what was written.
    pub(super) fn open(bytes: &'a [u8]) -> Option<Self> {
        let (crc, rest) = bytes.split_first_chunk()?;
        if crc32fast::hash(rest) != u32::from_le_bytes(*crc) {
            return None;
        }
        let (count, rest) = rest.split_first_chunk()?;
        let (mask, rest) = rest.split_first_chunk::<6>()?;
        let mut wide = [0; 8];
        wide[..6].copy_from_slice(mask);
        let mask = u64::from_le_bytes(wide);
        let columns = Columns::new(mask);
        let mut common = Entry([0; ENTRY_BYTES]);
        let (shared, rows) = rest.split_at_checked(ENTRY_BYTES - columns.width)?;
        let same = (0..ENTRY_BYTES).filter(|&c| mask >> c & 1 == 0);
        for (column, byte) in same.zip(shared) {
            common.0[column] = *byte;
        }
        let whole = rows.len() == usize::from(u16::from_le_bytes(*count)) * columns.width;
        // A page of one entry has no columns that differ.
        whole.then_some(Self { columns, common, rows })
    }

    pub(super) fn find(&self, key: &Key) -> Option<Taken> {
        let mut narrow = [0; KEY_BYTES];
        let mut width = 0;
        let mut at = 0;
        for &(from, until) in self.columns.spans() {
            let (from, until) = (usize::from(from), usize::from(until).min(KEY_BYTES));
            if from >= KEY_BYTES {
                break;
            }
            if key[at..from] != self.common.0[at..from] {
                return None;
            }
            narrow[width..width + until - from].copy_from_slice(&key[from..until]);
            width += until - from;
            at = until;
        }
        if key[at..] != self.common.0[at..KEY_BYTES] {
            return None;
        }
        let narrow = &narrow[..width];
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if &self.row(middle)[..width] < narrow { low = middle + 1 } else { high = middle }
        }
        let there = low < self.len() && &self.row(low)[..width] == narrow;
        there.then(|| self.entry(low).taken())
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        (0..self.len()).map(|index| self.entry(index))
    }

    fn len(&self) -> usize {
        self.rows.len().checked_div(self.columns.width).unwrap_or(1)
    }

    fn row(&self, index: usize) -> &[u8] {
        let width = self.columns.width;
        &self.rows[index * width..][..width]
    }

    fn entry(&self, index: usize) -> Entry {
        let mut entry = self.common;
        let mut row = self.row(index);
        for &(from, until) in self.columns.spans() {
            let (part, rest) = row.split_at(usize::from(until - from));
            entry.0[usize::from(from)..usize::from(until)].copy_from_slice(part);
            row = rest;
        }
        entry
    }
}

struct Columns {
    spans: [(u8, u8); ENTRY_BYTES / 2 + 1],
    count: usize,
    width: usize,
}

impl Columns {
    fn new(mask: u64) -> Self {
        let mut columns = Self { spans: [(0, 0); ENTRY_BYTES / 2 + 1], count: 0, width: 0 };
        for column in (0..ENTRY_BYTES as u8).filter(|c| mask >> c & 1 == 1) {
            columns.width += 1;
            match columns.spans[..columns.count].last_mut() {
                Some((_, until)) if *until == column => *until += 1,
                _ => {
                    columns.spans[columns.count] = (column, column + 1);
                    columns.count += 1;
                }
            }
        }
        columns
    }

    fn spans(&self) -> &[(u8, u8)] {
        &self.spans[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Fingerprint;
    use crate::index::entry::Place;

    fn entries(count: u8, mask: u64) -> Vec<Entry> {
        let mut entries: Vec<Entry> = (0..count)
            .map(|n| {
                let mut entry = Entry([9; ENTRY_BYTES]);
                for column in (0..ENTRY_BYTES).filter(|c| mask >> c & 1 == 1) {
                    entry.0[column] = n.wrapping_mul(37).wrapping_add(column as u8);
                }
                entry
            })
            .collect();
        entries.sort_by_key(|entry| *entry.key());
        entries.dedup_by_key(|entry| *entry.key());
        entries
    }

    #[test]
    fn a_page_gives_back_what_was_written_whichever_columns_differ() {
        let masks = (0..ENTRY_BYTES as u64).map(|column| 1 << column);
        for mask in masks.chain([0, u64::MAX >> 22, 0x2AA_AAAA_AAAA, 0x155_5555_5555]) {
            for count in [1, 2, 200] {
                let written = entries(count, mask);
                let mut bytes = Vec::new();
                write(&written, &mut bytes);
                let page = Page::open(&bytes).unwrap();
                assert_eq!(page.entries().collect::<Vec<_>>(), written);
                for entry in &written {
                    assert_eq!(page.find(entry.key()), Some(entry.taken()));
                    for column in 0..KEY_BYTES {
                        let mut other = *entry.key();
                        other[column] ^= 0x81;
                        let there = written.iter().find(|entry| *entry.key() == other);
                        assert_eq!(page.find(&other), there.map(Entry::taken));
                    }
                }
            }
        }
    }

    #[test]
    fn common_bytes_are_written_once() {
        let place = Place { tag: 1, scope: 7 };
        let entry = |n: u8| {
            let mut fingerprint = [n; 16];
            fingerprint[..2].copy_from_slice(&[1, 2]);
            Entry::new(place, Fingerprint(fingerprint), &u128::from(n).to_be_bytes())
        };
        let mut bytes = Vec::new();
        write(&(0..200).map(entry).collect::<Vec<_>>(), &mut bytes);
        assert_eq!(bytes.len(), 4 + 2 + 6 + 27 + 200 * 15);
    }

    #[test]
    fn a_damaged_page_is_known() {
        let mut bytes = Vec::new();
        write(&entries(20, u64::MAX >> 22), &mut bytes);
        for at in 0..bytes.len() {
            bytes[at] ^= 1;
            assert!(Page::open(&bytes).is_none(), "byte {at}");
            bytes[at] ^= 1;
        }
        for end in 0..bytes.len() {
            assert!(Page::open(&bytes[..end]).is_none(), "cut at {end}");
        }
    }
}
