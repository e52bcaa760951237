//! Opening: one process at a time, and plain words when it cannot be.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

use storage::testing::TempStore;
use storage::{
    Batch, Fatal, Fingerprint, Index, IndexOptions, OpenError, Options, Seen, Store, Table,
};

const ROWS: Table<u64, Vec<u8>> = Table::new(1, "rows");

fn open(folder: &Path) -> Result<Store, OpenError> {
    Store::open(folder, Options { fatal: Fatal::Poison, ..Options::default() })
}

fn refusal(folder: &Path) -> (OpenError, String) {
    let refused = open(folder).unwrap_err();
    let text = refused.to_string();
    assert!(text.contains(&folder.display().to_string()), "{text}");
    (refused, text)
}

/// A closed store with rows in it, which the engine holds and the journal too.
fn filled() -> TempStore {
    let store = TempStore::new();
    for round in 0..20 {
        let mut batch = Batch::new();
        for key in 0..50 {
            batch.put(ROWS, &(round * 50 + key), &vec![7; 500]);
        }
        store.write_blocking(batch).unwrap();
    }
    store.hand_over();
    store.close();
    store
}

/// The same with nothing but the engine, as after years of which the journal keeps the last days.
fn filled_without_journal() -> TempStore {
    let store = filled();
    fs::remove_dir_all(store.folder().join("journal")).unwrap();
    store
}

fn assert_all_there(store: &Store) {
    for key in 0..1_000 {
        assert_eq!(store.get(ROWS, &key), Ok(Some(vec![7; 500])), "key {key}");
    }
}

#[test]
fn a_folder_is_created_with_all_that_is_above_it() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("a/b/c");
    open(&folder).unwrap().close();
    assert!(folder.join("db").exists());
    assert!(!folder.join("creating").exists());
}

#[test]
fn nobody_but_the_owner_can_read_what_is_kept() {
    fn modes(folder: &Path) -> Vec<(String, u32)> {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        entries
            .flat_map(|entry| {
                let found = entry.metadata().unwrap();
                let own = (entry.path().display().to_string(), found.permissions().mode() & 0o777);
                let below = if found.is_dir() { modes(&entry.path()) } else { Vec::new() };
                below.into_iter().chain([own])
            })
            .collect()
    }
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data");
    let index = IndexOptions { table: 10, ..IndexOptions::default() };
    let store = Store::open(&folder, Options { index, ..Options::default() }).unwrap();
    for number in 0..30 {
        let mut batch = Batch::new();
        let claims = vec![(Fingerprint([number; 16]), [0; 16])];
        batch.claim_fingerprints(Index::new(1, "claims"), 1, claims, Seen::default());
        store.write_blocking(batch).unwrap();
    }
    store.close();
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    let modes = modes(&folder);
    assert!(modes.iter().any(|(name, _)| name.ends_with(".run")), "{modes:?}");
    assert!(modes.iter().all(|(_, mode)| mode & 0o077 == 0), "{modes:?}");
}

#[test]
fn a_folder_that_is_open_to_others_is_used_as_it_is() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    open(&folder).unwrap().close();
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::metadata(folder.join("db")).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_second_store_on_a_folder_is_refused_until_the_first_is_closed() {
    let store = TempStore::new();
    let (refused, text) = refusal(store.folder());
    assert!(
        matches!(refused, OpenError::InUse { holder: Some(pid), .. } if pid == std::process::id())
    );
    assert!(text.contains("is in use by process"), "{text}");
    store.close();
    open(store.folder()).unwrap();
}

#[test]
fn a_file_in_place_of_the_folder_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "mine").unwrap();
    for folder in [file.clone(), file.join("below/it")] {
        let (refused, text) = refusal(&folder);
        assert!(matches!(&refused, OpenError::NotAFolder { file: found, .. } if *found == file));
        assert!(text.contains("is a file; name a folder instead"), "{text}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    // Nobody may create folders there, the superuser no more than others.
    let (refused, text) = refusal(Path::new("/sys/kernel/not-a-data-folder"));
    assert!(matches!(refused, OpenError::NotPermitted { .. }), "{refused:?}");
    assert!(text.contains("cannot be written"), "{text}");
}

#[test]
fn a_creation_that_a_crash_has_interrupted_is_begun_anew() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data");
    open(&folder).unwrap().close();
    // What a power cut may leave: names without contents, and the mark.
    fs::write(folder.join("creating"), "").unwrap();
    fs::write(folder.join("db"), vec![0; 100_000]).unwrap();
    fs::write(folder.join("conf"), "").unwrap();
    fs::write(folder.join("snap.0000000000000001"), "").unwrap();
    let store = open(&folder).unwrap();
    store.write_blocking(Batch::new()).unwrap();
    assert!(!folder.join("creating").exists());
}

#[test]
fn a_snapshot_that_a_crash_has_left_unfinished_is_not_taken_for_the_latest() {
    let store = filled();
    // Its name was durable before what is in it.
    fs::write(store.folder().join("snap.00000000FFFFFFFF.generating"), "").unwrap();
    let store = open(store.folder()).unwrap();
    assert_eq!(store.get(ROWS, &999), Ok(Some(vec![7; 500])));
}

