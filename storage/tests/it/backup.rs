//! Backups: taken while others write, restored to the very group or moment, never from a damaged
//! file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use storage::testing::TempStore;
use storage::{
    BackupError, Batch, ChainError, Fatal, Fingerprint, Index, IndexOptions, OpenError, Options,
    Restoration, RestorePlan, Scan, Seen, Store, Table, check_backup,
};
use tempfile::TempDir;

use crate::until;

const ROWS: Table<u64, Vec<u8>> = Table::new(1, "rows");
const INDEX: Index = Index::new(2, "keys");

fn options() -> Options {
    let index = IndexOptions { table: 64, ..IndexOptions::default() };
    let (clock, fatal) = (now as fn() -> u64, Fatal::Poison);
    Options { journal_bytes: 64 * 1024, clock, index, fatal, ..Options::default() }
}

fn put(store: &Store, key: u64, row: &[u8]) {
    let mut batch = Batch::new();
    batch.put(ROWS, &key, &row.to_vec());
    store.write_blocking(batch).unwrap();
}

fn claim(batch: &mut Batch, number: u64) {
    batch.claim_fingerprints(INDEX, 1, vec![(fingerprint(number), [7; 16])], Seen::default());
}

fn fingerprint(number: u64) -> Fingerprint {
    // The bits of a hash are all alike.
    let mixed = u128::from(number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_0C8B_1D35_2A71);
    Fingerprint(mixed.to_be_bytes())
}

fn backup(store: &Store, file: &Path) {
    let mut out = File::create(file).unwrap();
    for piece in store.backup(b"label").unwrap() {
        out.write_all(&piece.unwrap()).unwrap();
    }
}

fn restore(
    file: &Path,
    folder: &Path,
    journals: &[PathBuf],
    until: Option<u64>,
) -> Result<Restoration, BackupError> {
    let info = check_backup(file, |_, _| {})?;
    assert_eq!(info.label, b"label");
    RestorePlan { file, info: &info, folder, journals, until }.carry_out(options())
}

fn rows(store: &Store) -> BTreeMap<u64, Vec<u8>> {
    store.scan(ROWS, Scan::all()).map(Result::unwrap).collect()
}

/// A clock that shows each time once.
static TIME: AtomicU64 = AtomicU64::new(1_000_000);

fn now() -> u64 {
    TIME.fetch_add(1, Ordering::SeqCst)
}

struct Place {
    _folder: TempDir,
    file: PathBuf,
    target: PathBuf,
    archive: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (file, target, archive) = (at("backup"), at("target"), at("archive"));
    Place { _folder: folder, file, target, archive }
}

/// Ends the thread beside a test, also when the test fails.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn what_is_written_during_a_backup_is_in_it_whole_or_not_at_all() {
    let store = TempStore::with(options());
    for key in 0..3_000 {
        put(&store, key, &[1; 100]);
    }
    let place = place();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        // Each batch moves a row from one place to another far away, and counts: whole batches keep
        // the number of rows, and the count tells which they are.
        scope.spawn(|| {
            for turn in 0_u64.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                let (from, to) = (turn % 3_000, 10_000 + turn % 3_000);
                let (from, to) = if turn / 3_000 % 2 == 0 { (from, to) } else { (to, from) };
                let mut batch = Batch::new();
                batch.delete(ROWS, &from);
                batch.put(ROWS, &to, &turn.to_le_bytes().to_vec());
                batch.put(ROWS, &1_000_000, &turn.to_le_bytes().to_vec());
                batch.draw(&9_u64);
                claim(&mut batch, turn);
                store.write_blocking(batch).unwrap();
            }
        });
        let _ending = Ending(&done);
        let mut out = File::create(&place.file).unwrap();
        until("a row is moved", || rows(&store).len() >= 3_001);
        for piece in store.backup(b"label").unwrap() {
            out.write_all(&piece.unwrap()).unwrap();
            thread::sleep(Duration::from_millis(5));
        }
    });

    let restored = restore(&place.file, &place.target, &[], None).unwrap();
    let found = rows(restored.store());
    let last = u64::from_le_bytes(found[&1_000_000].as_slice().try_into().unwrap());
    let mut expected: BTreeMap<u64, Vec<u8>> = (0..3_000).map(|key| (key, vec![1; 100])).collect();
    for turn in 0..=last {
        let (from, to) = (turn % 3_000, 10_000 + turn % 3_000);
        let (from, to) = if turn / 3_000 % 2 == 0 { (from, to) } else { (to, from) };
        expected.remove(&from);
        expected.insert(to, turn.to_le_bytes().to_vec());
    }
    expected.insert(1_000_000, last.to_le_bytes().to_vec());
    assert_eq!(found, expected);

    // Claims and sequences stand where the rows do.
    let wanted: Vec<_> = (0..last + 50).map(fingerprint).collect();
    let known = restored.store().find_fingerprints(INDEX, 1, &wanted).unwrap();
    let known: Vec<_> = known.found.iter().map(Option::is_some).collect();
    assert_eq!(known, (0..last + 50).map(|turn| turn <= last).collect::<Vec<_>>());
    let mut batch = Batch::new();
    let drawn = batch.draw(&9_u64);
    assert_eq!(restored.store().write_blocking(batch).unwrap().numbers[drawn], last + 2);
    restored.call_good().unwrap();
    let opened = Store::open(&place.target, options()).unwrap();
    assert_eq!(rows(&opened), expected);
    opened.close();
}

