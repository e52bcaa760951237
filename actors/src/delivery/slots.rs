//! What of the slots for endpoints that are new, slow or failing one seller may have: a seller
//! with many of those leaves slots to others.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::domain::ids::SellerId;

/// Sellers that are remembered while they have no attempt under way.
const KEPT: usize = 1_024;

#[derive(Debug)]
pub(super) struct SellerSlots {
    of_each: usize,
    by_seller: Mutex<HashMap<SellerId, Arc<Semaphore>>>,
}

impl SellerSlots {
    pub(super) fn new(of_each: usize) -> Self {
        Self { of_each, by_seller: Mutex::default() }
    }

    pub(super) async fn acquire(&self, seller: SellerId) -> Option<OwnedSemaphorePermit> {
        let slots = {
            let mut by_seller = self.by_seller.lock();
            if by_seller.len() > KEPT {
                // Those in use have a second holder.
                by_seller.retain(|_, slots| Arc::strong_count(slots) > 1);
            }
            let new = || Arc::new(Semaphore::new(self.of_each));
            Arc::clone(by_seller.entry(seller).or_insert_with(new))
        };
        slots.acquire_owned().await.ok()
    }
}
