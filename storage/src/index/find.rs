//! Searching: first what is in memory, then run by run.

use std::sync::Arc;

use super::entry::{Place, Wanted};
use super::fault::Fault;
use super::filter;
use super::run::Run;
use super::state::{Indexes, Recent};
use super::{Fingerprint, Index, Lookup, Seen, Taken};
use crate::batch::Claims;
use crate::error::ReadError;

impl Indexes {
    /// What fingerprints were claimed for, and how far this search went.
    pub(crate) fn find(
        &self,
        index: Index,
        scope: u64,
        wanted: &[Fingerprint],
    ) -> Result<Lookup, ReadError> {
        let place = Place::new(index, scope);
        // One view: a claim is in memory until the run that it went to is in the list.
        let (mut found, runs, floor) = self.read(|recent| {
            let found = recent.in_memory(place, wanted.iter().copied());
            (found, recent.runs.clone(), recent.floor)
        });
        self.search(&runs, place, wanted, &mut found)?;
        Ok(Lookup { found, seen: Seen(floor) })
    }

    /// The first of the claims that is taken, and what for. `seen` is how far a search has found
    /// all of them free.
    pub(super) fn first_taken(&self, claims: &Claims) -> Result<Option<(usize, Taken)>, Fault> {
        let place = Place::new(claims.index, claims.scope);
        let wanted = claims.entries.iter().map(|(fingerprint, _)| *fingerprint);
        let newer = |run: &&Arc<Run>| run.row.until > claims.seen.0;
        let (mut found, runs) = self.read(|recent| {
            let found = recent.in_memory(place, wanted.clone());
            (found, recent.runs.iter().filter(newer).cloned().collect::<Vec<_>>())
        });
        if !runs.is_empty() {
            self.search(&runs, place, &wanted.collect::<Vec<_>>(), &mut found)?;
        }
        Ok(found.into_iter().enumerate().find_map(|(at, taken)| taken.map(|taken| (at, taken))))
    }

    /// Fills in what the runs know of the fingerprints that are not found yet.
    fn search(
        &self,
        runs: &[Arc<Run>],
        place: Place,
        wanted: &[Fingerprint],
        found: &mut [Option<Taken>],
    ) -> Result<(), Fault> {
        if runs.is_empty() {
            return Ok(());
        }
        let missing = (0..wanted.len()).filter(|&at| found[at].is_none());
        let mut missing: Vec<Wanted> = missing
            .map(|at| {
                let key = place.key(wanted[at]);
                Wanted { key, probe: filter::probe(&key), at }
            })
            .collect();
        // In order, so that neighbours meet the same blocks.
        missing.sort_unstable_by_key(|wanted| wanted.key);
        let now = self.filters.tick();
        for run in runs {
            run.search(&missing, now, found)?;
        }
        if self.filters.are_too_many() {
            let runs = self.read(|recent| recent.runs.clone());
            self.filters.forget_some(runs.iter().flat_map(|run| run.slots()));
        }
        Ok(())
    }
}

impl Recent {
    fn in_memory(
        &self,
        place: Place,
        wanted: impl Iterator<Item = Fingerprint>,
    ) -> Vec<Option<Taken>> {
        let waiting = self.waiting.iter().rev().map(|table| &table.memory);
        let tables: Vec<_> = std::iter::once(&self.active)
            .chain(waiting)
            .filter_map(|table| table.slot(place).map(|slot| (table, slot)))
            .collect();
        wanted
            .map(|fingerprint| {
                tables.iter().find_map(|(table, slot)| table.get(*slot, fingerprint))
            })
            .collect()
    }
}
