//! Walks over a part of a table, in the order of its keys or against it.

mod merged;
mod rows;

use std::fmt;

use crate::engine::{Range, Row};
use crate::error::ReadError;
use crate::key::{Key, KeyReader, KeyWriter};
use crate::layout;
use crate::record::{self, Record};
use crate::shard::{Shard, Shards};
use crate::table::Table;
use crate::view::View;
use merged::Merged;
pub(crate) use rows::Rows;

/// Which keys of a table to walk over, and in which direction.
///
/// Every key given may be a whole key or its leading parts: `&(seller,)` stands for all keys
/// that begin with it. The narrowing functions combine in any order; a bound given twice counts
/// as given last.
///
/// Where the keys of a table are in several shards, a walk takes the shards one after the other:
/// those of a prefix that names one are in that shard alone. A bound that names a shard stands in
/// that order; one that names none holds within each shard.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    prefix: Bound,
    from: Option<Bound>,
    until: Option<Bound>,
    after: Option<Bound>,
    reverse: bool,
    by_key: bool,
    first_page: Option<usize>,
}

/// Where keys begin or end.
#[derive(Clone, Debug, Default)]
struct Bound {
    shard: Option<Shard>,
    key: Vec<u8>,
}

impl Bound {
    fn of<K: Key>(key: &K) -> Self {
        let mut out = KeyWriter::default();
        key.write(&mut out);
        Self { shard: key.shard(), key: out.into_bytes() }
    }

    /// The bytes of the bound in a shard, if it bounds anything there.
    fn within(bound: &Option<Self>, shard: Shard, tag: u16) -> Option<Vec<u8>> {
        let bound = bound.as_ref().filter(|bound| bound.shard.is_none_or(|of| of == shard))?;
        Some(bound.bytes(shard, tag))
    }

    fn bytes(&self, shard: Shard, tag: u16) -> Vec<u8> {
        [&layout::prefix(shard, tag), self.key.as_slice()].concat()
    }
}

impl Scan {
    pub fn all() -> Self {
        Self::default()
    }

    pub fn prefix(key: &impl Key) -> Self {
        Self { prefix: Bound::of(key), ..Self::default() }
    }

    /// Walks from the last key to the first. What is walked over stays the same.
    pub fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// The lowest key, inclusive, whatever the direction.
    pub fn from(mut self, key: &impl Key) -> Self {
        self.from = Some(Bound::of(key));
        self
    }

    /// The end of the keys, exclusive, whatever the direction: all keys stay below it.
    pub fn until(mut self, key: &impl Key) -> Self {
        self.until = Some(Bound::of(key));
        self
    }

    /// Goes on behind this key in the walking direction: above it, or below it in reverse. Of
    /// leading parts, all keys that begin with them are left behind.
    pub fn after(mut self, key: &impl Key) -> Self {
        self.after = Some(Bound::of(key));
        self
    }

    /// Walks in the order of the keys whatever shards they are in: each step looks at all shards,
    /// and every bound holds within each.
    pub fn by_key(mut self) -> Self {
        self.by_key = true;
        self
    }

    /// Only the first row is of interest: no others are fetched with it.
    pub fn first(mut self) -> Self {
        self.first_page = Some(1);
        self
    }

    pub(crate) fn is_reverse(&self) -> bool {
        self.reverse
    }

    /// The keys of a walk that stays in one shard.
    ///
    /// # Panics
    /// When the rows of the table are in several shards and the prefix names none of them.
    pub(crate) fn range_in_shard<K: Key, V>(&self, table: Table<K, V>) -> Range {
        let shard = match self.prefix.shard {
            Some(shard) => shard,
            None => {
                assert!(!table.is_spread(), "rows of {} are in several shards", table.name());
                Shard::FIRST
            }
        };
        self.range(shard, table.tag())
    }

    /// Where the shards do not matter: every bound counts in each.
    fn without_shards(mut self) -> Self {
        let bounds = [&mut self.from, &mut self.until, &mut self.after];
        bounds.into_iter().flatten().for_each(|bound| bound.shard = None);
        self
    }

