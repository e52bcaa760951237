//! Export and import: a store comes back whole, counters and all.

use storage::testing::TempStore;
use storage::{Batch, CommitError, IdKind, RawRow, Table};

const TEXTS: Table<(u64, String), String> = Table::new(1, "texts");
const BLOBS: Table<u64, Vec<u8>> = Table::new(2, "blobs");
const IDS: IdKind = IdKind::new(1, "ids");

fn filled() -> TempStore {
    let store = TempStore::new();
    for key in 0..300_u64 {
        let mut batch = Batch::new();
        batch.put(TEXTS, &(key % 7, format!("key {key}")), &format!("text {key}"));
        batch.put(BLOBS, &key, &vec![9; 10_000]);
        batch.draw(&(key % 2));
        store.commit(batch, |answer| assert!(answer.is_ok()));
    }
    store.next_id(IDS);
    // The block of ids that is reserved ahead is behind this.
    store.write_blocking(Batch::new()).unwrap();
    store
}

fn rows(store: &TempStore) -> Vec<RawRow> {
    store.export().map(Result::unwrap).collect()
}

#[test]
fn an_imported_store_has_the_same_rows_and_counts_on() {
    let (from, into) = (filled(), TempStore::new());
    let exported = rows(&from);
    assert_eq!(into.import(exported.clone()), Ok(exported.len() as u64));
    assert_eq!(rows(&into), exported);

    let text = into.get(TEXTS, &(0, "key 7".to_owned())).unwrap();
    assert_eq!(text.as_deref(), Some("text 7"));
    let mut batch = Batch::new();
    let drawn = batch.draw(&1_u64);
    assert_eq!(into.write_blocking(batch).unwrap().numbers[drawn], 151);
    assert!(into.next_id(IDS) > 10_000);
}

#[test]
fn a_store_that_has_rows_takes_no_import() {
    let (from, into) = (filled(), filled());
    let before = rows(&into);
    assert!(matches!(into.import(rows(&from)), Err(CommitError::Failed(_))));
    assert_eq!(rows(&into), before);
}

#[test]
fn a_damaged_row_is_not_imported() {
    let mut exported = rows(&filled());
    exported[5].row[10] ^= 1;
    let refused = TempStore::new().import(exported).unwrap_err();
    assert!(refused.to_string().contains("is damaged"), "{refused}");

    let counter = RawRow { key: vec![0xFF, 0xF1, 1], row: vec![1, 2, 3] };
    assert!(TempStore::new().import([counter]).is_err());
    let engine = RawRow { key: vec![0xFF, 0xF0], row: vec![0; 8] };
    assert!(TempStore::new().import([engine]).is_err());
}
