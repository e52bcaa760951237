//! One table in memory: of each key the rows that somebody may still look at.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::engine::{Change, Range};
use crate::lock::RwLock;

/// What a row takes beside its bytes: its place in the tree, its number and three lengths.
const OVERHEAD: usize = 96;

/// Keys that are forgotten while readers wait: more than are put at a time.
const FORGOTTEN_AT_ONCE: usize = 1_024;

#[derive(Default)]
pub(crate) struct Table {
    rows: RwLock<Rows>,
    bytes: AtomicUsize,
    last: AtomicU64,
}

#[derive(Default)]
struct Rows {
    by_key: BTreeMap<Box<[u8]>, Versions>,
    /// Keys that were absent before the table and are again, with the groups that deleted them:
    /// nothing is left of them once nobody looks at what they were.
    gone: VecDeque<(u64, Box<[u8]>)>,
}

type Row = Option<Box<[u8]>>;

/// The newest row of a key, and those before it that are still to be seen, the newest first.
struct Versions {
    /// The key was absent before the table.
    is_new: bool,
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
        let row = rows.by_key.get(key)?.at(at())?;
        Some(row.as_ref().map(|row| row.to_vec()))
    }

    /// Looks for the rows of keys as of a group where none was found yet.
    pub(super) fn find_left(&self, keys: &[&[u8]], at: u64, found: &mut [Option<Option<Vec<u8>>>]) {
        let rows = self.rows.read();
        for (key, found) in keys.iter().zip(found).filter(|(_, found)| found.is_none()) {
            let row = rows.by_key.get(*key).and_then(|versions| versions.at(at));
            *found = row.map(|row| row.as_ref().map(|row| row.to_vec()));
        }
    }

    /// Puts rows of a group, each with whether its key was absent, and says by how many bytes the
    /// table has grown. Nobody looks at rows that were replaced in groups up to `seen`.
    pub(super) fn put(
        &self,
        group: u64,
        changes: impl Iterator<Item = (Change, bool)>,
        seen: u64,
    ) -> isize {
        let mut rows = self.rows.write();
        let Rows { by_key, gone } = &mut *rows;
        let mut grown = -forget(by_key, gone, seen);
        for ((key, row), is_new) in changes {
            let row = row.map(Vec::into_boxed_slice);
            let bytes = row_bytes(&row);
            match by_key.get_mut(key.as_slice()) {
                Some(versions) => {
                    if versions.is_new && row.is_none() {
                        gone.push_back((group, key.into_boxed_slice()));
                    }
                    grown += bytes - versions.put(group, row, seen);
                }
                None => {
                    grown += bytes + key.len() as isize;
                    let first = Versions { is_new, group, row, before: Vec::new() };
                    by_key.insert(key.into_boxed_slice(), first);
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
        let walk = rows.by_key.range::<[u8], _>(bounds);
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
    /// take here; keys that were absent before and are again only count. For a table that nobody
    /// writes any more.
    pub(crate) fn for_chunks<E>(
        &self,
        many: usize,
        most_bytes: usize,
        mut take: impl FnMut(Vec<Change>, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let rows = self.rows.read();
        let mut walk = rows.by_key.iter().peekable();
        while walk.peek().is_some() {
            let (mut chunk, mut bytes) = (Vec::new(), 0);
            while let Some((key, versions)) = walk.next_if(|(key, versions)| {
                let own = key.len() + versions.bytes().unsigned_abs();
                chunk.is_empty() || chunk.len() < many && bytes + own <= most_bytes
            }) {
                bytes += key.len() + versions.bytes().unsigned_abs();
                if versions.row.is_some() || !versions.is_new {
                    chunk.push((key.to_vec(), versions.row.as_ref().map(|row| row.to_vec())));
                }
            }
            take(chunk, bytes)?;
        }
        Ok(())
    }
}

/// Forgets the keys that are gone for everybody; says how many bytes they took.
fn forget(
    by_key: &mut BTreeMap<Box<[u8]>, Versions>,
    gone: &mut VecDeque<(u64, Box<[u8]>)>,
    seen: u64,
) -> isize {
    let (mut bytes, mut left_to_do) = (0, FORGOTTEN_AT_ONCE);
    while left_to_do > 0 && gone.front().is_some_and(|(group, _)| *group <= seen) {
        let Some((group, key)) = gone.pop_front() else { break };
        left_to_do -= 1;
        // It may have been put again since.
        if by_key.get(&key).is_some_and(|left| left.group == group && left.row.is_none())
            && let Some(left) = by_key.remove(&key)
        {
            bytes += left.bytes() + key.len() as isize;
        }
    }
    bytes
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
