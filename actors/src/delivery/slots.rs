//! Slots of which one seller may have a part: a seller with many endpoints that take long leaves
//! slots to others.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::domain::ids::SellerId;

/// Sellers that are remembered while they have no attempt under way.
const KEPT: usize = 1_024;

#[derive(Debug)]
pub(super) struct Slots {
    all: Arc<Semaphore>,
    of_each: usize,
    by_seller: Mutex<HashMap<SellerId, Arc<Semaphore>>>,
}

/// A slot, given back when it is dropped.
pub(super) type Slot = (OwnedSemaphorePermit, OwnedSemaphorePermit);

impl Slots {
    pub(super) fn new(all: usize, of_each: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(all)), of_each, by_seller: Mutex::default() }
    }

    pub(super) async fn acquire(&self, seller: SellerId) -> Option<Slot> {
        let of_seller = {
            let mut by_seller = self.by_seller.lock();
            if by_seller.len() > KEPT {
                // Those in use have a second holder.
                by_seller.retain(|_, slots| Arc::strong_count(slots) > 1);
            }
            let new = || Arc::new(Semaphore::new(self.of_each));
            Arc::clone(by_seller.entry(seller).or_insert_with(new))
        };
        let own = of_seller.acquire_owned().await.ok()?;
        Some((own, Arc::clone(&self.all).acquire_owned().await.ok()?))
    }
}