#[test]
fn a_finished_snapshot_counts_whose_name_a_power_cut_has_undone() {
    let snapshots = |folder: &Path| -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let is = |path: &std::path::PathBuf| {
            path.file_name().unwrap().to_str().unwrap().starts_with("snap.")
        };
        entries.filter(is).collect()
    };
    let mut store = filled();
    store.reopen();
    store.close();
    let [old] = &snapshots(store.folder())[..] else { panic!("one snapshot") };
    let before = fs::read(old).unwrap();
    store.reopen();
    for round in 0..100 {
        let mut batch = Batch::new();
        (0..50).for_each(|key| batch.put(ROWS, &(1_000 + key), &vec![round; 4_000]));
        store.write_blocking(batch).unwrap();
        store.hand_over();
    }
    store.close();
    store.reopen();
    store.close();
    let [new] = &snapshots(store.folder())[..] else { panic!("one snapshot") };
    assert_ne!(new, old);
    fs::rename(new, format!("{}.generating", new.display())).unwrap();
    fs::write(old, before).unwrap();
    let opened = open(store.folder()).unwrap();
    assert_all_there(&opened);
    assert_eq!(opened.get(ROWS, &1_049), Ok(Some(vec![99; 4_000])));
    opened.close();
    assert!(
        snapshots(store.folder())
            .iter()
            .all(|left| left.extension() != Some("generating".as_ref()))
    );
}

fn assert_damaged(folder: &Path) {
    let (refused, text) = refusal(folder);
    assert!(matches!(refused, OpenError::Damaged { .. }), "{refused:?}");
    assert!(text.contains("is damaged: ") && text.contains("restore from a backup"), "{text}");
}

#[test]
fn a_data_file_that_is_cut_short_is_refused() {
    let store = filled_without_journal();
    let file = OpenOptions::new().write(true).open(store.folder().join("db")).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    assert_damaged(store.folder());
    // And it is refused again: nothing was mended behind the operator's back.
    assert_damaged(store.folder());
}

#[test]
fn a_data_file_that_is_gone_or_empty_is_refused() {
    let store = filled_without_journal();
    fs::write(store.folder().join("db"), "").unwrap();
    assert_damaged(store.folder());
    fs::remove_file(store.folder().join("db")).unwrap();
    assert_damaged(store.folder());
}

#[test]
fn a_data_file_of_noise_is_refused() {
    let store = filled_without_journal();
    let path = store.folder().join("db");
    let length = fs::metadata(&path).unwrap().len();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let noise: Vec<u8> =
        (0..64 * 1024_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for at in (0..length).step_by(noise.len()) {
        file.write_all_at(&noise, at).unwrap();
    }
    assert_damaged(store.folder());
}

#[test]
fn damaged_settings_are_refused() {
    let store = filled();
    fs::write(store.folder().join("conf"), "segment_size: none\nuse_compression: false\n1234")
        .unwrap();
    assert_damaged(store.folder());
}

#[test]
fn an_engine_that_has_lost_its_end_is_mended_from_the_journal() {
    let engine = |name: &str| ["db", "conf", "blobs"].contains(&name) || name.starts_with("snap.");
    let copy = |from: &Path, to: &Path| {
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if engine(&name) && name != "blobs" {
                fs::copy(from.join(&name), to.join(&name)).unwrap();
            }
        }
    };
    let mut store = TempStore::new();
    store.close();
    let before = tempfile::tempdir().unwrap();
    copy(store.folder(), before.path());
    store.reopen();
    for key in 0..1_000 {
        let mut batch = Batch::new();
        batch.put(ROWS, &key, &vec![7; 500]);
        store.commit(batch, |done| drop(done.unwrap()));
    }
    store.write_blocking(Batch::new()).unwrap();
    store.hand_over();
    store.close();
    for entry in fs::read_dir(store.folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("snap.") {
            fs::remove_file(path).unwrap();
        }
    }
    copy(before.path(), store.folder());
    store.reopen();
    assert_all_there(&store);
    store.hand_over();
    store.close();
    fs::remove_dir_all(store.folder().join("journal")).unwrap();
    assert_all_there(&open(store.folder()).unwrap());
}

#[test]
fn without_its_journal_an_engine_that_lacks_the_last_groups_is_refused() {
    let store = TempStore::new();
    let mut batch = Batch::new();
    batch.put(ROWS, &1, &vec![7; 500]);
    store.write_blocking(batch).unwrap();
    store.close();
    fs::remove_dir_all(store.folder().join("journal")).unwrap();
    assert_damaged(store.folder());
}

/// One flipped byte anywhere in the log is either found at opening, or hurts nothing that was
/// acknowledged, or is told when the row is read: with sled's snapshot, which spares it most of
/// the log at opening, and without.
#[test]
fn a_flipped_byte_is_never_handed_out_as_a_row_and_never_loses_one_in_silence() {
    let mut store = filled();
    store.reopen();
    store.close();
    let intact = fs::read(store.folder().join("db")).unwrap();
    let used = intact.iter().rposition(|byte| *byte != 0).unwrap();
    for step in 0..26 {
        let home = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(store.folder()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let snapshot = name.starts_with("snap.") && step % 2 == 0;
            if snapshot || ["conf", "watermark"].contains(&name.as_str()) {
                fs::copy(store.folder().join(&name), home.path().join(&name)).unwrap();
            }
        }
        let mut bytes = intact.clone();
        // The first two are as they were, and must open.
        let flips = step >= 2;
        if flips {
            bytes[used * (step - 2) / 24 + 20] ^= 0x55;
        }
        fs::write(home.path().join("db"), bytes).unwrap();
        match open(home.path()) {
            Err(refused) => {
                assert!(flips && matches!(refused, OpenError::Damaged { .. }), "{refused}");
            }
            Ok(store) => read_all(&store, step),
        }
    }
}

fn read_all(store: &Store, step: usize) {
    let mut told = 0;
    for key in 0..1_000 {
        match store.get(ROWS, &key) {
            Ok(row) => assert_eq!(row, Some(vec![7; 500]), "byte {step}, key {key}"),
            Err(_) => told += 1,
        }
    }
    println!("byte {step}: opened, {told} rows cannot be read");
}
