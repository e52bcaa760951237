//! Pages of a range over the tables in memory and the engine behind them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Table;
use crate::engine::{Change, Engine, EngineError, Range, Row};

/// Rows that are fetched of each source at least: some of them are deleted in a newer one.
const LEAST: usize = 4;
const MOST: usize = 64;

/// One of the sources, the newest first.
enum Source<'s> {
    Table(&'s Table),
    Engine(&'s dyn Engine),
}

struct Cursor<'s> {
    source: Source<'s>,
    /// What was not fetched yet.
    range: Range,
    fetched: VecDeque<Change>,
    ended: bool,
}

/// The first `limit` rows of a range in walking direction as of group `at`; fewer only when
/// there are no more. The tables were listed before the call, the newest first.
pub(crate) fn page(
    tables: &[Arc<Table>],
    engine: &dyn Engine,
    (range, reverse): (&Range, bool),
    limit: usize,
    at: u64,
) -> Result<Vec<Row>, EngineError> {
    let sources = tables.iter().filter(|table| table.bytes() > 0).map(|table| Source::Table(table));
    let mut cursors: Vec<Cursor<'_>> = sources
        .chain([Source::Engine(engine)])
        .map(|source| Cursor {
            source,
            range: range.clone(),
            fetched: VecDeque::new(),
            ended: false,
        })
        .collect();
    let many = limit.clamp(LEAST, MOST);
    let mut rows = Vec::with_capacity(limit.min(MOST));
    while rows.len() < limit {
        for cursor in &mut cursors {
            cursor.fetch(reverse, many, at)?;
        }
        let heads = cursors.iter().filter_map(|cursor| cursor.fetched.front()).map(|row| &row.0);
        let next = if reverse { heads.max() } else { heads.min() };
        let Some(key) = next.cloned() else { break };
        let mut newest = None;
        for cursor in &mut cursors {
            if cursor.fetched.front().is_some_and(|(head, _)| *head == key) {
                let row = cursor.fetched.pop_front();
                newest = newest.or(row);
            }
        }
        if let Some((key, Some(row))) = newest {
            rows.push((key, row));
        }
    }
    Ok(rows)
}

impl Cursor<'_> {
    /// Fetches more where nothing that was fetched is left.
    fn fetch(&mut self, reverse: bool, many: usize, at: u64) -> Result<(), EngineError> {
        if self.ended || !self.fetched.is_empty() {
            return Ok(());
        }
        self.fetched = match &self.source {
            Source::Table(table) => table.page(&self.range, reverse, many, at).into(),
            Source::Engine(engine) => {
                let rows = engine.page(&self.range, reverse, many)?;
                rows.into_iter().map(|(key, row)| (key, Some(row))).collect()
            }
        };
        self.ended = self.fetched.len() < many;
        if let Some((last, _)) = self.fetched.back() {
            self.range.leave_behind(last, reverse);
        }
        Ok(())
    }
}
