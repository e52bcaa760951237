//! Rows as they are fetched: page by page, and one shard after the other.

use super::Scan;
use crate::engine::{Range, Row};
use crate::error::ReadError;
use crate::shard::Shards;
use crate::view::View;

/// Rows that the first page of a walk fetches; each further page fetches twice as many.
const FIRST_PAGE: usize = 16;
const LARGEST_PAGE: usize = 256;

pub(crate) struct Rows {
    /// Of a snapshot all is as of its moment; else each page is as of its own.
    view: View,
    range: Range,
    reverse: bool,
    /// Where it goes on behind the range.
    rest: Option<Box<Rest>>,
    page: std::vec::IntoIter<Row>,
    next_page: usize,
    done: bool,
}

struct Rest {
    scan: Scan,
    tag: u16,
    shards: Shards,
}

impl Rows {
    pub(crate) fn new(view: View, range: Range, reverse: bool) -> Self {
        let page = Vec::new().into_iter();
        Self { view, range, reverse, rest: None, page, next_page: FIRST_PAGE, done: false }
    }

    /// The rows of a table in these shards.
    pub(crate) fn over(view: View, scan: Scan, tag: u16, shards: Shards) -> Self {
        let (reverse, first_page) = (scan.reverse, scan.first_page.unwrap_or(FIRST_PAGE));
        let (range, rest) = match shards.only() {
            Some(shard) => (scan.range(shard, tag), None),
            None => {
                let nothing = Range { from: Vec::new(), until: Vec::new() };
                (nothing, Some(Box::new(Rest { scan, tag, shards })))
            }
        };
        Self { rest, next_page: first_page, ..Self::new(view, range, reverse) }
    }

    fn turn(&mut self) -> Result<(), ReadError> {
        let limit = self.next_page;
        let mut read = 0;
        if self.range.from < self.range.until {
            let page = self.view.page(&self.range, self.reverse, limit)?;
            read = page.len();
            if let Some((last, _)) = page.last() {
                self.range.leave_behind(last, self.reverse);
            }
            self.page = page.into_iter();
        }
        if read == limit {
            self.next_page = (limit * 2).min(LARGEST_PAGE);
        } else {
            self.done = !self.go_on()?;
        }
        Ok(())
    }

    /// Goes on to the next shard that has rows; false where there is none.
    fn go_on(&mut self) -> Result<bool, ReadError> {
        let Some(Rest { scan, tag, shards }) = self.rest.as_deref_mut() else { return Ok(false) };
        let Some(next) = self.view.next_shard(shards, self.reverse)? else { return Ok(false) };
        self.range = scan.range(next, *tag);
        Ok(true)
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
