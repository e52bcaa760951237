//! Removes sandbox accounts some days after their end, with all that they own.
//!
//! First an account is shut for good: its own row goes, so that no key, page or pass finds it. Then
//! its rows go, some in a batch, so that other sellers' writes go on in between. A round takes on
//! all accounts that are due. One that finds no row of an account is its end: whatever was still
//! under way in a room has been found by then. The keys of its usage events and payments stay in
//! their index, under a number that no other seller is ever given.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use storage::{Batch, CommitError, ReadError, Scan, Store};
use tokio::sync::oneshot;

use crate::clock::Clock;
use crate::domain::ids::SellerId;
use crate::domain::time::Timestamp;
use crate::queue::{BEAT, Pulse, Supervisor};
use crate::seller::Sellers;
use crate::tables::{OWNED, SANDBOX_ENDS, SELLERS, TOLD};

/// How often accounts are looked for.
const ROUND: Duration = Duration::from_secs(3_600);

/// How long it may be silent: one stride waits for the disk.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many accounts are removed together: for each so many a round goes over whole tables.
const ACCOUNTS: usize = 1_024;

/// How many rows one batch deletes, and one look goes over.
const STRIDE: usize = 500;

const DAY_SECONDS: i64 = 86_400;

#[derive(Debug, thiserror::Error)]
pub enum RemovalError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] CommitError),
    #[error("a thread ended")]
    Thread,
}

/// An account, and when it ended.
type Ended = (Timestamp, SellerId);

#[derive(Clone)]
pub struct Removal {
    store: Store,
    clock: Clock,
    sellers: Sellers,
    keep_days: i64,
    together: usize,
}

impl Removal {
    pub fn new(store: Store, clock: Clock, sellers: Sellers, keep_days: u32) -> Self {
        Self { store, clock, sellers, keep_days: i64::from(keep_days), together: ACCOUNTS }
    }

    pub fn start(self, supervisor: &Supervisor) {
        supervisor.run("sandboxes", PATIENCE, move |pulse| self.clone().run(pulse));
    }

    /// Removes accounts for as long as the program runs.
    async fn run(self, pulse: Pulse) {
        loop {
            match self.round(&|| pulse.beat()).await {
                Ok(0) => {}
                Ok(rows) => tracing::info!(rows, "expired sandbox accounts were removed"),
                Err(error) => {
                    tracing::error!(%error, "expired sandbox accounts could not be removed");
                }
            }
            pulse.rest(if self.store.is_held() { BEAT } else { ROUND }).await;
        }
    }

    /// Looks once for all accounts that have ended, unless the store is held: what was restored is
    /// looked at first. How many rows were removed.
    async fn round(&self, beat: &(dyn Fn() + Send + Sync)) -> Result<u64, RemovalError> {
        if self.store.is_held() {
            return Ok(0);
        }
        let ended = self.clock.now().plus_seconds(-self.keep_days * DAY_SECONDS);
        let (mut removed, mut from) = (0, Some(Scan::all()));
        while let Some(scan) = from {
            beat();
            let limit = self.together;
            let found = self.blocking(move |store| find(store, scan, ended, limit)).await?;
            let due = self.shut(found.due, beat).await;
            removed += self.remove(due, beat).await?;
            from = found.next;
        }
        Ok(removed)
    }

    /// Removes the rows of accounts that are shut; how many those were.
    async fn remove(
        &self,
        due: Vec<Ended>,
        beat: &(dyn Fn() + Send + Sync),
    ) -> Result<u64, RemovalError> {
        if due.is_empty() {
            return Ok(0);
        }
        let sellers: Arc<HashSet<SellerId>> =
            Arc::new(due.iter().map(|(_, seller)| *seller).collect());
        let mut removed = 0;
        for table in TOLD {
            let mut next = Some(Scan::all());
            while let Some(scan) = next {
                beat();
                let whose = Arc::clone(&sellers);
                let looked = move |store: &Store| table.sweep(store, &whose, scan, STRIDE);
                let swept = self.blocking(looked).await?;
                removed += self.commit(swept.deletes).await?;
                next = swept.next;
            }
        }
        for (end, seller) in due {
            let own = self.remove_owned(seller, beat).await?;
            removed += own;
            if own == 0 {
                let mut batch = Batch::new();
                batch.delete(SANDBOX_ENDS, &(end, seller));
                self.commit(batch).await?;
            }
        }
        Ok(removed)
    }

