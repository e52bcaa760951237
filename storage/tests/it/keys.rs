//! Keys: the order of their bytes is the order of their values, and they come back as they were.

use std::cmp::Ordering;

use proptest::prelude::*;
use storage::testing::TempStore;
use storage::{Batch, Key, KeyError, KeyReader, KeyWriter, ReadError, Scan, Table};

/// The bytes of a key, by way of a key that wraps it.
fn bytes(key: &impl Key) -> Vec<u8> {
    let mut out = KeyWriter::default();
    key.write(&mut out);
    out.as_bytes().to_vec()
}

fn check<K: Key + Ord + Clone + std::fmt::Debug>(a: &K, b: &K) -> Result<(), TestCaseError> {
    let (a_bytes, b_bytes) = (bytes(a), bytes(b));
    prop_assert_eq!(a_bytes.cmp(&b_bytes), a.cmp(b));
    if a.cmp(b) != Ordering::Equal {
        prop_assert!(!a_bytes.starts_with(&b_bytes) && !b_bytes.starts_with(&a_bytes));
    }
    prop_assert_eq!(&KeyReader::whole::<K>(&a_bytes).unwrap(), a);

    // Another part may follow, and the first still decides.
    let pairs = (bytes(&(a.clone(), 9_u8)), bytes(&(b.clone(), 1_u8)));
    if a.cmp(b) != Ordering::Equal {
        prop_assert_eq!(pairs.0.cmp(&pairs.1), a.cmp(b));
    }
    Ok(())
}

/// Strings of few different letters, so that many are beginnings of others.
fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop_oneof!["\u{0}", "\u{1}", "a", "\u{ff}", "\u{10ffff}"], 0..5)
        .prop_map(|letters| letters.concat())
}

fn octets() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(prop_oneof![Just(0), Just(1), Just(0xFE), Just(0xFF)], 0..5)
}

fn signed() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -2_i64..3, Just(i64::MIN), Just(i64::MAX)]
}

proptest! {
    #[test]
    fn numbers_keep_their_order(
        a in any::<(u8, u16, u32, u64)>(), b in any::<(u8, u16, u32, u64)>(),
    ) {
        check(&a.0, &b.0)?;
        check(&a.1, &b.1)?;
        check(&a.2, &b.2)?;
        check(&a.3, &b.3)?;
        check(&a, &b)?;
    }

    #[test]
    fn negative_numbers_stand_before_positive_ones(a in signed(), b in signed()) {
        check(&a, &b)?;
    }

    #[test]
    fn texts_and_byte_strings_keep_their_order(
        a in (text(), octets()), b in (text(), octets()),
    ) {
        check(&a.0, &b.0)?;
        check(&a.1, &b.1)?;
        check(&a, &b)?;
    }

    #[test]
    fn fixed_bytes_truth_values_and_nothing_keep_their_order(
        a in any::<([u8; 3], bool, ())>(), b in any::<([u8; 3], bool, ())>(),
    ) {
        check(&a.0, &b.0)?;
        check(&a.1, &b.1)?;
        check(&a, &b)?;
    }

    #[test]
    fn six_parts_keep_their_order(
        a in (any::<bool>(), text(), signed(), octets(), any::<u16>(), any::<[u8; 2]>()),
        b in (any::<bool>(), text(), signed(), octets(), any::<u16>(), any::<[u8; 2]>()),
    ) {
        check(&a, &b)?;
    }

    #[test]
    fn bytes_that_are_no_key_are_refused_and_never_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..20),
    ) {
        if let Ok(key) = KeyReader::whole::<(String, i64, bool)>(&bytes) {
            prop_assert_eq!(self::bytes(&key), bytes);
        }
    }
}

#[test]
fn a_key_of_another_shape_is_refused() {
    assert_eq!(KeyReader::whole::<u64>(&[0; 7]), Err(KeyError::Short));
    assert_eq!(KeyReader::whole::<u64>(&[0; 9]), Err(KeyError::Long));
    assert_eq!(KeyReader::whole::<bool>(&[2]), Err(KeyError::Invalid("a truth value")));
    assert_eq!(KeyReader::whole::<String>(&[b'a', 0]), Err(KeyError::Short));
    assert_eq!(KeyReader::whole::<String>(&[0xC3, 0, 0]), Err(KeyError::Invalid("text")));
    let invalid = KeyReader::whole::<Vec<u8>>(&[0, 7]);
    assert_eq!(invalid, Err(KeyError::Invalid("an escaped byte string")));
}

#[test]
fn a_walk_reports_a_key_of_another_shape_and_goes_on() {
    const WIDE: Table<(u64, u64), u64> = Table::new(1, "numbers");
    const NARROW: Table<u64, u64> = Table::new(1, "numbers");
    let store = TempStore::new();
    let mut batch = Batch::new();
    batch.put(WIDE, &(1, 1), &1);
    batch.put(NARROW, &2, &2);
    store.write_blocking(batch).unwrap();
    let rows: Vec<_> = store.scan(NARROW, Scan::all()).collect();
    assert!(matches!(&rows[0], Err(ReadError::Key { table: "numbers", key, .. })
        if key == "00000000000000010000000000000001"));
    assert_eq!(rows[1], Ok((2, 2)));
}
