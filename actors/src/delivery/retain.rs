//! The sweeper: deletes events, and the deliveries of each, when they have been kept long enough.

use std::sync::Arc;
use std::time::Duration;

use storage::{Batch, ReadError, Scan};

use super::claims::Claims;
use super::pool::Pool;
use super::queue::EndpointKey;
use super::{rows, worker};
use crate::domain::ids::{DeliveryId, SellerId};
use crate::domain::platform::delivery::{Delivery, DeliveryStatus, Outcome, delivery_id};
use crate::domain::platform::event::Event;
use crate::domain::time::Timestamp;
use crate::tables::{DELIVERIES, EVENTS, EXPANDED};

/// How often the clock is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Seconds from the start to the first sweep, and from one to the next.
const FIRST_SECONDS: i64 = 60;
const PACE_SECONDS: i64 = 3_600;

/// Rows that one batch deletes, but for those of its last event.
const ROWS: usize = 512;

const DAY_SECONDS: i64 = 24 * 3_600;

const NOT_KEPT: &str = "the event is no longer kept";

pub(super) async fn run(pool: Arc<Pool>) {
    let mut next = pool.clock.now().plus_seconds(FIRST_SECONDS);
    while !pool.stopping.is_cancelled() {
        if pool.clock.now() >= next {
            let left = sweep(&pool).await;
            next = pool.clock.now().plus_seconds(if left { 0 } else { PACE_SECONDS });
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = pool.stopping.cancelled() => return,
        }
    }
}

/// What one stride finds.
struct Stride {
    /// The seller whose events were read.
    seller: SellerId,
    batch: Batch,
    deleted: usize,
    claimed: Vec<(EndpointKey, DeliveryId)>,
    /// Deliveries that still wait: they end first, and are deleted by a later sweep.
    waiting: Vec<Delivery>,
    /// Whether the seller has more to delete.
    more: bool,
    /// Whether something too old is not to be touched now.
    left: bool,
}

/// Deletes what is too old, seller by seller, in strides. Whether something of it may be left, as
/// while the store is held: what was restored is looked at first.
pub(super) async fn sweep(pool: &Arc<Pool>) -> bool {
    if pool.store.is_held() {
        return true;
    }
    let days = i64::from(pool.settings.keep_days);
    let until = pool.clock.now().plus_seconds(-days * DAY_SECONDS);
    let (mut from, mut deleted, mut left) = (Scan::all(), 0, false);
    while !pool.stopping.is_cancelled() {
        let (reader, scan) = (Arc::clone(pool), from.clone());
        let read = move || {
            let first = reader.store.scan(EVENTS, scan.first()).keys().next().transpose()?;
            Ok(first.map(|(seller, _)| (seller, stride(&reader, seller, until))))
        };
        let stride = match tokio::task::spawn_blocking(read).await {
            Ok(Ok(Some((_, Ok(stride))))) => stride,
            Ok(Ok(None)) => break,
            // Events of others are not kept because of one that cannot be read.
            Ok(Ok(Some((seller, Err(error))))) if !matches!(error, ReadError::Closed) => {
                tracing::error!(%error, %seller, "old events of a seller cannot be read");
                from = Scan::all().after(&(seller,));
                continue;
            }
            Ok(Ok(Some((_, Err(error)))) | Err(error)) => {
                tracing::error!(%error, "old events cannot be read");
                return false;
            }
            Err(error) => {
                tracing::error!(%error, "old events were not read");
                return false;
            }
        };
        if !stride.more {
            from = Scan::all().after(&(stride.seller,));
        }
        for delivery in stride.waiting {
            let key = (delivery.seller, delivery.webhook);
            worker::finish(pool, key, delivery, Outcome::Ended(NOT_KEPT)).await;
        }
        let written = if stride.batch.is_empty() {
            Ok(())
        } else {
            pool.store.write(stride.batch).await.map(|_| ())
        };
        for (key, id) in stride.claimed {
            pool.with_queue(key, |queue| queue.release(id, None));
        }
        if let Err(error) = written {
            tracing::error!(%error, "old events could not be deleted");
            return false;
        }
        deleted += stride.deleted;
        left |= stride.left;
    }
    if deleted > 0 {
        tracing::debug!(deleted, "old events were deleted");
    }
    left
}

/// Finds the next old events of a seller.
fn stride(pool: &Pool, seller: SellerId, until: Timestamp) -> Result<Stride, ReadError> {
    let expanded = pool.store.get(EXPANDED, &seller)?.unwrap_or(0);
    let mut stride = Stride {
        seller,
        batch: Batch::new(),
        deleted: 0,
        claimed: Vec::new(),
        waiting: Vec::new(),
        more: false,
        left: false,
    };
    let (mut rows, mut claims) = (0, Claims::of(pool));
    for row in pool.store.scan(EVENTS, Scan::prefix(&(seller,))) {
        let ((_, sequence), event) = row?;
        if event.created_at >= until {
            break;
        }
        if sequence > expanded {
            stride.left = true;
            break;
        }
        if rows >= ROWS {
            stride.more = true;
            break;
        }
        if !stride.delete(pool, &mut claims, sequence, &event)? {
            stride.left = true;
            break;
        }
        rows += 1 + 2 * event.webhooks.len();
    }
    claims.keep();
    Ok(stride)
}

impl Stride {
    /// Deletes an event with its deliveries, unless one of these is not to be touched now.
    fn delete(
        &mut self,
        pool: &Pool,
        claims: &mut Claims<'_>,
        sequence: u64,
        event: &Event,
    ) -> Result<bool, ReadError> {
        let mut claimed = Vec::new();
        let mut batch = Batch::new();
        let mut whole = true;
        for (place, webhook) in event.webhooks.iter().enumerate() {
            let (key, id) = ((self.seller, *webhook), delivery_id(event.id, place));
            if !pool.claim(key, id) {
                whole = false;
                continue;
            }
            claims.note(key, id, None);
            match pool.store.get(DELIVERIES, &(self.seller, id))? {
                Some(delivery) if delivery.status == DeliveryStatus::Pending => {
                    claims.note(key, id, delivery.next_attempt_at);
                    self.waiting.push(delivery);
                    whole = false;
                }
                Some(delivery) => {
                    rows::delete(&mut batch, &delivery);
                    claimed.push((key, id));
                }
                None => claimed.push((key, id)),
            }
        }
        if whole {
            batch.delete(EVENTS, &(self.seller, sequence));
            self.batch.append(batch);
            self.deleted += 1;
        }
        self.claimed.append(&mut claimed);
        Ok(whole)
    }
}
