//! An engine behind the journal: what is written is durable in the journal and seen in memory,
//! and reaches the engine in the background.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::absent::Absent;
use super::applier::Applier;
use super::apply::{Apply, Fence, NotApplied};
use super::packed::Packed;
use super::sled::SledEngine;
use super::watermark::Watermark;
use super::{Change, Engine, EngineError, Range, Row, Spent, opening_failed};
use crate::error::OpenError;
use crate::fatal::Fuse;
use crate::folder;
use crate::journal::{self, Archive, Archiver, Hold, Journal, Sizes};
use crate::layout;
use crate::recent::{Pin, Recent};
use crate::record;
use crate::shard::Occupied;
use crate::store::Options;
use crate::table::ENGINE_TAG;

/// Keys that are looked for at a time, so that writers get in between.
const KEYS_AT_ONCE: usize = 256;

pub(crate) struct Journaled {
    journal: Arc<Mutex<Journal>>,
    clock: fn() -> u64,
    archive: Archive,
    archiver: Option<Archiver>,
    watermark: Watermark,
    pub(super) behind: Arc<Behind>,
    applier: Applier,
    absent: Absent,
    fence: Fence,
    occupied: Occupied,
}

/// The journal from a group on.
pub(crate) struct Held {
    pub(crate) group: u64,
    pub(crate) store: u64,
    /// Where its files are.
    pub(crate) folder: PathBuf,
    hold: Option<Hold>,
    journal: Weak<Mutex<Journal>>,
}

impl Drop for Held {
    /// What was kept for this alone goes at once, whether or not anything is written after it: a
    /// disk that it has filled takes no writes.
    fn drop(&mut self) {
        drop(self.hold.take());
        if let Some(journal) = self.journal.upgrade() {
            journal::reclaim(&journal);
        }
    }
}

/// What the applier shares: the rows in memory, and the engine that gets them.
pub(super) struct Behind {
    pub(super) recent: Recent,
    pub(super) engine: Box<dyn Engine>,
}

impl Journaled {
    /// Opens the folder, or creates what is missing. The caller holds the folder's lock.
    pub(crate) fn open(
        home: &Path,
        options: &Options,
        fuse: &Arc<Fuse>,
    ) -> Result<Self, OpenError> {
        let Options { cache_bytes, journal_bytes, clock, .. } = *options;
        let refused = |source| folder::refusal(home, source);
        let engine = Packed::new(Box::new(SledEngine::open(home, cache_bytes)?));
        let engine: Box<dyn Engine> = Box::new(engine);
        let applied = last_applied(engine.as_ref()).map_err(|error| opening_failed(home, error))?;
        let behind = Arc::new(Behind { recent: Recent::new(applied), engine });
        let table_bytes = usize::try_from(journal_bytes / 2).unwrap_or(usize::MAX / 8);
        let applier = Applier::start(&behind, applied, table_bytes, fuse).map_err(refused)?;
        let sizes = Sizes { file: journal_bytes, kept: super::sled::kept_journal_bytes() };
        let (watermark, seen) = Watermark::open(home).map_err(refused)?;
        let mut journal = journal::replay(home, (applied, seen), sizes, &mut |group, changes| {
            applier.make_room();
            behind.recent.put(group, changes, 0);
            behind.recent.publish(group);
            applier.note_written(0);
            Ok(())
        })?;
        if options.keeps_journal {
            journal.keep_all();
        }
        let (journal, archive) = (Arc::new(Mutex::new(journal)), Archive::default());
        let archiver = None;
        let mut journaled = Self {
            journal,
            clock,
            archive,
            archiver,
            watermark,
            behind,
            applier,
            absent: Absent::default(),
            fence: Fence::new(),
            occupied: Occupied::default(),
        };
        journaled.settle(home).map_err(refused)?;
        journaled.find_shards().map_err(|error| opening_failed(home, error))?;
        if let Some(folder) = &options.archive {
            let Self { journal, archive, .. } = &journaled;
            let archiver = Archiver::start(journal, folder, archive, fuse).map_err(refused)?;
            journaled.archiver = Some(archiver);
        }
        journal::reclaim(&journaled.journal);
        Ok(journaled)
    }

