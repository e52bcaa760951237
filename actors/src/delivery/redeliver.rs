//! New series of attempts on request: of one delivery, or of all that have failed.

use std::sync::Arc;
use std::time::Duration;

use storage::{Batch, CommitError, ReadError, Scan};
use tokio::time::Instant;

use super::Found;
use super::attempt::{DELETED, DISABLED};
use super::claims::Claims;
use super::list::{DeliveryFilter, IndexRange, ranges};
use super::pool::Pool;
use super::queue::EndpointKey;
use super::rows::{self, Place};
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus};
use crate::domain::platform::webhook::WebhookStatus;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::queue::read_blocking;
use crate::tables::{DELIVERIES, DELIVERY_INDEX};

const GROUP: usize = 256;

const MAX_SCANNED: usize = 4_096;

/// How soon to look at a delivery again while its result is being recorded; each time later, up to
/// the second.
const RECORDING_POLL: Duration = Duration::from_millis(2);
const LONGEST_POLL: Duration = Duration::from_millis(50);

/// How much longer than an attempt to wait for one that is under way: its result is recorded too.
const RECORDING: Duration = Duration::from_secs(1);

/// The longest wait, however long an endpoint may take.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

const UNDER_WAY: &str = "an attempt of the delivery is under way or about to begin, ask again";

/// How far, in seconds, the order of ids may differ from the order of creation: ids are drawn a
/// little before their rows are written.
const STRAY_SECONDS: i64 = 60;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedeliverError {
    /// There is no such delivery or webhook, the webhook takes none, or an attempt does not end.
    #[error("{0}")]
    Refused(Refusal),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] CommitError),
}

pub(super) async fn one(
    pool: &Arc<Pool>,
    seller: SellerId,
    id: DeliveryId,
    is_done: impl FnOnce() -> Result<bool, ReadError> + Send + 'static,
) -> Result<Delivery, RedeliverError> {
    let delivery = read(pool, seller, id).await?;
    let key = (seller, delivery.webhook);
    check_active(pool, key)?;
    claim(pool, key, id).await?;
    // Nobody else writes a claimed row: what is read now stays true. The webhook may have ended
    // meanwhile.
    let claimed = match check_active(pool, key) {
        Ok(()) => read(pool, seller, id).await,
        Err(refused) => Err(refused),
    };
    let done = read_blocking(is_done).await.map_err(RedeliverError::from);
    match (claimed, done) {
        (Ok(claimed), Ok(false)) => {
            let mut written = write(pool, key, vec![claimed]).await?;
            Ok(written.pop().unwrap_or(delivery))
        }
        (claimed, done) => {
            // A fetch that passed it over meanwhile will not come back to it by itself.
            let now = pool.clock.now();
            pool.with_queue(key, |queue| queue.release(id, Some(now)));
            pool.wake.notify_one();
            done.and(claimed)
        }
    }
}

/// Claims a delivery once the attempt that is under way has ended: a new series would be lost in
/// its result. One that still waits for a place among others may take longer than an attempt; then
/// nothing is begun, and the caller is told so.
async fn claim(pool: &Pool, key: EndpointKey, id: DeliveryId) -> Result<(), RedeliverError> {
    let until = Instant::now() + (pool.settings.timeout + RECORDING).min(LONGEST_WAIT);
    let mut pause = RECORDING_POLL;
    while !pool.claim(key, id) {
        if pool.stopping.is_cancelled() || Instant::now() >= until {
            return Err(RedeliverError::Refused(Refusal::conflict(UNDER_WAY)));
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_POLL);
    }
    Ok(())
}

pub(super) async fn failed_since(
    pool: &Arc<Pool>,
    seller: SellerId,
    webhook: WebhookId,
    since: Timestamp,
) -> Result<u64, RedeliverError> {
    let key = (seller, webhook);
    check_active(pool, key)?;
    let failed = DeliveryFilter {
        webhook: Some(webhook),
        status: Some(DeliveryStatus::Failed),
        event_type: None,
    };
    let reader = pool.clone();
    let ranges = read_blocking(move || ranges(&reader.store, seller, &failed)).await?;
    let mut count = 0;
    for range in ranges {
        let mut before = None;
        loop {
            let (finder, range) = (pool.clone(), range.clone());
            let walk = move || failed_group(&finder, key, range, since, before);
            let (group, last) = read_blocking(walk).await?;
            count += write(pool, key, group).await?.len() as u64;
            if last.is_none() {
                break;
            }
            before = last;
        }
    }
    Ok(count)
}

