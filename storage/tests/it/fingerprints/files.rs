//! What lies on the disk, and what becomes of it.

use std::fs;
use std::path::PathBuf;

use storage::testing::TempStore;
use storage::{Fatal, OpenError, Options, ReadError, Store};

use super::{KEYS, claim, find, print, settle, taken, tiny};

fn filled() -> TempStore {
    let store = tiny();
    for round in 0..30 {
        store.write_blocking(claim(1, round * 10..round * 10 + 10)).unwrap();
    }
    settle(&store);
    store
}

fn files(store: &TempStore) -> Vec<PathBuf> {
    let folder = fs::read_dir(store.folder().join("index")).unwrap();
    let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn open(store: &TempStore) -> Result<Store, OpenError> {
    Store::open(store.folder(), Options { fatal: Fatal::Poison, ..Options::default() })
}

#[test]
fn merged_files_are_gone_and_so_is_the_log_of_what_is_in_them() {
    let store = filled();
    let stats = store.stats().index;
    assert_eq!(files(&store).len(), stats.runs);
    assert!(stats.runs < 4 && stats.in_memory < 50, "{stats:?}");
    assert_eq!(stats.entries, 300);
    let bytes: u64 = files(&store).iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    assert_eq!(bytes, stats.run_bytes);
}

#[test]
fn runs_are_not_merged_while_the_disk_is_nearly_full() {
    let free_bytes = 1_000_000;
    let options =
        Options { index: super::TINY, free_bytes, fatal: Fatal::Poison, ..Options::default() };
    let mut store = TempStore::with(options);
    store.pretend_free_space(Some(free_bytes - 1));
    for round in 0..30 {
        store.write_blocking(claim(1, round * 10..round * 10 + 10)).unwrap();
    }
    settle(&store);
    assert_eq!(store.stats().index.runs, 6);
    store.reopen();
    settle(&store);
    assert!(store.stats().index.runs < 4, "{:?}", store.stats().index);
}

#[test]
fn runs_are_not_merged_where_the_merged_one_would_fill_the_disk() {
    let store = tiny();
    // A mark that is never reached, and no room for what a merge writes.
    store.pretend_free_space(Some(64 * 1024 * 1024));
    for round in 0..30 {
        store.write_blocking(claim(1, round * 10..round * 10 + 10)).unwrap();
    }
    settle(&store);
    assert_eq!(store.stats().index.runs, 6);
    assert_eq!(find(&store, 1, [1, 299]), [Some(taken(1)), Some(taken(299))]);
    store.pretend_free_space(None);
    store.write_blocking(claim(1, 300..360)).unwrap();
    settle(&store);
    assert!(store.stats().index.runs < 4, "{:?}", store.stats().index);
    assert_eq!(find(&store, 1, [1, 359]), [Some(taken(1)), Some(taken(359))]);
}

#[test]
fn filters_beyond_the_limit_are_forgotten() {
    let store = filled();
    for number in 0..300 {
        assert_eq!(find(&store, 1, [number]), [Some(taken(number))]);
        assert!(store.stats().index.filter_bytes <= 2_000);
    }
}

#[test]
fn files_that_nothing_tells_of_are_kept_aside_and_unfinished_ones_are_removed() {
    let mut store = filled();
    let index = store.folder().join("index");
    let whole = fs::read(&files(&store)[0]).unwrap();
    fs::write(index.join("00000000000000fe.run"), &whole).unwrap();
    fs::write(index.join("00000000000000ff.run"), "what a crash has left").unwrap();
    fs::write(index.join("notes"), "mine").unwrap();
    store.reopen();
    assert_eq!(find(&store, 1, [1]), [Some(taken(1))]);
    assert_eq!(files(&store).len(), store.stats().index.runs + 1);
    assert_eq!(fs::read(index.join("stray/00000000000000fe.run")).unwrap(), whole);
    assert_eq!(fs::read_to_string(index.join("stray/notes")).unwrap(), "mine");
    assert!(!index.join("stray/00000000000000ff.run").exists());
}

#[test]
fn a_store_that_is_refused_moves_and_removes_nothing() {
    let store = filled();
    store.close();
    let known = files(&store);
    let whole = fs::read(&known[0]).unwrap();
    let stray = store.folder().join("index/00000000000000fe.run");
    fs::write(&stray, &whole).unwrap();
    fs::remove_file(known.last().unwrap()).unwrap();
    assert!(matches!(open(&store), Err(OpenError::Damaged { .. })));
    assert_eq!(fs::read(&stray).unwrap(), whole);
}

#[test]
fn a_store_whose_run_is_gone_or_cut_short_is_refused() {
    let store = filled();
    store.close();
    let file = files(&store)[0].clone();
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 1]).unwrap();
    assert!(matches!(open(&store), Err(OpenError::Damaged { .. })));
    let mut end = whole.clone();
    let at = end.len() - 3;
    end[at] ^= 1;
    fs::write(&file, &end).unwrap();
    assert!(matches!(open(&store), Err(OpenError::Damaged { .. })));
    fs::remove_file(&file).unwrap();
    assert!(matches!(open(&store), Err(OpenError::Damaged { .. })));
    fs::write(&file, &whole).unwrap();
    assert_eq!(find(&open(&store).unwrap(), 1, [1]), [Some(taken(1))]);
}

#[test]
fn a_flipped_byte_never_makes_a_claimed_fingerprint_free() {
    let store = filled();
    store.close();
    let mut known = 0;
    for file in files(&store) {
        let whole = fs::read(&file).unwrap();
        for at in (0..whole.len()).step_by(whole.len() / 20) {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x10;
            fs::write(&file, &flipped).unwrap();
            let opened = open(&store);
            let Ok(opened) = opened else {
                known += 1;
                continue;
            };
            for number in 0..300 {
                match opened.find_fingerprints(KEYS, 1, &[print(number)]) {
                    Ok(lookup) => assert_eq!(lookup.found, [Some(taken(number))]),
                    Err(ReadError::Damaged { .. }) => known += 1,
                    Err(other) => panic!("{other}"),
                }
            }
        }
        fs::write(&file, &whole).unwrap();
    }
    assert!(known > 0);
}
