//! Fetching from the disk: what a line had no room for, what waits for its next attempt, and,
//! at the start, everything that was open when the program ended.

use std::sync::Arc;
use std::time::Duration;

use storage::{ReadError, Scan};

use super::line::{Line, LineKey};
use super::pool::Pool;
use super::{attempt, lane};
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus, Outcome};
use crate::domain::time::Timestamp;
use crate::tables::{DELIVERIES, OPEN_DELIVERIES};

/// How often the clock is looked at while something waits for its time.
const LOOK: Duration = Duration::from_millis(50);

/// How long a line without work is kept, with its connections.
const REST: Duration = Duration::from_secs(30);

/// Rows that are ended in one go when a webhook is disabled.
const END_ROWS: usize = 256;

/// Where an open delivery stands in its table.
type Place = (SellerId, WebhookId, Timestamp, DeliveryId);

/// What a fetch has found. All of it is held.
#[derive(Default)]
struct Found {
    deliveries: Vec<Delivery>,
    /// When the first of the rows that were left is due.
    next: Option<Timestamp>,
    /// Whether rows were passed over because somebody deals with them.
    passed_over: bool,
}

/// Finds every endpoint with open rows, with one step for each endpoint.
pub(super) async fn resume(pool: Arc<Pool>) {
    let finder = pool.clone();
    match tokio::task::spawn_blocking(move || find_lines(&finder)).await {
        Ok(count) => tracing::debug!(count, "endpoints with open deliveries"),
        Err(error) => tracing::error!(%error, "open deliveries were not looked for"),
    }
    pool.wake.notify_one();
}

fn find_lines(pool: &Pool) -> usize {
    let mut count = 0;
    let mut scan = Scan::all();
    while let Some((seller, webhook, due, _)) =
        pool.store.scan(OPEN_DELIVERIES, scan).find_map(readable)
    {
        pool.with_line((seller, webhook), |line| line.note_on_disk(due));
        count += 1;
        scan = Scan::all().after(&(seller, webhook));
    }
    count
}

/// The place of an open delivery. One that is damaged is said and passed over: others are not
/// to wait for it.
fn readable(row: Result<(Place, ()), ReadError>) -> Option<Place> {
    row.map(|(place, ())| place)
        .inspect_err(|error| tracing::error!(%error, "an open delivery cannot be read"))
        .ok()
}

/// Starts fetches as they fall due by the pool's clock. Looks at the clock only while something
/// waits, and sleeps for good while there is no line at all.
pub(super) async fn watch(pool: Arc<Pool>) {
    while !pool.stopping.is_cancelled() {
        let (due, waits) = pool.lines_due();
        for key in due {
            pool.spawn(self::due(pool.clone(), key));
        }
        let any = pool.forget_idle(REST);
        let pause = async {
            match (waits, any) {
                (true, _) => tokio::time::sleep(LOOK).await,
                (false, true) => _ = tokio::time::timeout(REST, pool.wake.notified()).await,
                (false, false) => pool.wake.notified().await,
            }
        };
        tokio::select! {
            () = pause => {}
            () = pool.stopping.cancelled() => return,
        }
    }
}

/// Fetches what is due for one endpoint and has it attempted.
pub(super) async fn due(pool: Arc<Pool>, key: LineKey) {
    let now = pool.clock.now();
    let room = pool.settings.held_per_endpoint;
    let found = find(&pool, key, now, room).await;
    pool.with_line(key, |line| {
        for delivery in found.deliveries {
            line.push(delivery);
        }
        if let Some(next) = found.next {
            line.note_on_disk(next);
        }
        line.end_fetch();
    });
    pool.wake.notify_one();
    pool.open_lanes(key);
}

/// Holds up to `room` open deliveries of a line that are due by `until`.
async fn find(pool: &Arc<Pool>, key: LineKey, until: Timestamp, room: usize) -> Found {
    let finder = pool.clone();
    let walk = move || walk(&finder, key, until, room);
    let found = match tokio::task::spawn_blocking(walk).await {
        Ok(found) => found,
        Err(error) => {
            tracing::error!(%error, "open deliveries were not fetched");
            Found::default()
        }
    };
    // Rows are seen shortly before they are durable; nothing is told of them before.
    pool.store.barrier().await;
    found
}

fn walk(pool: &Pool, key: LineKey, until: Timestamp, room: usize) -> Found {
    let mut found = Found::default();
    let places = pool.store.scan(OPEN_DELIVERIES, Scan::prefix(&key)).filter_map(readable);
    for (_, _, due, id) in places {
        if due > until || found.deliveries.len() >= room {
            found.next = Some(due);
            break;
        }
        if !pool.hold(key, id) {
            found.passed_over = true;
            continue;
        }
        // The row may have been settled between the two looks; then there is nothing to do.
        match pool.store.get(DELIVERIES, &(key.0, id)) {
            Ok(Some(delivery)) if is_due(&delivery, due) => found.deliveries.push(delivery),
            Ok(_) => pool.with_line(key, |line| line.release(id, None)),
            Err(error) => {
                tracing::error!(%error, "a delivery cannot be read");
                pool.with_line(key, |line| line.release(id, None));
            }
        }
    }
    found
}

fn is_due(delivery: &Delivery, due: Timestamp) -> bool {
    delivery.status == DeliveryStatus::Pending && delivery.next_attempt_at == Some(due)
}

impl Pool {
    /// Ends all that waits for an endpoint, in memory and on disk.
    pub(super) fn end_line(self: &Arc<Self>, key: LineKey) {
        if self.stopping.is_cancelled() {
            return;
        }
        let pool = self.clone();
        self.spawn(async move {
            let end = Timestamp::from_micros(i64::MAX);
            let waiting = pool.with_line(key, Line::drain);
            let mut found = Found { deliveries: waiting, ..Found::default() };
            loop {
                for delivery in found.deliveries {
                    lane::conclude(&pool, key, delivery, Outcome::Ended(attempt::DISABLED)).await;
                }
                found = find(&pool, key, end, END_ROWS).await;
                if found.deliveries.is_empty() && !found.passed_over {
                    return;
                }
                // What is under way may still come to wait on disk.
                tokio::select! {
                    () = tokio::time::sleep(LOOK) => {}
                    () = pool.stopping.cancelled() => return,
                }
            }
        });
    }
}
