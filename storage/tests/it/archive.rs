//! An archive: it has all that the journal has had, also behind a copy that was made before, and
//! nothing of a folder that was put back. What lies before a backup can be deleted, and each
//! restore of the backup is as it was.

mod damaged;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use storage::{
    BackupError, Batch, ChainError, Options, Outdated, RestorePlan, Scan, Store, Table,
    check_backup,
};
use tempfile::TempDir;

use crate::until;

const ROWS: Table<u64, Vec<u8>> = Table::new(1, "rows");

/// A folder with an archive, and backups that were taken one after the other.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn open(&self, data: &str) -> Store {
        let archive = Some(self.at("archive"));
        let options = Options { journal_bytes: 64 * 1024, archive, ..Options::default() };
        Store::open(&self.at(data), options).unwrap()
    }

    fn archived(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.at("archive")).unwrap();
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    fn outdated(&self, backup: &str) -> Outdated {
        let info = check_backup(&self.at(backup), |_, _| {}).unwrap();
        Outdated::find(&self.at("archive"), &info).unwrap()
    }

    fn restored(&self, backup: &str) -> Result<BTreeMap<u64, Vec<u8>>, BackupError> {
        self.restored_with(backup, &["archive"])
    }

    fn restored_with(
        &self,
        backup: &str,
        journals: &[&str],
    ) -> Result<BTreeMap<u64, Vec<u8>>, BackupError> {
        let (file, folder) = (self.at(backup), tempfile::tempdir().unwrap());
        let info = check_backup(&file, |_, _| {}).unwrap();
        let journals: Vec<_> = journals.iter().map(|name| self.at(name)).collect();
        let folder = folder.path().join("restored");
        let plan = RestorePlan {
            file: &file,
            info: &info,
            folder: &folder,
            journals: &journals,
            until: None,
        };
        let restored = plan.carry_out(Options::default())?;
        let found = rows(restored.store());
        restored.give_up().unwrap();
        Ok(found)
    }
}

fn put(store: &Store, key: u64, with: u8) {
    let mut batch = Batch::new();
    batch.put(ROWS, &key, &vec![with; 100]);
    store.write_blocking(batch).unwrap();
}

fn rows(store: &Store) -> BTreeMap<u64, Vec<u8>> {
    store.scan(ROWS, Scan::all()).map(Result::unwrap).collect()
}

/// More than a few files of the journal take.
fn write(store: &Store, with: u8) {
    for key in 0..300 {
        let mut batch = Batch::new();
        batch.put(ROWS, &key, &vec![with; 1_000]);
        store.write_blocking(batch).unwrap();
    }
}

fn backup(store: &Store, file: &Path) {
    let mut out = File::create(file).unwrap();
    for piece in store.backup(b"").unwrap() {
        out.write_all(&piece.unwrap()).unwrap();
    }
}

/// Two backups with files of the journal before, between and behind them; all rows at the end.
fn two_backups(place: &Place) -> BTreeMap<u64, Vec<u8>> {
    let store = place.open("data");
    write(&store, 1);
    backup(&store, &place.at("older"));
    write(&store, 2);
    backup(&store, &place.at("newer"));
    write(&store, 3);
    let expected = rows(&store);
    store.close();
    expected
}

#[test]
fn what_lies_before_a_backup_is_deleted_and_the_backup_goes_on_as_before() {
    let place = Place::new();
    let expected = two_backups(&place);
    let all = place.archived();
    let (older, newer) = (place.outdated("older"), place.outdated("newer"));
    assert!(!older.files().is_empty() && older.files().len() < newer.files().len());
    // The oldest, and no hole between them.
    assert_eq!(newer.files(), &all[..newer.files().len()]);
    assert_eq!(newer.files().len() + newer.needed, all.len());
    let lengths = newer.files().iter().map(|file| fs::metadata(file).unwrap().len());
    assert_eq!(newer.bytes, lengths.sum::<u64>());
    assert_eq!(place.archived(), all, "looking deletes nothing");

    let freed = older.files().len();
    older.delete().unwrap();
    assert_eq!(place.archived(), all[freed..]);
    assert_eq!(place.restored("older").unwrap(), expected);
    let left = place.outdated("newer");
    left.delete().unwrap();
    assert_eq!(place.restored("newer").unwrap(), expected);
    assert_eq!(place.outdated("newer").files(), &[] as &[PathBuf], "twice is once");
    // Whoever prunes before the newer gives the older up.
    let refused = place.restored("older").unwrap_err();
    assert!(matches!(refused, BackupError::Journal(ChainError::Gap { .. })), "{refused}");
}