/// Some failed deliveries of a range, newest first, all claimed; and the id to go on from, if any.
fn failed_group(
    pool: &Pool,
    key: EndpointKey,
    range: IndexRange,
    since: Timestamp,
    before: Option<DeliveryId>,
) -> Result<(Vec<Delivery>, Option<DeliveryId>), ReadError> {
    let mut scan = Scan::prefix(&range).reverse();
    if let Some(before) = before {
        let (seller, webhook, status, kind) = range;
        scan = scan.after(&(seller, webhook, status, kind, before));
    }
    let (mut group, mut claims) = (Vec::new(), Claims::of(pool));
    for (scanned, row) in pool.store.scan(DELIVERY_INDEX, scan).enumerate() {
        let ((.., id), ()) = row?;
        let Some(seen) = pool.store.get(DELIVERIES, &(key.0, id))? else { continue };
        if seen.created_at < since.plus_seconds(-STRAY_SECONDS) {
            break;
        }
        if seen.webhook == key.1
            && seen.created_at >= since
            && let Some(failed) = claim_failed(pool, key, id)
        {
            claims.note(key, id, None);
            group.push(failed);
        }
        if scanned == MAX_SCANNED || group.len() == GROUP {
            claims.keep();
            return Ok((group, Some(id)));
        }
    }
    claims.keep();
    Ok((group, None))
}

/// Claims a delivery that has failed and returns its row; `None` when it has been restarted
/// meanwhile.
fn claim_failed(pool: &Pool, key: EndpointKey, id: DeliveryId) -> Option<Delivery> {
    let read = || pool.store.get(DELIVERIES, &(key.0, id)).ok().flatten();
    let failed = |delivery: &Delivery| delivery.status == DeliveryStatus::Failed;
    while !pool.claim(key, id) {
        // Its result is written, and the recorder about to release it.
        read().filter(failed)?;
        std::thread::sleep(RECORDING_POLL);
    }
    let found = read().filter(failed);
    if found.is_none() {
        pool.with_queue(key, |queue| queue.release(id, None));
    }
    found
}

async fn write(
    pool: &Pool,
    key: EndpointKey,
    group: Vec<Delivery>,
) -> Result<Vec<Delivery>, RedeliverError> {
    if group.is_empty() {
        return Ok(group);
    }
    let now = pool.clock.now();
    let mut batch = Batch::new();
    let mut again = Vec::with_capacity(group.len());
    for delivery in group {
        let before = Place::of(&delivery);
        let delivery = delivery.again(now);
        rows::put(&mut batch, Some(before), &delivery);
        again.push(delivery);
    }
    let written = pool.store.write(batch).await;
    // Written or not, the fetch finds on disk what is due.
    pool.with_queue(key, |queue| {
        for delivery in &again {
            queue.release(delivery.id, Some(now));
        }
    });
    pool.wake.notify_one();
    written?;
    Ok(again)
}

fn check_active(pool: &Pool, key: EndpointKey) -> Result<(), RedeliverError> {
    let refusal = match (pool.lookup)(key.0, key.1) {
        Found::Destination(found) if found.webhook.status == WebhookStatus::Active => {
            return Ok(());
        }
        Found::Destination(_) => Refusal::conflict(DISABLED),
        Found::Gone => Refusal::conflict(DELETED),
        Found::Unknown => Refusal::missing(),
    };
    Err(RedeliverError::Refused(refusal))
}

async fn read(
    pool: &Arc<Pool>,
    seller: SellerId,
    id: DeliveryId,
) -> Result<Delivery, RedeliverError> {
    let store = pool.store.clone();
    let found = read_blocking(move || store.get(DELIVERIES, &(seller, id))).await?;
    found.ok_or(RedeliverError::Refused(Refusal::missing()))
}
