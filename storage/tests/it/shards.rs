//! Shards: what one has is one range of keys, and walks over several meet all of them.

mod moving;
mod walks;

use std::collections::BTreeMap;

use storage::testing::TempStore;
use storage::{
    Batch, IdKind, Key, KeyError, KeyReader, KeyWriter, Options, RawRow, Scan, Shard, Store, Table,
};

/// Somebody who owns rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Owner(u64);

impl Key for Owner {
    const SHARDED: bool = true;

    fn shard(&self) -> Option<Shard> {
        Some(Shard::of(self.0))
    }

    fn write(&self, out: &mut KeyWriter) {
        self.0.write(out);
    }

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        u64::read(from).map(Self)
    }
}

const OWNERS: Table<Owner, String> = Table::new(1, "owners");
const THINGS: Table<(u8, Owner, u16), u64> = Table::new(2, "things");
const NAMES: Table<String, u64> = Table::new(3, "names");
const ENDS: Table<(u8, Owner), u64> = Table::in_first_shard(4, "ends");
const APPLES: IdKind = IdKind::new(1, "apples");
const PEARS: IdKind = IdKind::new(2, "pears");

fn fill(store: &Store, owners: &[u64]) {
    let mut batch = Batch::new();
    for owner in owners {
        batch.put(OWNERS, &Owner(*owner), &format!("owner {owner}"));
        for thing in 0..3 {
            batch.put(THINGS, &(thing, Owner(*owner), 7), owner);
        }
        batch.put(NAMES, &format!("name of {owner}"), owner);
        batch.put(ENDS, &(9, Owner(*owner)), owner);
        batch.draw(&("papers".to_owned(), Owner(*owner)));
    }
    batch.draw(&"agreements".to_owned());
    store.write_blocking(batch).unwrap();
}

/// All rows but that which shuts older programs out.
fn rows(store: &Store) -> Vec<RawRow> {
    store.export().map(Result::unwrap).filter(|row| row.tag() != 0xFFEF).collect()
}

#[test]
fn all_that_somebody_owns_lies_in_one_shard_and_the_rest_in_the_first() {
    let store = TempStore::new();
    fill(&store, &[5, 1_029, 2_000]);
    store.next_ids_in(APPLES, Shard::of(5), 3);
    let mut shards = BTreeMap::new();
    let all = rows(&store);
    assert!(all.is_sorted_by(|one, other| one.key < other.key));
    for row in all {
        shards.entry(row.shard().map(Shard::number)).or_insert_with(Vec::new).push(row.tag());
    }
    let (ids, sequences) = (0xFFF2, storage::SEQUENCES);
    assert_eq!(shards[&Some(0)], [3, 3, 3, 4, 4, 4, sequences]);
    assert_eq!(shards[&Some(5)], [1, 1, 2, 2, 2, 2, 2, 2, sequences, sequences, ids]);
    assert_eq!(shards[&Some(976)], [1, 2, 2, 2, sequences]);
    assert_eq!(shards.len(), 3);
}

#[test]
fn ids_of_a_shard_rise_and_say_which_it_is_also_after_a_restart() {
    let mut store = TempStore::new();
    let mut last = [0, 0, 0];
    for _ in 0..3 {
        for (place, number) in [0, 7, 1_023].into_iter().enumerate() {
            let shard = Shard::of(number);
            let ids =
                [store.next_ids_in(APPLES, shard, 25_000), store.next_ids_in(PEARS, shard, 2)];
            assert!(ids[0][0] > last[place] && ids[0].is_sorted_by(|a, b| a < b));
            let all = ids.concat();
            assert!(all.iter().all(|id| Shard::of(*id) == shard && *id < 1 << 53));
            last[place] = ids[0][24_999];
        }
        store.reopen();
    }
}

#[test]
fn the_first_id_in_a_shard_brings_blocks_of_all_kinds() {
    let store = TempStore::new();
    store.next_id_in(APPLES, Shard::of(1));
    store.next_id_in(PEARS, Shard::of(1));
    store.next_id_in(PEARS, Shard::of(2));
    let counters = rows(&store).into_iter().filter(|row| row.tag() == 0xFFF2);
    let of_second = counters.filter(|row| row.shard() == Some(Shard::of(2))).count();
    assert_eq!(of_second, 2);
}