#[test]
fn any_moment_behind_a_backup_comes_back_from_the_journal() {
    // One file has room for all: one that is full would be used again.
    let mut store = TempStore::with(Options { journal_bytes: 4 << 20, ..options() });
    let place = place();
    put(&store, 0, b"before");
    backup(&store, &place.file);
    let mut moments = vec![(now(), rows(&store))];
    for key in 1..400 {
        put(&store, key % 50, &vec![key as u8; 1_000]);
        if key % 7 == 0 {
            let mut batch = Batch::new();
            batch.delete(ROWS, &(key % 50));
            claim(&mut batch, key);
            store.write_blocking(batch).unwrap();
        }
        if key == 200 {
            store.reopen();
        }
        if key % 40 == 0 {
            moments.push((now(), rows(&store)));
        }
    }
    let whole = rows(&store);
    let journals = [store.folder().join("journal")];
    for (moment, expected) in moments {
        let restored = restore(&place.file, &place.target, &journals, Some(moment)).unwrap();
        assert_eq!(rows(restored.store()), expected);
        assert!(restored.goes_on && restored.reaches < moment);
        drop(restored);
        fs::remove_dir_all(&place.target).unwrap();
    }
    let restored = restore(&place.file, &place.target, &journals, None).unwrap();
    assert_eq!(rows(restored.store()), whole);
    assert!(!restored.goes_on);
}

#[test]
fn a_file_of_the_journal_that_is_gone_before_it_is_looked_at_is_passed_over() {
    let store = TempStore::with(options());
    put(&store, 1, b"row");
    // The folder names it, and it cannot be opened: as if it were used again in between.
    let gone = store.folder().join("journal").join("000000000099.journal");
    std::os::unix::fs::symlink(store.folder().join("nowhere"), gone).unwrap();
    let place = place();
    backup(&store, &place.file);
    let restored = restore(&place.file, &place.target, &[], None).unwrap();
    assert_eq!(rows(restored.store()), rows(&store));
}

fn archived(archive: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(archive).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn the_archive_has_all_that_was_written_even_when_the_folder_is_gone() {
    let place = place();
    let archive = Some(place.archive.clone());
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let store = Store::open(&data, Options { archive: archive.clone(), ..options() }).unwrap();
    put(&store, 0, b"before");
    backup(&store, &place.file);
    for round in 0..40 {
        for key in 0..40 {
            put(&store, key, &vec![round as u8; 500]);
        }
        store.hand_over();
    }
    let expected = rows(&store);
    store.close();
    drop(folder);
    let files = archived(&place.archive);
    assert!(files.len() > 2, "{files:?}");
    let journals = [place.archive.clone()];
    let restored = restore(&place.file, &place.target, &journals, None).unwrap();
    assert_eq!(rows(restored.store()), expected);
    drop(restored);

    // A folder without a file of this store is told of before anything is made.
    let other = tempfile::tempdir().unwrap();
    fs::remove_dir_all(&place.target).unwrap();
    let with_other = [place.archive.clone(), other.path().to_owned()];
    let refused = restore(&place.file, &place.target, &with_other, None).unwrap_err();
    assert!(matches!(&refused, BackupError::OtherJournal { folder, .. } if folder == other.path()));
    assert!(refused.to_string().contains("has no file of the journal that"), "{refused}");
    assert!(!place.target.exists());

    // A file that is missing in between is told of, and nothing is left behind.
    let moved = fs::read(&files[1]).unwrap();
    fs::remove_file(&files[1]).unwrap();
    let refused = restore(&place.file, &place.target, &journals, None).unwrap_err();
    assert!(matches!(refused, BackupError::Journal(ChainError::Gap { .. })), "{refused}");
    assert!(!place.target.exists());
    // So is one that is damaged, wherever.
    for at in [0, 30, 100, moved.len() / 2, moved.len() - 30, moved.len() - 1] {
        let mut changed = moved.clone();
        changed[at] ^= 1;
        fs::write(&files[1], &changed).unwrap();
        let refused = restore(&place.file, &place.target, &journals, None).unwrap_err();
        assert!(matches!(refused, BackupError::Journal(_)), "byte {at}: {refused}");
    }
}

#[test]
fn an_archive_that_cannot_be_written_is_told_of_and_made_up_for() {
    let place = place();
    // A file where the folder is to be.
    fs::write(&place.archive, b"").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let with_archive = Options { archive: Some(place.archive.clone()), ..options() };
    let store = Store::open(&data, with_archive.clone()).unwrap();
    let mut fault = None;
    until("word of it", || {
        fault = store.archive_fault();
        fault.is_some()
    });
    let expected = format!("{} cannot be written: ", place.archive.display());
    assert!(fault.is_some_and(|fault| fault.starts_with(&expected)));
    backup(&store, &place.file);
    for key in 0..400 {
        put(&store, key, &[1; 1_000]);
        if key % 50 == 0 {
            store.hand_over();
        }
    }
    let expected = rows(&store);
    store.close();
    fs::remove_file(&place.archive).unwrap();
    let store = Store::open(&data, with_archive).unwrap();
    store.close();
    assert_eq!(store.archive_fault(), None);
    let journals = [place.archive.clone()];
    let restored = restore(&place.file, &place.target, &journals, None).unwrap();
    assert_eq!(rows(restored.store()), expected);
}

#[test]
fn a_store_is_closed_under_a_backup_that_is_not_at_its_end() {
    let store = TempStore::with(options());
    for key in 0..100 {
        put(&store, key, &[1; 1_000]);
    }
    let mut backup = store.backup(b"label").unwrap();
    assert!(backup.next().unwrap().is_ok());
    store.close();
    let rest: Vec<_> = backup.by_ref().collect();
    assert!(rest.last().is_some_and(Result::is_err), "{} pieces", rest.len());
    // The folder is free, whoever still has the backup.
    Store::open(store.folder(), options()).unwrap().close();
    drop(backup);
}

#[test]
fn a_changed_byte_anywhere_in_a_backup_is_found() {
    let store = TempStore::with(options());
    let place = place();
    for key in 0..20 {
        put(&store, key, &[1; 30]);
    }
    backup(&store, &place.file);
    let whole = fs::read(&place.file).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        fs::write(&place.file, &changed).unwrap();
        assert!(restore(&place.file, &place.target, &[], None).is_err(), "byte {at}");
    }
    for end in [0, 11, 30, whole.len() / 2, whole.len() - 1] {
        fs::write(&place.file, &whole[..end]).unwrap();
        assert!(restore(&place.file, &place.target, &[], None).is_err(), "{end} bytes");
    }
    assert!(!place.target.exists());
}

