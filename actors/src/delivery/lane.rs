//! The tasks that make attempts. Each takes from one line until it is empty.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::LineKey;
use super::attempt::attempt;
use super::pool::Pool;
use super::record::Conclusion;
use crate::domain::platform::delivery::{Delivery, Outcome, RECEIVED};
use crate::domain::platform::webhook::WebhookStatus;
use crate::domain::time::Timestamp;

/// An endpoint that answers within this time does not share slots with slower ones.
const PROMPT: Duration = Duration::from_millis(500);

/// After how many seconds to look again for a webhook that could not be told.
const PUT_OFF_SECONDS: i64 = 5;

/// Makes attempts until the line is empty, its window has narrowed, or the pool stops.
pub(super) async fn run(pool: Arc<Pool>, key: LineKey) {
    while let Some((delivery, prompt)) = pool.take(key) {
        let slots = if prompt { &pool.prompt_slots } else { &pool.other_slots };
        let concluded = tokio::select! {
            biased;
            () = pool.abandon.cancelled() => false,
            slot = slots.acquire() => {
                let done = one(&pool, key, delivery).await;
                drop(slot);
                done
            }
        };
        if !concluded {
            pool.with_line(key, |line| line.close_lane());
            return;
        }
    }
}

/// Makes one attempt; false when the pool gave up waiting for it.
async fn one(pool: &Arc<Pool>, key: LineKey, delivery: Delivery) -> bool {
    let began = Instant::now();
    let outcome = tokio::select! {
        biased;
        () = pool.abandon.cancelled() => return false,
        outcome = attempt(pool, key, &delivery) => outcome,
    };
    let Some(outcome) = outcome else {
        let due = pool.clock.now().plus_seconds(PUT_OFF_SECONDS);
        pool.with_line(key, |line| line.release(delivery.id, Some(due)));
        pool.wake.notify_one();
        return true;
    };
    if !matches!(outcome, Outcome::Ended(_)) {
        let success = outcome == Outcome::Answered(RECEIVED);
        pool.learn(key, success, began.elapsed() < PROMPT);
    }
    conclude(pool, key, delivery, outcome).await;
    true
}

/// Hands what a delivery came to over to the recorder.
pub(super) async fn conclude(pool: &Pool, key: LineKey, delivery: Delivery, outcome: Outcome) {
    let now = pool.clock.now();
    let retry = match outcome {
        Outcome::Answered(RECEIVED) | Outcome::Ended(_) => None,
        _ => retry_at(pool, key, &delivery, now),
    };
    let was_due = delivery.next_attempt_at;
    let delivery = delivery.attempted(outcome, retry, now);
    // The recorder ends after the last lane; should it be gone, the row stays pending.
    let _ = pool.conclusions.send(Conclusion { was_due, delivery }).await;
}

/// When to try again; never once the webhook is disabled.
fn retry_at(pool: &Pool, key: LineKey, delivery: &Delivery, now: Timestamp) -> Option<Timestamp> {
    let destination = (pool.lookup)(key.0, key.1);
    let live = destination.as_ref().is_none_or(|destination| destination.live);
    if destination.is_some_and(|found| found.webhook.status != WebhookStatus::Active) {
        return None;
    }
    let delays = if live { pool.settings.retry_live } else { pool.settings.retry_demo };
    delays.next(delivery.attempts + 1, u16::from_le_bytes(pool.entropy.bytes()), now)
}
