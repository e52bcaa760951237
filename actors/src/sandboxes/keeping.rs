//! How much sandbox accounts keep.
//!
//! What an account keeps is measured by looking at its rows, which takes long where there are many.
//! Between two looks every batch of its rooms adds what it writes: that is never less than what it
//! adds to what is kept. Only when both together reach the limit there is another look.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dashmap::DashMap;
use storage::{ReadError, Store};
use tokio::sync::Mutex;

use crate::clock::Clock;
use crate::domain::ids::SellerId;
use crate::domain::time::Timestamp;
use crate::queue::read_blocking;
use crate::tables::OWNED;

/// How many times as long as the last look took there is none, so that looking is never most of
/// what the disk does.
const REST: i64 = 20;

/// How many accounts are remembered at most; beyond it they are measured anew.
const KEPT: usize = 100_000;

/// An account keeps as much as it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a sandbox account keeps at most {most_mib} MiB, and this one is full")]
pub struct Full {
    pub most_mib: u64,
    /// Whether a look has found that; else it is what was counted since the last look, which may
    /// be more than is kept.
    pub found: bool,
}

/// What sandbox accounts keep. Clones are the same.
#[derive(Clone)]
pub struct Keeping {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    clock: Clock,
    /// In bytes; 0 turns it off.
    limit: u64,
    accounts: DashMap<SellerId, Arc<Account>>,
}

#[derive(Default)]
struct Account {
    /// Bytes at the last look, and what was written since.
    kept: AtomicU64,
    /// Whether there was a look.
    known: AtomicBool,
    looked: Mutex<Option<Looked>>,
}

#[derive(Clone, Copy)]
struct Looked {
    /// There is no other look before.
    rests_until: Timestamp,
}

impl Keeping {
    pub fn new(store: Store, clock: Clock, limit: u64) -> Self {
        let inner = Inner { store, clock, limit, accounts: DashMap::new() };
        Self { inner: Arc::new(inner) }
    }

    /// Counts what a seller's room writes. Only accounts that were asked for are counted.
    pub fn wrote(&self, seller: SellerId, bytes: usize) {
        if let Some(account) = self.inner.accounts.get(&seller) {
            account.kept.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// Whether a sandbox account may write more.
    pub async fn admit(&self, seller: SellerId) -> Result<Result<(), Full>, ReadError> {
        if self.inner.limit == 0 {
            return Ok(Ok(()));
        }
        let full = |found| Full { most_mib: self.inner.limit >> 20, found };
        let account = self.account(seller);
        let room = || account.kept.load(Ordering::Relaxed) < self.inner.limit;
        if account.known.load(Ordering::Acquire) && room() {
            return Ok(Ok(()));
        }
        let mut looked = account.looked.lock().await;
        if looked.is_some() && room() {
            return Ok(Ok(()));
        }
        let begun = self.inner.clock.now();
        if looked.is_some_and(|looked| begun < looked.rests_until) {
            return Ok(Err(full(false)));
        }
        // What is written meanwhile counts once more, at most.
        account.known.store(false, Ordering::Release);
        account.kept.store(0, Ordering::Relaxed);
        let inner = Arc::clone(&self.inner);
        let measured = read_blocking(move || inner.measure(seller)).await?;
        account.kept.fetch_add(measured, Ordering::Relaxed);
        let ended = self.inner.clock.now();
        let took = ended.micros().saturating_sub(begun.micros());
        let rests_until = Timestamp::from_micros(ended.micros().saturating_add(took * REST));
        *looked = Some(Looked { rests_until });
        account.known.store(true, Ordering::Release);
        Ok(if room() { Ok(()) } else { Err(full(true)) })
    }

    fn account(&self, seller: SellerId) -> Arc<Account> {
        if let Some(known) = self.inner.accounts.get(&seller) {
            return Arc::clone(&known);
        }
        if self.inner.accounts.len() >= KEPT {
            self.inner.accounts.clear();
        }
        Arc::clone(&self.inner.accounts.entry(seller).or_default())
    }
}

impl Inner {
    fn measure(&self, seller: SellerId) -> Result<u64, ReadError> {
        let of = |tag: &u16| self.store.bytes_under(*tag, &(seller,));
        OWNED.iter().map(of).sum()
    }
}

impl fmt::Debug for Keeping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeping").field("limit", &self.inner.limit).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use storage::Batch;
    use storage::testing::TempStore;

    use super::*;
    use crate::domain::ids::CustomerId;
    use crate::tables::CUSTOMER_EMAILS;

    const SELLER: SellerId = SellerId(7);

    #[tokio::test]
    async fn an_account_is_measured_before_it_is_called_full() {
        let store = TempStore::new();
        let clock = Clock::by_hand(Timestamp::from_micros(0));
        let keeping = Keeping::new((*store).clone(), clock, 10_000);
        assert_eq!(keeping.admit(SELLER).await, Ok(Ok(())));
        // What is written again and again is kept once.
        keeping.wrote(SELLER, 20_000);
        assert_eq!(keeping.admit(SELLER).await, Ok(Ok(())));
        let write = |seller, rows: std::ops::Range<u64>| {
            let mut batch = Batch::new();
            for id in rows {
                // About 60 bytes.
                let place = (seller, format!("customer-{id:03}@long.names.example.com"));
                batch.put(CUSTOMER_EMAILS, &place, &CustomerId(id));
            }
            store.write_blocking(batch).expect("written");
        };
        write(SELLER, 0..100);
        write(SellerId(8), 0..500);
        keeping.wrote(SELLER, 20_000);
        assert_eq!(keeping.admit(SELLER).await, Ok(Ok(())));
        write(SELLER, 100..300);
        keeping.wrote(SELLER, 12_000);
        assert_eq!(keeping.admit(SELLER).await, Ok(Err(Full { most_mib: 0, found: true })));
        assert_eq!(keeping.admit(SellerId(9)).await, Ok(Ok(())));
    }

    #[tokio::test]
    async fn without_a_limit_nobody_is_measured() {
        let store = TempStore::new();
        let clock = Clock::by_hand(Timestamp::from_micros(0));
        let keeping = Keeping::new((*store).clone(), clock, 0);
        keeping.wrote(SELLER, usize::MAX);
        assert_eq!(keeping.admit(SELLER).await, Ok(Ok(())));
    }
}
