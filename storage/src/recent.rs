//! What was written last, in memory: ordered tables of rows, each known by the number of the group
//! that wrote it.
//!
//! Rows are put while their group is on its way to the disk; only the committer looks at them so
//! early. Reads see what is published, that is durable, and a [`Pin`] holds what it saw fast. The
//! table that is written is frozen when it is full; the engine takes it over in the background, once
//! it is published and behind all pins that are older. Older tables are asked behind newer ones, the
//! engine behind all.

mod gaps;
mod merge;
mod table;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};

pub(crate) use table::Table;

use crate::engine::Change;
use gaps::Gaps;

/// Rows that are put into a table at a time, so that readers get in between.
const AT_ONCE: usize = 512;

pub(crate) struct Recent {
    tables: RwLock<Tables>,
    /// The last group that readers see.
    published: AtomicU64,
    pins: Arc<Mutex<Pins>>,
    /// Bytes of rows that the engine does not hold yet.
    bytes: AtomicUsize,
    /// The engine may hold rows of groups up to this one: older pins are gone.
    oldest: AtomicU64,
    gaps: Gaps,
    /// Held while rows are put: the last group of which they were.
    putting: Mutex<u64>,
}

#[derive(Clone)]
struct Tables {
    active: Arc<Table>,
    /// The oldest first.
    frozen: VecDeque<Arc<Table>>,
}

/// All rows as of a group, until it is dropped.
pub(crate) struct Pin {
    pub(crate) group: u64,
    pins: Arc<Mutex<Pins>>,
    yields: bool,
}

/// How many look at the rows as of each group.
type Pins = BTreeMap<u64, Pinned>;

#[derive(Default)]
struct Pinned {
    /// Those that the engine waits for, as long as it can.
    staying: usize,
    /// Those that it waits for while it is in no haste.
    yielding: usize,
}

impl Pinned {
    fn count(&mut self, yields: bool) -> &mut usize {
        if yields { &mut self.yielding } else { &mut self.staying }
    }
}

impl Recent {
    /// No rows, on an engine that holds all groups up to `applied`.
    pub(crate) fn new(applied: u64) -> Self {
        let tables = Tables { active: Arc::default(), frozen: VecDeque::new() };
        Self {
            tables: RwLock::new(tables),
            published: AtomicU64::new(applied),
            pins: Arc::default(),
            bytes: AtomicUsize::new(0),
            oldest: AtomicU64::new(applied),
            gaps: Gaps::default(),
            putting: Mutex::new(applied),
        }
    }

    pub(crate) fn published(&self) -> u64 {
        self.published.load(Ordering::Acquire)
    }

