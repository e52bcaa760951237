//! Rows of several shards in the order of their keys.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::{Rows, Scan};
use crate::engine::Row;
use crate::error::ReadError;
use crate::layout;
use crate::shard::{Shard, Shards};
use crate::view::View;

pub(super) struct Merged {
    reverse: bool,
    /// Those of each shard that have not been looked at.
    ahead: Vec<Rows>,
    /// The first row of each shard.
    heads: BinaryHeap<Reverse<Head>>,
    failed: Option<ReadError>,
}

struct Head {
    row: Row,
    behind: Rows,
    reverse: bool,
}

impl Merged {
    pub(super) fn new(view: View, scan: Scan, tag: u16) -> Self {
        let reverse = scan.reverse;
        let (mut shards, mut ahead) = (Shards::between(Shard::FIRST, Shard::LAST), Vec::new());
        let failed = loop {
            match view.next_shard(&mut shards, false) {
                Ok(Some(shard)) => {
                    // Most shards give a row or none of what is walked over.
                    let scan = scan.clone().first();
                    ahead.push(Rows::over(view.clone(), scan, tag, Shards::one(shard)));
                }
                Ok(None) => break None,
                Err(failed) => break Some(failed),
            }
        };
        Self { reverse, ahead, heads: BinaryHeap::new(), failed }
    }

    fn push(&mut self, mut rows: Rows) -> Result<(), ReadError> {
        if let Some(row) = rows.next().transpose()? {
            self.heads.push(Reverse(Head { row, behind: rows, reverse: self.reverse }));
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<Option<Row>, ReadError> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        while let Some(rows) = self.ahead.pop() {
            self.push(rows)?;
        }
        let Some(Reverse(Head { row, behind, .. })) = self.heads.pop() else { return Ok(None) };
        self.push(behind)?;
        Ok(Some(row))
    }
}

impl Iterator for Merged {
    type Item = Result<Row, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.pop();
        if next.is_err() {
            self.ahead.clear();
            self.heads.clear();
        }
        next.transpose()
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = layout::behind_tag(&self.row.0).cmp(layout::behind_tag(&other.row.0));
        if self.reverse { order.reverse() } else { order }
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head {}