    fn settle(&self, home: &Path) -> std::io::Result<()> {
        self.watermark.raise(self.journal.lock().last())?;
        self.watermark.sync()?;
        folder::sync(home)
    }

    /// Which shards have rows: one step for each.
    fn find_shards(&self) -> Result<(), EngineError> {
        let mut range = layout::all_shards();
        while let Some((key, _)) = self.page(&range, false, 1)?.pop() {
            let Some(shard) = layout::shard_of(&key) else {
                range.leave_behind(&key, false);
                continue;
            };
            self.occupied.add(shard);
            range.from = layout::behind(shard);
        }
        Ok(())
    }

    pub(crate) fn occupied(&self) -> &Occupied {
        &self.occupied
    }

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        let published = self.published();
        match self.behind.recent.get(key) {
            Some(row) => Ok(row),
            None => self.get_applied(key, published),
        }
    }

    /// The row that the engine has got of a key that memory has none of, which was asked when
    /// groups up to `published` were to be seen.
    fn get_applied(&self, key: &[u8], published: u64) -> Result<Option<Vec<u8>>, EngineError> {
        if self.absent.has(key, self.applier.applied()) {
            return Ok(None);
        }
        let row = self.behind.engine.get(key)?;
        if row.is_none() {
            self.absent.note(key, published);
        }
        Ok(row)
    }

    pub(crate) fn get_at(&self, key: &[u8], pin: &Pin) -> Result<Option<Vec<u8>>, EngineError> {
        let row = match self.behind.recent.get_at(key, pin) {
            Some(row) => row,
            None => self.behind.engine.get(key)?,
        };
        if self.holds(pin) { Ok(row) } else { Err(EngineError::PinGone) }
    }

    /// The rows of keys that come in order, each in its place, as of a pin.
    pub(crate) fn get_many_at(
        &self,
        keys: &[&[u8]],
        pin: &Pin,
    ) -> Result<Vec<Option<Vec<u8>>>, EngineError> {
        let Behind { recent, engine } = &*self.behind;
        let mut rows = Vec::with_capacity(keys.len());
        for keys in keys.chunks(KEYS_AT_ONCE) {
            let mut found = recent.get_many_at(keys, pin);
            let (left, places): (Vec<&[u8]>, Vec<_>) =
                keys.iter().zip(&mut found).filter(|(_, row)| row.is_none()).unzip();
            for (place, row) in places.into_iter().zip(engine.get_many(&left)?) {
                *place = Some(row);
            }
            rows.extend(found.into_iter().map(Option::flatten));
        }
        if self.holds(pin) { Ok(rows) } else { Err(EngineError::PinGone) }
    }

    /// Whether what was read as of a pin before this call is right.
    pub(crate) fn holds(&self, pin: &Pin) -> bool {
        self.behind.recent.holds(pin)
    }

    /// The first `limit` rows of a range in walking direction; fewer only when there are no more.
    pub(crate) fn page(
        &self,
        range: &Range,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<Row>, EngineError> {
        loop {
            match self.page_at(range, reverse, limit, &self.pin(false)) {
                Err(EngineError::PinGone) => {}
                page => return page,
            }
        }
    }

    pub(crate) fn page_at(
        &self,
        range: &Range,
        reverse: bool,
        limit: usize,
        pin: &Pin,
    ) -> Result<Vec<Row>, EngineError> {
        let Behind { recent, engine } = &*self.behind;
        let page = recent.page(engine.as_ref(), (range, reverse), limit, pin.group)?;
        if self.holds(pin) { Ok(page) } else { Err(EngineError::PinGone) }
    }

    /// Holds what readers see fast; a pin that yields ends once the applier is in haste.
    pub(crate) fn pin(&self, yields: bool) -> Pin {
        self.behind.recent.pin(yields)
    }

    /// Lays the rows of the group behind the published one over the others, for who resolves the
    /// next: readers see them once the group is [published](Self::publish). Each key is named once;
    /// those of the first `new` were absent. Called by one thread.
    pub(crate) fn lay(&self, changes: Vec<Change>, new: usize) {
        self.applier.make_room();
        self.occupied.note(&changes);
        self.behind.recent.put(self.published() + 1, changes, new);
    }

    /// The row as the group that was laid last leaves it, be it durable or not.
    pub(crate) fn get_laid(&self, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        let published = self.published();
        match self.behind.recent.get_put(key) {
            Some(row) => Ok(row),
            None => self.get_applied(key, published),
        }
    }

    /// Lets everybody see a group that was laid and is applied.
    pub(crate) fn publish(&self, group: u64) {
        self.behind.recent.publish(group);
    }

    /// Tells the applier and the watermark of the group that was published last, before the next
    /// one is.
    pub(crate) fn note_written(&self, spent: Spent) -> Result<(), EngineError> {
        self.applier.note_written(spent.bytes);
        Ok(self.watermark.raise(self.published())?)
    }

    pub(crate) fn fence(&self) -> Fence {
        self.fence
    }

    /// Why files of the journal cannot be archived, if that is so.
    pub(crate) fn archive_fault(&self) -> Option<String> {
        self.archive.fault()
    }

    /// The wall clock's microseconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        (self.clock)()
    }

    pub(crate) fn published(&self) -> u64 {
        self.behind.recent.published()
    }

    /// Keeps the journal from the last group that readers see on, and tells which one that is.
    pub(crate) fn hold(&self) -> Held {
        // Under the lock, so that no file is used again in between.
        let journal = self.journal.lock();
        let group = self.published();
        let folder = journal.folder().to_owned();
        let hold = Some(journal.hold(group));
        Held { group, store: journal.store(), folder, hold, journal: Arc::downgrade(&self.journal) }
    }

    /// Records that the engine has written.
    pub(crate) fn records(&self) -> u64 {
        self.applier.records()
    }

    /// Waits until the engine holds all that is published.
    #[cfg(feature = "testing")]
    pub(crate) fn hand_over(&self) {
        let published = self.behind.recent.published();
        self.applier.hand_over(published);
    }

    /// Lets go of the folder, and returns when another process could open it.
    pub(crate) fn close(self) {
        let Self { watermark, behind, applier, archiver, .. } = self;
        drop(applier);
        drop(archiver);
        // A lost end of the journal is told apart from a torn one by this number.
        if let Err(error) = watermark.sync() {
            tracing::warn!(%error, "the number of the last group could not be synced");
        }
        match Arc::try_unwrap(behind) {
            Ok(behind) => behind.engine.close(),
            Err(_) => tracing::warn!("the engine is still in use"),
        }
    }
}

