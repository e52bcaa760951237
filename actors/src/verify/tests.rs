use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use storage::testing::TempStore;
use storage::{Batch, Options, Table};

use super::*;
use crate::domain::ids::{ContractId, CustomerId};
use crate::domain::money::Currency;
use crate::tables::{ACTIVE_CONTRACTS, PARKED_LETTERS, PLACES};

const SELLER: SellerId = SellerId(1);

#[test]
fn every_table_has_a_check_or_a_reason_why_it_has_none() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tables");
    let mut declared = 0;
    for file in fs::read_dir(folder).expect("the tables") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("text");
        let tables = text.lines().filter(|line| line.starts_with("pub const "));
        declared += tables
            .filter(|line| [": Table<", ": Parts<"].iter().any(|of| line.contains(of)))
            .count();
    }
    let listed: BTreeSet<u16> = TABLES.iter().map(|table| table.tag).collect();
    assert_eq!(
        (listed.len(), TABLES.len()),
        (declared, declared),
        "verify/tables.rs lists each once"
    );
    for table in TABLES {
        if let By::Check(file) = table.by {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/verify");
            let text = fs::read_to_string(folder.join(format!("{file}.rs")));
            assert!(text.is_ok(), "{} is checked by {file}", table.name);
        }
    }
}

#[test]
fn an_empty_store_is_right() {
    let report = verify(&TempStore::new(), Rows::Still).expect("it could look");
    assert_eq!((report.faults, report.faults_in_all), (Vec::new(), 0));
    assert!(report.is_of_one_moment);
}

#[test]
fn faults_are_told_up_to_a_bound_and_counted_beyond_it() {
    let store = TempStore::new();
    for some in 0..3 {
        let mut batch = Batch::new();
        for id in 0..400 {
            batch.put(PLACES, &(SELLER, 1, 1, some * 400 + id), &());
        }
        store.write_blocking(batch).expect("durable");
    }
    let report = verify(&store, Rows::Still).expect("it could look");
    assert_eq!((report.faults.len(), report.faults_in_all), (MOST_FAULTS, 1_200));
    assert!(report.faults.iter().all(|fault| fault.what == "row of an account that is there"));
}

#[test]
fn a_row_that_cannot_be_read_is_a_fault_like_others() {
    let store = TempStore::new();
    let raw: Table<SellerId, Vec<u8>> = Table::new(PARKED_LETTERS.tag(), PARKED_LETTERS.name());
    let mut batch = Batch::new();
    batch.put(raw, &SELLER, &vec![0xFF, 0xFF]);
    batch.put(ACTIVE_CONTRACTS, &(SELLER, CustomerId(1), Currency::EUR, ContractId(1)), &());
    batch.put(SELLERS_AS_BYTES, &SELLER, &vec![0xFF, 0xFF]);
    store.write_blocking(batch).expect("durable");
    let report = verify(&store, Rows::Still).expect("it could look");
    let unreadable = report.faults.iter().filter(|fault| fault.what == "row that cannot be read");
    let tables: Vec<_> = unreadable.map(|fault| fault.place.as_str()).collect();
    assert!(tables.iter().any(|place| place.contains("parked letters")), "{tables:?}");
    assert!(tables.iter().any(|place| place.contains("sellers")), "{tables:?}");
    // What else the account has is looked at all the same.
    let wrong = report.faults.iter().find(|fault| fault.place.starts_with("active contracts"));
    assert_eq!(wrong.map(|fault| fault.what), Some("row that nothing wants"));
}

const SELLERS_AS_BYTES: Table<SellerId, Vec<u8>> = Table::new(SELLERS.tag(), SELLERS.name());

#[test]
fn while_rows_move_what_counts_is_how_they_are_at_one_moment() {
    let store = TempStore::new();
    let mut batch = Batch::new();
    batch.put(PLACES, &(SELLER, 1, 1, 1), &());
    batch.put(PLACES, &(SELLER, 1, 1, 2), &());
    store.write_blocking(batch).expect("durable");
    let reading = Reading::of_now(&store);
    let mut run = Run::new(&reading);
    // The first is gone when it is looked at again; the second is written all the time.
    let looks = std::cell::Cell::new(0);
    run.each(PLACES, Scan::all(), |reading, key, (), found| {
        found.wrong("place of nothing", "no row", "a row");
        let mut batch = Batch::new();
        match key.3 {
            1 => batch.delete(PLACES, key),
            _ => batch.put(PLACES, key, &()),
        }
        store.write_blocking(batch).expect("durable");
        if key.3 == 2 {
            looks.set(looks.get() + 1);
            assert_eq!(reading.moves(), looks.get() == 1);
        }
        Ok(())
    })
    .expect("it could look");
    let places: Vec<_> = run.finish().faults.into_iter().map(|fault| fault.place).collect();
    assert_eq!(
        (places.as_slice(), looks.get()),
        (&["places (SellerId(1), 1, 1, 2)".to_owned()][..], 2)
    );
}

#[test]
fn what_was_found_as_of_a_moment_that_has_ended_does_not_count() {
    let store = TempStore::with(Options { journal_bytes: 64 * 1024, ..Options::default() });
    let reading = Reading::of_a_moment(&store).expect("a moment");
    let write = |n: u64| {
        let rows: Table<u64, Vec<u8>> = Table::new(16_000, "stray");
        let mut batch = Batch::new();
        batch.put(rows, &n, &vec![0; 4_000]);
        store.write_blocking(batch).expect("durable");
    };
    let check = Check::All(|run| {
        run.settle(&"a thing", |_, found, _| {
            found.wrong("thing that is right", "right", "wrong");
            Ok(())
        })
    });
    assert_eq!(check.carry_out(&reading, None).map(|report| report.faults_in_all), Ok(1));
    (0..100).for_each(write);
    assert_eq!(check.carry_out(&reading, None), Err(ReadError::SnapshotGone));
}