    /// The shards to walk over.
    fn shards(&self) -> Shards {
        let named = |bound: &Option<Bound>| bound.as_ref().and_then(|bound| bound.shard);
        let (up, down) = if self.reverse { (&None, &self.after) } else { (&self.after, &None) };
        let lowest = self.prefix.shard.into_iter().chain(named(&self.from)).chain(named(up));
        let highest = self.prefix.shard.into_iter().chain(named(&self.until)).chain(named(down));
        Shards::between(lowest.max().unwrap_or(Shard::FIRST), highest.min().unwrap_or(Shard::LAST))
    }

    /// The keys of one shard.
    fn range(&self, shard: Shard, tag: u16) -> Range {
        let prefix = self.prefix.bytes(shard, tag);
        // Shards stop short of 0xFFFF, so there always is a key behind the prefix.
        let mut range = Range { until: behind(&prefix), from: prefix };
        if let Some(from) = Bound::within(&self.from, shard, tag) {
            range.from = range.from.max(from);
        }
        if let Some(until) = Bound::within(&self.until, shard, tag) {
            range.until = range.until.min(until);
        }
        match Bound::within(&self.after, shard, tag) {
            Some(after) if self.reverse => range.until = range.until.min(after),
            Some(after) => range.from = range.from.max(behind(&after)),
            None => {}
        }
        range
    }
}

/// The rows of a walk, fetched page by page as they are asked for.
///
/// Of a [`Store`](crate::Store) it is no snapshot: rows written while it walks are seen when they
/// lie ahead of it. It keeps
/// nothing open; after the store is closed it answers [`ReadError::Closed`]. A row that cannot
/// be read is answered as an error, and the walk goes on behind it.
pub struct ScanIter<K, V> {
    rows: Walk,
    table: Table<K, V>,
}

enum Walk {
    ShardByShard(Rows),
    ByKey(Box<Merged>),
}

impl Iterator for Walk {
    type Item = Result<Row, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::ShardByShard(rows) => rows.next(),
            Self::ByKey(rows) => rows.next(),
        }
    }
}

impl<K: Key, V: Record> ScanIter<K, V> {
    pub(crate) fn new(view: View, table: Table<K, V>, scan: Scan) -> Self {
        let (tag, is_spread) = (table.tag(), table.is_spread());
        let rows = if is_spread && scan.by_key && scan.prefix.shard.is_none() {
            Walk::ByKey(Box::new(Merged::new(view, scan.without_shards(), tag)))
        } else if is_spread {
            let shards = scan.shards();
            Walk::ShardByShard(Rows::over(view, scan, tag, shards))
        } else {
            let range = scan.without_shards();
            Walk::ShardByShard(Rows::over(view, range, tag, Shards::one(Shard::FIRST)))
        };
        Self { rows, table }
    }

    fn open(&self, (key, row): Row) -> Result<(K, V), ReadError> {
        let table = self.table.name();
        let value = record::unseal(table, &key, &row)?;
        Ok((key_of(table, &key)?, value))
    }
}

impl<K: Key, V: Record> ScanIter<K, V> {
    /// The keys alone; what stands in the rows is not looked at.
    pub fn keys(self) -> impl Iterator<Item = Result<K, ReadError>> {
        let table = self.table.name();
        self.rows.map(move |row| key_of(table, &row?.0))
    }

    pub fn values(self) -> Result<Vec<V>, ReadError> {
        self.map(|row| row.map(|(_, value)| value)).collect()
    }
}

impl<K: Key, V: Record> Iterator for ScanIter<K, V> {
    type Item = Result<(K, V), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        Some(row.and_then(|row| self.open(row)))
    }
}

impl<K, V> fmt::Debug for ScanIter<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScanIter").field("table", &self.table).finish_non_exhaustive()
    }
}

pub(crate) fn key_of<K: Key>(table: &'static str, key: &[u8]) -> Result<K, ReadError> {
    let shard = layout::shard_of(key).unwrap_or_default();
    let key = layout::behind_tag(key);
    KeyReader::whole_in(shard, key).map_err(|refused| ReadError::Key {
        table,
        key: record::hex(key),
        detail: refused.to_string(),
    })
}

/// The smallest byte string above all that begin with `prefix`.
fn behind(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            break;
        }
    }
    end
}
