//! The tasks that make attempts. Each takes from one queue until it is empty.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::EndpointKey;
use super::attempt::attempt;
use super::pool::Pool;
use super::record::AttemptResult;
use crate::domain::platform::delivery::{Delivery, DeliveryStatus, Outcome, RECEIVED};
use crate::domain::platform::webhook::WebhookStatus;
use crate::domain::time::Timestamp;

/// An endpoint that answers within this time does not share slots with slower ones.
const PROMPT: Duration = Duration::from_millis(500);

/// Seconds until the next look for a webhook that could not be looked up.
const POSTPONE_SECONDS: i64 = 5;

/// Makes attempts until the queue is empty, its window has narrowed, or the pool stops.
pub(super) async fn run(pool: Arc<Pool>, key: EndpointKey) {
    while let Some((delivery, prompt)) = pool.take(key) {
        let slots = if prompt { &pool.prompt_slots } else { &pool.other_slots };
        let finished = tokio::select! {
            biased;
            () = pool.abandon.cancelled() => false,
            slot = slots.acquire() => {
                let finished = one(&pool, key, delivery).await;
                drop(slot);
                finished
            }
        };
        if !finished {
            pool.with_queue(key, |queue| queue.end_worker());
            return;
        }
    }
}

async fn one(pool: &Arc<Pool>, key: EndpointKey, delivery: Delivery) -> bool {
    let began = Instant::now();
    let outcome = tokio::select! {
        biased;
        () = pool.abandon.cancelled() => return false,
        outcome = attempt(pool, key, &delivery) => outcome,
    };
    let Some(outcome) = outcome else {
        let (seller, webhook) = key;
        tracing::debug!(%seller, %webhook, delivery = %delivery.id, "a webhook is not known at the moment, its delivery is postponed");
        let due = pool.clock.now().plus_seconds(POSTPONE_SECONDS);
        pool.with_queue(key, |queue| queue.release(delivery.id, Some(due)));
        pool.wake.notify_one();
        return true;
    };
    if !matches!(outcome, Outcome::Ended(_)) {
        let success = outcome == Outcome::Answered(RECEIVED);
        pool.attempted(key, success, began.elapsed() < PROMPT);
    }
    finish(pool, key, delivery, outcome).await;
    true
}

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
    let _ = pool.results.send(AttemptResult { was_due, delivery }).await;
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
    let destination = (pool.lookup)(key.0, key.1);
    let live = destination.as_ref().is_none_or(|destination| destination.live);
    if destination.is_some_and(|found| found.webhook.status != WebhookStatus::Active) {
        return None;
    }
    let delays = if live { pool.settings.retry_live } else { pool.settings.retry_demo };
    delays.next(delivery.attempts + 1, u16::from_le_bytes(pool.entropy.bytes()), now)
}