#[test]
fn files_of_another_store_and_those_that_are_no_copies_stay() {
    let place = Place::new();
    let other = place.open("other");
    write(&other, 1);
    other.close();
    let others = place.archived();
    two_backups(&place);
    // Files of a journal itself, in the same folder by mistake.
    let journal = fs::read_dir(place.at("data").join("journal")).unwrap();
    let mut stay = others;
    for file in journal.map(|entry| entry.unwrap().path()) {
        let beside = place.at("archive").join(file.file_name().unwrap());
        fs::copy(&file, &beside).unwrap();
        stay.push(beside);
    }
    place.outdated("newer").delete().unwrap();
    let left = place.archived();
    assert!(stay.iter().all(|file| left.contains(file)), "{left:?}");
}

#[test]
fn what_lies_before_a_gap_that_the_backup_falls_into_stays_to_tell_of_it() {
    let place = Place::new();
    two_backups(&place);
    let all = place.archived();
    let before = place.outdated("newer").files().len();
    // The one that the restore begins with.
    fs::remove_file(&all[before]).unwrap();
    let outdated = place.outdated("newer");
    assert_eq!(outdated.files(), &all[..before - 1]);
    outdated.delete().unwrap();
    let refused = place.restored("newer").unwrap_err();
    assert!(matches!(refused, BackupError::Journal(ChainError::Gap { .. })), "{refused}");
}

#[test]
fn what_a_file_has_got_since_it_was_copied_is_copied_as_well() {
    let place = Place::new();
    let store = place.open("data");
    put(&store, 1, 1);
    backup(&store, &place.at("backup"));
    put(&store, 2, 1);
    store.close();
    // As a power cut leaves it that comes before the name of a next file is durable.
    let first = place.at("data").join("journal").join("000000000001.journal");
    for file in fs::read_dir(first.parent().unwrap()).unwrap().map(|file| file.unwrap().path()) {
        if file != first {
            fs::remove_file(file).unwrap();
        }
    }
    // And then the archive is away for a while.
    let without = Options { journal_bytes: 64 * 1024, ..Options::default() };
    let store = Store::open(&place.at("data"), without).unwrap();
    put(&store, 3, 1);
    store.close();
    let store = place.open("data");
    let expected = rows(&store);
    store.close();
    assert_eq!(place.restored("backup").unwrap(), expected);
    assert_eq!(expected.len(), 3);
}

#[test]
fn a_folder_that_was_put_back_does_not_go_on_in_the_archive_of_what_was_given_up() {
    let place = Place::new();
    let store = place.open("data");
    backup(&store, &place.at("backup"));
    put(&store, 1, 1);
    store.close();
    copy(&place.at("data"), &place.at("older"));
    let store = place.open("data");
    put(&store, 2, 2);
    let expected = rows(&store);
    store.close();

    let store = place.open("older");
    put(&store, 2, 3);
    let mut fault = None;
    until("word of it", || {
        fault = store.archive_fault();
        fault.is_some()
    });
    let fault = fault.unwrap();
    store.close();
    assert!(fault.contains("has other groups than the journal"), "{fault}");
    assert_eq!(place.restored("backup").unwrap(), expected);
}

fn copy(from: &Path, into: &Path) {
    fs::create_dir(into).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let path = into.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &path);
        } else {
            fs::copy(entry.path(), path).unwrap();
        }
    }
}
