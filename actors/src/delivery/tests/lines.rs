use std::collections::HashMap;
use std::time::{Duration, Instant};

use bytes::Bytes;
use storage::testing::AfterFailure;
use storage::{Batch, Scan};

use super::receiver::{Receiver, Reply};
use super::world::{World, settings, until};
use crate::delivery::DeliverySettings;
use crate::domain::platform::delivery::DeliveryStatus::{Delivered, Failed, Pending};
use crate::domain::platform::webhook::WebhookStatus;
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
    let world = World::with(DeliverySettings { at_once: 8, ..settings() }).await;
    let prompt = world.webhook(9, "/prompt");
    let warm = world.emit(std::slice::from_ref(&prompt), 1).await;
    world.until_status(&warm, Delivered).await;

    let hanging: Vec<_> = (1..5).map(|id| world.webhook(id, "/hang")).collect();
    world.receiver.reply("/hang", Reply::Never);
    world.emit(&hanging, 50).await;
    until(|| world.receiver.count("/hang") >= 8).await;

    let began = Instant::now();
    let ids = world.emit(&[prompt], 300).await;
    world.until_status(&ids, Delivered).await;
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_memory_has_no_room_for_comes_from_disk() {
    let small = DeliverySettings { held_per_endpoint: 8, ..settings() };
    let world = World::with(small).await;
    let webhook = world.webhook(1, "/hook");
    let ids = world.emit(&[webhook], 300).await;
    assert!(world.pool.counts().waiting <= 8);
    world.until_status(&ids, Delivered).await;
    let times = times_taken(&world.receiver);
    assert_eq!(times.len(), 300);
    assert!(times.values().all(|&count| count == 1), "each was sent once");
    assert_eq!(world.store.scan(OPEN_DELIVERIES, Scan::all()).count(), 0);
}

/// Ends a pool in the middle of 400 deliveries and starts another. Answers how many were sent
/// twice, and how many were sent and not recorded when the first one ended.
async fn restarted_in_the_middle(killed: bool) -> (usize, usize) {
    let mut world = World::new().await;
    let webhook = world.webhook(1, "/hook");
    world.receiver.reply("/hook", Reply::After(Duration::from_millis(5), 200));
    let ids = world.emit(&[webhook], 400).await;
    until(|| world.receiver.count("/hook") >= 100).await;
    if killed {
        world.kill().await
    } else {
        world.stop().await
    }
    let open = world.store.scan(OPEN_DELIVERIES, Scan::all()).count();
    let sent = times_taken(&world.receiver).len();
    assert!(open > 0, "the end came in the middle");

    world.revive();
    world.until_status(&ids, Delivered).await;
    let times = times_taken(&world.receiver);
    assert_eq!(times.len(), 400, "none is lost");
    assert_eq!(world.store.scan(OPEN_DELIVERIES, Scan::all()).count(), 0);
    (times.values().map(|count| count - 1).sum(), sent + open - 400)
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
async fn what_was_never_told_to_the_pool_is_found_at_the_start() {
    let mut world = World::new().await;
    let webhooks = [world.webhook(1, "/a"), world.webhook(2, "/b")];
    let mut batch = Batch::new();
    let staged = world.stage(&mut batch, &webhooks, 20);
    let ids: Vec<_> = staged.deliveries.iter().map(|delivery| delivery.id).collect();
    world.store.write(batch).await.unwrap();
    drop(staged);
    assert_eq!(world.receiver.taken().len(), 0);
    world.kill().await;
    world.revive();
    world.until_status(&ids, Delivered).await;
    assert_eq!((world.receiver.count("/a"), world.receiver.count("/b")), (20, 20));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_outlives_a_restart_with_its_time() {
    let mut world = World::new().await;
    let webhook = world.webhook(1, "/hook");
    world.receiver.reply("/hook", Reply::Status(500));
    let id = world.emit(&[webhook], 1).await[0];
    world.until_attempts(id, 1).await;
    world.kill().await;
    world.revive();
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(world.receiver.taken().len(), 1, "not before its time");
    world.push_seconds(11);
    world.until_attempts(id, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_lets_attempts_finish_and_begins_none() {
    let grace = Duration::from_secs(5);
    let world = World::with(DeliverySettings { grace, ..settings() }).await;
    let webhook = world.webhook(1, "/hook");
    world.receiver.reply("/hook", Reply::After(Duration::from_millis(300), 200));
    let ids = world.emit(&[webhook], 40).await;
    until(|| world.receiver.taken().len() >= 4).await;
    world.pool.stop().await;
    let sent = world.receiver.taken().len();
    let delivered = ids.iter().filter(|id| world.row(**id).status == Delivered).count();
    assert_eq!(delivered, sent, "what was sent is recorded");
    assert!(sent < 40);
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(world.receiver.taken().len(), sent);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conclusion_that_cannot_be_written_is_attempted_again() {
    let world = World::new().await;
    let webhook = world.webhook(1, "/hook");
    let mut batch = Batch::new();
    let staged = world.stage(&mut batch, &[webhook], 1);
    let id = staged.deliveries[0].id;
    // The second commit is the conclusion's, whoever finds the delivery first: notice or scan.
    world.store.fail_at(2, AfterFailure::WorksOn);
    world.store.write(batch).await.unwrap();
    world.pool.notify(staged);
    until(|| world.receiver.count("/hook") == 1).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(world.row(id).status, Pending);
    world.push_seconds(5);
    world.until_status(&[id], Delivered).await;
    assert_eq!(world.receiver.count("/hook"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn disabling_ends_what_waits() {
    let small = DeliverySettings { held_per_endpoint: 8, ..settings() };
    let world = World::with(small).await;
    let webhook = world.webhook(1, "/hook");
    world.receiver.reply("/hook", Reply::Status(500));
    let ids = world.emit(std::slice::from_ref(&webhook), 50).await;
    until(|| ids.iter().all(|id| world.row(*id).attempts == 1)).await;

    world.set_status(webhook.id, WebhookStatus::Disabled);
    world.pool.webhook_disabled(webhook.seller, webhook.id);
    world.until_status(&ids, Failed).await;
    let row = world.row(ids[0]);
    assert_eq!((row.attempts, row.last_error.as_deref()), (1, Some("the webhook is disabled")));
    world.push_seconds(1_000);
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(world.receiver.count("/hook"), 50);
    assert_eq!(world.store.scan(OPEN_DELIVERIES, Scan::all()).count(), 0);
}
