//! What a start reads of the engine's log is bounded by snapshots that are written while it runs,
//! and they say of each page what the whole log says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use storage::testing::{TempStore, use_segments_of};
use storage::{Batch, Options, Scan, Store, Table};

use crate::SEGMENT_BYTES;
use crate::random::{self, Random};

const ROWS: Table<u64, Vec<u8>> = Table::new(1, "rows");
const KEYS: u64 = 20_000;

type Model = BTreeMap<u64, Vec<u8>>;

/// The snapshots in a folder by the place in the log where each ends.
fn snapshots(folder: &Path) -> BTreeMap<u64, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter_map(|path| {
            let place = path.file_name()?.to_str()?.strip_prefix("snap.")?.to_owned();
            Some((u64::from_str_radix(&place, 16).unwrap(), fs::read(path).unwrap()))
        })
        .collect()
}

/// What a killed process leaves of the engine's files, with its snapshot or without any.
fn copy(folder: &Path, with_snapshot: bool) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    let to = copy.path();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_file() && (with_snapshot || !name.starts_with("snap.")) {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
    fs::create_dir(to.join("blobs")).unwrap();
    fs::create_dir(to.join("journal")).unwrap();
    for entry in fs::read_dir(folder.join("journal")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join("journal").join(path.file_name().unwrap())).unwrap();
    }
    copy
}

/// Opens a folder, and gives its rows and the snapshot that the opening has written.
fn opened(folder: &Path) -> (Model, (u64, Vec<u8>)) {
    let store = Store::open(folder, Options::default()).unwrap();
    let rows = store.scan(ROWS, Scan::all()).map(Result::unwrap).collect();
    let written = snapshots(folder);
    assert_eq!(written.len(), 1, "older ones are removed");
    store.close();
    (rows, written.into_iter().next_back().unwrap())
}

#[test]
fn a_snapshot_written_on_the_way_says_what_the_whole_log_says() {
    use_segments_of(SEGMENT_BYTES);
    let mut random = Random::new(random::seed(), 7);
    let mut store = TempStore::new();
    let mut model = Model::new();
    let (mut carried_on, mut last) = (0, None);
    for round in 0..40 {
        let mut batch = Batch::new();
        for _ in 0..random.below(600) {
            // A tree that grows at its end and is changed everywhere.
            let key = random.below(KEYS);
            let key = if key.is_multiple_of(3) { KEYS + round * KEYS + key } else { key };
            if random.below(3) > 0 {
                // No two bytes alike, or the engine would get next to nothing of it.
                let row: Vec<u8> =
                    (0..random.below(4_000)).map(|_| random.below(256) as u8).collect();
                batch.put(ROWS, &key, &row);
                model.insert(key, row);
            } else {
                batch.delete(ROWS, &key);
                model.remove(&key);
            }
        }
        store.write_blocking(batch).unwrap();
        store.hand_over();
        let newest = snapshots(store.folder()).into_keys().next_back();
        if newest == last {
            continue;
        }
        (carried_on, last) = (carried_on + 1, newest);
        let (with, without) = (copy(store.folder(), true), copy(store.folder(), false));
        let (rows, snapshot) = opened(with.path());
        assert_eq!(rows, model);
        let (rows, by_the_whole_log) = opened(without.path());
        assert_eq!(rows, model);
        assert!(snapshot == by_the_whole_log, "the same of each page, up to the same place");
        if carried_on == 10 {
            // From one on that the engine has written itself.
            store.reopen();
            last = snapshots(store.folder()).into_keys().next_back();
        }
    }
    assert!(carried_on >= 20, "only {carried_on} snapshots were written");
}
