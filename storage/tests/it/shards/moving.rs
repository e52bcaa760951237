//! Folders from before shards: their rows are moved at the opening, whatever was broken off before.

use std::fs::{self, File};
use std::io::Write as _;

use storage::{CommitError, Fatal, OpenError, ReadError, RestorePlan, check_backup};

use super::*;

/// Where rows of the tables here belong.
fn shard_of(tag: u16, key: &[u8]) -> Shard {
    let owner = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_be_bytes(*bytes));
    Shard::of(match tag {
        1 => owner(key.first_chunk()),
        2 => owner(key.get(1..).and_then(<[u8]>::first_chunk)),
        storage::SEQUENCES => owner(key.last_chunk()),
        _ => 0,
    })
}

fn options() -> Options {
    let shard_of = Some(shard_of as storage::ShardOf);
    Options { shard_of, fatal: Fatal::Poison, journal_bytes: 256 * 1024, ..Options::default() }
}

fn filled() -> TempStore {
    let store = TempStore::with(options());
    let owners: Vec<u64> = (0..700).map(|number| number * 13 + 1).collect();
    owners.chunks(100).for_each(|owners| fill(&store, owners));
    store
}

#[test]
fn rows_are_moved_to_their_shards_from_wherever_it_was_broken_off() {
    for most in [usize::MAX, 1_700] {
        let mut store = filled();
        let before = rows(&store);
        store.lay_out_as_before(most);
        assert!(rows(&store).iter().any(|row| row.shard().is_none()));
        if most < usize::MAX {
            store.hand_over();
        }
        store.reopen();
        assert_eq!(rows(&store), before);
        let mut batch = Batch::new();
        let drawn =
            [batch.draw(&("papers".to_owned(), Owner(14))), batch.draw(&"agreements".to_owned())];
        let numbers = store.write_blocking(batch).unwrap().numbers;
        assert_eq!(drawn.map(|at| numbers[at]), [2, 8]);
    }
}

#[test]
fn ids_go_on_above_those_that_had_no_shards() {
    let mut store = filled();
    let last = store.next_ids(APPLES, 123_456)[123_455];
    store.lay_out_as_before(usize::MAX);
    for _ in 0..2 {
        store.reopen();
        let ids: Vec<u64> = (0..1_024).map(|n| store.next_id_in(APPLES, Shard::of(n))).collect();
        assert!(ids.iter().all(|id| *id > last && *id < last + 50_000 * 1_024));
        assert!(ids.iter().zip(0..).all(|(id, n)| Shard::of(*id) == Shard::of(n)));
    }
}

#[test]
fn a_damaged_row_is_moved_and_stays_damaged() {
    let mut store = filled();
    store.lay_out_as_before(usize::MAX);
    store.tamper(&[&[0, 1], &14_u64.to_be_bytes()[..]].concat(), |row| row[6] ^= 1);
    store.reopen();
    assert!(matches!(store.get(OWNERS, &Owner(14)), Err(ReadError::Damaged { .. })));
    assert_eq!(store.get(OWNERS, &Owner(27)), Ok(Some("owner 27".to_owned())));
}

#[test]
fn a_folder_from_before_shards_is_refused_by_who_does_not_know_where_its_rows_belong() {
    let store = filled();
    let before = rows(&store);
    store.lay_out_as_before(usize::MAX);
    store.close();
    let unknowing = Options { shard_of: None, ..options() };
    let refused = Store::open(store.folder(), unknowing).unwrap_err();
    assert!(matches!(refused, OpenError::NotMoved { .. }), "{refused}");
    let store = Store::open(store.folder(), options()).unwrap();
    assert_eq!(rows(&store), before);
    store.close();
}

#[test]
fn a_backup_from_before_shards_is_restored_into_shards_with_the_journal_behind_it() {
    let mut store = filled();
    store.lay_out_as_before(usize::MAX);
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("backup");
    let mut out = File::create(&file).unwrap();
    for piece in store.backup(b"").unwrap() {
        out.write_all(&piece.unwrap()).unwrap();
    }
    let info = check_backup(&file, |_, _| {}).unwrap();
    // The journal goes on over the moving of the rows.
    store.reopen();
    fill(&store, &[50_000]);
    let expected = rows(&store);
    store.close();
    let journals = place.path().join("journals");
    fs::create_dir(&journals).unwrap();
    let own = store.folder().join("journal");
    for entry in fs::read_dir(&own).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), journals.join(entry.file_name())).unwrap();
    }
    for journals in [&[journals][..], &[]] {
        let folder = place.path().join(format!("restored {}", journals.len()));
        let plan = RestorePlan { file: &file, info: &info, folder: &folder, journals, until: None };
        let restored = plan.carry_out(options()).unwrap();
        let own = |row: &RawRow| row.shard().is_some();
        let found: Vec<_> = rows(restored.store()).into_iter().filter(own).collect();
        if journals.is_empty() {
            assert_eq!(restored.store().scan(OWNERS, Scan::all()).count(), 700);
            assert_eq!(restored.store().get(OWNERS, &Owner(14)), Ok(Some("owner 14".to_owned())));
        } else {
            assert_eq!(found, expected);
        }
        restored.give_up().unwrap();
    }
}

#[test]
fn an_export_from_before_shards_is_imported_into_shards() {
    let store = filled();
    let expected = rows(&store);
    store.lay_out_as_before(usize::MAX);
    let into = TempStore::with(options());
    assert_eq!(into.import(rows(&store)), Ok(expected.len() as u64));
    assert_eq!(rows(&into), expected);
    let unknowing = TempStore::new().import(rows(&store));
    assert!(matches!(unknowing, Err(CommitError::Failed(_))), "{unknowing:?}");
}
