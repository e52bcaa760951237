//! A group of batches: claims are held, numbers drawn and sums made against the committed rows, with
//! the rows of the group before, which may not be durable yet, and the group's own laid over them.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::batch::{Batch, Receipt, Write};
use crate::engine::journaled::Journaled;
use crate::engine::{Change, EngineError};
use crate::error::{Claimed, CommitError, ReadError};
use crate::fatal::guarded;
use crate::index::{GroupClaims, Indexes};
use crate::layout;
use crate::numbers::{Counter, Draw, Numbers};
use crate::record::{self, Record};
use crate::sums::{Addition, Sum};

pub(super) struct Group<'e> {
    engine: &'e Journaled,
    rows: HashMap<Vec<u8>, Pending>,
    claims: GroupClaims<'e>,
    /// The keys of the sums that cannot be read, each of which was told of.
    unread: HashSet<Vec<u8>>,
}

struct Pending {
    row: Option<Vec<u8>>,
    /// The key was absent before the group.
    is_new: bool,
}

/// What a group writes.
pub(super) struct Changes {
    /// Each key once, those that were absent before first.
    pub(super) rows: Vec<Change>,
    /// How many were absent.
    pub(super) new: usize,
}

impl<'e> Group<'e> {
    pub(super) fn new(engine: &'e Journaled, indexes: &'e Indexes) -> Self {
        let claims = GroupClaims::new(indexes);
        Self { engine, rows: HashMap::default(), claims, unread: HashSet::default() }
    }

    /// The group behind this one, which is full.
    pub(super) fn behind(&mut self) -> Self {
        let claims = self.claims.behind();
        let unread = std::mem::take(&mut self.unread);
        Self { engine: self.engine, rows: HashMap::default(), claims, unread }
    }

    /// Adds a whole batch, or refuses it and stays as it was.
    pub(super) fn add(&mut self, mut batch: Batch) -> Result<Receipt, CommitError> {
        if let Some(fault) = batch.fault.take() {
            return Err(CommitError::Failed(fault));
        }
        let held = self.claims.hold(std::mem::take(&mut batch.claims))?;
        let added = self.add_rows(batch);
        if added.is_err() {
            self.claims.take_back(held);
        }
        added
    }

    fn add_rows(&mut self, batch: Batch) -> Result<Receipt, CommitError> {
        self.hold_claims(&batch.writes)?;
        let (numbers, counters) = self.draw(batch.draws)?;
        let sums = self.sums(batch.additions)?;
        let mut late = Vec::new();
        for (first, rows) in batch.rows_of_numbers {
            let seen = if first == 0 { numbers.clone() } else { numbers.from(first) };
            late.push(rows_of_numbers(rows, &seen)?);
        }

        // Nothing refuses the batch from here on.
        let counters = counters.into_iter().map(|(key, counter)| resolved(key, &counter));
        let sums = sums.into_iter().filter_map(|(key, sum)| Some(resolved(key, &sum?)));
        batch
            .writes
            .into_iter()
            .chain(late.into_iter().flatten())
            .for_each(|write| self.write(write));
        counters.chain(sums).for_each(|write| self.write(write));
        Ok(Receipt { numbers })
    }

    fn write(&mut self, write: Write) {
        let Write { key, row, is_new, .. } = write;
        debug_assert!(
            !is_new || self.get(&key).is_ok_and(|there| there.is_none()),
            "{} is put as a new row and there already",
            key.escape_ascii()
        );
        match self.rows.entry(key) {
            Entry::Occupied(there) if row.is_none() && there.get().is_new => drop(there.remove()),
            Entry::Occupied(mut there) => there.get_mut().row = row,
            // The absence that a claim without a row demands.
            Entry::Vacant(_) if row.is_none() && is_new => {}
            Entry::Vacant(place) => drop(place.insert(Pending { row, is_new })),
        }
    }

    pub(super) fn into_changes(self) -> (Changes, GroupClaims<'e>) {
        let Self { rows, mut claims, .. } = self;
        let mut changes = Vec::with_capacity(rows.len());
        let mut others = Vec::new();
        for (key, Pending { row, is_new }) in rows {
            if is_new { &mut changes } else { &mut others }.push((key, row));
        }
        let new = changes.len();
        changes.extend(others);
        changes.extend(claims.changes());
        (Changes { rows: changes, new }, claims)
    }

