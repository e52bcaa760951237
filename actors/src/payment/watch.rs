//! Who waits for a payment to change: pages that show it live, and requests that wait for the
//! provider's answer to another.

use std::sync::Arc;

use dashmap::DashMap;
use tokio::sync::watch;

use crate::domain::ids::{PaymentId, SellerId};

/// How many payments are watched before those that nobody watches any more are let go.
const TIDY_ABOVE: usize = 1024;

#[derive(Clone, Debug, Default)]
pub struct Watchers {
    known: Arc<DashMap<(SellerId, PaymentId), watch::Sender<u64>>>,
}

impl Watchers {
    pub(super) fn watch(&self, seller: SellerId, id: PaymentId) -> watch::Receiver<u64> {
        if self.known.len() > TIDY_ABOVE {
            self.known.retain(|_, sender| !sender.is_closed());
        }
        self.known.entry((seller, id)).or_insert_with(|| watch::Sender::new(0)).subscribe()
    }

    /// A change of the payment is durable.
    pub(super) fn notify(&self, seller: SellerId, id: PaymentId) {
        if let Some(sender) = self.known.get(&(seller, id)) {
            sender.send_modify(|count| *count = count.wrapping_add(1));
        }
    }
}
