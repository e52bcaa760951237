//! One table in memory: of each key the rows that somebody may still look at.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::RwLock;

use crate::engine::{Change, Range};

/// What a row takes beside its bytes: its place in the tree, its number and three lengths.
const OVERHEAD: usize = 96;

#[derive(Default)]
pub(crate) struct Table {
    rows: RwLock<BTreeMap<Box<[u8]>, Versions>>,
    bytes: AtomicUsize,
    last: AtomicU64,
}

type Row = Option<Box<[u8]>>;

/// The newest row of a key, and those before it that are still to be seen, the newest first.
struct Versions {
    group: u64,
    row: Row,
    before: Vec<(u64, Row)>,
}

impl Table {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Acquire)
    }

    /// The last group that has put a row.
    pub(crate) fn last(&self) -> u64 {
        self.last.load(Ordering::Acquire)
    }

    /// The row of a key as of a group, which is asked for when nobody writes; `None` where the
    /// table has none that is so old.
    pub(super) fn get(&self, key: &[u8], at: impl FnOnce() -> u64) -> Option<Option<Vec<u8>>> {
        let rows = self.rows.read();
        let row = rows.get(key)?.at(at())?;
        Some(row.as_ref().map(|row| row.to_vec()))
    }

    /// Puts rows of a group, and says by how many bytes the table has grown. Nobody looks at
    /// rows that were replaced in groups up to `seen`.
    pub(super) fn put(
        &self,
        group: u64,
        changes: impl Iterator<Item = Change>,
        seen: u64,
    ) -> isize {
        let mut grown = 0_isize;
        let mut rows = self.rows.write();
        for (key, row) in changes {
            let row = row.map(Vec::into_boxed_slice);
            let bytes = row_bytes(&row);
            match rows.get_mut(key.as_slice()) {
                Some(versions) => grown += bytes - versions.put(group, row, seen),
                None => {
                    grown += bytes + key.len() as isize;
                    let fresh = Versions { group, row, before: Vec::new() };
                    rows.insert(key.into_boxed_slice(), fresh);
                }
            }
        }
        self.last.store(group, Ordering::Release);
        // Adding a negative number wraps to a subtraction.
        self.bytes.fetch_add(grown as usize, Ordering::AcqRel);
        grown
    }

    /// Up to `limit` keys of a range in walking direction, each with its row as of a group; those
    /// that have none of that age are passed over.
    pub(super) fn page(&self, range: &Range, reverse: bool, limit: usize, at: u64) -> Vec<Change> {
        if range.from >= range.until {
            return Vec::new();
        }
        let rows = self.rows.read();
        let bounds: (Bound<&[u8]>, Bound<&[u8]>) =
            (Bound::Included(&range.from), Bound::Excluded(&range.until));
        let walk = rows.range::<[u8], _>(bounds);
        let row_of =
            |versions: &Versions| versions.at(at).map(|row| row.as_ref().map(|row| row.to_vec()));
        if reverse {
            let rows = walk.rev().filter_map(|(key, found)| Some((key.to_vec(), row_of(found)?)));
            rows.take(limit).collect()
        } else {
            let rows = walk.filter_map(|(key, found)| Some((key.to_vec(), row_of(found)?)));
            rows.take(limit).collect()
        }
    }

    /// Hands out the newest row of each key in order, `many` at a time, with the bytes that they
    /// take here. For a table that nobody writes any more.
    pub(crate) fn for_chunks<E>(
        &self,
        many: usize,
        mut take: impl FnMut(Vec<Change>, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let rows = self.rows.read();
        let mut walk = rows.iter().peekable();
        while walk.peek().is_some() {
            let mut bytes = 0;
            let chunk = walk.by_ref().take(many).map(|(key, versions)| {
                bytes += key.len() + versions.bytes().unsigned_abs();
                (key.to_vec(), versions.row.as_ref().map(|row| row.to_vec()))
            });
            let chunk = chunk.collect();
            take(chunk, bytes)?;
        }
        Ok(())
    }
}

impl Versions {
    fn at(&self, group: u64) -> Option<&Row> {
        if self.group <= group {
            return Some(&self.row);
        }
        self.before.iter().find(|(before, _)| *before <= group).map(|(_, row)| row)
    }

    /// Puts a newer row; says how many bytes of earlier ones are gone.
    fn put(&mut self, group: u64, row: Row, seen: u64) -> isize {
        let held = self.bytes();
        let replaced = (self.group, std::mem::replace(&mut self.row, row));
        self.group = group;
        let fresh = row_bytes(&self.row);
        if replaced.0 != group {
            self.before.insert(0, replaced);
        }
        // Of those up to `seen` the newest is looked at, and none before it.
        if let Some(last) = self.before.iter().position(|(before, _)| *before <= seen) {
            self.before.truncate(last + 1);
        }
        held + fresh - self.bytes()
    }

    fn bytes(&self) -> isize {
        row_bytes(&self.row) + self.before.iter().map(|(_, row)| row_bytes(row)).sum::<isize>()
    }
}

fn row_bytes(row: &Row) -> isize {
    (OVERHEAD + row.as_ref().map_or(0, |row| row.len())) as isize
}
