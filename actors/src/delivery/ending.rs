//! The end of a webhook: what waits for it ends with it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;

use super::fetch::claim_due;
use super::pool::Pool;
use super::queue::{EndpointKey, Queue};
use super::{Found, POLL, attempt, lines, worker};
use crate::domain::platform::delivery::Outcome;
use crate::domain::time::Timestamp;

/// Rows that are read at once.
const ROWS: usize = 256;

/// How long it takes until it is tried again after a panic.
const PAUSE: Duration = Duration::from_secs(1);

impl Pool {
    /// Ends all that waits for an endpoint, in memory and on disk, as failed.
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
    let reason = match (pool.lookup)(key.0, key.1) {
        Found::Gone => attempt::DELETED,
        Found::Destination(_) | Found::Unknown => attempt::DISABLED,
    };
    let mut jobs = pool.with_queue(key, Queue::drain);
    loop {
        for job in jobs {
            worker::finish(pool, key, job.delivery, Outcome::Ended(reason)).await;
        }
        let fetched = claim_due(pool, key, end, ROWS).await;
        jobs = fetched.jobs;
        for delivery in fetched.lost {
            worker::finish(pool, key, delivery, Outcome::Ended(reason)).await;
        }
        let left = fetched.passed_over || fetched.failed || lines::has_lines(pool, key);
        if jobs.is_empty() && !left {
            return;
        }
        // An attempt that is under way may still be scheduled again.
        tokio::select! {
            () = tokio::time::sleep(POLL) => {}
            () = pool.stopping.cancelled() => return,
        }
    }
}
