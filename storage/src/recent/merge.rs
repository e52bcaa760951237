//! Pages of a range over the tables in memory and the engine behind them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::gaps::MANY;
use super::{Recent, Table};
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

/// What a walk has come by.
struct Walked {
    rows: Vec<Row>,
    /// The last deleted key that it has met.
    passed: Option<Vec<u8>>,
    /// It has met too many deleted keys in a row, and there may be more.
    is_broken_off: bool,
}

impl Recent {
    /// The first `limit` rows of a range in walking direction as of group `at`; fewer only when
    /// there are no more.
    pub(crate) fn page(
        &self,
        engine: &dyn Engine,
        (range, reverse): (&Range, bool),
        limit: usize,
        at: u64,
    ) -> Result<Vec<Row>, EngineError> {
        // Listed before the engine is asked: what leaves the list meanwhile is in both.
        let tables = self.newest_first();
        let (mut range, mut most_deleted) = (range.clone(), MANY);
        let mut rows = Vec::with_capacity(limit.min(MOST));
        loop {
            self.gaps.leap(&mut range, reverse, at);
            let left = limit - rows.len();
            let walked = walk(&tables, engine, (&range, reverse), left, (at, most_deleted))?;
            if let Some((last, _)) = walked.rows.last() {
                range.leave_behind(last, reverse);
            }
            rows.extend(walked.rows);
            if !walked.is_broken_off {
                return Ok(rows);
            }
            self.remember_gap(engine, &range, reverse)?;
            let before = range.clone();
            self.gaps.leap(&mut range, reverse, at);
            if range == before {
                // It is too new for this walk, which meets the deleted keys itself.
                most_deleted = usize::MAX;
            }
        }
    }

    /// Finds how far nothing is where a range begins in walking direction, and remembers it.
    fn remember_gap(
        &self,
        engine: &dyn Engine,
        range: &Range,
        reverse: bool,
    ) -> Result<(), EngineError> {
        let (search, published, put) = {
            // What is being put now is in the tables before they are listed.
            let putting = self.putting.lock();
            (self.gaps.search(range), self.published(), *putting)
        };
        let tables = self.newest_first();
        let walk = |range: &Range, at| walk(&tables, engine, (range, reverse), 1, (at, usize::MAX));
        let Some(last) = walk(range, u64::MAX)?.passed else { return Ok(()) };
        let mut empty = range.clone();
        empty.end_with(last, reverse);
        // Of a group that is not published yet the rows are put: the gap is one without them too.
        if put > published {
            let walked = walk(&empty, published)?;
            if !walked.rows.is_empty() {
                let Some(last) = walked.passed else { return Ok(()) };
                empty.end_with(last, reverse);
            }
        }
        search.found(empty, published);
        Ok(())
    }
}

