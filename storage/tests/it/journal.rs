//! The journal: what is whole is replayed, a torn end is cut off, damage is refused; and the rows
//! in memory before the engine are those of a plain map, whatever is where.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use storage::testing::TempStore;
use storage::{Batch, Fatal, OpenError, Options, ReadError, Scan, Store, Table};

const ROWS: Table<u64, Vec<u8>> = Table::new(1, "rows");

fn options(journal_bytes: u64) -> Options {
    Options { journal_bytes, fatal: Fatal::Poison, ..Options::default() }
}

fn put(store: &Store, key: u64, row: &[u8]) {
    let mut batch = Batch::new();
    batch.put(ROWS, &key, &row.to_vec());
    store.write_blocking(batch).unwrap();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("journal")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Where the last byte that is not zero stands.
fn last_byte(file: &Path) -> u64 {
    fs::read(file).unwrap().iter().rposition(|byte| *byte != 0).unwrap() as u64
}

fn flip(file: &Path, at: u64) {
    let file = OpenOptions::new().read(true).write(true).open(file).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 0x55], at).unwrap();
}

#[test]
fn groups_that_the_engine_has_not_got_are_replayed() {
    let mut store = TempStore::new();
    for key in 0..100 {
        put(&store, key, &[1]);
    }
    store.hand_over();
    for key in 50..150 {
        put(&store, key, &[2]);
    }
    let mut batch = Batch::new();
    batch.delete(ROWS, &0);
    store.write_blocking(batch).unwrap();
    store.reopen();
    let rows: Vec<_> = store.scan(ROWS, Scan::all()).map(Result::unwrap).collect();
    let expected = (1..150).map(|key| (key, vec![if key < 50 { 1 } else { 2 }]));
    assert_eq!(rows, expected.collect::<Vec<_>>());
}

#[test]
fn the_torn_frame_of_a_write_that_nobody_was_answered_is_cut_off() {
    let store = TempStore::new();
    for key in 0..10 {
        put(&store, key, &[1; 100]);
    }
    store.close();
    let newest = files(store.folder()).pop().unwrap();
    // As if the tenth group had not been answered.
    fs::remove_file(store.folder().join("watermark")).unwrap();
    flip(&newest, last_byte(&newest));
    for _ in 0..2 {
        let opened = Store::open(store.folder(), options(1 << 20)).unwrap();
        assert_eq!(opened.scan(ROWS, Scan::all()).count(), 9);
        put(&opened, 9, &[1; 90]);
        let mut batch = Batch::new();
        batch.delete(ROWS, &9);
        opened.write_blocking(batch).unwrap();
        opened.close();
    }
}

#[test]
fn a_frame_that_was_answered_is_missed() {
    let store = TempStore::new();
    for key in 0..10 {
        put(&store, key, &[1; 100]);
    }
    store.close();
    let newest = files(store.folder()).pop().unwrap();
    flip(&newest, last_byte(&newest));
    let refused = Store::open(store.folder(), options(1 << 20)).unwrap_err();
    assert!(matches!(refused, OpenError::Damaged { .. }), "{refused}");
    assert!(
        refused.to_string().contains("the last 1 acknowledged groups are missing"),
        "{refused}"
    );
}

#[test]
fn a_bad_frame_before_a_good_one_is_damage() {
    let store = TempStore::new();
    for key in 0..10 {
        put(&store, key, &[1; 100]);
    }
    store.close();
    fs::remove_file(store.folder().join("watermark")).unwrap();
    let newest = files(store.folder()).pop().unwrap();
    flip(&newest, last_byte(&newest) / 2);
    let refused = Store::open(store.folder(), options(1 << 20)).unwrap_err();
    assert!(refused.to_string().contains("stands behind it"), "{refused}");
}

