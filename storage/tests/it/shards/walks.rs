//! Walks over tables whose rows are in several shards, against a sorted map as the referee.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

type Thing = (u8, Owner, u16);

/// A whole key or its leading parts.
#[derive(Clone, Debug)]
enum Leading {
    One(u8),
    Two(u8, u64),
    Three(u8, u64, u16),
}

impl Leading {
    /// Where a key stands to all keys that begin with these parts, in the order of shards where they
    /// name one.
    fn compare(&self, key: &Thing, by_key: bool) -> std::cmp::Ordering {
        let shard = |owner: u64| if by_key { Shard::FIRST } else { Shard::of(owner) };
        let of_key = shard(key.1.0);
        match self {
            Self::One(a) => key.0.cmp(a),
            Self::Two(a, b) => (of_key, key.0, key.1.0).cmp(&(shard(*b), *a, *b)),
            Self::Three(a, b, c) => (of_key, key.0, key.1.0, key.2).cmp(&(shard(*b), *a, *b, *c)),
        }
    }
}

macro_rules! with {
    ($leading:expr, |$key:ident| $call:expr) => {
        match $leading {
            Leading::One(a) => {
                let $key = &(*a,);
                $call
            }
            Leading::Two(a, b) => {
                let $key = &(*a, Owner(*b));
                $call
            }
            Leading::Three(a, b, c) => {
                let $key = &(*a, Owner(*b), *c);
                $call
            }
        }
    };
}

#[derive(Clone, Debug)]
struct Walk {
    prefix: Option<Leading>,
    from: Option<Leading>,
    until: Option<Leading>,
    after: Option<Leading>,
    reverse: bool,
    by_key: bool,
}

impl Walk {
    fn scan(&self) -> Scan {
        let mut scan = match &self.prefix {
            None => Scan::all(),
            Some(prefix) => with!(prefix, |key| Scan::prefix(key)),
        };
        if self.reverse {
            scan = scan.reverse();
        }
        if self.by_key {
            scan = scan.by_key();
        }
        if let Some(from) = &self.from {
            scan = with!(from, |key| scan.from(key));
        }
        if let Some(until) = &self.until {
            scan = with!(until, |key| scan.until(key));
        }
        if let Some(after) = &self.after {
            scan = with!(after, |key| scan.after(key));
        }
        scan
    }

    fn model(&self, rows: &BTreeMap<Thing, u64>) -> Vec<(Thing, u64)> {
        // A prefix that names a shard leaves one shard, whose order is that of its keys.
        let by_key =
            self.by_key && !matches!(self.prefix, Some(Leading::Two(..) | Leading::Three(..)));
        let order = |bound: &Leading, key: &Thing| bound.compare(key, by_key);
        let holds = |bound: &Option<Leading>, test: fn(std::cmp::Ordering) -> bool, key: &Thing| {
            bound.as_ref().is_none_or(|bound| test(order(bound, key)))
        };
        let behind = if self.reverse { |order| order == Less } else { |order| order == Greater };
        let is_in = |key: &Thing| {
            holds(&self.prefix, |order| order == Equal, key)
                && holds(&self.from, |order| order != Less, key)
                && holds(&self.until, |order| order == Less, key)
                && holds(&self.after, behind, key)
        };
        let mut found: Vec<_> =
            rows.iter().filter(|(key, _)| is_in(key)).map(|(key, row)| (*key, *row)).collect();
        if !by_key {
            found.sort_by_key(|(key, _)| (Shard::of(key.1.0), *key));
        }
        if self.reverse {
            found.reverse();
        }
        found
    }
}

fn kind() -> impl Strategy<Value = u8> {
    prop_oneof![Just(0), Just(1), Just(255)]
}

fn owner() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(2), Just(1_023), Just(1_025), Just(2_047), Just(u64::MAX)]
}

