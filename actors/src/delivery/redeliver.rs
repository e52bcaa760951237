//! New series of attempts, by hand (decisions 7 and 13).

use std::sync::Arc;
use std::time::Duration;

use storage::{Batch, CommitError, ReadError, Scan};

use super::attempt::DISABLED;
use super::line::LineKey;
use super::pool::Pool;
use super::stage::{put, take_place};
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus};
use crate::domain::platform::webhook::WebhookStatus;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::tables::DELIVERIES;

/// Deliveries that are started again with one write.
const GROUP: usize = 256;

/// Rows that are looked at between two writes.
const LOOKED: usize = 4_096;

/// How long to wait for a delivery whose end is being recorded.
const SETTLING: Duration = Duration::from_millis(2);

/// How far the order of ids may stray from the order of creation, in seconds: ids are drawn a
/// little before their rows are written.
const STRAY_SECONDS: i64 = 60;

/// Why nothing is delivered again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedeliverError {
    /// There is no such delivery or webhook, or the webhook takes none.
    #[error("{0}")]
    Refused(Refusal),
    /// The rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The rows cannot be written.
    #[error(transparent)]
    Write(#[from] CommitError),
}

/// Starts one delivery again.
pub(super) async fn one(
    pool: &Arc<Pool>,
    seller: SellerId,
    id: DeliveryId,
) -> Result<Delivery, RedeliverError> {
    let mut delivery = read(pool, seller, id).await?;
    let key = (seller, delivery.webhook);
    check_active(pool, key)?;
    while !pool.hold(key, id) {
        if delivery.status == DeliveryStatus::Pending {
            return Ok(delivery);
        }
        // Its row is there and its recorder about to let go of it.
        tokio::time::sleep(SETTLING).await;
        delivery = read(pool, seller, id).await?;
    }
    // Now that nobody else writes it, the row is read as it stands.
    let again = match read(pool, seller, id).await {
        Ok(delivery) => write(pool, key, vec![delivery]).await,
        Err(error) => {
            pool.with_line(key, |line| line.release(id, None));
            Err(error)
        }
    };
    again.map(|mut written| written.pop().unwrap_or(delivery))
}

/// Starts all failed deliveries of a webhook again, and answers how many.
pub(super) async fn failed_since(
    pool: &Arc<Pool>,
    seller: SellerId,
    webhook: WebhookId,
    since: Timestamp,
) -> Result<usize, RedeliverError> {
    let key = (seller, webhook);
    check_active(pool, key)?;
    let mut count = 0;
    let mut before = None;
    loop {
        let finder = pool.clone();
        let walk = move || failed_group(&finder, key, since, before);
        let (group, last) = blocking(walk).await?;
        count += write(pool, key, group).await?.len();
        if last.is_none() {
            return Ok(count);
        }
        before = last;
    }
}

/// Some failed deliveries, newest first, all held; and the id to go on from, if any.
fn failed_group(
    pool: &Pool,
    key: LineKey,
    since: Timestamp,
    before: Option<DeliveryId>,
) -> Result<(Vec<Delivery>, Option<DeliveryId>), ReadError> {
    let mut scan = Scan::prefix(&(key.0,)).reverse();
    if let Some(before) = before {
        scan = scan.after(&(key.0, before));
    }
    let wanted = |delivery: &Delivery| {
        delivery.webhook == key.1
            && delivery.status == DeliveryStatus::Failed
            && delivery.created_at >= since
    };
    let mut group = Vec::new();
    let mut looked = 0;
    for row in pool.store.scan(DELIVERIES, scan) {
        let ((_, id), seen) = row?;
        if seen.created_at < since.plus_seconds(-STRAY_SECONDS) {
            break;
        }
        looked += 1;
        if wanted(&seen) {
            group.extend(hold_failed(pool, key, id));
        }
        if looked == LOOKED || group.len() == GROUP {
            return Ok((group, Some(id)));
        }
    }
    Ok((group, None))
}

/// Holds a delivery that has failed, and answers its row as it stands once nobody else writes
/// it; `None` when it has not failed after all.
fn hold_failed(pool: &Pool, key: LineKey, id: DeliveryId) -> Option<Delivery> {
    let read = || pool.store.get(DELIVERIES, &(key.0, id)).ok().flatten();
    let failed = |delivery: &Delivery| delivery.status == DeliveryStatus::Failed;
    while !pool.hold(key, id) {
        // Its row is there and its recorder about to let go of it.
        read().filter(failed)?;
        std::thread::sleep(SETTLING);
    }
    let found = read().filter(failed);
    if found.is_none() {
        pool.with_line(key, |line| line.release(id, None));
    }
    found
}

/// Writes held deliveries as due now, lets them go, and has them fetched.
async fn write(
    pool: &Pool,
    key: LineKey,
    group: Vec<Delivery>,
) -> Result<Vec<Delivery>, RedeliverError> {
    if group.is_empty() {
        return Ok(group);
    }
    let now = pool.clock.now();
    let mut batch = Batch::new();
    let mut again = Vec::with_capacity(group.len());
    for delivery in group {
        take_place(&mut batch, &delivery, delivery.next_attempt_at);
        let delivery = delivery.again(now);
        put(&mut batch, &delivery);
        again.push(delivery);
    }
    let written = pool.store.write(batch).await;
    // Refused or not, the disk knows better than memory what is due.
    pool.with_line(key, |line| {
        for delivery in &again {
            line.release(delivery.id, Some(now));
        }
    });
    pool.wake.notify_one();
    written?;
    Ok(again)
}

fn check_active(pool: &Pool, key: LineKey) -> Result<(), RedeliverError> {
    let found = (pool.lookup)(key.0, key.1).ok_or(RedeliverError::Refused(Refusal::missing()))?;
    if found.webhook.status == WebhookStatus::Active {
        Ok(())
    } else {
        Err(RedeliverError::Refused(Refusal::conflict(DISABLED)))
    }
}

async fn read(
    pool: &Arc<Pool>,
    seller: SellerId,
    id: DeliveryId,
) -> Result<Delivery, RedeliverError> {
    let store = pool.store.clone();
    let found = blocking(move || store.get(DELIVERIES, &(seller, id))).await?;
    found.ok_or(RedeliverError::Refused(Refusal::missing()))
}

/// Reads on a thread that may wait for the disk.
async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, ReadError> + Send + 'static,
) -> Result<T, RedeliverError> {
    match tokio::task::spawn_blocking(read).await {
        Ok(result) => Ok(result?),
        Err(failed) => Err(ReadError::Failed(failed.to_string()).into()),
    }
}