#[test]
fn files_are_sealed_kept_for_a_while_used_again_and_a_missing_one_is_noticed() {
    const MIB: u64 = 1024 * 1024;
    let store = TempStore::with(options(4 * MIB));
    let bytes = || -> u64 {
        files(store.folder()).iter().map(|file| fs::metadata(file).unwrap().len()).sum()
    };
    for round in 0..1_600_u64 {
        put(&store, round % 10, &vec![round as u8; 60_000]);
        if round % 100 == 99 {
            store.hand_over();
        }
    }
    // What an engine may lose of it is kept, 64 MiB.
    assert!((64 * MIB..80 * MIB).contains(&bytes()), "{} bytes are kept", bytes());
    assert!(!files(store.folder())[0].ends_with("000000000001.journal"), "the first is used again");
    for round in 1_600..1_640_u64 {
        put(&store, round % 10, &vec![round as u8; 60_000]);
    }
    store.close();
    let opened = Store::open(store.folder(), options(4 * MIB)).unwrap();
    for key in 0..10_u64 {
        assert_eq!(opened.get(ROWS, &key), Ok(Some(vec![(1_630 + key) as u8; 60_000])));
    }
    opened.close();
    let kept = files(store.folder());
    fs::remove_file(&kept[kept.len() - 2]).unwrap();
    let refused = Store::open(store.folder(), options(4 * MIB)).unwrap_err();
    assert!(refused.to_string().contains("are missing"), "{refused}");
}

#[test]
fn a_file_whose_making_a_crash_has_interrupted_is_begun_anew() {
    let store = TempStore::new();
    put(&store, 1, &[1]);
    store.close();
    for content in [vec![], vec![0; 4_096], vec![0xAA; 4_096]] {
        fs::write(store.folder().join("journal/000000000002.journal"), content).unwrap();
        let opened = Store::open(store.folder(), options(64 * 1024)).unwrap();
        assert_eq!(opened.get(ROWS, &1), Ok(Some(vec![1])));
        opened.close();
    }
}

#[test]
fn the_only_file_is_told_of_and_left_as_it_is_when_its_head_is_damaged() {
    let store = TempStore::new();
    for key in 0..10 {
        put(&store, key, &[1; 100]);
    }
    store.close();
    let [only] = &files(store.folder())[..] else { panic!("one file") };
    flip(only, 20);
    let damaged = fs::read(only).unwrap();
    let watermark = store.folder().join("watermark");
    let seen = fs::read(&watermark).unwrap();
    // Whether or not it is known how many groups there were.
    for seen in [Some(seen), None] {
        match seen {
            Some(seen) => fs::write(&watermark, seen).unwrap(),
            None => fs::remove_file(&watermark).unwrap(),
        }
        let refused = Store::open(store.folder(), options(1 << 20)).unwrap_err();
        assert!(refused.to_string().contains("its head is not whole"), "{refused}");
        assert_eq!(fs::read(only).unwrap(), damaged);
    }
    flip(only, 20);
    let opened = Store::open(store.folder(), options(1 << 20)).unwrap();
    assert_eq!(opened.scan(ROWS, Scan::all()).count(), 10);
    opened.close();
}

#[test]
fn the_only_file_that_has_lost_what_was_answered_is_left_as_it_is() {
    let store = TempStore::new();
    for key in 0..10 {
        put(&store, key, &[1; 100]);
    }
    store.hand_over();
    put(&store, 10, &[1; 100]);
    store.close();
    let [only] = &files(store.folder())[..] else { panic!("one file") };
    let cut = &fs::read(only).unwrap()[..200];
    fs::write(only, cut).unwrap();
    let refused = Store::open(store.folder(), options(1 << 20)).unwrap_err();
    assert!(refused.to_string().contains("acknowledged groups are missing"), "{refused}");
    assert_eq!(fs::read(only).unwrap(), cut);
}

#[test]
fn the_journal_of_another_store_is_refused() {
    let [store, other] = [64, 64].map(|kib| TempStore::with(options(kib * 1024)));
    put(&store, 1, &[1]);
    store.close();
    for round in 0..20 {
        put(&other, round, &[2; 4_000]);
    }
    other.close();
    let foreign = files(other.folder()).remove(1);
    fs::copy(&foreign, store.folder().join("journal").join(foreign.file_name().unwrap())).unwrap();
    let refused = Store::open(store.folder(), options(64 * 1024)).unwrap_err();
    assert!(refused.to_string().contains("belongs to another store"), "{refused}");
}

