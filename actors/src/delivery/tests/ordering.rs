//! Webhooks that keep order, and what lets go of it.

use std::sync::Arc;

use serde_json::Value;
use storage::Scan;

use super::fixture::{Fixture, SELLER, until};
use super::queues::active_again_while_an_attempt_hangs;
use super::receiver::Reply;
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::domain::platform::delivery::DeliveryStatus::{Delivered, Failed, Pending};
use crate::domain::platform::webhook::{Webhook, WebhookStatus};
use crate::tables::{DELIVERY_LINES, OPEN_DELIVERIES};

const HOOK: WebhookId = WebhookId(1);

async fn ordered() -> (Fixture, [Arc<Webhook>; 1]) {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    fixture.set_ordered(HOOK, true);
    (fixture, [webhook])
}

/// The sequences of what came, in the order in which it came.
fn sequences(fixture: &Fixture) -> Vec<u64> {
    let taken = fixture.receiver.taken();
    let sequence =
        |body: &[u8]| serde_json::from_slice::<Value>(body).unwrap()["sequence"].as_u64();
    taken.iter().filter_map(|taken| sequence(&taken.body)).collect()
}

fn lines(fixture: &Fixture) -> usize {
    fixture.store.scan(DELIVERY_LINES, Scan::all()).count()
}

/// Events of a contract whose first one is waiting for its second attempt.
async fn waiting(fixture: &Fixture, hook: &[Arc<Webhook>], contract: u64) -> Vec<DeliveryId> {
    fixture.receiver.reply("/hook", Reply::Status(500));
    let mut ids = fixture.tell(hook, fixture.events(1), contract).await;
    fixture.until_attempts(ids[0], 1).await;
    ids.extend(fixture.tell(hook, fixture.events(2), contract).await);
    until(|| ids.iter().all(|id| fixture.find(*id).is_some())).await;
    fixture.receiver.reply("/hook", Reply::Status(200));
    ids
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_one_object_come_in_order_and_one_at_a_time() {
    let (fixture, hook) = ordered().await;
    let mut ids = Vec::new();
    for _ in 0..10 {
        ids.extend(fixture.tell(&hook, fixture.events(4), 1).await);
    }
    fixture.until_status(&ids, Delivered).await;
    assert_eq!(sequences(&fixture), (1..=40).collect::<Vec<_>>());
    until(|| lines(&fixture) == 0).await;
    assert_eq!(fixture.store.scan(OPEN_DELIVERIES, Scan::all()).count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_waits_for_its_retry_holds_back_those_of_its_object_alone() {
    let (fixture, hook) = ordered().await;
    let held = waiting(&fixture, &hook, 1).await;
    let other = fixture.tell(&hook, fixture.events(2), 2).await;
    fixture.until_status(&other, Delivered).await;
    fixture.at_rest().await;
    assert_eq!(sequences(&fixture), [1, 4, 5]);
    assert!(held[1..].iter().all(|id| fixture.row(*id).is_held_back()));
    fixture.push_seconds(11);
    fixture.until_status(&held, Delivered).await;
    assert_eq!(sequences(&fixture), [1, 4, 5, 1, 2, 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_is_passed_over_after_its_last_attempt() {
    let (fixture, hook) = ordered().await;
    let ids = waiting(&fixture, &hook, 1).await;
    fixture.receiver.reply("/hook", Reply::Status(500));
    fixture.push_seconds(11);
    fixture.until_attempts(ids[0], 2).await;
    assert!(fixture.row(ids[1]).is_held_back());
    fixture.push_seconds(66);
    fixture.until_status(&ids[..1], Failed).await;
    fixture.until_attempts(ids[1], 1).await;
    fixture.receiver.reply("/hook", Reply::Status(200));
    fixture.push_seconds(11);
    fixture.until_status(&ids[1..], Delivered).await;
    assert_eq!(sequences(&fixture), [1, 1, 1, 2, 2, 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_keeps_the_order() {
    let (mut fixture, hook) = ordered().await;
    let ids = waiting(&fixture, &hook, 1).await;
    fixture.kill().await;
    fixture.restart();
    let late = fixture.tell(&hook, fixture.events(1), 1).await;
    until(|| fixture.find(late[0]).is_some()).await;
    fixture.at_rest().await;
    assert_eq!(sequences(&fixture), [1], "the first still waits for its retry");
    fixture.push_seconds(11);
    fixture.until_status(&[&ids[..], &late[..]].concat(), Delivered).await;
    assert_eq!(sequences(&fixture), [1, 1, 2, 3, 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_order_what_is_held_is_let_go_of() {
    let (fixture, hook) = ordered().await;
    let ids = waiting(&fixture, &hook, 1).await;
    fixture.set_ordered(HOOK, false);
    fixture.pool.webhook_unordered(SELLER, HOOK);
    fixture.until_status(&ids[1..], Delivered).await;
    assert_eq!((fixture.row(ids[0]).status, lines(&fixture)), (Pending, 0));
    fixture.push_seconds(11);
    fixture.until_status(&ids, Delivered).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redelivery_goes_at_once() {
    let (fixture, hook) = ordered().await;
    let ids = waiting(&fixture, &hook, 1).await;
    fixture.redeliver(SELLER, ids[2]).await.unwrap();
    fixture.until_status(&ids[2..], Delivered).await;
    assert_eq!(sequences(&fixture), [1, 3]);
    assert!(fixture.row(ids[1]).is_held_back());
    fixture.push_seconds(11);
    fixture.until_status(&ids, Delivered).await;
    assert_eq!(sequences(&fixture), [1, 3, 1, 2]);
    fixture.redeliver(SELLER, ids[0]).await.unwrap();
    until(|| sequences(&fixture).len() == 5).await;
    until(|| lines(&fixture) == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_ends_takes_what_it_holds_with_it() {
    for deleted in [false, true] {
        let (fixture, hook) = ordered().await;
        let ids = waiting(&fixture, &hook, 1).await;
        if deleted {
            fixture.delete(HOOK);
        } else {
            fixture.set_status(HOOK, WebhookStatus::Disabled);
        }
        fixture.pool.webhook_ended(SELLER, HOOK);
        fixture.until_status(&ids, Failed).await;
        let error = if deleted { "the webhook is deleted" } else { "the webhook is disabled" };
        assert_eq!(fixture.row(ids[2]).last_error.as_deref(), Some(error));
        until(|| lines(&fixture) == 0).await;
        assert_eq!(fixture.receiver.count("/hook"), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_in_order_to_a_webhook_that_is_active_again_does_not_end() {
    let (fixture, [webhook]) = ordered().await;
    active_again_while_an_attempt_hangs(&fixture, webhook).await;
}
