//! Walks over a part of a table, in the order of its keys or against it.

use std::fmt;

use crate::engine::{Range, Row};
use crate::error::ReadError;
use crate::key::{Key, KeyReader, KeyWriter};
use crate::record::{self, Record};
use crate::table::{TAG_BYTES, Table};
use crate::view::View;

/// Rows that the first page of a walk fetches; each further page fetches twice as many.
const FIRST_PAGE: usize = 16;
const LARGEST_PAGE: usize = 256;

/// Which keys of a table to walk over, and in which direction.
///
/// Every key given may be a whole key or its leading parts: `&(seller,)` stands for all keys
/// that begin with it. The narrowing functions combine in any order; a bound given twice counts
/// as given last.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    prefix: Vec<u8>,
    from: Option<Vec<u8>>,
    until: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
    reverse: bool,
    first_page: Option<usize>,
}

impl Scan {
    pub fn all() -> Self {
        Self::default()
    }

    pub fn prefix(key: &impl Key) -> Self {
        Self { prefix: bytes(key), ..Self::default() }
    }

    /// Walks from the last key to the first. What is walked over stays the same.
    pub fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// The lowest key, inclusive, whatever the direction.
    pub fn from(mut self, key: &impl Key) -> Self {
        self.from = Some(bytes(key));
        self
    }

    /// The end of the keys, exclusive, whatever the direction: all keys stay below it.
    pub fn until(mut self, key: &impl Key) -> Self {
        self.until = Some(bytes(key));
        self
    }

    /// Goes on behind this key in the walking direction: above it, or below it in reverse. Of
    /// leading parts, all keys that begin with them are left behind.
    pub fn after(mut self, key: &impl Key) -> Self {
        self.after = Some(bytes(key));
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

    pub(crate) fn range(&self, tag: u16) -> Range {
        let tagged = |key: &[u8]| [&tag.to_be_bytes(), key].concat();
        let prefix = tagged(&self.prefix);
        // Tags stop short of 0xFFFF, so there always is a key behind the prefix.
        let mut range = Range { until: behind(&prefix), from: prefix };
        if let Some(from) = &self.from {
            range.from = range.from.max(tagged(from));
        }
        if let Some(until) = &self.until {
            range.until = range.until.min(tagged(until));
        }
        match &self.after {
            Some(after) if self.reverse => range.until = range.until.min(tagged(after)),
            Some(after) => range.from = range.from.max(behind(&tagged(after))),
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
    rows: Rows,
    table: Table<K, V>,
}

impl<K: Key, V: Record> ScanIter<K, V> {
    pub(crate) fn new(view: View, table: Table<K, V>, scan: &Scan) -> Self {
        let mut rows = Rows::new(view, scan.range(table.tag()), scan.reverse);
        rows.next_page = scan.first_page.unwrap_or(FIRST_PAGE);
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

pub(crate) struct Rows {
    /// Of a snapshot all is as of its moment; else each page is as of its own.
    view: View,
    range: Range,
    reverse: bool,
    page: std::vec::IntoIter<Row>,
    next_page: usize,
    done: bool,
}

impl Rows {
    pub(crate) fn new(view: View, range: Range, reverse: bool) -> Self {
        let page = Vec::new().into_iter();
        Self { view, range, reverse, page, next_page: FIRST_PAGE, done: false }
    }

    fn turn(&mut self) -> Result<(), ReadError> {
        let limit = self.next_page;
        let page = self.view.page(&self.range, self.reverse, limit)?;
        self.next_page = (limit * 2).min(LARGEST_PAGE);
        self.done = page.len() < limit;
        if let Some((last, _)) = page.last() {
            self.range.leave_behind(last, self.reverse);
        }
        self.page = page.into_iter();
        Ok(())
    }
}

impl Iterator for Rows {
    type Item = Result<Row, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.page.next() {
                return Some(Ok(row));
            }
            if self.done {
                return None;
            }
            if let Err(failed) = self.turn() {
                self.done = true;
                return Some(Err(failed));
            }
        }
    }
}

pub(crate) fn key_of<K: Key>(table: &'static str, key: &[u8]) -> Result<K, ReadError> {
    let key = key.get(TAG_BYTES..).unwrap_or_default();
    KeyReader::whole(key).map_err(|refused| ReadError::Key {
        table,
        key: record::hex(key),
        detail: refused.to_string(),
    })
}

fn bytes(key: &impl Key) -> Vec<u8> {
    let mut out = KeyWriter::default();
    key.write(&mut out);
    out.into_bytes()
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