    /// Shuts accounts for good, and tells which of them are. One whose room cannot answer is left
    /// for another round, and keeps no other.
    async fn shut(&self, due: Vec<Ended>, beat: &(dyn Fn() + Send + Sync)) -> Vec<Ended> {
        let (mut shut, mut left, mut why) = (Vec::with_capacity(due.len()), Vec::new(), None);
        for (end, seller) in due {
            beat();
            match self.sellers.shut_for_good(seller).await {
                Ok(()) => shut.push((end, seller)),
                Err(error) => {
                    left.push(seller.0);
                    why = Some(error);
                }
            }
        }
        if let Some(error) = why {
            tracing::error!(sellers = ?left, %error, "expired sandbox accounts cannot be shut");
        }
        shut
    }

    async fn remove_owned(
        &self,
        seller: SellerId,
        beat: &(dyn Fn() + Send + Sync),
    ) -> Result<u64, RemovalError> {
        let mut removed = 0;
        for tag in OWNED {
            loop {
                beat();
                let find = move |store: &Store| store.keys_under(*tag, &(seller,), STRIDE);
                let keys = self.blocking(find).await?;
                if keys.is_empty() {
                    break;
                }
                let mut batch = Batch::new();
                keys.into_iter().for_each(|key| batch.delete_row(key));
                removed += self.commit(batch).await?;
            }
        }
        Ok(removed)
    }

    /// How many rows the batch had.
    async fn commit(&self, batch: Batch) -> Result<u64, RemovalError> {
        let rows = batch.rows() as u64;
        if rows == 0 {
            return Ok(0);
        }
        let (sender, receiver) = oneshot::channel();
        self.store.commit(batch, move |result| {
            // Nobody waits when the program ends.
            let _ = sender.send(result.map(drop));
        });
        receiver.await.unwrap_or(Err(CommitError::Closed))?;
        Ok(rows)
    }

    async fn blocking<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Store) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, RemovalError> {
        let store = self.store.clone();
        let read = tokio::task::spawn_blocking(move || read(&store));
        Ok(read.await.map_err(|_| RemovalError::Thread)??)
    }
}

/// Some accounts that have ended, and from where to look on.
struct Found {
    due: Vec<Ended>,
    next: Option<Scan>,
}

/// Finds accounts that ended before `until`. What cannot be read stays, and keeps no other.
fn find(store: &Store, scan: Scan, until: Timestamp, limit: usize) -> Result<Found, ReadError> {
    let mut due: Vec<Ended> = Vec::new();
    let mut next = None;
    for listed in store.scan(SANDBOX_ENDS, scan.until(&(until,))).keys() {
        if due.len() == limit {
            next = due.last().map(|last| Scan::all().after(last));
            break;
        }
        let own = listed.and_then(|(end, seller)| Ok((end, seller, store.get(SELLERS, &seller)?)));
        match own {
            // An account whose own row is gone is removed in part already.
            Ok((end, seller, own))
                if own.as_ref().is_none_or(|own| own.expires_at == Some(end)) =>
            {
                due.push((end, seller));
            }
            Ok((_, seller, _)) => {
                let seller = seller.0;
                tracing::error!(seller, "an account is listed to end that does not end then");
            }
            Err(error) if error.concerns_all() => return Err(error),
            Err(error) => tracing::error!(%error, "an expired sandbox account cannot be read"),
        }
    }
    Ok(Found { due, next })
}

#[cfg(test)]
mod tests;