    fn hold_claims(&self, writes: &[Write]) -> Result<(), CommitError> {
        let mut own: HashMap<&[u8], &Write> = HashMap::default();
        for write in writes {
            let Some(table) = write.claim else { continue };
            let present = match own.insert(&write.key, write) {
                Some(earlier) => earlier.row.clone(),
                None => self.get(&write.key)?,
            };
            if let Some(row) = present {
                return Err(CommitError::Claimed(claimed(table, &write.key, row)));
            }
        }
        Ok(())
    }

    /// Draws the numbers, and tells where their counters stand then.
    fn draw(&self, draws: Vec<Draw>) -> Result<(Numbers, HashMap<Vec<u8>, Counter>), CommitError> {
        let mut counters: HashMap<Vec<u8>, Counter> = HashMap::default();
        let mut drawn = Vec::with_capacity(draws.len());
        for Draw { counter: key, link } in draws {
            let counter = match counters.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let counter = self.counter(place.key())?;
                    place.insert(counter)
                }
            };
            drawn.push(counter.draw(link)?);
        }
        Ok((Numbers::new(drawn), counters))
    }

    /// What sums come to with what is added to them; none where that cannot be told.
    fn sums(
        &mut self,
        additions: Vec<Addition>,
    ) -> Result<HashMap<Vec<u8>, Option<Sum>>, CommitError> {
        let mut sums: HashMap<Vec<u8>, Option<Sum>> = HashMap::default();
        for Addition { table, key, delta } in additions {
            let sum = match sums.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let sum = self.sum(table, place.key())?;
                    place.insert(sum)
                }
            };
            *sum = sum.map(|sum| Sum::new(sum.value() + delta));
        }
        Ok(sums)
    }

    /// A counter as it stands.
    fn counter(&self, key: &[u8]) -> Result<Counter, CommitError> {
        match self.get(key)? {
            None => Ok(Counter::default()),
            Some(row) => record::unseal("counters", key, &row)
                .map_err(|damaged| CommitError::Failed(damaged.to_string())),
        }
    }

    /// A sum as it stands; none where its row is damaged. That of a newer program is whole: it
    /// would lack what is added here.
    fn sum(&mut self, table: &'static str, key: &[u8]) -> Result<Option<Sum>, CommitError> {
        let Some(row) = self.get(key)? else { return Ok(Some(Sum::default())) };
        match record::unseal(table, key, &row) {
            Ok(sum) => Ok(Some(sum)),
            Err(damaged @ (ReadError::Damaged { .. } | ReadError::Record { .. })) => {
                if self.unread.insert(key.to_owned()) {
                    tracing::error!(%damaged, "nothing is added to a sum any more");
                }
                Ok(None)
            }
            Err(other) => Err(CommitError::Failed(other.to_string())),
        }
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        match self.rows.get(key) {
            Some(pending) => Ok(pending.row.clone()),
            None => self.engine.get_laid(key),
        }
    }
}

impl From<EngineError> for CommitError {
    fn from(error: EngineError) -> Self {
        Self::Failed(error.to_string())
    }
}

pub(crate) fn rows_of_numbers(
    rows: crate::batch::RowsOfNumbers,
    numbers: &Numbers,
) -> Result<Vec<Write>, CommitError> {
    let mut batch = Batch::new();
    guarded(|| rows(numbers, &mut batch)).map_err(|panicked| {
        CommitError::Failed(format!("computing the rows of drawn numbers panicked: {panicked}"))
    })?;
    if let Some(fault) = batch.fault {
        return Err(CommitError::Failed(fault));
    }
    let too_late = !batch.draws.is_empty()
        || !batch.additions.is_empty()
        || !batch.rows_of_numbers.is_empty()
        || batch.writes.iter().any(|write| write.claim.is_some());
    if too_late {
        return Err(CommitError::Failed(
            "rows of drawn numbers may neither claim, draw nor add".to_owned(),
        ));
    }
    Ok(batch.writes)
}

/// The row that the committer has made.
fn resolved<V: Record>(key: Vec<u8>, row: &V) -> Write {
    Write { row: Some(record::seal(&key, row)), key, claim: None, is_new: false }
}

fn claimed(name: &'static str, key: &[u8], row: Vec<u8>) -> Claimed {
    Claimed { tag: layout::tag_of(key), name, key: key.to_vec(), row }
}
