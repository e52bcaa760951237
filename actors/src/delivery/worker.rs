//! The tasks that make attempts. Each takes from one queue until it is empty.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::SemaphorePermit;
use tokio::time::Instant;

use super::attempt::{attempt, place};
use super::names::Place;
use super::pool::Pool;
use super::queue::{EndpointKey, Job, Standing};
use super::record::Entry;
use super::slots::Slot;
use super::{Found, POSTPONE_SECONDS};
use crate::domain::ids::DeliveryId;
use crate::domain::platform::delivery::{Delivery, DeliveryStatus, Outcome, RECEIVED};
use crate::domain::platform::webhook::WebhookStatus;
use crate::domain::time::Timestamp;
use crate::queue::BEAT;

/// An endpoint that answers within this time does not share slots with slower ones.
const PROMPT: Duration = Duration::from_millis(500);

/// Makes attempts until the queue is empty, its window has narrowed, or the pool stops.
pub(super) async fn run(pool: Arc<Pool>, key: EndpointKey) {
    while let Some((job, standing)) = next(&pool, key).await {
        let id = job.delivery.id;
        let finished = AssertUnwindSafe(in_turn(&pool, key, job, standing)).catch_unwind().await;
        let finished = finished.unwrap_or_else(|_| panicked(&pool, key, id));
        if !finished {
            pool.with_queue(key, |queue| queue.end_worker());
            return;
        }
        let pause = pool.with_queue(key, |queue| queue.pause());
        if !pause.is_zero() {
            tokio::select! {
                () = pool.stopping.cancelled() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }
}

/// The next attempt to make; none while the store is held.
async fn next(pool: &Pool, key: EndpointKey) -> Option<(Job, Standing)> {
    while pool.store.is_held() && !pool.stopping.is_cancelled() {
        tokio::select! {
            () = pool.stopping.cancelled() => {}
            () = tokio::time::sleep(BEAT) => {}
        }
    }
    pool.take(key)
}

/// Nobody knows how far the attempt came: it is made again.
fn panicked(pool: &Pool, key: EndpointKey, id: DeliveryId) -> bool {
    let (seller, webhook) = key;
    tracing::error!(%seller, %webhook, delivery = %id, "a webhook attempt panicked, it is made again");
    pool.postpone(key, id, pool.clock.now().plus_seconds(POSTPONE_SECONDS));
    true
}

/// Makes an attempt once there is a place to look up its host and a slot for it, in this order:
/// who has a slot waits for its endpoint alone.
async fn in_turn(pool: &Arc<Pool>, key: EndpointKey, job: Job, standing: Standing) -> bool {
    let turn = async { (place(pool, key, standing).await, slot(pool, key, standing).await) };
    let (place, _slot) = tokio::select! {
        biased;
        () = pool.abandon.cancelled() => return false,
        turn = turn => turn,
    };
    one(pool, key, job, place).await
}

/// The slot that an attempt takes: among those of endpoints of the same standing, and, where that
/// is not prompt, among those of its seller.
async fn slot(
    pool: &Pool,
    key: EndpointKey,
    standing: Standing,
) -> (Option<SemaphorePermit<'_>>, Option<Slot>) {
    match standing {
        Standing::Prompt => (pool.prompt_slots.acquire().await.ok(), None),
        Standing::Unknown => (None, pool.unknown_slots.acquire(key.0).await),
        Standing::Slow => (None, pool.slow_slots.acquire(key.0).await),
    }
}

async fn one(pool: &Arc<Pool>, key: EndpointKey, job: Job, place: Option<Place>) -> bool {
    let began = Instant::now();
    let outcome = tokio::select! {
        biased;
        () = pool.abandon.cancelled() => return false,
        outcome = attempt(pool, key, &job, place) => outcome,
    };
    let delivery = job.delivery;
    let Some(outcome) = outcome else {
        let (seller, webhook) = key;
        tracing::debug!(%seller, %webhook, delivery = %delivery.id, "a webhook is not known or its seller not active, its delivery is postponed");
        pool.postpone(key, delivery.id, pool.clock.now().plus_seconds(POSTPONE_SECONDS));
        return true;
    };
    if !matches!(outcome, Outcome::Ended(_)) {
        let success = outcome == Outcome::Answered(RECEIVED);
        pool.attempted(key, success, began.elapsed() < PROMPT);
    }
    finish(pool, key, delivery, outcome).await;
    true
}

/// Hands what becomes of a delivery to the recorder.
pub(super) async fn finish(pool: &Pool, key: EndpointKey, delivery: Delivery, outcome: Outcome) {
    let now = pool.clock.now();
    let retry = match outcome {
        Outcome::Answered(RECEIVED) | Outcome::Ended(_) => None,
        _ => retry_at(pool, key, &delivery, now),
    };
    let was_due = delivery.next_attempt_at;
    let delivery = delivery.attempted(outcome, retry, now);
    log_failure(&delivery);
    // The recorder ends after the last worker; should it be gone, the row stays pending.
    let _ = pool.entries_in.send(Entry::Result { was_due, delivery }).await;
}

fn log_failure(delivery: &Delivery) {
    let Delivery { id, seller, webhook, attempts, .. } = delivery;
    let error = delivery.last_error.as_deref().unwrap_or_default();
    match delivery.status {
        DeliveryStatus::Delivered => {}
        DeliveryStatus::Pending => {
            tracing::debug!(%seller, %webhook, delivery = %id, attempts, error, "a webhook attempt failed and is tried again");
        }
        DeliveryStatus::Failed => {
            tracing::debug!(%seller, %webhook, delivery = %id, attempts, error, "a webhook delivery failed for good");
        }
    }
}

/// When to try again; never once the webhook is disabled.
fn retry_at(
    pool: &Pool,
    key: EndpointKey,
    delivery: &Delivery,
    now: Timestamp,
) -> Option<Timestamp> {
    let live = match (pool.lookup)(key.0, key.1) {
        Found::Destination(found) if found.webhook.status == WebhookStatus::Active => found.live,
        Found::Destination(_) | Found::Gone => return None,
        Found::Unknown => true,
    };
    let delays = if live { pool.settings.retry_live } else { pool.settings.retry_demo };
    delays.next(delivery.attempts + 1, u16::from_le_bytes(pool.entropy.bytes()), now)
}
