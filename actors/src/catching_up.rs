//! Lists that were not kept from the beginning. A store from before one of them is gone through
//! once, at its start, while nobody else writes. What a crash broke off begins anew, and puts the
//! same rows again.

use storage::{Batch, CommitError, Key, ReadError, Record, Store, Table};

use crate::system::StartError;
use crate::tables::CAUGHT_UP;
use crate::{contract, payee, payment};

/// Rows that are written together.
const TOGETHER: usize = 1_000;

/// The numbers are on disk and never change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum List {
    OwingContracts = 1,
    TakenPlaces = 2,
    OpenAtTerminals = 3,
}

/// Makes up for what such lists lack.
pub(crate) fn catch_up(store: &Store) -> Result<(), StartError> {
    once(store, List::OwingContracts, contract::list_owing)?;
    once(store, List::TakenPlaces, payee::list_taken)?;
    once(store, List::OpenAtTerminals, payment::list_open)
}

fn once(
    store: &Store,
    list: List,
    fill: fn(&Store, &mut Rows<'_>) -> Result<(), StartError>,
) -> Result<(), StartError> {
    let number = list as u8;
    if store.contains(CAUGHT_UP, &number)? {
        return Ok(());
    }
    let mut rows = Rows { store, batch: Batch::new() };
    fill(store, &mut rows)?;
    rows.batch.put(CAUGHT_UP, &number, &());
    store.write_blocking(rows.batch)?;
    Ok(())
}

/// Rows of a list, written some at a time.
pub(crate) struct Rows<'a> {
    store: &'a Store,
    batch: Batch,
}

impl Rows<'_> {
    pub(crate) fn put<K: Key, V: Record>(
        &mut self,
        table: Table<K, V>,
        key: &K,
        row: &V,
    ) -> Result<(), CommitError> {
        self.batch.put(table, key, row);
        if self.batch.rows() >= TOGETHER {
            self.store.write_blocking(std::mem::take(&mut self.batch))?;
        }
        Ok(())
    }
}

/// What was read; nothing where it cannot be: no server stays down because of one row.
pub(crate) fn readable<T>(read: Result<T, ReadError>) -> Result<Option<T>, ReadError> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.concerns_all() => Err(error),
        Err(error) => {
            tracing::error!(%error, "what a list should name cannot be read");
            Ok(None)
        }
    }
}
