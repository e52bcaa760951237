//! Walks, against a sorted map as the referee.

use std::collections::BTreeMap;

use proptest::prelude::*;
use storage::testing::TempStore;
use storage::{Batch, Scan, Store, Table};

type Parts = (u8, String, u16);

const ROWS: Table<Parts, u64> = Table::new(7, "rows");
const BELOW: Table<Parts, u64> = Table::new(6, "below");
const ABOVE: Table<Parts, u64> = Table::new(8, "above");

/// A whole key or its leading parts.
#[derive(Clone, Debug)]
enum Leading {
    One(u8),
    Two(u8, String),
    Three(u8, String, u16),
}

impl Leading {
    /// Where a key stands to all keys that begin with these parts.
    fn compare(&self, key: &Parts) -> std::cmp::Ordering {
        match self {
            Self::One(a) => key.0.cmp(a),
            Self::Two(a, b) => (key.0, &key.1).cmp(&(*a, b)),
            Self::Three(a, b, c) => (key.0, &key.1, key.2).cmp(&(*a, b, *c)),
        }
    }
}

/// Hands the parts to a function that takes any key.
macro_rules! with {
    ($leading:expr, |$key:ident| $call:expr) => {
        match $leading {
            Leading::One(a) => {
                let $key = &(*a,);
                $call
            }
            Leading::Two(a, b) => {
                let $key = &(*a, b.clone());
                $call
            }
            Leading::Three(a, b, c) => {
                let $key = &(*a, b.clone(), *c);
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

    fn model(&self, rows: &BTreeMap<Parts, u64>) -> Vec<(Parts, u64)> {
        let holds = |bound: &Option<Leading>, test: fn(std::cmp::Ordering) -> bool, key: &Parts| {
            bound.as_ref().is_none_or(|bound| test(bound.compare(key)))
        };
        let after = if self.reverse { |order| order == Less } else { |order| order == Greater };
        use std::cmp::Ordering::{Equal, Greater, Less};
        let mut found: Vec<_> = rows
            .iter()
            .filter(|(key, _)| {
                holds(&self.prefix, |order| order == Equal, key)
                    && holds(&self.from, |order| order != Less, key)
                    && holds(&self.until, |order| order == Less, key)
                    && holds(&self.after, after, key)
            })
            .map(|(key, value)| (key.clone(), *value))
            .collect();
        if self.reverse {
            found.reverse();
        }
        found
    }
}

fn first() -> impl Strategy<Value = u8> {
    prop_oneof![Just(0), Just(1), Just(2), Just(254), Just(255)]
}

fn second() -> impl Strategy<Value = String> {
    prop_oneof![Just(""), Just("\0"), Just("a"), Just("a\0"), Just("ab"), Just("\u{ff}")]
        .prop_map(str::to_owned)
}

fn third() -> impl Strategy<Value = u16> {
    prop_oneof![0_u16..4, Just(255), Just(u16::MAX)]
}

fn leading() -> impl Strategy<Value = Leading> {
    prop_oneof![
        first().prop_map(Leading::One),
        (first(), second()).prop_map(|(a, b)| Leading::Two(a, b)),
        (first(), second(), third()).prop_map(|(a, b, c)| Leading::Three(a, b, c)),
    ]
}

fn walk() -> impl Strategy<Value = Walk> {
    let bound = || proptest::option::of(leading());
    (bound(), bound(), bound(), bound(), any::<bool>()).prop_map(
        |(prefix, from, until, after, reverse)| Walk { prefix, from, until, after, reverse },
    )
}

fn fill(store: &Store, rows: &BTreeMap<Parts, u64>) {
    let mut batch = Batch::new();
    for (key, value) in rows {
        batch.put(ROWS, key, value);
    }
    // Rows of the tables beside must never be seen.
    batch.put(BELOW, &(255, "\u{ff}".to_owned(), u16::MAX), &0);
    batch.put(ABOVE, &(0, String::new(), 0), &0);
    store.write_blocking(batch).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_walk_finds_what_a_sorted_map_finds(
        rows in proptest::collection::btree_map((first(), second(), third()), any::<u64>(), 0..120),
        walks in proptest::collection::vec(walk(), 40),
    ) {
        let store = TempStore::new();
        fill(&store, &rows);
        for walk in walks {
            let found: Result<Vec<_>, _> = store.scan(ROWS, walk.scan()).collect();
            prop_assert_eq!(found, Ok(walk.model(&rows)), "{:?}", walk);
        }
    }
}

#[test]
fn a_long_walk_turns_many_pages_in_both_directions() {
    const MANY: Table<u64, u64> = Table::new(1, "many");
    let store = TempStore::new();
    let mut batch = Batch::new();
    for key in 0..3_000 {
        batch.put(MANY, &key, &(key * 2));
    }
    store.write_blocking(batch).unwrap();
    let up: Vec<u64> = store.scan(MANY, Scan::all()).map(|row| row.unwrap().0).collect();
    assert_eq!(up, (0..3_000).collect::<Vec<_>>());
    let down: Vec<u64> =
        store.scan(MANY, Scan::all().reverse()).map(|row| row.unwrap().0).collect();
    assert_eq!(down, (0..3_000).rev().collect::<Vec<_>>());
}

#[test]
fn a_list_is_read_page_by_page_with_the_last_key_as_cursor() {
    let store = TempStore::new();
    let rows: BTreeMap<Parts, u64> =
        (0..50).map(|number| ((1, "a".to_owned(), number), u64::from(number))).collect();
    fill(&store, &rows);
    for reverse in [false, true] {
        let mut scan = Scan::prefix(&(1_u8,));
        if reverse {
            scan = scan.reverse();
        }
        let mut seen = Vec::new();
        loop {
            let page: Vec<_> =
                store.scan(ROWS, scan.clone()).take(7).map(|row| row.unwrap()).collect();
            let Some((last, _)) = page.last() else { break };
            scan = scan.after(last);
            seen.extend(page.into_iter().map(|(_, value)| value));
        }
        if reverse {
            seen.reverse();
        }
        assert_eq!(seen, (0..50).collect::<Vec<_>>());
    }
}

#[test]
fn a_walk_sees_rows_that_are_written_ahead_of_it() {
    const MANY: Table<u64, u64> = Table::new(1, "many");
    let store = TempStore::new();
    let put = |key: u64| {
        let mut batch = Batch::new();
        batch.put(MANY, &key, &key);
        store.write_blocking(batch).unwrap();
    };
    (0..100).for_each(put);
    let mut walk = store.scan(MANY, Scan::all());
    assert_eq!(walk.next(), Some(Ok((0, 0))));
    put(100);
    assert_eq!(walk.count(), 100);
}
