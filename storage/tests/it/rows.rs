//! Rows: what is damaged or too new is told, never handed out.

use proptest::prelude::*;
use storage::testing::TempStore;
use storage::{
    Batch, CborRecord, ReadError, Record, RecordError, Scan, Table, cbor_decode, cbor_encode,
};

const OLDEST: Table<u64, Oldest> = Table::new(1, "notes");
const OLD: Table<u64, First> = Table::new(1, "notes");
const NEW: Table<u64, Second> = Table::new(1, "notes");
const TEXTS: Table<u64, String> = Table::new(2, "texts");

#[derive(Debug, PartialEq, minicbor::Encode, minicbor::Decode)]
struct First {
    #[n(0)]
    text: String,
}

/// The same record, a release later.
#[derive(Debug, PartialEq, minicbor::Encode, minicbor::Decode)]
struct Second {
    #[n(0)]
    text: String,
    #[n(1)]
    stars: Option<u32>,
}

impl CborRecord for First {}

/// One of a form that nobody reads any more.
struct Oldest;

impl Record for Oldest {
    const VERSION: u8 = 0;

    fn encode(&self) -> Vec<u8> {
        Vec::new()
    }

    fn decode(version: u8, _: &[u8]) -> Result<Self, RecordError> {
        Err(RecordError::Version(version))
    }
}

impl Record for Second {
    const VERSION: u8 = 2;

    fn encode(&self) -> Vec<u8> {
        cbor_encode(self)
    }

    fn decode(version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        match version {
            1 | 2 => cbor_decode(bytes),
            other => Err(RecordError::Version(other)),
        }
    }
}

fn put<V: Record>(store: &TempStore, table: Table<u64, V>, key: u64, value: &V) {
    let mut batch = Batch::new();
    batch.put(table, &key, value);
    store.write_blocking(batch).unwrap();
}

/// Changes the stored bytes of a key behind the store's back.
fn tamper(store: &mut TempStore, tag: u16, key: u64, change: impl FnOnce(&mut Vec<u8>)) {
    let key = [&[0x40, 0], &tag.to_be_bytes()[..], &key.to_be_bytes()].concat();
    store.tamper(&key, change);
    store.hand_over();
    store.reopen();
}

#[test]
fn a_row_of_an_older_version_is_read_and_one_of_a_newer_is_refused() {
    let store = TempStore::new();
    put(&store, OLD, 1, &First { text: "old".to_owned() });
    put(&store, NEW, 2, &Second { text: "new".to_owned(), stars: Some(5) });
    let old = Second { text: "old".to_owned(), stars: None };
    assert_eq!(store.get(NEW, &1), Ok(Some(old)));
    let refused = ReadError::Version { table: "notes", found: 2, known: 1 };
    assert_eq!(store.get(OLD, &2), Err(refused));
    assert_eq!(store.contains(OLD, &2), Ok(true));
}

#[test]
fn a_version_that_is_no_longer_read_is_refused() {
    let store = TempStore::new();
    put(&store, NEW, 1, &Second { text: "new".to_owned(), stars: None });
    put(&store, OLDEST, 1, &Oldest);
    let refused = ReadError::Version { table: "notes", found: 0, known: 2 };
    assert_eq!(store.get(NEW, &1), Err(refused));
}

#[test]
fn a_damaged_row_is_named_and_its_neighbours_are_still_read() {
    let mut store = TempStore::new();
    for key in 1..4 {
        put(&store, TEXTS, key, &format!("text {key}"));
    }
    tamper(&mut store, 2, 2, |row| *row.last_mut().unwrap() ^= 1);
    let damaged = ReadError::Damaged { table: "texts", key: "0000000000000002".to_owned() };
    assert_eq!(store.get(TEXTS, &2), Err(damaged.clone()));
    let rows: Vec<_> = store.scan(TEXTS, Scan::all()).collect();
    let expected = vec![Ok((1, "text 1".to_owned())), Err(damaged), Ok((3, "text 3".to_owned()))];
    assert_eq!(rows, expected);
}

#[test]
fn a_row_under_the_key_of_another_is_damaged() {
    let mut store = TempStore::new();
    put(&store, TEXTS, 1, &"text 1".to_owned());
    put(&store, TEXTS, 2, &"text 2".to_owned());
    let mut first = Vec::new();
    tamper(&mut store, 2, 1, |row| first.clone_from(row));
    tamper(&mut store, 2, 2, |row| *row = first);
    assert_eq!(store.get(TEXTS, &1), Ok(Some("text 1".to_owned())));
    assert!(matches!(store.get(TEXTS, &2), Err(ReadError::Damaged { .. })));

    tamper(&mut store, 2, 1, |row| row[0] = 0);
    assert!(matches!(store.get(TEXTS, &1), Err(ReadError::Damaged { .. })));
}

#[test]
fn a_counter_that_is_damaged_gives_no_number() {
    const SEQUENCE: u16 = 0xFFF1;
    let mut store = TempStore::new();
    let draw = || {
        let mut batch = Batch::new();
        batch.draw(&7_u64);
        batch
    };
    store.write_blocking(draw()).unwrap();
    tamper(&mut store, SEQUENCE, 7, |row| *row.last_mut().unwrap() ^= 1);
    let refused = store.write_blocking(draw()).unwrap_err();
    assert!(refused.to_string().contains("a row of counters is damaged"), "{refused}");
}

#[test]
fn a_row_that_is_shorter_than_its_envelope_is_damaged() {
    let mut store = TempStore::new();
    put(&store, TEXTS, 1, &"text".to_owned());
    tamper(&mut store, 2, 1, |row| row.truncate(3));
    assert!(matches!(store.get(TEXTS, &1), Err(ReadError::Damaged { .. })));
}

#[test]
fn a_row_of_another_type_is_told_with_its_key() {
    const NUMBERS: Table<u64, u64> = Table::new(2, "numbers");
    const NOTHING: Table<u64, ()> = Table::new(2, "nothing");
    let store = TempStore::new();
    put(&store, TEXTS, 1, &"text".to_owned());
    let refused = store.get(NUMBERS, &1).unwrap_err();
    assert!(refused.to_string().starts_with("a row of numbers cannot be read (key 00000000"));
    assert!(matches!(store.get(NOTHING, &1), Err(ReadError::Record { table: "nothing", .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn simple_rows_come_back_as_they_were(number: u64, text: String, bytes: Vec<u8>) {
        const NUMBERS: Table<u64, u64> = Table::new(3, "numbers");
        const BYTES: Table<u64, Vec<u8>> = Table::new(4, "bytes");
        const MARKS: Table<u64, ()> = Table::new(5, "marks");
        let store = TempStore::new();
        let mut batch = Batch::new();
        batch.put(NUMBERS, &1, &number);
        batch.put(TEXTS, &1, &text);
        batch.put(BYTES, &1, &bytes);
        batch.put(MARKS, &1, &());
        store.write_blocking(batch).unwrap();
        prop_assert_eq!(store.get(NUMBERS, &1), Ok(Some(number)));
        prop_assert_eq!(store.get(TEXTS, &1), Ok(Some(text)));
        prop_assert_eq!(store.get(BYTES, &1), Ok(Some(bytes)));
        prop_assert_eq!(store.get(MARKS, &1), Ok(Some(())));
    }
}