#[test]
fn a_snapshot_keeps_seeing_what_it_saw() {
    let store = TempStore::new();
    for key in 0..100 {
        put(&store, key, &[1]);
    }
    store.hand_over();
    let mut batch = Batch::new();
    (0..50).for_each(|key| batch.put(ROWS, &key, &vec![2]));
    store.write_blocking(batch).unwrap();
    let snapshot = store.snapshot().unwrap();
    let mut batch = Batch::new();
    (0..100).for_each(|key| batch.delete(ROWS, &key));
    (100..200).for_each(|key| batch.put(ROWS, &key, &vec![3]));
    store.write_blocking(batch).unwrap();
    assert_eq!(store.scan(ROWS, Scan::all()).count(), 100);
    let walk = |scan: Scan| -> Vec<(u64, Vec<u8>)> {
        snapshot.scan(ROWS, scan).map(Result::unwrap).collect()
    };
    let mut expected: Vec<_> =
        (0..100).map(|key| (key, vec![if key < 50 { 2 } else { 1 }])).collect();
    assert_eq!(walk(Scan::all()), expected);
    expected.reverse();
    assert_eq!(walk(Scan::all().reverse()), expected);
    assert_eq!(snapshot.get(ROWS, &7), Ok(Some(vec![2])));
    assert_eq!(snapshot.contains(ROWS, &150), Ok(false));
}

#[test]
fn writers_wait_for_no_snapshot_for_long_and_it_says_that_it_is_gone() {
    let store = TempStore::with(options(64 * 1024));
    put(&store, 1, &[1]);
    let snapshot = store.snapshot().unwrap();
    for round in 0..200 {
        put(&store, 1, &vec![round; 4_000]);
        put(&store, 2 + u64::from(round), &vec![round; 4_000]);
    }
    assert_eq!(snapshot.get(ROWS, &1), Err(ReadError::SnapshotGone));
    assert_eq!(snapshot.scan(ROWS, Scan::all()).next(), Some(Err(ReadError::SnapshotGone)));
    assert_eq!(store.get(ROWS, &1), Ok(Some(vec![199; 4_000])));
}

#[test]
fn what_is_gone_soon_never_reaches_the_engine() {
    let store = TempStore::new();
    for key in 0..1_000 {
        put(&store, key, &[1]);
        let mut batch = Batch::new();
        batch.delete(ROWS, &key);
        batch.put(ROWS, &5_000, &vec![2]);
        store.write_blocking(batch).unwrap();
    }
    store.hand_over();
    // The row that stays, and the number of the last group.
    assert!(store.stats().engine_records <= 2, "{:?}", store.stats());
    assert_eq!(store.scan(ROWS, Scan::all()).count(), 1);
}

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<(u64, Option<u8>)>),
    HandOver,
    Reopen,
    Snapshot,
}

fn step() -> impl Strategy<Value = Step> {
    let write = proptest::collection::vec((0..40_u64, proptest::option::of(any::<u8>())), 1..12);
    prop_oneof![
        8 => write.prop_map(Step::Write),
        1 => Just(Step::HandOver),
        1 => Just(Step::Reopen),
        1 => Just(Step::Snapshot),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_rows_are_those_of_a_plain_map(
        steps in proptest::collection::vec(step(), 1..60),
        (from, until) in (0..40_u64, 0..40_u64),
    ) {
        let mut store = TempStore::new();
        let mut model = BTreeMap::new();
        let mut snapshot = None;
        for step in steps {
            match step {
                Step::Write(writes) => {
                    let mut batch = Batch::new();
                    for (key, row) in writes {
                        match row {
                            Some(row) => match model.insert(key, vec![row]) {
                                Some(_) => batch.put(ROWS, &key, &vec![row]),
                                None => batch.put_new(ROWS, &key, &vec![row]),
                            },
                            None => {
                                batch.delete(ROWS, &key);
                                model.remove(&key);
                            }
                        }
                    }
                    store.write_blocking(batch).unwrap();
                }
                Step::HandOver => {
                    snapshot = None;
                    store.hand_over();
                }
                Step::Reopen => {
                    snapshot = None;
                    store.reopen();
                }
                Step::Snapshot => snapshot = Some((store.snapshot().unwrap(), model.clone())),
            }
            let scan = || Scan::all().from(&from).until(&until);
            let expected = |model: &BTreeMap<u64, Vec<u8>>| -> Vec<(u64, Vec<u8>)> {
                let rows = model.iter().filter(|(key, _)| (from..until).contains(key));
                rows.map(|(key, row)| (*key, row.clone())).collect()
            };
            let rows: Vec<_> = store.scan(ROWS, scan()).map(Result::unwrap).collect();
            prop_assert_eq!(rows, expected(&model));
            if let Some((snapshot, seen)) = &snapshot {
                let walk = snapshot.scan(ROWS, scan().reverse());
                let mut rows: Vec<_> = walk.map(Result::unwrap).collect();
                rows.reverse();
                prop_assert_eq!(rows, expected(seen));
            }
            prop_assert_eq!(store.get(ROWS, &from).unwrap(), model.get(&from).cloned());
        }
    }
}
