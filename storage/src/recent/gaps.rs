//! Where nothing is: stretches of keys whose rows are all deleted. Until the engine has the
//! deletions a walk meets each of them, and after a burst that is many; what one walk has found
//! out, the next ones leap over. So a deletion is met once, and not by every reader.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::engine::{Change, Range};

/// Deleted keys in a row after which it pays to remember them.
pub(super) const MANY: usize = if cfg!(test) { 4 } else { 256 };
/// Stretches that are remembered.
const MOST: usize = if cfg!(test) { 8 } else { 256 };
/// Rows put into the stretches that a search looks at, beyond which it has found nothing.
const MOST_PUT: usize = 1_024;

#[derive(Default)]
pub(super) struct Gaps {
    inner: Mutex<Inner>,
    /// Whether there is anything to compare with what is put.
    any: AtomicBool,
}

#[derive(Default)]
struct Inner {
    /// By their first key.
    gaps: BTreeMap<Vec<u8>, Gap>,
    searches: Vec<Search>,
}

/// No row has a key from this gap's first key up to `until`, exclusive.
struct Gap {
    until: Vec<u8>,
    /// As of this group and later ones.
    group: u64,
}

/// A stretch that somebody looks at, and what was put into it meanwhile.
struct Search {
    number: u64,
    range: Range,
    put: Vec<Vec<u8>>,
}

/// A search that ends when it is dropped.
pub(super) struct Searching<'g> {
    gaps: &'g Gaps,
    number: u64,
}

static NUMBERS: AtomicU64 = AtomicU64::new(0);

impl Gaps {
    /// Takes note of the rows that are about to be put, before anybody sees them.
    pub(super) fn note(&self, changes: &[Change]) {
        let mut inner = self.inner.lock();
        if !self.any.load(Ordering::Relaxed) {
            return;
        }
        for (key, row) in changes {
            if row.is_some() {
                inner.note(key);
            }
        }
    }

    /// Leaves behind what of the range is known to be empty, as of a group, where the walk begins.
    pub(super) fn leap(&self, range: &mut Range, reverse: bool, group: u64) {
        if !self.any.load(Ordering::Relaxed) {
            return;
        }
        let inner = self.inner.lock();
        loop {
            // The gap that the walk's next key would be in.
            let bounds: (Bound<&[u8]>, Bound<&[u8]>) = if reverse {
                (Bound::Unbounded, Bound::Excluded(&range.until))
            } else {
                (Bound::Unbounded, Bound::Included(&range.from))
            };
            let Some((from, gap)) = inner.gaps.range::<[u8], _>(bounds).next_back() else { return };
            if reverse && gap.until >= range.until && gap.group <= group {
                range.until.clone_from(from);
            } else if !reverse && gap.until > range.from && gap.group <= group {
                range.from.clone_from(&gap.until);
            } else {
                return;
            }
            if range.from >= range.until {
                return;
            }
        }
    }

    /// Begins to look for a gap: what is put from now on is noted.
    pub(super) fn search(&self, range: &Range) -> Searching<'_> {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let mut inner = self.inner.lock();
        inner.searches.push(Search { number, range: range.clone(), put: Vec::new() });
        self.any.store(true, Ordering::Relaxed);
        Searching { gaps: self, number }
    }
}

impl Inner {
    fn note(&mut self, key: &[u8]) {
        for search in &mut self.searches {
            let is_in = search.range.from.as_slice() <= key && key < search.range.until.as_slice();
            if is_in && search.put.len() <= MOST_PUT {
                search.put.push(key.to_vec());
            }
        }
        let up_to: (Bound<&[u8]>, Bound<&[u8]>) = (Bound::Unbounded, Bound::Included(key));
        let Some((from, gap)) = self.gaps.range_mut::<[u8], _>(up_to).next_back() else { return };
        if gap.until.as_slice() <= key {
            return;
        }
        let behind = [key, &[0]].concat();
        let until = std::mem::replace(&mut gap.until, key.to_vec());
        let (is_empty, group) = (*from == key, gap.group);
        if is_empty {
            self.gaps.remove(key);
        }
        if behind < until {
            self.gaps.insert(behind, Gap { until, group });
        }
    }

    fn add(&mut self, range: Range, group: u64) {
        let Range { mut from, mut until } = range;
        let mut group = group;
        // Neighbours become one.
        let bounds: (Bound<&[u8]>, Bound<&[u8]>) = (Bound::Unbounded, Bound::Included(&until));
        let joined: Vec<Vec<u8>> = self
            .gaps
            .range::<[u8], _>(bounds)
            .rev()
            .take_while(|(_, gap)| gap.until >= from)
            .map(|(first, _)| first.clone())
            .collect();
        for first in joined {
            let Some(gap) = self.gaps.remove(&first) else { continue };
            from = from.min(first);
            until = until.max(gap.until);
            group = group.max(gap.group);
        }
        if self.gaps.len() == MOST {
            self.gaps.pop_first();
        }
        self.gaps.insert(from, Gap { until, group });
    }
}

impl Searching<'_> {
    /// Remembers what was found to be empty as of a group and all later ones: unless something was
    /// put there meanwhile.
    pub(super) fn found(self, empty: Range, group: u64) {
        let mut inner = self.gaps.inner.lock();
        let own = inner.searches.iter().find(|search| search.number == self.number);
        let is_in = |key: &Vec<u8>| empty.from <= *key && *key < empty.until;
        let is_empty =
            own.is_some_and(|search| search.put.len() <= MOST_PUT && !search.put.iter().any(is_in));
        if is_empty && empty.from < empty.until {
            inner.add(empty, group);
        }
    }
}

impl Drop for Searching<'_> {
    fn drop(&mut self) {
        let mut inner = self.gaps.inner.lock();
        inner.searches.retain(|search| search.number != self.number);
        let any = !inner.searches.is_empty() || !inner.gaps.is_empty();
        self.gaps.any.store(any, Ordering::Relaxed);
    }
}
