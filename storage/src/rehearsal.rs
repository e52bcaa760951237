//! Batches that nobody commits: what a commit would make of them, for a copy of somebody's memory
//! that is thrown away.

use rustc_hash::FxHashMap;

use crate::batch::Batch;
use crate::commit::rows_of_numbers;
use crate::error::{CommitError, ReadError};
use crate::key::Key;
use crate::layout;
use crate::numbers::{Counter, Draw, Numbers};
use crate::record::{self, Record};
use crate::scan::key_of;
use crate::table::Table;

/// Draws numbers that are nobody's: every sequence counts from 1.
#[derive(Debug, Default)]
pub struct Rehearsal {
    counters: FxHashMap<Vec<u8>, Counter>,
}

impl Rehearsal {
    /// The batch with the rows that need its drawn numbers in place. Its claims are taken to hold.
    ///
    /// # Errors
    /// [`CommitError::Failed`] where a commit would answer so whatever else is written.
    pub fn settle(&mut self, mut batch: Batch) -> Result<Batch, CommitError> {
        if let Some(fault) = batch.fault.take() {
            return Err(CommitError::Failed(fault));
        }
        let mut drawn = Vec::with_capacity(batch.draws.len());
        for Draw { counter, link } in batch.draws.drain(..) {
            drawn.push(self.counters.entry(counter).or_default().draw(link)?);
        }
        let numbers = Numbers::new(drawn);
        for (first, rows) in std::mem::take(&mut batch.rows_of_numbers) {
            batch.writes.extend(rows_of_numbers(rows, &numbers.from(first))?);
        }
        Ok(batch)
    }
}

impl Batch {
    /// The rows that it puts into a table, in the order of the puts.
    pub fn puts<K: Key, V: Record>(&self, table: Table<K, V>) -> Result<Vec<(K, V)>, ReadError> {
        let puts = self.writes.iter().filter(|write| layout::tag_of(&write.key) == table.tag());
        let puts = puts.filter_map(|write| Some((&write.key, write.row.as_ref()?)));
        puts.map(|(key, row)| {
            let value = record::unseal(table.name(), key, row)?;
            Ok((key_of(table.name(), key)?, value))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Table<u64, String> = Table::new(1, "names");
    const OTHERS: Table<u64, String> = Table::new(2, "others");

    #[test]
    fn rows_of_drawn_numbers_are_there_and_sequences_go_on() {
        let mut rehearsal = Rehearsal::default();
        for expected in 1..=3 {
            let mut first = Batch::new();
            first.put(OTHERS, &7, &"other".to_owned());
            let mut batch = Batch::new();
            let draw = batch.draw(&(5_u64,));
            batch.with_numbers(move |numbers, rows| {
                rows.put(NAMES, &numbers[draw], &"named".to_owned());
            });
            first.append(batch);
            let settled = rehearsal.settle(first).expect("settled");
            assert_eq!(settled.puts(NAMES).expect("read"), [(expected, "named".to_owned())]);
            assert_eq!(settled.puts(OTHERS).expect("read"), [(7, "other".to_owned())]);
        }
        let mut batch = Batch::new();
        batch.put(NAMES, &1, &"x".repeat(crate::MAX_VALUE_BYTES));
        assert!(matches!(rehearsal.settle(batch), Err(CommitError::Failed(_))));
    }
}
