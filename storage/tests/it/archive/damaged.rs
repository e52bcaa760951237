//! Files of an archive, or of a journal, that are damaged.

use std::fs;
use std::path::Path;

use storage::{BackupError, ChainError, Outdated, check_backup};

use super::{Place, backup, copy, put, rows, two_backups, write};

/// Changes a byte of a file.
fn damage(file: &Path, at: usize) {
    let mut changed = fs::read(file).unwrap();
    changed[at] ^= 1;
    fs::write(file, changed).unwrap();
}

#[test]
fn where_a_copy_is_damaged_that_a_restore_may_read_nothing_is_deleted() {
    let place = Place::new();
    two_backups(&place);
    let all = place.archived();
    let before = place.outdated("newer").files().len();
    for needed in [before, all.len() - 1] {
        damage(&all[needed], 30);
        let info = check_backup(&place.at("newer"), |_, _| {}).unwrap();
        let refused = Outdated::find(&place.at("archive"), &info).unwrap_err();
        assert!(refused.to_string().contains("its head is not whole"), "{refused}");
        assert_eq!(place.archived(), all);
        let refused = place.restored("newer").unwrap_err();
        let wanted = matches!(refused, BackupError::Journal(ChainError::Wanted { .. }));
        assert!(wanted && refused.to_string().contains("its head is not whole"), "{refused}");
        damage(&all[needed], 30);
    }
}

#[test]
fn a_copy_that_is_damaged_and_lies_before_the_backup_is_passed_over_and_deleted() {
    let place = Place::new();
    let expected = two_backups(&place);
    let all = place.archived();
    damage(&all[0], 30);
    assert_eq!(place.restored("newer").unwrap(), expected);
    let outdated = place.outdated("newer");
    assert_eq!(outdated.files(), &all[..outdated.files().len()]);
    assert!(!outdated.files().is_empty());
    outdated.delete().unwrap();
    assert!(!all[0].exists());
    assert_eq!(place.restored("newer").unwrap(), expected);
}

#[test]
fn a_damaged_file_of_another_store_stands_in_nobodys_way() {
    let place = Place::new();
    let expected = two_backups(&place);
    let before = place.outdated("newer").files().len();
    let others = place.at("archive").join("ffffffffffffffff-000000000001.sealed");
    fs::write(&others, b"").unwrap();
    assert_eq!(place.restored("newer").unwrap(), expected);
    let outdated = place.outdated("newer");
    assert_eq!((outdated.files().len(), outdated.foreign.len()), (before, 1));
    outdated.delete().unwrap();
    assert!(others.exists());
    // Whose another is nobody knows: what follows the end may be in it.
    fs::rename(others, place.at("archive").join("copy.sealed")).unwrap();
    let refused = place.restored("newer").unwrap_err();
    assert!(matches!(refused, BackupError::Journal(ChainError::Wanted { .. })), "{refused}");
}

#[test]
fn a_damaged_copy_is_passed_over_where_the_journal_itself_has_all_that_it_had() {
    let place = Place::new();
    let store = place.open("data");
    put(&store, 1, 1);
    backup(&store, &place.at("backup"));
    (2..10).for_each(|key| put(&store, key, 1));
    store.close();
    copy(&place.at("data").join("journal"), &place.at("older"));
    let store = place.open("data");
    put(&store, 10, 1);
    let expected = rows(&store);
    store.close();

    let newest = place.archived().pop().unwrap();
    let bytes = fs::metadata(&newest).unwrap().len() as usize;
    // In its head, in a group, and in its seal.
    for (at, has_seal) in [(30, true), (bytes / 2, true), (bytes - 1, false)] {
        damage(&newest, at);
        for journals in [["data/journal", "archive"], ["archive", "data/journal"]] {
            match place.restored_with("backup", &journals) {
                Ok(found) => assert!(has_seal && found == expected, "byte {at}"),
                Err(refused) => assert!(!has_seal, "byte {at}: {refused}"),
            }
        }
        // The journal as it was before has not all of it.
        for journals in [&["archive"][..], &["older", "archive"]] {
            let refused = place.restored_with("backup", journals).unwrap_err();
            let wanted = matches!(refused, BackupError::Journal(ChainError::Wanted { .. }));
            assert!(wanted, "byte {at}: {refused}");
        }
        damage(&newest, at);
    }
    assert_eq!(place.restored("backup").unwrap(), expected);
}

#[test]
fn a_file_that_has_lost_its_head_is_told_of_where_its_groups_are_wanted() {
    let place = Place::new();
    let store = place.open("data");
    backup(&store, &place.at("backup"));
    write(&store, 1);
    let expected = rows(&store);
    store.close();
    let entries = fs::read_dir(place.at("data").join("journal")).unwrap();
    let newest = entries.map(|entry| entry.unwrap().path()).max().unwrap();
    damage(&newest, 30);
    let journals = ["archive", "data/journal"];
    assert_eq!(place.restored_with("backup", &journals).unwrap(), expected);
    fs::remove_file(place.archived().pop().unwrap()).unwrap();
    let refused = place.restored_with("backup", &journals).unwrap_err();
    let wanted = matches!(refused, BackupError::Journal(ChainError::Wanted { .. }));
    assert!(wanted && refused.to_string().contains("its head is not whole"), "{refused}");
    damage(&newest, 30);
    assert_eq!(place.restored_with("backup", &journals).unwrap(), expected);
}
