use std::fs::{self, File};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;
use crate::fatal::Fatal;
use crate::journal::{Chain, Sizes, frame, payload_of, replay};

const SIZES: Sizes = Sizes { file: 1024 * 1024, kept: 256 * 1024 };

fn opened(home: &Path) -> Arc<Mutex<Journal>> {
    let journal = replay(home, (0, 0), SIZES, &mut |_, _| Ok(()));
    Arc::new(Mutex::new(journal.expect("a journal")))
}

fn payload(bytes: usize) -> Vec<u8> {
    payload_of(&[(b"key".to_vec(), Some(vec![7; bytes]))])
}

/// Writes a group that the engine holds at once.
fn write(journal: &Mutex<Journal>, bytes: usize) {
    let mut journal = journal.lock();
    let before = journal.last();
    journal.append(1, &payload(bytes), before).expect("durable");
}

/// What a thread would carry out every ten seconds.
fn rounds(journal: &Arc<Mutex<Journal>>, folder: &Path) -> Inner {
    journal.lock().archived = 0;
    Inner {
        journal: Arc::clone(journal),
        folder: folder.to_owned(),
        archive: Archive::default(),
        stopping: Mutex::new(false),
        stop: Condvar::new(),
    }
}

/// The groups that a restore would find in the archive.
fn archived(folder: &Path, journal: &Mutex<Journal>) -> Vec<u64> {
    let store = journal.lock().store();
    let mut chain = Chain::new(&[folder.to_owned()], store, 1).expect("readable");
    let mut groups = Vec::new();
    while let Some(group) = chain.next().expect("no gap") {
        groups.push(group.number);
    }
    groups
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).expect("readable").count()
}