#[test]
fn a_folder_that_is_restored_by_half_is_not_opened() {
    let store = TempStore::with(options());
    let place = place();
    put(&store, 1, b"row");
    backup(&store, &place.file);
    // Dropped before it was called good.
    drop(restore(&place.file, &place.target, &[], None).unwrap());
    let refused = Store::open(&place.target, options()).unwrap_err();
    assert!(matches!(refused, OpenError::Restoring(_)), "{refused}");
    let refused = restore(&place.file, &place.target, &[], None).unwrap_err();
    assert!(matches!(refused, BackupError::NotEmpty(_)), "{refused}");
}

#[test]
fn a_moment_that_a_backup_lies_behind_is_refused() {
    let store = TempStore::with(options());
    let place = place();
    put(&store, 1, b"row");
    backup(&store, &place.file);
    let reaches = check_backup(&place.file, |_, _| {}).unwrap().reaches;
    let refused = restore(&place.file, &place.target, &[], Some(reaches)).unwrap_err();
    assert!(matches!(refused, BackupError::BeforeBackup { .. }), "{refused}");
    let restored = restore(&place.file, &place.target, &[], Some(reaches + 1)).unwrap();
    assert_eq!(rows(restored.store()).len(), 1);
}

#[test]
fn an_empty_store_and_one_whose_journal_has_gone_on_are_backed_up_too() {
    let mut store = TempStore::with(options());
    let place = place();
    backup(&store, &place.file);
    let restored = restore(&place.file, &place.target, &[], None).unwrap();
    assert_eq!(rows(restored.store()).len(), 0);
    drop(restored);
    fs::remove_dir_all(&place.target).unwrap();

    for key in 0..300 {
        put(&store, key, &[1; 1_000]);
    }
    store.hand_over();
    store.reopen();
    backup(&store, &place.file);
    let restored = restore(&place.file, &place.target, &[], None).unwrap();
    assert_eq!(rows(restored.store()), rows(&store));
}

#[test]
fn a_restored_store_is_held_in_an_epoch_of_its_own() {
    let mut store = TempStore::with(options());
    assert_eq!((store.epoch(), store.is_held(), store.resume()), (None, false, Ok(false)));
    let mut epochs = vec![];
    for _ in 0..2 {
        let place = place();
        backup(&store, &place.file);
        let restored = restore(&place.file, &place.target, &[], None).unwrap();
        restored.call_good().unwrap();
        let opened = Store::open(&place.target, options()).unwrap();
        assert!(opened.is_held() && opened.rests());
        epochs.extend(opened.epoch());
        assert_eq!((opened.resume(), opened.is_held()), (Ok(true), false));
        // A backup of it carries its epoch on.
        backup(&opened, &place.file);
        opened.close();
        fs::remove_dir_all(&place.target).unwrap();
        let again = restore(&place.file, &place.target, &[], None).unwrap();
        epochs.extend(again.store().epoch());
        store.reopen();
        assert_eq!(store.epoch(), None);
    }
    assert_eq!(epochs.len(), 4);
    assert!(epochs[0] < epochs[1] && epochs[2] < epochs[3], "{epochs:?}");
}