impl Apply for Journaled {
    fn apply(&self, fence: Fence, group: u64, payload: &[u8]) -> Result<Spent, NotApplied> {
        if fence != self.fence {
            return Err(NotApplied::Fenced);
        }
        let mut journal = self.journal.lock();
        match group.checked_sub(journal.last()) {
            Some(0) => Ok(Spent::default()),
            Some(1) => journal
                .append((self.clock)(), payload, self.applier.applied())
                .map_err(|error| NotApplied::Refused(error.to_string())),
            _ => Err(NotApplied::Refused(format!(
                "group {group} does not follow the last one, {}",
                journal.last()
            ))),
        }
    }
}

/// Where the engine keeps the number of the last group that it holds with all before it.
pub(super) fn applied_key() -> [u8; 2] {
    ENGINE_TAG.to_be_bytes()
}

fn last_applied(engine: &dyn Engine) -> Result<u64, EngineError> {
    let key = applied_key();
    let Some(row) = engine.get(&key)? else { return Ok(0) };
    record::unseal("groups", &key, &row)
        .map_err(|_| EngineError::Broken("the number of its last group is damaged".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fatal::Fatal;

    #[test]
    fn a_key_that_was_looked_for_in_vain_is_found_wherever_it_comes_to_stand() {
        let home = tempfile::tempdir().expect("a folder");
        let fuse = Fuse::new(Fatal::Poison);
        let store = Journaled::open(home.path(), &Options::default(), &fuse).expect("open");
        let changes = |key: &[u8]| vec![(key.to_vec(), Some(b"row".to_vec()))];
        let write = |group: u64, key: &[u8]| {
            store.lay(changes(key), 1);
            let payload = journal::payload_of(&changes(key));
            let spent = store.apply(store.fence(), group, &payload).expect("durable");
            store.publish(group);
            store.note_written(spent).expect("noted");
        };
        let found = || {
            let read = store.get(b"key").expect("read");
            assert_eq!(store.get_laid(b"key").expect("read"), read);
            read.is_some()
        };
        write(1, b"other");
        assert!(!found());
        assert!(store.absent.has(b"key", 1) && !store.absent.has(b"key", 2));
        // The engine gets a later group than that of which it is known.
        write(2, b"another");
        store.applier.hand_over(2);
        assert!(!found());
        write(3, b"key");
        assert!(found());
        store.applier.hand_over(3);
        assert_eq!(store.behind.recent.get(b"key"), None);
        assert!(found());
        store.close();
    }

    const MIB: u64 = 1024 * 1024;

    fn opened(home: &Path, keeps_journal: bool) -> Journaled {
        let options = Options { journal_bytes: 4 * MIB, keeps_journal, ..Options::default() };
        Journaled::open(home, &options, &Fuse::new(Fatal::Poison)).expect("open")
    }

    /// Writes a group that nearly fills a file of the journal.
    fn fill(store: &Journaled, group: u64) {
        let changes: Vec<Change> =
            (0..64_u8).map(|key| (vec![9, 9, key], Some(vec![group as u8; 60_000]))).collect();
        store.lay(changes.clone(), 0);
        let payload = journal::payload_of(&changes);
        let spent = store.apply(store.fence(), group, &payload).expect("durable");
        store.publish(group);
        store.note_written(spent).expect("noted");
    }

    /// Writes thirty groups that the engine holds, and one more.
    fn fill_files(store: &Journaled) {
        (1..=30).for_each(|group| fill(store, group));
        store.applier.hand_over(30);
        fill(store, 31);
    }

    fn journal_mib(home: &Path) -> u64 {
        let files = std::fs::read_dir(home.join("journal")).expect("readable");
        let bytes = files.map(|file| file.expect("a file").metadata().expect("readable").len());
        bytes.sum::<u64>() / MIB
    }

    /// What an engine may lose of it is kept, and a file to begin the next with.
    const KEPT_MIB: std::ops::Range<u64> = 64..84;

    #[test]
    fn what_a_backup_has_held_is_deleted_when_it_ends_though_nothing_is_written_any_more() {
        let home = tempfile::tempdir().expect("a folder");
        let store = opened(home.path(), false);
        let held = store.hold();
        fill_files(&store);
        assert!(journal_mib(home.path()) > 110, "{} MiB", journal_mib(home.path()));
        drop(held);
        assert!(KEPT_MIB.contains(&journal_mib(home.path())), "{} MiB", journal_mib(home.path()));
        store.close();
    }

    #[test]
    fn what_an_archive_may_lack_stays_where_the_folder_is_opened_without_it() {
        let home = tempfile::tempdir().expect("a folder");
        let store = opened(home.path(), true);
        fill_files(&store);
        store.close();
        let store = opened(home.path(), true);
        drop(store.hold());
        store.close();
        assert!(journal_mib(home.path()) > 110, "{} MiB", journal_mib(home.path()));
        opened(home.path(), false).close();
        assert!(KEPT_MIB.contains(&journal_mib(home.path())), "{} MiB", journal_mib(home.path()));
    }
}
