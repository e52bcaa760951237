//! Rows that are needed together, read with one request: for an engine that is asked over a wire
//! each request is a round trip, and for the embedded one it is a lock, and a block to be decoded.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::engine::{Range, Row};
use crate::error::ReadError;
use crate::key::Key;
use crate::record::{self, Record};
use crate::scan::{Scan, key_of};
use crate::table::Table;
use crate::view::View;

/// Rows of a range that one request brings at most.
pub(crate) const STRIDE: usize = 1_024;

static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// What one request asks for: rows by their keys, and ranges of rows. It is composed first, and
/// then [read](View::read) at once. Where nothing is asked for there is no request.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use storage::{Options, Reads, Scan, Store, Table};
/// # const SHELVES: Table<u64, String> = Table::new(1, "shelves");
/// # const BOOKS: Table<(u64, u64), String> = Table::new(2, "books");
/// # let home = tempfile::tempdir()?;
/// # let store = Store::open(&home.path().join("data"), Options::default())?;
/// let mut reads = Reads::new();
/// let shelf = reads.get(SHELVES, &7);
/// let books = reads.scan(BOOKS, Scan::prefix(&(7_u64,)));
/// let mut found = store.read(&reads)?;
/// let (shelf, books) = (found.take(shelf)?, found.take(books)?);
/// # assert_eq!((shelf, books), (None, vec![]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Reads {
    number: u64,
    wants: Vec<Want>,
}

#[derive(Debug)]
enum Want {
    Keys(Vec<Vec<u8>>),
    Range(Walk),
}

/// What is left of a range, and the direction in which it is walked over.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) range: Range,
    pub(crate) reverse: bool,
}

/// Something that a request asks for, to be [taken](Found::take) of what it has found.
pub struct Wanted<T> {
    request: u64,
    place: usize,
    table: &'static str,
    open: fn(&'static str, Vec<Row>) -> Result<T, ReadError>,
}

/// What a request has found, all as of one moment.
pub struct Found {
    request: u64,
    rows: Vec<Vec<Row>>,
}

impl Default for Reads {
    fn default() -> Self {
        Self::new()
    }
}

impl Reads {
    pub fn new() -> Self {
        Self { number: NUMBERS.fetch_add(1, Ordering::Relaxed), wants: Vec::new() }
    }

    /// Asks for the row of a key.
    pub fn get<K: Key, V: Record>(&mut self, table: Table<K, V>, key: &K) -> Wanted<Option<V>> {
        self.want(Want::Keys(vec![table.bytes(key)]), table, |table, rows| {
            rows.first().map(|(key, row)| record::unseal(table, key, row)).transpose()
        })
    }

    /// Asks whether a key has a row, which is not looked at.
    pub fn contains<K: Key, V: Record>(&mut self, table: Table<K, V>, key: &K) -> Wanted<bool> {
        self.want(Want::Keys(vec![table.bytes(key)]), table, |_, rows| Ok(!rows.is_empty()))
    }

    /// Asks for the rows of several keys: those that are there, in the order of their keys.
    pub fn get_many<K: Key, V: Record>(
        &mut self,
        table: Table<K, V>,
        keys: impl IntoIterator<Item = K>,
    ) -> Wanted<Vec<V>> {
        let keys = keys.into_iter().map(|key| table.bytes(&key)).collect();
        self.want(Want::Keys(keys), table, values)
    }

    /// Asks for all rows of a range in walking direction. One of more than 1,024 rows goes on with
    /// further requests, together with the others that do, all as of the same moment.
    ///
    /// # Panics
    /// When the rows of the table are in several shards and the range's prefix names none of them.
    pub fn scan<K: Key, V: Record>(
        &mut self,
        table: Table<K, V>,
        range: Scan,
    ) -> Wanted<Vec<(K, V)>> {
        self.want(Want::range(table, &range), table, |table, rows| {
            let open = |(key, row): Row| {
                let value = record::unseal(table, &key, &row)?;
                Ok((key_of(table, &key)?, value))
            };
            rows.into_iter().map(open).collect()
        })
    }

    /// The same for the keys alone: what stands in the rows is not looked at.
    pub fn keys<K: Key, V: Record>(&mut self, table: Table<K, V>, range: Scan) -> Wanted<Vec<K>> {
        self.want(Want::range(table, &range), table, |table, rows| {
            rows.iter().map(|(key, _)| key_of(table, key)).collect()
        })
    }

    /// The same for the values alone.
    pub fn values<K: Key, V: Record>(&mut self, table: Table<K, V>, range: Scan) -> Wanted<Vec<V>> {
        self.want(Want::range(table, &range), table, values)
    }

    fn want<K, V, T>(
        &mut self,
        want: Want,
        table: Table<K, V>,
        open: fn(&'static str, Vec<Row>) -> Result<T, ReadError>,
    ) -> Wanted<T> {
        self.wants.push(want);
        let place = self.wants.len() - 1;
        Wanted { request: self.number, place, table: table.name(), open }
    }

    /// Reads all of it; as of one moment where the view is.
    pub(crate) fn fetch(&self, view: &View) -> Result<Found, ReadError> {
        let mut rows: Vec<Vec<Row>> = self.wants.iter().map(|_| Vec::new()).collect();
        let (mut keys, mut walks) = (Vec::new(), Vec::new());
        for (place, want) in self.wants.iter().enumerate() {
            match want {
                Want::Keys(wanted) => keys.extend(wanted.iter().map(|key| (&**key, place))),
                Want::Range(walk) => walks.push((walk.clone(), place)),
            }
        }
        keys.sort_unstable();
        while !keys.is_empty() || !walks.is_empty() {
            let asked: Vec<&[u8]> = keys.iter().map(|(key, _)| *key).collect();
            let strides: Vec<&Walk> = walks.iter().map(|(walk, _)| walk).collect();
            let (found, pages) = view.request(&asked, &strides)?;
            for ((key, place), row) in keys.drain(..).zip(found) {
                rows[place].extend(row.map(|row| (key.to_vec(), row)));
            }
            let mut go_on = Vec::new();
            for ((mut walk, place), page) in walks.into_iter().zip(pages) {
                if page.len() == STRIDE
                    && let Some((last, _)) = page.last()
                {
                    walk.range.leave_behind(last, walk.reverse);
                    go_on.push((walk, place));
                }
                rows[place].extend(page);
            }
            walks = go_on;
        }
        Ok(Found { request: self.number, rows })
    }
}

impl Want {
    fn range<K: Key, V>(table: Table<K, V>, range: &Scan) -> Self {
        Self::Range(Walk { range: range.range_in_shard(table), reverse: range.is_reverse() })
    }
}

fn values<V: Record>(table: &'static str, rows: Vec<Row>) -> Result<Vec<V>, ReadError> {
    rows.iter().map(|(key, row)| record::unseal(table, key, row)).collect()
}

impl Found {
    /// What was wanted of this request.
    ///
    /// # Errors
    /// [`ReadError`] that names the table and the key of a row that cannot be read.
    ///
    /// # Panics
    /// When it was wanted of another request.
    pub fn take<T>(&mut self, wanted: Wanted<T>) -> Result<T, ReadError> {
        let Wanted { request, place, table, open } = wanted;
        assert_eq!(request, self.request, "rows of {table} were wanted of another request");
        open(table, std::mem::take(&mut self.rows[place]))
    }
}

impl<T> fmt::Debug for Wanted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wanted").field("table", &self.table).finish_non_exhaustive()
    }
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.rows.iter().map(Vec::len).sum::<usize>();
        f.debug_struct("Found").field("rows", &rows).finish_non_exhaustive()
    }
}
