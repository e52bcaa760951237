//! Fetching from the disk: what a queue had no room for, what waits for its next attempt, and,
//! at the start, everything that was open when the program ended.

use std::sync::Arc;
use std::time::Duration;

use storage::{ReadError, Scan};

use super::pool::Pool;
use super::queue::{EndpointKey, Job, Queue};
use super::stage::Written;
use super::{Found, POLL, POSTPONE_SECONDS, attempt, lines, worker};
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus, Outcome};
use crate::domain::platform::event::Event;
use crate::domain::time::Timestamp;
use crate::tables::{DELIVERIES, EVENTS, EXPANDED, OPEN_DELIVERIES};

/// How long a queue without work is kept, with its connections.
const IDLE: Duration = Duration::from_secs(30);

/// Rows that are read at once when a webhook is disabled.
const END_ROWS: usize = 256;

const NOT_KEPT: &str = "the event is no longer kept";

type OpenKey = (SellerId, WebhookId, Timestamp, DeliveryId);

/// What a fetch has found. All of it is claimed.
#[derive(Default)]
struct Fetched {
    jobs: Vec<Job>,
    /// Deliveries whose event is gone.
    lost: Vec<Delivery>,
    /// When the first of the rows that were left is due.
    next: Option<Timestamp>,
    passed_over: bool,
}

/// Finds every endpoint with open rows, with one read for each endpoint, and every seller with
/// events that are not expanded.
pub(super) async fn resume(pool: Arc<Pool>) {
    let finder = pool.clone();
    let found =
        tokio::task::spawn_blocking(move || (find_endpoints(&finder), find_events(&finder)));
    match found.await {
        Ok((endpoints, feeds)) => {
            tracing::debug!(endpoints, sellers = feeds.len(), "deliveries of an earlier run go on");
            // Rows can be read shortly before they are durable.
            pool.store.barrier().await;
            for (seller, last) in feeds {
                pool.feeds.notify(seller, Written { first: last, last, heard: true });
            }
        }
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
        pool.store.scan(OPEN_DELIVERIES, scan.first()).find_map(readable)
    {
        let key = (seller, webhook);
        pool.with_queue(key, |queue| queue.note_on_disk(due));
        let unordered = matches!(
            (pool.lookup)(seller, webhook),
            Found::Destination(found) if !found.webhook.ordered
        );
        if unordered && lines::has_lines(pool, key) {
            pool.dissolve_lines(key);
        }
        count += 1;
        scan = Scan::all().after(&key);
    }
    count
}

/// The last event of each seller whose cursor is behind it.
fn find_events(pool: &Pool) -> Vec<(SellerId, u64)> {
    let mut behind = Vec::new();
    let mut scan = Scan::all();
    let key = |row: Result<((SellerId, u64), _), ReadError>| row.map(|(key, _)| key);
    while let Some(first) = pool.store.scan(EVENTS, scan.first()).map(key).find_map(logged) {
        let (seller, _) = first;
        let newest = pool.store.scan(EVENTS, Scan::prefix(&(seller,)).reverse().first());
        let last = newest.map(key).find_map(logged).map_or(0, |(_, last)| last);
        let cursor = logged(pool.store.get(EXPANDED, &seller)).flatten().unwrap_or(0);
        if cursor < last {
            behind.push((seller, last));
        }
        scan = Scan::all().after(&(seller,));
    }
    behind
}

fn logged<T>(read: Result<T, ReadError>) -> Option<T> {
    read.inspect_err(|error| tracing::error!(%error, "the row of an event cannot be read")).ok()
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
    let now = pool.clock.now();
    let fetched = match (pool.lookup)(key.0, key.1) {
        Found::Destination(found) if !found.is_open => {
            Fetched { next: Some(now.plus_seconds(POSTPONE_SECONDS)), ..Fetched::default() }
        }
        _ => match pool.room_of(key) {
            0 => {
                tokio::time::sleep(POLL).await;
                Fetched { next: Some(now), ..Fetched::default() }
            }
            room => claim_due(&pool, key, now, room).await,
        },
    };
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

/// Claims up to `room` open deliveries of an endpoint that are due by `until`.
async fn claim_due(pool: &Arc<Pool>, key: EndpointKey, until: Timestamp, room: usize) -> Fetched {
    let slot = pool.fetch_slots.acquire().await;
    let finder = pool.clone();
    let scan = move || scan_due(&finder, key, until, room);
    let fetched = match tokio::task::spawn_blocking(scan).await {
        Ok(fetched) => fetched,
        Err(error) => {
            let (seller, webhook) = key;
            tracing::error!(%error, %seller, %webhook, "open webhook deliveries were not fetched");
            Fetched::default()
        }
    };
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
        match read_due(pool, key, due, id) {
            Ok(Some((delivery, Some(event)))) => {
                fetched.jobs.push(Job { delivery, event: Arc::new(event) });
            }
            Ok(Some((delivery, None))) => fetched.lost.push(delivery),
            Ok(None) => pool.with_queue(key, |queue| queue.release(id, None)),
            Err(error) => {
                let (seller, webhook) = key;
                tracing::error!(%error, %seller, %webhook, delivery = %id, "a webhook delivery cannot be read");
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

impl Pool {
    /// Ends all that waits for an endpoint, in memory and on disk, as failed.
    pub(super) fn fail_pending(self: &Arc<Self>, key: EndpointKey) {
        if self.stopping.is_cancelled() {
            return;
        }
        self.dissolve_lines(key);
        let pool = self.clone();
        self.spawn(async move {
            let end = Timestamp::from_micros(i64::MAX);
            let reason = match (pool.lookup)(key.0, key.1) {
                Found::Gone => attempt::DELETED,
                Found::Destination(_) | Found::Unknown => attempt::DISABLED,
            };
            let mut jobs = pool.with_queue(key, Queue::drain);
            loop {
                for job in jobs {
                    worker::finish(&pool, key, job.delivery, Outcome::Ended(reason)).await;
                }
                let fetched = claim_due(&pool, key, end, END_ROWS).await;
                jobs = fetched.jobs;
                for delivery in fetched.lost {
                    worker::finish(&pool, key, delivery, Outcome::Ended(reason)).await;
                }
                if jobs.is_empty() && !fetched.passed_over && !lines::has_lines(&pool, key) {
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