fn leading() -> impl Strategy<Value = Leading> {
    prop_oneof![
        kind().prop_map(Leading::One),
        (kind(), owner()).prop_map(|(a, b)| Leading::Two(a, b)),
        (kind(), owner(), 0_u16..3).prop_map(|(a, b, c)| Leading::Three(a, b, c)),
    ]
}

fn walk() -> impl Strategy<Value = Walk> {
    let bound = || proptest::option::of(leading());
    (bound(), bound(), bound(), bound(), any::<(bool, bool)>()).prop_map(
        |(prefix, from, until, after, (reverse, by_key))| Walk {
            prefix,
            from,
            until,
            after,
            reverse,
            by_key,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_walk_finds_what_a_sorted_map_finds(
        rows in proptest::collection::btree_map((kind(), owner(), 0_u16..3), any::<u64>(), 0..60),
        walks in proptest::collection::vec(walk(), 60),
        later in any::<u64>(),
    ) {
        let store = TempStore::new();
        let rows: BTreeMap<Thing, u64> =
            rows.into_iter().map(|((a, b, c), row)| ((a, Owner(b), c), row)).collect();
        let mut batch = Batch::new();
        for (key, row) in &rows {
            batch.put(THINGS, key, row);
        }
        // Rows of the tables beside must never be seen.
        batch.put(OWNERS, &Owner(2), &"beside".to_owned());
        batch.put(ENDS, &(1, Owner(2)), &0);
        store.write_blocking(batch).unwrap();
        let moment = store.snapshot().unwrap();
        let mut batch = Batch::new();
        batch.put(THINGS, &(1, Owner(later), 9), &1);
        store.write_blocking(batch).unwrap();
        for walk in walks {
            let found: Result<Vec<_>, _> = moment.scan(THINGS, walk.scan()).collect();
            prop_assert_eq!(found, Ok(walk.model(&rows)), "{:?}", walk);
        }
    }
}

#[test]
fn a_walk_goes_on_behind_its_last_key_through_all_shards() {
    let mut store = TempStore::new();
    let owners: Vec<u64> = (0..40).map(|number| number * 777).collect();
    fill(&store, &owners);
    for _ in 0..2 {
        for (reverse, by_key) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut scan = Scan::all();
            scan = if reverse { scan.reverse() } else { scan };
            scan = if by_key { scan.by_key() } else { scan };
            let mut seen = Vec::new();
            loop {
                let page = store.scan(OWNERS, scan.clone()).keys().take(7);
                let page: Vec<Owner> = page.map(Result::unwrap).collect();
                let Some(last) = page.last() else { break };
                scan = scan.after(last);
                seen.extend(page.into_iter().map(|owner| owner.0));
            }
            let mut expected = owners.clone();
            if !by_key {
                expected.sort_by_key(|owner| (Shard::of(*owner), *owner));
            }
            if reverse {
                expected.reverse();
            }
            assert_eq!(seen, expected);
        }
        // The shards that have rows are found again.
        store.hand_over();
        store.reopen();
    }
}

#[test]
fn a_walk_sees_a_shard_that_comes_to_have_rows_ahead_of_it() {
    let store = TempStore::new();
    fill(&store, &[1, 3]);
    let mut walk = store.scan(OWNERS, Scan::all()).keys();
    assert_eq!(walk.next(), Some(Ok(Owner(1))));
    fill(&store, &[500, 0]);
    assert_eq!(walk.collect::<Result<Vec<_>, _>>(), Ok(vec![Owner(3), Owner(500)]));
}

#[test]
fn a_table_in_the_first_shard_keeps_the_order_of_its_keys() {
    let store = TempStore::new();
    let mut batch = Batch::new();
    for (time, owner) in [(1, 900), (2, 5), (3, 1)] {
        batch.put(ENDS, &(time, Owner(owner)), &owner);
    }
    store.write_blocking(batch).unwrap();
    let scan = Scan::all().after(&(1_u8, Owner(900))).until(&(3_u8,));
    let found: Vec<_> = store.scan(ENDS, scan).map(|row| row.unwrap().1).collect();
    assert_eq!(found, [5]);
}
