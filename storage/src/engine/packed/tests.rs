use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::engine::memory::Memory;

fn key(number: u16) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

fn all(packed: &Packed) -> Vec<Row> {
    packed.page(&Range { from: Vec::new(), until: end() }, false, usize::MAX).expect("read")
}

#[test]
fn what_is_appended_fills_its_blocks_and_is_not_written_again() {
    let packed = Packed::new(Box::new(Memory::default()));
    let mut written = 0;
    for number in 0..1_000 {
        written += packed.write(vec![(key(number), Some(vec![1; 94]))]).expect("written");
    }
    assert_eq!(written, 1_000);
    let blocks = packed.engine.page(&Range { from: Vec::new(), until: end() }, false, 9_999);
    assert_eq!(blocks.expect("read").len(), 1_000_usize.div_ceil(MOST_BYTES / 102));
    let many = (1_000..2_000).map(|number| (key(number), Some(vec![1; 94]))).collect();
    assert_eq!(packed.write(many).expect("written"), 25);
    assert_eq!(all(&packed).len(), 2_000);
}

#[test]
fn what_is_deleted_leaves_no_block_behind() {
    let packed = Packed::new(Box::new(Memory::default()));
    let many = (0..1_000).map(|number| (key(number), Some(vec![1; 94]))).collect();
    packed.write(many).expect("written");
    let gone = (0..1_000).map(|number| (key(number), None)).collect();
    packed.write(gone).expect("written");
    let left = packed.engine.page(&Range { from: Vec::new(), until: end() }, false, 9);
    assert!(left.expect("read").is_empty());
    assert_eq!(packed.write(vec![(key(7), None)]).expect("written"), 0);
}

#[test]
fn blocks_take_less_room_in_the_engine_than_their_rows() {
    let packed = Packed::new(Box::new(Memory::default()));
    let row = |number: u16| format!("row {number} of somebody in Berlin").repeat(4);
    let many = (0..1_000).map(|number| (key(number), Some(row(number).into_bytes())));
    packed.write(many.collect()).expect("written");
    let whole = Range { from: Vec::new(), until: end() };
    let kept = packed.engine.page(&whole, false, usize::MAX).expect("read");
    let bytes = |rows: &[Row]| rows.iter().map(|(key, row)| key.len() + row.len()).sum::<usize>();
    assert!(bytes(&kept) * 3 < bytes(&all(&packed)));
}

#[test]
fn blocks_of_earlier_programs_are_read_and_written_on() {
    let rows = [1, 2].map(|number| (key(number), Some(vec![number as u8; 94])));
    let block = Rows::default().merge(rows.into()).expect("rows").to_bytes();
    let memory = Memory::default();
    memory.write(vec![(key(1), Some(block))]).expect("written");
    let packed = Packed::new(Box::new(memory));
    packed.write(vec![(key(3), Some(vec![3; 94]))]).expect("written");
    let rows = [1, 2, 3].map(|number| (key(number), vec![number as u8; 94]));
    assert_eq!(all(&packed), rows);
}

#[test]
fn a_damaged_block_is_told_and_takes_no_memory() {
    let memory = Memory::default();
    let lies = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3];
    memory.write(vec![(key(1), Some(lies.to_vec()))]).expect("written");
    let packed = Packed::new(Box::new(memory));
    let read = packed.get(&key(1)).expect_err("damaged");
    assert_eq!(read.to_string(), "a block of rows is damaged");
}

proptest! {
    #[test]
    fn the_rows_are_those_of_a_plain_map(
        writes in proptest::collection::vec(
            proptest::collection::btree_map(0..300_u16, proptest::option::of(0..6_000_usize), 1..40),
            1..30,
        ),
        (from, until, limit) in (0..300_u16, 0..300_u16, 1..200_usize),
    ) {
        let packed = Packed::new(Box::new(Memory::default()));
        let mut model = BTreeMap::new();
        for (round, write) in writes.into_iter().enumerate() {
            let mut changes = Vec::new();
            for (number, bytes) in write {
                // Mostly small rows, and some that fill a block alone.
                let bytes = bytes.map(|bytes| if bytes % 8 == 0 { bytes } else { bytes % 200 });
                let row = bytes.map(|bytes| vec![round as u8; bytes]);
                match row.clone() {
                    Some(row) => model.insert(key(number), row),
                    None => model.remove(&key(number)),
                };
                changes.push((key(number), row));
            }
            packed.write(changes).expect("written");
            prop_assert_eq!(all(&packed), model.clone().into_iter().collect::<Vec<_>>());
        }
        for number in 0..300 {
            let row = packed.get(&key(number)).expect("read");
            prop_assert_eq!(row.as_ref(), model.get(&key(number)));
        }
        for step in [1, 2, 37] {
            let keys: Vec<_> = (0..300).step_by(step).map(key).collect();
            let asked: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let rows = packed.get_many(&asked).expect("read");
            let expected: Vec<_> = keys.iter().map(|key| model.get(key).cloned()).collect();
            prop_assert_eq!(rows, expected);
        }
        let range = Range { from: key(from), until: key(until) };
        let mut expected: Vec<Row> = model.into_iter()
            .filter(|(key, _)| *key >= range.from && *key < range.until).collect();
        let forward = packed.page(&range, false, limit).expect("read");
        prop_assert_eq!(&forward[..], &expected[..limit.min(expected.len())]);
        expected.reverse();
        let backward = packed.page(&range, true, limit).expect("read");
        prop_assert_eq!(&backward[..], &expected[..limit.min(expected.len())]);
    }
}
