//! All claims in order, as rows of a log that has never been cleared.

use super::entry::Entry;
use super::log::{self, LogRow, Part, Rows};
use super::merge::{Merge, Source};
use super::run::Reader;
use super::state::Indexes;
use super::{Index, Seen};
use crate::batch::Claims;
use crate::engine::Row;
use crate::error::ReadError;

/// A walk over all claims that were durable when it began.
pub(crate) struct Walk {
    merge: Merge,
    rows: Option<Rows>,
    ready: std::vec::IntoIter<LogRow>,
    next: u64,
}

impl Indexes {
    /// Begins a walk. It holds on to the files that it reads, so that merges do not disturb it.
    pub(crate) fn walk(&self) -> Result<Walk, ReadError> {
        let (mut recent, waiting, runs) = self.read(|recent| {
            let active: Vec<Entry> = recent.active.entries().collect();
            (active, recent.waiting.clone(), recent.runs.clone())
        });
        recent.extend(waiting.iter().flat_map(|table| table.memory.entries()));
        recent.sort_unstable_by(|a, b| a.key().cmp(b.key()));
        let runs = runs.iter().map(|run| Source::Run(Box::new(Reader::new(run.clone()))));
        let merge = Merge::new(runs.chain([Source::Memory(recent.into_iter())]))?;
        Ok(Walk { merge, rows: Some(Rows::default()), ready: Vec::new().into_iter(), next: 0 })
    }
}

impl Iterator for Walk {
    type Item = Result<Row, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.ready.next() {
                self.next += 1;
                let (key, row) = log::sealed(self.next - 1, &row);
                return row.map(|row| Ok((key, row)));
            }
            let rows = self.rows.as_mut()?;
            match self.merge.next() {
                Ok(Some(entry)) => {
                    rows.add(entry.place(), entry.fingerprint(), &entry.taken());
                    self.ready = rows.take_full().into_iter();
                }
                Ok(None) => self.ready = self.rows.take()?.finish().into_iter(),
                Err(fault) => {
                    self.rows = None;
                    return Some(Err(fault.into()));
                }
            }
        }
    }
}

pub(crate) fn claims(key: &[u8], row: &[u8]) -> Result<Vec<Claims>, ReadError> {
    let (_, parts) = log::open(key, row)?;
    let claims = |(place, entries): Part| {
        let index = Index::new(place.tag, "the import");
        Claims { index, scope: place.scope, entries, seen: Seen::ALL }
    };
    Ok(parts.into_iter().map(claims).collect())
}
