//! Slots of which one seller may have a part: a seller with many endpoints that take long leaves
//! slots to others.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::domain::ids::SellerId;

/// Sellers, or other holders, that are remembered while they hold nothing.
const KEPT: usize = 1_024;

#[derive(Debug)]
pub(super) struct Slots {
    all: Arc<Semaphore>,
    parts: Parts<SellerId>,
}

/// As many slots for each holder.
#[derive(Debug)]
pub(super) struct Parts<K> {
    of_each: usize,
    by_holder: Mutex<HashMap<K, Arc<Semaphore>>>,
}

/// A slot, given back when it is dropped.
pub(super) type Slot = (OwnedSemaphorePermit, OwnedSemaphorePermit);

impl Slots {
    pub(super) fn new(all: usize, of_each: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(all)), parts: Parts::new(of_each) }
    }

    pub(super) async fn acquire(&self, seller: SellerId) -> Option<Slot> {
        let own = self.parts.acquire(seller).await?;
        Some((own, Arc::clone(&self.all).acquire_owned().await.ok()?))
    }
}

impl<K: Eq + Hash> Parts<K> {
    pub(super) fn new(of_each: usize) -> Self {
        Self { of_each, by_holder: Mutex::default() }
    }

    pub(super) async fn acquire(&self, holder: K) -> Option<OwnedSemaphorePermit> {
        let part = {
            let mut by_holder = self.by_holder.lock();
            if by_holder.len() > KEPT {
                // Those in use have a second owner.
                by_holder.retain(|_, part| Arc::strong_count(part) > 1);
            }
            let new = || Arc::new(Semaphore::new(self.of_each));
            Arc::clone(by_holder.entry(holder).or_insert_with(new))
        };
        part.acquire_owned().await.ok()
    }
}