    /// Bytes that the engine does not hold yet.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Acquire)
    }

    pub(crate) fn active_bytes(&self) -> usize {
        self.tables.read().active.bytes()
    }

    /// The row that was last published under a key; `None` where only the engine knows.
    pub(crate) fn get(&self, key: &[u8]) -> Option<Option<Vec<u8>>> {
        self.find(key, || self.published())
    }

    /// The row that was last put under a key, whether or not it is published.
    pub(crate) fn get_put(&self, key: &[u8]) -> Option<Option<Vec<u8>>> {
        self.find(key, || u64::MAX)
    }

    fn find(&self, key: &[u8], at: impl Fn() -> u64) -> Option<Option<Vec<u8>>> {
        let tables = self.tables.read();
        let mut newest_first = std::iter::once(&tables.active).chain(tables.frozen.iter().rev());
        newest_first.find_map(|table| table.get(key, &at))
    }

    /// The same as of a pin.
    pub(crate) fn get_at(&self, key: &[u8], pin: &Pin) -> Option<Option<Vec<u8>>> {
        self.newest_first().iter().find_map(|table| table.get(key, || pin.group))
    }

    /// The same of many keys, each in its place.
    pub(crate) fn get_many_at(&self, keys: &[&[u8]], pin: &Pin) -> Vec<Option<Option<Vec<u8>>>> {
        let mut found = vec![None; keys.len()];
        for table in self.newest_first() {
            table.find_left(keys, pin.group, &mut found);
        }
        found
    }

    pub(crate) fn newest_first(&self) -> Vec<Arc<Table>> {
        let tables = self.tables.read();
        let mut all = vec![Arc::clone(&tables.active)];
        all.extend(tables.frozen.iter().rev().cloned());
        all
    }

    pub(crate) fn pin(&self, yields: bool) -> Pin {
        let mut pins = self.pins.lock();
        let group = self.published();
        *pins.entry(group).or_default().count(yields) += 1;
        Pin { group, pins: Arc::clone(&self.pins), yields }
    }

    /// Whether somebody looks at the rows as of an older group, and who is in haste waits for that.
    pub(crate) fn is_pinned_before(&self, group: u64, in_haste: bool) -> bool {
        let pins = self.pins.lock();
        // For those that are gone it is too late.
        let oldest = self.oldest.load(Ordering::Acquire);
        pins.range(oldest.min(group)..group).any(|(_, pinned)| pinned.staying > 0 || !in_haste)
    }

    /// Lets go of all pins before a group, whose rows the engine gets next.
    pub(crate) fn let_go_before(&self, group: u64) {
        self.oldest.store(group, Ordering::Release);
    }

    /// Whether what was read as of a pin before this call is right.
    pub(crate) fn holds(&self, pin: &Pin) -> bool {
        pin.group >= self.oldest.load(Ordering::Acquire)
    }

    /// Puts the rows of the group behind the last one; the keys of the first `new` were absent.
    /// Nobody sees them before [`publish`](Self::publish). Called by one thread.
    pub(crate) fn put(&self, group: u64, changes: Vec<Change>, new: usize) {
        let mut putting = self.putting.lock();
        *putting = group;
        self.gaps.note(&changes);
        let table = Arc::clone(&self.tables.read().active);
        let seen = {
            let pins = self.pins.lock();
            let published = self.published();
            pins.first_key_value().map_or(published, |(oldest, _)| (*oldest).min(published))
        };
        let mut changes = changes.into_iter().zip((0..).map(|at| at < new)).peekable();
        while changes.peek().is_some() {
            let grown = table.put(group, changes.by_ref().take(AT_ONCE), seen);
            if grown >= 0 {
                self.bytes.fetch_add(grown.unsigned_abs(), Ordering::AcqRel);
            } else {
                self.bytes.fetch_sub(grown.unsigned_abs(), Ordering::AcqRel);
            }
        }
    }

    /// Lets everybody see a group that is durable.
    pub(crate) fn publish(&self, group: u64) {
        self.published.store(group, Ordering::Release);
    }

    /// Ends the active table, if it has rows, and begins another. Called by any thread.
    pub(crate) fn freeze(&self) {
        // What is being put goes into the table that it has begun with.
        let _putting = self.putting.lock();
        let mut tables = self.tables.write();
        if tables.active.bytes() > 0 {
            let full = std::mem::take(&mut tables.active);
            tables.frozen.push_back(full);
        }
    }

    /// How many tables the engine has not got yet.
    pub(crate) fn frozen(&self) -> usize {
        self.tables.read().frozen.len()
    }

    pub(crate) fn oldest_frozen(&self) -> Option<Arc<Table>> {
        self.tables.read().frozen.front().cloned()
    }

    /// The engine holds some bytes more of the oldest frozen table.
    pub(crate) fn applied(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Forgets the oldest frozen table, which the engine holds.
    pub(crate) fn forget_oldest(&self) {
        let oldest = self.tables.write().frozen.pop_front();
        // Many rows: they are freed outside of the lock.
        drop(oldest);
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        let mut pins = self.pins.lock();
        if let Some(pinned) = pins.get_mut(&self.group) {
            *pinned.count(self.yields) -= 1;
            if (pinned.staying, pinned.yielding) == (0, 0) {
                pins.remove(&self.group);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(recent: &Recent, group: u64, rows: &[(&str, Option<&str>)], new: usize) {
        let bytes = |text: &str| text.as_bytes().to_vec();
        let changes = rows.iter().map(|(key, row)| (bytes(key), row.map(bytes))).collect();
        recent.put(group, changes, new);
        recent.publish(group);
    }

    #[test]
    fn a_new_row_that_is_deleted_leaves_nothing_once_nobody_looks() {
        let recent = Recent::new(0);
        rows(&recent, 1, &[("new", Some("1"))], 1);
        let pin = recent.pin(false);
        rows(&recent, 2, &[("new", None)], 0);
        rows(&recent, 3, &[("other", Some("1"))], 1);
        assert_eq!(recent.get(b"new"), Some(None));
        assert_eq!(recent.get_at(b"new", &pin), Some(Some(b"1".to_vec())));
        drop(pin);
        rows(&recent, 4, &[("other", Some("2"))], 0);
        assert_eq!(recent.get(b"new"), None);
        let left = recent.bytes();
        rows(&recent, 5, &[("new", Some("1"))], 1);
        rows(&recent, 6, &[("new", None)], 0);
        rows(&recent, 7, &[("other", Some("3"))], 0);
        assert_eq!((recent.get(b"new"), recent.bytes()), (None, left));
    }

    #[test]
    fn a_new_row_that_is_put_again_after_its_deletion_stays() {
        let recent = Recent::new(0);
        rows(&recent, 1, &[("new", Some("1"))], 1);
        rows(&recent, 2, &[("new", None)], 0);
        rows(&recent, 3, &[("new", Some("2"))], 1);
        rows(&recent, 4, &[("other", Some("1"))], 1);
        assert_eq!(recent.get(b"new"), Some(Some(b"2".to_vec())));
    }

    #[test]
    fn what_is_put_is_seen_by_nobody_else_before_it_is_published() {
        let recent = Recent::new(0);
        let row = |text: &str| Some(Some(text.as_bytes().to_vec()));
        rows(&recent, 1, &[("kept", Some("1")), ("gone", Some("1"))], 2);
        let pin = recent.pin(false);
        let changes = vec![(b"kept".to_vec(), Some(b"2".to_vec())), (b"gone".to_vec(), None)];
        recent.put(2, changes, 0);
        for key in [b"kept", b"gone"] {
            assert_eq!((recent.get(key), recent.get_at(key, &pin)), (row("1"), row("1")));
        }
        assert_eq!((recent.get_put(b"kept"), recent.get_put(b"gone")), (row("2"), Some(None)));
        recent.publish(2);
        assert_eq!((recent.get(b"kept"), recent.get(b"gone")), (row("2"), Some(None)));
        assert_eq!(recent.get_at(b"gone", &pin), row("1"));
    }

    #[test]
    fn nothing_is_put_into_a_table_that_is_frozen() {
        let recent = Recent::new(0);
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for group in 1..20_000 {
                    rows(&recent, group, &[("row", Some("1"))], 0);
                }
                done.store(true, Ordering::Release);
            });
            while !done.load(Ordering::Acquire) {
                recent.freeze();
                if let Some(frozen) = recent.oldest_frozen() {
                    let last = frozen.last();
                    std::thread::yield_now();
                    assert_eq!(frozen.last(), last);
                    recent.forget_oldest();
                }
            }
        });
    }

    #[test]
    fn a_row_that_may_stand_below_leaves_its_deletion() {
        let recent = Recent::new(0);
        rows(&recent, 1, &[("old", Some("1"))], 0);
        rows(&recent, 2, &[("old", None)], 0);
        rows(&recent, 3, &[("other", Some("1"))], 1);
        assert_eq!(recent.get(b"old"), Some(None));
    }
}
