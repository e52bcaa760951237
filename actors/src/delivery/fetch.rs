//! Fetching from the disk: what a queue had no room for, what waits for its next attempt, and,
//! at the start, everything that was open when the program ended.

use std::sync::Arc;
use std::time::Duration;

use storage::{ReadError, Scan};

use super::pool::Pool;
use super::queue::{EndpointKey, Queue};
use super::{attempt, worker};
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus, Outcome};
use crate::domain::time::Timestamp;
use crate::tables::{DELIVERIES, OPEN_DELIVERIES};

/// How often the clock is read while something waits for its time.
const POLL: Duration = Duration::from_millis(50);

/// How long a queue without work is kept, with its connections.
const IDLE: Duration = Duration::from_secs(30);

/// Rows that are read at once when a webhook is disabled.
const END_ROWS: usize = 256;

type OpenKey = (SellerId, WebhookId, Timestamp, DeliveryId);

/// What a fetch has found. All of it is claimed.
#[derive(Default)]
struct Found {
    deliveries: Vec<Delivery>,
    /// When the first of the rows that were left is due.
    next: Option<Timestamp>,
    passed_over: bool,
}

/// Finds every endpoint with open rows, with one read for each endpoint.
pub(super) async fn resume(pool: Arc<Pool>) {
    let finder = pool.clone();
    match tokio::task::spawn_blocking(move || find_endpoints(&finder)).await {
        Ok(endpoints) => tracing::debug!(endpoints, "deliveries of an earlier run go on"),
        Err(error) => {
            tracing::error!(%error, "open webhook deliveries of an earlier run were not searched");
        }
    }
    pool.wake.notify_one();
}

fn find_endpoints(pool: &Pool) -> usize {
    let mut count = 0;
    let mut scan = Scan::all();
    while let Some((seller, webhook, due, _)) =
        pool.store.scan(OPEN_DELIVERIES, scan).find_map(readable)
    {
        pool.with_queue((seller, webhook), |queue| queue.note_on_disk(due));
        count += 1;
        scan = Scan::all().after(&(seller, webhook));
    }
    count
}

/// The key of an open delivery. One that is damaged is logged and passed over: others must not
/// wait for it.
fn readable(row: Result<(OpenKey, ()), ReadError>) -> Option<OpenKey> {
    row.map(|(place, ())| place)
        .inspect_err(
            |error| tracing::error!(%error, "the row of an open webhook delivery cannot be read"),
        )
        .ok()
}

/// Starts fetches as they fall due by the pool's clock. Reads the clock only while something
/// waits, and sleeps until it is woken while there is no queue at all.
pub(super) async fn watch(pool: Arc<Pool>) {
    while !pool.stopping.is_cancelled() {
        let (due, waits) = pool.endpoints_due();
        for key in due {
            pool.spawn(fetch_due(pool.clone(), key));
        }
        let any = pool.drop_idle(IDLE);
        #[cfg(test)]
        pool.looks.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let pause = async {
            match (waits, any) {
                (true, _) => tokio::time::sleep(POLL).await,
                (false, true) => _ = tokio::time::timeout(IDLE, pool.wake.notified()).await,
                (false, false) => pool.wake.notified().await,
            }
        };
        tokio::select! {
            () = pause => {}
            () = pool.stopping.cancelled() => return,
        }
    }
}

pub(super) async fn fetch_due(pool: Arc<Pool>, key: EndpointKey) {
    let now = pool.clock.now();
    let room = pool.settings.held_per_endpoint;
    let found = claim_due(&pool, key, now, room).await;
    pool.with_queue(key, |queue| {
        for delivery in found.deliveries {
            queue.push(delivery);
        }
        if let Some(next) = found.next {
            queue.note_on_disk(next);
        }
        queue.end_fetch();
    });
    pool.wake.notify_one();
    pool.start_workers(key);
}

/// Claims up to `room` open deliveries of an endpoint that are due by `until`.
async fn claim_due(pool: &Arc<Pool>, key: EndpointKey, until: Timestamp, room: usize) -> Found {
    let finder = pool.clone();
    let scan = move || scan_due(&finder, key, until, room);
    let found = match tokio::task::spawn_blocking(scan).await {
        Ok(found) => found,
        Err(error) => {
            let (seller, webhook) = key;
            tracing::error!(%error, %seller, %webhook, "open webhook deliveries were not fetched");
            Found::default()
        }
    };
    // Rows can be read shortly before they are durable, and may be sent only afterwards.
    pool.store.barrier().await;
    found
}

fn scan_due(pool: &Pool, key: EndpointKey, until: Timestamp, room: usize) -> Found {
    let mut found = Found::default();
    let open = pool.store.scan(OPEN_DELIVERIES, Scan::prefix(&key)).filter_map(readable);
    for (_, _, due, id) in open {
        if due > until || found.deliveries.len() >= room {
            found.next = Some(due);
            break;
        }
        if !pool.claim(key, id) {
            found.passed_over = true;
            continue;
        }
        // The delivery may have ended between the two reads; then there is nothing to do.
        match pool.store.get(DELIVERIES, &(key.0, id)) {
            Ok(Some(delivery)) if is_due(&delivery, due) => found.deliveries.push(delivery),
            Ok(_) => pool.with_queue(key, |queue| queue.release(id, None)),
            Err(error) => {
                let (seller, webhook) = key;
                tracing::error!(%error, %seller, %webhook, delivery = %id, "a webhook delivery cannot be read");
                pool.with_queue(key, |queue| queue.release(id, None));
            }
        }
    }
    found
}

fn is_due(delivery: &Delivery, due: Timestamp) -> bool {
    delivery.status == DeliveryStatus::Pending && delivery.next_attempt_at == Some(due)
}

impl Pool {
    /// Ends all that waits for an endpoint, in memory and on disk, as failed.
    pub(super) fn fail_pending(self: &Arc<Self>, key: EndpointKey) {
        if self.stopping.is_cancelled() {
            return;
        }
        let pool = self.clone();
        self.spawn(async move {
            let end = Timestamp::from_micros(i64::MAX);
            let waiting = pool.with_queue(key, Queue::drain);
            let mut found = Found { deliveries: waiting, ..Found::default() };
            loop {
                for delivery in found.deliveries {
                    worker::finish(&pool, key, delivery, Outcome::Ended(attempt::DISABLED)).await;
                }
                found = claim_due(&pool, key, end, END_ROWS).await;
                if found.deliveries.is_empty() && !found.passed_over {
                    return;
                }
                // An attempt that is under way may still be scheduled again.
                tokio::select! {
                    () = tokio::time::sleep(POLL) => {}
                    () = pool.stopping.cancelled() => return,
                }
            }
        });
    }
}
