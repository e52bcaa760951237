//! Lists and sums that were not kept from the beginning. A store from before is gone through once,
//! at its start, while nobody else writes. After a crash each goes on behind the last account that
//! is done; rows that are there already are put as they are.

use storage::{Batch, CommitError, Key, ReadError, Record, Scan, Store, Table, View};

use crate::domain::ids::SellerId;
use crate::system::StartError;
use crate::tables::{BACKFILLS, SECRETS_KEY, SELLERS};
use crate::{contract, payee, payment, sums};

/// Rows that are written together.
const TOGETHER: usize = 1_000;

/// What stands for all accounts.
const COMPLETE: u64 = u64::MAX;

/// What is made up for. The numbers are on disk and never change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Backfill {
    CollectingContracts = 1,
    TakenSpans = 2,
    OpenAtTerminals = 3,
    FollowableInvoices = 4,
    OpenDrafts = 5,
    OverviewSums = 6,
}

/// Makes up for what a store from before them lacks.
pub(crate) fn run(store: &Store) -> Result<(), StartError> {
    if !is_complete(store, Backfill::OverviewSums)? {
        shut_out_older(store)?;
    }
    contract::count_credit_once(store)?;
    payment::keys::move_once(store)?;
    once(store, Backfill::CollectingContracts, contract::list_collecting)?;
    once(store, Backfill::TakenSpans, payee::list_taken_spans)?;
    once(store, Backfill::OpenAtTerminals, payment::list_open)?;
    once(store, Backfill::FollowableInvoices, contract::list_followable)?;
    once(store, Backfill::OpenDrafts, contract::list_drafts)?;
    once(store, Backfill::OverviewSums, sums::count_all)
}

/// Whether it is done for all accounts.
pub(crate) fn is_complete(rows: &View, of: Backfill) -> Result<bool, ReadError> {
    Ok(rows.get(BACKFILLS, &(of as u8))? == Some(COMPLETE))
}

/// Has programs from before refuse the store from now on: what they wrote would be in no list.
fn shut_out_older(store: &Store) -> Result<(), StartError> {
    if let Some(key) = store.get(SECRETS_KEY, &0)? {
        let mut batch = Batch::new();
        batch.put(SECRETS_KEY, &0, &key);
        store.write_blocking(batch)?;
    }
    Ok(())
}

fn once(
    store: &Store,
    of: Backfill,
    fill: fn(&Store, SellerId, &mut Rows<'_>) -> Result<(), StartError>,
) -> Result<(), StartError> {
    let number = of as u8;
    let left = match store.get(BACKFILLS, &number)? {
        Some(COMPLETE) => return Ok(()),
        Some(last) => Scan::all().after(&SellerId(last)),
        None => Scan::all(),
    };
    let mut sellers = store.scan(SELLERS, left).keys().peekable();
    if sellers.peek().is_some() {
        tracing::info!(backfill = ?of, "what an earlier version has written is gone through");
    }
    let mut rows = Rows { store, batch: Batch::new() };
    for seller in sellers {
        let Some(seller) = readable(seller)? else { continue };
        fill(store, seller, &mut rows)?;
        rows.put(BACKFILLS, &number, &seller.0)?;
    }
    rows.put(BACKFILLS, &number, &COMPLETE)?;
    store.write_blocking(rows.batch)?;
    Ok(())
}

/// Rows that are made up for, written some at a time.
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

    /// For few rows, which are written with those behind them.
    pub(crate) fn batch(&mut self) -> &mut Batch {
        &mut self.batch
    }
}

/// What was read; nothing where it cannot be: no server stays down because of one row.
pub(crate) fn readable<T>(read: Result<T, ReadError>) -> Result<Option<T>, ReadError> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.concerns_all() => Err(error),
        Err(error) => {
            tracing::error!(%error, "a row is left out of a list or a sum, as it cannot be read");
            Ok(None)
        }
    }
}

/// Makes a store one from before something was kept: without these rows of its table.
#[cfg(test)]
pub(crate) fn undo<K: Key, V: Record>(
    store: &Store,
    of: Backfill,
    table: Table<K, V>,
    is_taken: impl Fn(&K) -> bool,
) {
    let mut batch = Batch::new();
    for key in store.scan(table, Scan::all()).keys() {
        let key = key.expect("read");
        if is_taken(&key) {
            batch.delete(table, &key);
        }
    }
    batch.delete(BACKFILLS, &(of as u8));
    store.write_blocking(batch).expect("durable");
}

#[cfg(test)]
mod tests {
    use storage::testing::TempStore;

    use super::*;

    #[test]
    fn a_program_from_before_refuses_a_store_that_was_made_up_for() {
        // As it knows the row that each start reads.
        const KNOWN_BEFORE: Table<u8, String> = Table::new(SECRETS_KEY.tag(), "secrets key");
        let store = TempStore::new();
        let mut batch = Batch::new();
        batch.put(KNOWN_BEFORE, &0, &"a fingerprint".to_owned());
        store.write_blocking(batch).expect("durable");
        run(&store).expect("gone through");
        let refused = store.get(KNOWN_BEFORE, &0).map(drop);
        let newer = ReadError::Version { table: "secrets key", found: 2, known: 1 };
        assert_eq!(refused, Err(newer));
        let kept = store.get(SECRETS_KEY, &0).expect("read").map(|key| key.0);
        assert_eq!(kept.as_deref(), Some("a fingerprint"));
    }
}
