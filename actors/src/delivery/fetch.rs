//! Fetching from the disk: what a queue had no room for, and what waits for its next attempt.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use storage::{ReadError, Scan};

use super::pool::Pool;
use super::queue::{EndpointKey, Job};
use super::{Found, POLL, POSTPONE_SECONDS, worker};
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus, Outcome};
use crate::domain::platform::event::Event;
use crate::domain::time::Timestamp;
use crate::tables::{DELIVERIES, EVENTS, OPEN_DELIVERIES};

/// How long a queue without work is kept, with its connections.
const IDLE: Duration = Duration::from_secs(30);

const NOT_KEPT: &str = "the event is no longer kept";

type OpenKey = (SellerId, WebhookId, Timestamp, DeliveryId);

/// What a fetch has found. All of it is claimed.
#[derive(Default)]
pub(super) struct Fetched {
    pub(super) jobs: Vec<Job>,
    /// Deliveries whose event is gone.
    pub(super) lost: Vec<Delivery>,
    /// When the first of the rows that were left is due.
    next: Option<Timestamp>,
    pub(super) passed_over: bool,
    /// Some of it could not be looked at, and is later.
    pub(super) failed: bool,
}

/// The key of an open delivery. One that is damaged is logged and passed over: others must not
/// wait for it.
pub(super) fn readable(row: Result<(OpenKey, ()), ReadError>) -> Option<OpenKey> {
    row.map(|(place, ())| place)
        .inspect_err(
            |error| tracing::error!(%error, "the row of an open webhook delivery cannot be read"),
        )
        .ok()
}

/// Starts fetches as they fall due by the pool's clock. Reads the clock only while something
/// waits, and sleeps until it is woken while there is no queue at all.
pub(super) async fn watch(pool: Arc<Pool>) {
    let mut tidied = tokio::time::Instant::now();
    while !pool.stopping.is_cancelled() {
        let (due, waits) = pool.queues().begin_fetches(pool.clock.now());
        for key in due {
            pool.spawn(fetch_due(pool.clone(), key));
        }
        let mut any = true;
        if tidied.elapsed() >= IDLE {
            tidied = tokio::time::Instant::now();
            any = pool.queues().drop_idle(IDLE);
        }
        #[cfg(test)]
        pool.looks.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let pause = async {
            match (waits, any) {
                (true, _) => _ = tokio::time::timeout(POLL, pool.wake.notified()).await,
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

async fn fetch_due(pool: Arc<Pool>, key: EndpointKey) {
    let found = AssertUnwindSafe(find_due(&pool, key)).catch_unwind().await;
    let mut fetched = found.unwrap_or_else(|_| failed(key, "it panicked"));
    if fetched.failed {
        let later = pool.clock.now().plus_seconds(POSTPONE_SECONDS);
        fetched.next = Some(fetched.next.map_or(later, |next| next.min(later)));
    }
    for delivery in fetched.lost {
        worker::finish(&pool, key, delivery, Outcome::Ended(NOT_KEPT)).await;
    }
    pool.with_queue(key, |queue| {
        for job in fetched.jobs {
            queue.push(job);
        }
        if let Some(next) = fetched.next {
            queue.note_on_disk(next);
        }
        queue.end_fetch();
    });
    pool.wake.notify_one();
    pool.start_workers(key);
}

async fn find_due(pool: &Arc<Pool>, key: EndpointKey) -> Fetched {
    let now = pool.clock.now();
    match (pool.lookup)(key.0, key.1) {
        Found::Destination(found) if !found.is_open => {
            Fetched { next: Some(now.plus_seconds(POSTPONE_SECONDS)), ..Fetched::default() }
        }
        _ => match pool.room_of(key) {
            0 => {
                tokio::time::sleep(POLL).await;
                Fetched { next: Some(now), ..Fetched::default() }
            }
            room => claim_due(pool, key, now, room).await,
        },
    }
}

fn failed((seller, webhook): EndpointKey, error: impl fmt::Display) -> Fetched {
    tracing::error!(%error, %seller, %webhook, "open webhook deliveries were not fetched");
    Fetched { failed: true, ..Fetched::default() }
}

/// Claims up to `room` open deliveries of an endpoint that are due by `until`.
pub(super) async fn claim_due(
    pool: &Arc<Pool>,
    key: EndpointKey,
    until: Timestamp,
    room: usize,
) -> Fetched {
    let slot = pool.fetch_slots.acquire().await;
    let finder = pool.clone();
    let scan = move || scan_due(&finder, key, until, room);
    let fetched = tokio::task::spawn_blocking(scan).await;
    let fetched = fetched.unwrap_or_else(|error| failed(key, error));
    drop(slot);
    // Rows can be read shortly before they are durable, and may be sent only afterwards.
    pool.store.barrier().await;
    fetched
}

fn scan_due(pool: &Pool, key: EndpointKey, until: Timestamp, room: usize) -> Fetched {
    let mut fetched = Fetched::default();
    let open = pool.store.scan(OPEN_DELIVERIES, Scan::prefix(&key)).filter_map(readable);
    for (_, _, due, id) in open {
        if due > until || fetched.jobs.len() >= room {
            fetched.next = Some(due);
            break;
        }
        if !pool.claim(key, id) {
            fetched.passed_over = true;
            continue;
        }
        let read = std::panic::catch_unwind(AssertUnwindSafe(|| read_due(pool, key, due, id)));
        match read.unwrap_or_else(|_| Err(ReadError::Failed("it panicked".to_owned()))) {
            Ok(Some((delivery, Some(event)))) => {
                fetched.jobs.push(Job { delivery, event: Arc::new(event) });
            }
            Ok(Some((delivery, None))) => fetched.lost.push(delivery),
            Ok(None) => pool.with_queue(key, |queue| queue.release(id, None)),
            Err(error) => {
                let (seller, webhook) = key;
                tracing::error!(%error, %seller, %webhook, delivery = %id, "a webhook delivery cannot be read");
                fetched.failed |= matches!(error, ReadError::Failed(_));
                pool.with_queue(key, |queue| queue.release(id, None));
            }
        }
    }
    fetched
}

/// A claimed delivery that is due, with its event. It may have ended since its place was read;
/// then there is nothing to do.
fn read_due(
    pool: &Pool,
    key: EndpointKey,
    due: Timestamp,
    id: DeliveryId,
) -> Result<Option<(Delivery, Option<Event>)>, ReadError> {
    let found = pool.store.get(DELIVERIES, &(key.0, id))?;
    let Some(delivery) = found.filter(|delivery| is_due(delivery, due)) else { return Ok(None) };
    let event = pool.store.get(EVENTS, &(key.0, delivery.sequence))?;
    Ok(Some((delivery, event)))
}

fn is_due(delivery: &Delivery, due: Timestamp) -> bool {
    delivery.status == DeliveryStatus::Pending && delivery.next_attempt_at == Some(due)
}
