use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use storage::testing::AfterFailure;
use storage::{Batch, Scan};

use super::fixture::{Fixture, settings, until};
use super::receiver::{Receiver, Reply};
use crate::delivery::DeliverySettings;
use crate::domain::ids::DeliveryId;
use crate::domain::platform::delivery::DeliveryStatus::{Delivered, Failed, Pending};
use crate::domain::platform::webhook::{Webhook, WebhookStatus};
use crate::tables::OPEN_DELIVERIES;

/// How often each body came.
fn times_taken(receiver: &Receiver) -> HashMap<Bytes, usize> {
    let mut times = HashMap::new();
    for taken in receiver.taken() {
        *times.entry(taken.body).or_insert(0) += 1;
    }
    times
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_endpoints_delay_no_other() {
    let fixture = Fixture::with(DeliverySettings { at_once: 16, ..settings() }).await;
    let [prompt, new] = [8, 9].map(|id| fixture.webhook(id, "/prompt"));
    let warm = fixture.emit(std::slice::from_ref(&prompt), 1).await;
    fixture.until_status(&warm, Delivered).await;

    let hanging: Vec<_> = (1..5).map(|id| fixture.webhook(id, "/hang")).collect();
    fixture.receiver.reply("/hang", Reply::Status(500));
    for id in fixture.emit(&hanging, 1).await {
        fixture.until_attempts(id, 1).await;
    }
    fixture.receiver.reply("/hang", Reply::Never);
    fixture.emit(&hanging, 50).await;
    until(|| fixture.receiver.count("/hang") >= 4 + 8).await;

    let began = Instant::now();
    let ids = fixture.emit(&[prompt, new], 300).await;
    fixture.until_status(&ids, Delivered).await;
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_memory_has_no_room_for_comes_from_disk() {
    let small = DeliverySettings { held_per_endpoint: 8, ..settings() };
    let fixture = Fixture::with(small).await;
    let webhook = fixture.webhook(1, "/hook");
    let ids = fixture.emit(&[webhook], 300).await;
    assert!(fixture.pool.counts().held <= 8);
    fixture.until_status(&ids, Delivered).await;
    let times = times_taken(&fixture.receiver);
    assert_eq!(times.len(), 300);
    assert!(times.values().all(|&count| count == 1), "each was sent once");
    assert_eq!(fixture.store.scan(OPEN_DELIVERIES, Scan::all()).count(), 0);
}

/// Ends a pool in the middle of 400 deliveries and starts another. Answers how many were sent
/// twice, and how many were sent and not recorded when the first one ended.
async fn restarted_in_the_middle(killed: bool) -> (usize, usize) {
    let mut fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    fixture.receiver.reply("/hook", Reply::After(Duration::from_millis(5), 200));
    let ids = fixture.emit(&[webhook], 400).await;
    until(|| fixture.receiver.count("/hook") >= 100).await;
    if killed {
        fixture.kill().await
    } else {
        fixture.stop().await
    }
    let delivered = |id: &DeliveryId| fixture.find(*id).is_some_and(|row| row.status == Delivered);
    let recorded = ids.iter().filter(|id| delivered(id)).count();
    let sent = times_taken(&fixture.receiver).len();
    assert!(recorded < 400, "the end came in the middle");

    fixture.restart();
    fixture.until_status(&ids, Delivered).await;
    let times = times_taken(&fixture.receiver);
    assert_eq!(times.len(), 400, "none is lost");
    assert_eq!(fixture.store.scan(OPEN_DELIVERIES, Scan::all()).count(), 0);
    (times.values().map(|count| count - 1).sum(), sent - recorded)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_loses_none_and_repeats_what_was_not_recorded() {
    let (repeated, unrecorded) = restarted_in_the_middle(true).await;
    assert_eq!(repeated, unrecorded);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_in_the_middle_repeats_at_most_what_was_under_way() {
    let (repeated, unrecorded) = restarted_in_the_middle(false).await;
    assert_eq!(repeated, unrecorded);
    assert!(repeated <= DeliverySettings::default().per_endpoint, "{repeated}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_pool_was_never_notified_of_is_found_at_the_start() {
    let mut fixture = Fixture::new().await;
    let webhooks = [fixture.webhook(1, "/a"), fixture.webhook(2, "/b")];
    let mut batch = Batch::new();
    let (staged, ids) =
        fixture.stage(&mut batch, &fixture.origin(), &webhooks, &fixture.events(20));
    fixture.store.write(batch).await.unwrap();
    drop(staged);
    assert_eq!(fixture.receiver.taken().len(), 0);
    fixture.kill().await;
    fixture.restart();
    fixture.until_status(&ids, Delivered).await;
    assert_eq!((fixture.receiver.count("/a"), fixture.receiver.count("/b")), (20, 20));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_outlives_a_restart_with_its_time() {
    let mut fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    fixture.receiver.reply("/hook", Reply::Status(500));
    let id = fixture.emit(&[webhook], 1).await[0];
    fixture.until_attempts(id, 1).await;
    fixture.kill().await;
    fixture.restart();
    fixture.at_rest().await;
    assert_eq!(fixture.receiver.taken().len(), 1, "not before its time");
    fixture.push_seconds(11);
    fixture.until_attempts(id, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_lets_attempts_finish_and_begins_none() {
    let grace = Duration::from_secs(20);
    let fixture = Fixture::with(DeliverySettings { grace, ..settings() }).await;
    let webhook = fixture.webhook(1, "/hook");
    fixture.receiver.reply("/hook", Reply::WhenReleased);
    let ids = fixture.emit(&[webhook], 40).await;
    until(|| !fixture.receiver.taken().is_empty()).await;
    let release = async {
        until(|| fixture.pool.pool.stopping.is_cancelled()).await;
        fixture.receiver.release();
    };
    tokio::join!(fixture.pool.stop(), release);
    let sent = fixture.receiver.taken().len();
    let delivered = |id: &DeliveryId| fixture.find(*id).is_some_and(|row| row.status == Delivered);
    assert_eq!(ids.iter().filter(|id| delivered(id)).count(), sent, "what was sent is recorded");
    assert!(sent < 40);
    assert!(fixture.pool.pool.tasks.is_empty(), "nobody is left to begin one");
    assert_eq!(fixture.pool.counts().attempts, sent as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_cannot_be_written_is_attempted_again() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    // The second commit is the first of the recorder.
    fixture.store.fail_at(2, AfterFailure::WorksOn);
    let id = fixture.emit(&[webhook], 1).await[0];
    until(|| fixture.receiver.count("/hook") == 1).await;
    fixture.at_rest().await;
    assert_eq!(fixture.row(id).status, Pending);
    fixture.push_seconds(5);
    fixture.until_status(&[id], Delivered).await;
    assert_eq!(fixture.receiver.count("/hook"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn disabling_ends_what_waits() {
    let small = DeliverySettings { held_per_endpoint: 8, ..settings() };
    let fixture = Fixture::with(small).await;
    let webhook = fixture.webhook(1, "/hook");
    fixture.receiver.reply("/hook", Reply::Status(500));
    let ids = fixture.emit(std::slice::from_ref(&webhook), 50).await;
    for id in &ids {
        fixture.until_attempts(*id, 1).await;
    }

    fixture.set_status(webhook.id, WebhookStatus::Disabled);
    fixture.pool.webhook_ended(webhook.seller, webhook.id);
    fixture.until_status(&ids, Failed).await;
    let row = fixture.row(ids[0]);
    assert_eq!((row.attempts, row.last_error.as_deref()), (1, Some("the webhook is disabled")));
    fixture.push_seconds(1_000);
    fixture.at_rest().await;
    assert_eq!(fixture.receiver.count("/hook"), 50);
    assert_eq!(fixture.store.scan(OPEN_DELIVERIES, Scan::all()).count(), 0);
}

/// Disables a webhook while an attempt hangs, and tells of another event once it is active again.
pub(super) async fn active_again_while_an_attempt_hangs(fixture: &Fixture, webhook: Arc<Webhook>) {
    let (seller, id) = (webhook.seller, webhook.id);
    let hook = [webhook];
    fixture.receiver.reply("/hook", Reply::Status(500));
    let waits = fixture.tell(&hook, fixture.events(1), 1).await;
    fixture.until_attempts(waits[0], 1).await;
    fixture.receiver.reply("/hook", Reply::WhenReleased);
    fixture.tell(&hook, fixture.events(1), 2).await;
    until(|| fixture.receiver.count("/hook") == 2).await;
    fixture.set_status(id, WebhookStatus::Disabled);
    fixture.pool.webhook_ended(seller, id);
    fixture.until_status(&waits, Failed).await;

    fixture.set_status(id, WebhookStatus::Active);
    fixture.receiver.reply("/hook", Reply::Status(500));
    let new = fixture.tell(&hook, fixture.events(1), 3).await;
    fixture.until_attempts(new[0], 1).await;
    // Three tasks never end; the fourth is the attempt that hangs.
    until(|| fixture.pool.pool.tasks.len() == 4).await;
    assert_eq!(fixture.row(new[0]).status, Pending);
    fixture.receiver.reply("/hook", Reply::Status(200));
    fixture.push_seconds(12);
    fixture.until_status(&new, Delivered).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_to_a_webhook_that_is_active_again_does_not_end() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    active_again_while_an_attempt_hangs(&fixture, webhook).await;
}