/// Up to `limit` rows of a range in walking direction as of group `at`, unless more than
/// `most_deleted` keys in a row are deleted.
fn walk(
    tables: &[Arc<Table>],
    engine: &dyn Engine,
    (range, reverse): (&Range, bool),
    limit: usize,
    (at, most_deleted): (u64, usize),
) -> Result<Walked, EngineError> {
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
    let (mut passed, mut deleted) = (None, 0);
    while rows.len() < limit && deleted < most_deleted {
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
        match newest {
            Some((key, Some(row))) => {
                deleted = 0;
                rows.push((key, row));
            }
            _ => {
                deleted += 1;
                passed = Some(key);
            }
        }
    }
    Ok(Walked { is_broken_off: rows.len() < limit && deleted >= most_deleted, rows, passed })
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicBool, Ordering};

    use proptest::prelude::*;

    use super::*;
    use crate::engine::memory::Memory;
    use crate::recent::Pin;

    fn key(number: u16) -> Vec<u8> {
        number.to_be_bytes().to_vec()
    }

    fn write(recent: &Recent, group: u64, changes: Vec<Change>) {
        recent.put(group, changes, 0);
        recent.publish(group);
    }

    fn range(from: u16, until: u16) -> Range {
        Range { from: key(from), until: key(until) }
    }

    proptest! {
        #[test]
        fn a_page_is_that_of_a_plain_map_whatever_was_deleted(
            steps in proptest::collection::vec(
                (
                    proptest::collection::btree_map(0..60_u16, proptest::option::weighted(0.3, any::<u8>()), 1..30),
                    (0..60_u16, 0..60_u16, 1..9_usize, any::<bool>()),
                    any::<bool>(),
                ),
                1..40,
            ),
        ) {
            let engine = Memory::default();
            engine.write((0..60).map(|number| (key(number), Some(vec![0]))).collect())?;
            let mut model: BTreeMap<_, _> = (0..60).map(|number| (key(number), vec![0])).collect();
            let recent = Recent::new(0);
            let mut held = None;
            for (group, (rows, (from, until, limit, reverse), hold)) in (1..).zip(steps) {
                let changes: Vec<Change> =
                    rows.into_iter().map(|(number, row)| (key(number), row.map(|row| vec![row]))).collect();
                let looks = |(pin, model): &(Pin, BTreeMap<Vec<u8>, Vec<u8>>)| {
                    let range = range(from, until);
                    let page = recent.page(&engine, (&range, reverse), limit, pin.group)?;
                    let is_in = |(key, _): &(&Vec<u8>, _)| range.from <= **key && **key < range.until;
                    let mut expected: Vec<Row> = model.iter().filter(is_in)
                        .map(|(key, row)| (key.clone(), row.clone())).collect();
                    if reverse {
                        expected.reverse();
                    }
                    expected.truncate(limit);
                    prop_assert_eq!(page, expected);
                    Ok(())
                };
                recent.put(group, changes.clone(), 0);
                // The group is on its way: everybody sees what was before.
                looks(&(recent.pin(false), model.clone()))?;
                recent.publish(group);
                for (key, row) in changes {
                    match row {
                        Some(row) => model.insert(key, row),
                        None => model.remove(&key),
                    };
                }
                looks(&(recent.pin(false), model.clone()))?;
                if hold {
                    held = Some((recent.pin(false), model.clone()));
                }
                held.as_ref().map_or(Ok(()), looks)?;
            }
        }
    }

    #[test]
    fn what_is_put_while_somebody_looks_is_not_leapt_over() {
        let (engine, recent) = (Memory::default(), Recent::new(0));
        write(&recent, 1, (0..600).map(|number| (key(number), None)).collect());
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for group in 2..4_000_u64 {
                    // One row is there at a time, each time somewhere else.
                    let place = |group: u64| key((group * 37 % 600) as u16);
                    write(
                        &recent,
                        group,
                        vec![(place(group - 1), None), (place(group), Some(vec![1]))],
                    );
                }
                done.store(true, Ordering::Release);
            });
            while !done.load(Ordering::Acquire) {
                for reverse in [false, true] {
                    let pin = recent.pin(false);
                    let page = recent.page(&engine, (&range(0, 600), reverse), 2, pin.group);
                    assert_eq!(page.expect("read").len(), usize::from(pin.group > 1));
                }
            }
        });
    }

    #[test]
    fn deleted_keys_are_met_once() {
        let (engine, recent) = (Memory::default(), Recent::new(0));
        write(&recent, 1, (0..600).map(|number| (key(number), None)).collect());
        write(&recent, 2, vec![(key(700), Some(vec![1]))]);
        let pin = recent.pin(false);
        for reverse in [false, true] {
            let mut left = range(0, 700);
            recent.page(&engine, (&left, reverse), 1, pin.group).expect("read");
            recent.gaps.leap(&mut left, reverse, pin.group);
            assert!(left.from >= key(599) || left.until <= key(1), "{left:?}");
        }
        write(&recent, 3, vec![(key(300), Some(vec![1]))]);
        let page = recent.page(&engine, (&range(0, 700), false), 2, recent.pin(false).group);
        assert_eq!(page.expect("read").len(), 1);
    }
}
