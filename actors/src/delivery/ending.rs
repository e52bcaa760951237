//! The end of a webhook: what waits for it ends with it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;

use super::fetch::claim_due;
use super::pool::Pool;
use super::queue::{EndpointKey, Queue};
use super::{Found, POLL, attempt, lines, worker};
use crate::domain::platform::delivery::{Delivery, Outcome};
use crate::domain::platform::webhook::WebhookStatus;
use crate::domain::time::Timestamp;

/// Rows that are read at once.
const ROWS: usize = 256;

/// How long it takes until it is tried again after a panic.
const PAUSE: Duration = Duration::from_secs(1);

impl Pool {
    /// Ends all that waits for an endpoint, in memory and on disk, as failed; what is left goes on
    /// once its webhook is active again.
    pub(super) fn fail_pending(self: &Arc<Self>, key: EndpointKey) {
        if self.stopping.is_cancelled() {
            return;
        }
        self.dissolve_lines(key);
        let pool = self.clone();
        self.spawn(async move {
            let (seller, webhook) = key;
            while AssertUnwindSafe(end_all(&pool, key)).catch_unwind().await.is_err() {
                tracing::error!(%seller, %webhook, "ending the deliveries of a webhook panicked, it is tried again");
                tokio::select! {
                    () = tokio::time::sleep(PAUSE) => {}
                    () = pool.stopping.cancelled() => return,
                }
            }
        });
    }
}

async fn end_all(pool: &Arc<Pool>, key: EndpointKey) {
    let end = Timestamp::from_micros(i64::MAX);
    let drained = pool.with_queue(key, Queue::drain).into_iter();
    let mut taken = Taken { pool, key, left: drained.map(|job| job.delivery).collect() };
    loop {
        // Looked up once they are taken: what is taken from an ended webhook waited as it ended.
        match (pool.lookup)(key.0, key.1) {
            Found::Gone => taken.end(attempt::DELETED).await,
            Found::Destination(found) if found.webhook.status == WebhookStatus::Active => return,
            Found::Destination(_) => taken.end(attempt::DISABLED).await,
            Found::Unknown => drop(taken),
        }
        let fetched = claim_due(pool, key, end, ROWS).await;
        let jobs = fetched.jobs.into_iter().map(|job| job.delivery);
        taken = Taken { pool, key, left: jobs.chain(fetched.lost).collect() };
        let left = fetched.passed_over || fetched.failed || lines::has_lines(pool, key);
        if taken.left.is_empty() && !left {
            return;
        }
        // An attempt that is under way may still be scheduled again.
        tokio::select! {
            () = tokio::time::sleep(POLL) => {}
            () = pool.stopping.cancelled() => return,
        }
    }
}

/// Deliveries that nobody else attempts meanwhile. Those that are not ended are given back when
/// this is dropped, as once their webhook is active again.
struct Taken<'a> {
    pool: &'a Pool,
    key: EndpointKey,
    left: Vec<Delivery>,
}

impl Taken<'_> {
    async fn end(mut self, reason: &'static str) {
        while let Some(delivery) = self.left.pop() {
            worker::finish(self.pool, self.key, delivery, Outcome::Ended(reason)).await;
        }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        for delivery in self.left.drain(..) {
            let due = delivery.next_attempt_at.unwrap_or_else(|| self.pool.clock.now());
            self.pool.postpone(self.key, delivery.id, due);
        }
    }
}
