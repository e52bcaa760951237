//! A group of entries: its rows, and what follows once they are durable or refused.

use std::sync::Arc;

use storage::{Batch, CommitError};

use crate::delivery::lines::{self, Resolved, Turns};
use crate::delivery::pool::Pool;
use crate::delivery::rows::{self, Place};
use crate::delivery::unwritten::Waiting;
use crate::domain::ids::SellerId;
use crate::domain::platform::delivery::Delivery;
use crate::tables::EXPANDED;

/// Seconds until a delivery is attempted again whose result could not be written.
const UNWRITTEN_SECONDS: i64 = 5;

/// A group on its way to the disk.
#[derive(Default)]
pub(super) struct Group {
    pub(super) results: Vec<(Option<Place>, Delivery)>,
    pub(super) spilled: Vec<Waiting>,
    pub(super) new: Vec<Delivery>,
    released: Vec<Delivery>,
    pub(super) cursors: Vec<(SellerId, u64)>,
}

impl Group {
    pub(super) fn spilling(spilled: Vec<Waiting>) -> Self {
        Self { spilled, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.results.is_empty()
            && self.spilled.is_empty()
            && self.new.is_empty()
            && self.cursors.is_empty()
    }

    /// Writes the group. The error says that nothing was written.
    pub(super) async fn commit(&mut self, pool: &Arc<Pool>) -> Result<(), CommitError> {
        #[cfg(test)]
        assert!(!pool.panics.swap(false, std::sync::atomic::Ordering::SeqCst), "asked to");
        let mut batch = Batch::new();
        self.compose(pool, &mut batch).await?;
        pool.store.write(batch).await.map(drop)
    }

    async fn compose(&mut self, pool: &Arc<Pool>, batch: &mut Batch) -> Result<(), CommitError> {
        let mut turns = Turns::default();
        for (_, delivery) in &self.results {
            turns.end(batch, delivery);
        }
        for delivery in &self.new {
            turns.add(batch, delivery);
        }
        let now = pool.clock.now();
        let Resolved { held, released } = resolve(pool, turns).await?;
        self.released = released;
        for delivery in &mut self.new {
            if held.contains(&((delivery.seller, delivery.webhook), delivery.sequence)) {
                delivery.next_attempt_at = None;
            }
            rows::put(batch, None, delivery);
        }
        for delivery in &mut self.released {
            lines::release(batch, delivery, now);
        }
        for (before, delivery) in &self.results {
            rows::put(batch, *before, delivery);
        }
        for Waiting { delivery, .. } in &self.spilled {
            rows::put(batch, None, delivery);
        }
        for (seller, cursor) in &self.cursors {
            batch.put(EXPANDED, seller, cursor);
        }
        Ok(())
    }

    pub(super) fn written(self, pool: &Arc<Pool>) {
        for (before, delivery) in &self.results {
            if before.is_none() {
                pool.on_disk(delivery);
            }
        }
        for Waiting { delivery, given_up } in &self.spilled {
            pool.on_disk(delivery);
            if let Some(again) = given_up {
                pool.postpone((delivery.seller, delivery.webhook), delivery.id, *again);
            }
        }
        for delivery in &self.new {
            pool.feeds.let_go(delivery.seller, delivery.sequence);
            pool.note_on_disk(delivery);
        }
        pool.feeds.moved(&self.cursors);
        let results = self.results.into_iter().map(|(_, delivery)| delivery);
        pool.release(results.chain(self.released));
    }

    /// Nothing was written: it is tried again.
    pub(super) fn refused(self, pool: &Arc<Pool>, error: &CommitError) {
        let again = pool.clock.now().plus_seconds(UNWRITTEN_SECONDS);
        for (before, delivery) in &self.results {
            let Delivery { id, seller, webhook, .. } = delivery;
            tracing::error!(%error, %seller, %webhook, delivery = %id, "the result of a webhook attempt could not be recorded, it is attempted again");
            if before.is_some() || !pool.unwritten.give_up(*id, again) {
                pool.postpone((*seller, *webhook), *id, again);
            }
        }
        if !self.spilled.is_empty() || !self.new.is_empty() {
            let count = self.spilled.len() + self.new.len();
            tracing::error!(%error, count, "webhook deliveries could not be written and are written again");
        }
        pool.unwritten.put_back(self.spilled.iter().map(|waiting| waiting.delivery.id));
        for delivery in self.released {
            pool.with_queue((delivery.seller, delivery.webhook), |queue| {
                queue.release(delivery.id, None);
            });
        }
        pool.feeds.not_moved(&self.cursors);
        pool.hand_back(self.new);
    }
}

/// Finds whose turn it is in the lines that a group touches; reads on a thread of its own. Without
/// that nothing may be written: what comes next would never get its turn.
async fn resolve(pool: &Arc<Pool>, turns: Turns) -> Result<Resolved, CommitError> {
    if turns.is_empty() {
        return Ok(Resolved::default());
    }
    let reader = Arc::clone(pool);
    let resolved = tokio::task::spawn_blocking(move || turns.resolve(&reader)).await;
    let failed = |error: String| {
        CommitError::Failed(format!("deliveries that wait for their turn cannot be read: {error}"))
    };
    match resolved {
        Ok(resolved) => resolved.map_err(|error| failed(error.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}