#[test]
fn what_is_written_while_the_archiver_copies_is_copied_before_it_ends() {
    let home = tempfile::tempdir().expect("a folder");
    let archive = home.path().join("archive");
    fs::create_dir(&archive).expect("a folder");
    let journal = opened(home.path());
    write(&journal, 200_000);
    // The first copy goes to whoever reads it, and waits for that.
    let partial = archive.join(format!("{:016x}-{:012}.partial", journal.lock().store(), 1));
    mknodat(CWD, &partial, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    let fuse = Fuse::new(Fatal::Poison);
    let archiver = Archiver::start(&journal, &archive, &Archive::default(), &fuse);
    let archiver = archiver.expect("a thread");
    let mut copied = File::open(&partial).expect("the copying has begun");
    fs::remove_file(&partial).expect("removed");

    write(&journal, 100);
    let inner = Arc::clone(&archiver.inner);
    let stopped = thread::spawn(move || drop(archiver));
    while !*inner.stopping.lock() {
        thread::yield_now();
    }
    io::copy(&mut copied, &mut io::sink()).expect("read");
    stopped.join().expect("stopped");
    assert_eq!(archived(&archive, &journal), [1, 2]);
}

#[test]
fn little_that_is_written_now_and_then_takes_few_files() {
    let home = tempfile::tempdir().expect("a folder");
    let archive = home.path().join("archive");
    let journal = opened(home.path());
    let inner = rounds(&journal, &archive);
    for _ in 0..200 {
        write(&journal, 300);
        inner.copy().expect("copied");
    }
    let all: Vec<u64> = (1..=200).collect();
    assert_eq!(archived(&archive, &journal), all);
    let counts = [files(&archive), files(&home.path().join("journal"))];
    // A file is closed once a sixty-fourth of a full one is in it, and not with each copy.
    assert_eq!(counts, [5, 5]);
}

#[test]
fn a_group_whose_sync_was_refused_stands_behind_the_last_whatever_is_copied_meanwhile() {
    let home = tempfile::tempdir().expect("a folder");
    let archive = home.path().join("archive");
    let journal = opened(home.path());
    let inner = rounds(&journal, &archive);
    (0..3).for_each(|_| write(&journal, 20_000));
    // As a sync leaves it that fails: its frame is in the file, and it is not counted.
    {
        let mut journal = journal.lock();
        let mut refused = Vec::new();
        frame::write(&mut refused, journal.newest.head.seed(), 4, 1, &payload(100));
        journal.newest.append(&refused).expect("written");
    }
    inner.copy().expect("copied");
    assert_eq!(archived(&archive, &journal), [1, 2, 3]);

    let again = opened(home.path());
    assert_eq!(again.lock().last(), 4);
    let inner = rounds(&again, &archive);
    inner.copy().expect("copied");
    assert_eq!(archived(&archive, &again), [1, 2, 3, 4], "the copy with fewer gave way");
    write(&again, 100);
    inner.copy().expect("copied");
    assert_eq!(archived(&archive, &again), [1, 2, 3, 4, 5]);
}

#[test]
fn a_folder_that_was_put_back_does_not_grow_into_what_the_archive_has_behind_it() {
    let [home, back] = [(), ()].map(|()| tempfile::tempdir().expect("a folder"));
    let archive = home.path().join("archive");
    let journal = opened(home.path());
    let inner = rounds(&journal, &archive);
    write(&journal, 20_000);
    inner.copy().expect("copied");
    let put_back = back.path().join("journal");
    fs::create_dir(&put_back).expect("a folder");
    let first = "000000000001.journal";
    fs::copy(home.path().join("journal").join(first), put_back.join(first)).expect("put back");
    write(&journal, 100);
    inner.copy().expect("copied");
    assert_eq!(files(&archive), 2, "the second group has begun a file");

    let other = opened(back.path());
    write(&other, 300);
    let inner = rounds(&other, &archive);
    let before = fs::read(archived_file(&archive)).expect("readable");
    let refused = inner.copy().expect_err("another history");
    assert!(matches!(refused, ChainError::OtherGroups { .. }), "{refused}");
    assert_eq!(fs::read(archived_file(&archive)).expect("readable"), before);
}

/// The first of the archive.
fn archived_file(archive: &Path) -> PathBuf {
    let entries = fs::read_dir(archive).expect("readable");
    entries.map(|entry| entry.expect("readable").path()).min().expect("a file")
}

#[test]
fn what_stands_in_the_place_of_an_archive_that_is_away_gets_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let [archive, away] = ["archive", "away"].map(|name| home.path().join(name));
    let journal = opened(home.path());
    let inner = rounds(&journal, &archive);
    write(&journal, 20_000);
    inner.copy().expect("copied");
    let is_away = |inner: &Inner| matches!(inner.copy(), Err(ChainError::Away { .. }));
    // The disk of it is not mounted any more: what is left is the folder that it was mounted at.
    fs::rename(&archive, &away).expect("moved");
    fs::create_dir(&archive).expect("a folder");
    write(&journal, 100);
    assert!(is_away(&inner));

    let again = opened(home.path());
    let inner = rounds(&again, &archive);
    assert!(is_away(&inner), "and it was not when the server started");
    assert_eq!(files(&archive), 0);
    fs::remove_dir(&archive).expect("removed");
    assert!(is_away(&inner));
    assert!(!archive.exists(), "nor is it made");
    let archived_up_to = again.lock().archived;
    assert_eq!(archived_up_to, 0, "the files stay");

    fs::rename(&away, &archive).expect("moved");
    inner.copy().expect("copied");
    assert_eq!(archived(&archive, &again), [1, 2]);
}

#[test]
fn another_folder_that_is_named_for_the_archive_is_made_and_gets_what_there_is() {
    let home = tempfile::tempdir().expect("a folder");
    let [lost, other] = ["lost", "other"].map(|name| home.path().join(name));
    let journal = opened(home.path());
    write(&journal, 20_000);
    rounds(&journal, &lost).copy().expect("copied");
    fs::remove_dir_all(&lost).expect("removed");
    rounds(&journal, &other).copy().expect("copied");
    assert_eq!(archived(&other, &journal), [1]);
    fs::remove_dir_all(&other).expect("removed");
    let refused = rounds(&journal, &other).copy();
    assert!(matches!(refused, Err(ChainError::Away { .. })), "it counts from then on");
}

#[test]
fn a_copy_whose_note_a_crash_came_before_counts() {
    let home = tempfile::tempdir().expect("a folder");
    let [archive, note] = ["archive", "archived"].map(|name| home.path().join(name));
    let journal = opened(home.path());
    let inner = rounds(&journal, &archive);
    write(&journal, 20_000);
    inner.copy().expect("copied");
    let before = fs::read(&note).expect("a note");
    write(&journal, 20_000);
    inner.copy().expect("copied");
    assert_ne!(fs::read(&note).expect("a note"), before);
    fs::write(&note, before).expect("put back");
    // What lies before a backup is pruned.
    fs::remove_file(archived_file(&archive)).expect("removed");
    inner.copy().expect("the archive is there");
}
