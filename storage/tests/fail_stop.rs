//! A disk that refuses a write ends the process, and takes nothing with it that was
//! acknowledged.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "this is a test")]

mod writer;

use std::process::Command;
use std::thread;

use storage::testing::TempStore;
use storage::{Batch, CommitError, Fatal, Options, Store, Table};
use writer::{Writer, verify};

/// What the writer's files may hold before the operating system refuses more: in blocks of 512
/// bytes, a little more than one of the engine's segments.
const BLOCKS: u32 = 40 * 1024;

const OPENER: &str = "STORAGE_OPENER_FOLDER";
const BULK: Table<u64, Vec<u8>> = Table::new(1, "bulk");

#[test]
#[ignore = "the process that the other test limits"]
fn writer_process() {
    writer::run_until(u64::MAX, |_| {});
}

#[test]
fn a_write_that_the_disk_refuses_ends_the_process_and_loses_nothing() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data");
    // The signal is ignored, so that writes beyond the limit are refused like on a full disk.
    let script = format!("trap '' XFSZ; ulimit -f {BLOCKS}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(std::env::current_exe().unwrap());
    let (code, acknowledged) = Writer::start_as(command, "writer_process", &folder).end();
    assert_eq!(code, Some(70));
    assert!(!acknowledged.is_empty());

    let options = Options { fatal: Fatal::Poison, ..Options::default() };
    let store = Store::open(&folder, options).unwrap();
    verify(&store, &acknowledged);
    println!("{} acknowledged writes outlived the full disk", acknowledged.len());
}

#[test]
#[ignore = "the process whose committer the other test lets panic"]
fn panicking_process() {
    writer::run_until(2_000, Store::panic_in_committer);
}

#[test]
fn a_panic_of_the_committer_ends_the_process_and_loses_nothing() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data");
    let (code, acknowledged) = Writer::start("panicking_process", &folder).end();
    assert_eq!(code, Some(70));
    assert!(!acknowledged.is_empty());

    let options = Options { fatal: Fatal::Poison, ..Options::default() };
    verify(&Store::open(&folder, options).unwrap(), &acknowledged);
}

#[test]
fn a_committer_that_has_panicked_writes_nothing_more_and_says_so() {
    const ROWS: Table<u64, u64> = Table::new(1, "rows");
    let store = TempStore::new();
    let put = |key: u64| {
        let mut batch = Batch::new();
        batch.put(ROWS, &key, &1);
        store.write_blocking(batch)
    };
    put(1).unwrap();
    assert_eq!(store.fault(), None);
    store.panic_in_committer();
    assert!(put(2).is_err());
    let Err(CommitError::Failed(reason)) = put(3) else { panic!("it still writes") };
    assert!(reason.contains("the committer panicked"), "{reason}");
    assert!(store.fault().is_some_and(|fault| fault.contains("the committer panicked")));
    assert_eq!((store.get(ROWS, &1), store.get(ROWS, &2)), (Ok(Some(1)), Ok(None)));
}

#[test]
#[ignore = "the process that the next test limits"]
fn opener_process() {
    let Ok(folder) = std::env::var(OPENER) else { return };
    match Store::open(folder.as_ref(), Options { fatal: Fatal::Poison, ..Options::default() }) {
        Ok(_) => eprintln!("opened"),
        Err(refused) => eprintln!("{refused}"),
    }
    std::process::exit(0);
}

#[test]
fn a_disk_without_space_at_opening_is_not_taken_for_damage() {
    let home = tempfile::tempdir().unwrap();
    let filled = home.path().join("filled");
    let store = Store::open(&filled, Options::default()).unwrap();
    for number in 0..200 {
        let mut batch = Batch::new();
        (0..100_u64).for_each(|row| batch.put(BULK, &(number * 100 + row), &vec![7; 200]));
        store.write_blocking(batch).unwrap();
    }
    store.close();
    drop(store);
    for blocks in [0, 8, 20_000, 33_000] {
        for folder in [filled.clone(), home.path().join(format!("fresh {blocks}"))] {
            let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
            let mut command = Command::new("sh");
            command.args(["-c", &script]).arg(std::env::current_exe().unwrap());
            command.args(["--exact", "opener_process", "--ignored", "--nocapture"]);
            let told = command.env(OPENER, &folder).output().unwrap().stderr;
            let told = String::from_utf8(told).unwrap();
            let right =
                told.contains("opened") || told.contains("check the disk and its free space");
            assert!(right, "{blocks} blocks: {told}");
        }
    }
    // And with space it opens as if nothing had happened.
    let store = Store::open(&filled, Options::default()).unwrap();
    assert_eq!(store.get(BULK, &19_999), Ok(Some(vec![7; 200])));
}

#[test]
fn a_panic_on_a_thread_of_the_engine_stops_all_writing() {
    const ROWS: Table<u64, u64> = Table::new(1, "rows");
    let store = TempStore::new();
    let put = || {
        let mut batch = Batch::new();
        batch.put(ROWS, &1, &1);
        batch
    };
    store.write_blocking(put()).unwrap();
    let panics = thread::Builder::new()
        .name("sled-io-7".to_owned())
        .spawn(|| panic!("this is part of a test"))
        .unwrap();
    assert!(panics.join().is_err());
    let Err(CommitError::Failed(reason)) = store.write_blocking(put()) else {
        panic!("a store whose engine has panicked must not write");
    };
    assert!(reason.contains("a thread of the engine panicked"), "{reason}");
    assert_eq!(store.get(ROWS, &1), Ok(Some(1)));
}
