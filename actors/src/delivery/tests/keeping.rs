//! How long events and deliveries are kept, and what waits meanwhile.

use std::collections::HashMap;
use std::sync::Arc;

use storage::{Batch, Scan, Table};

use super::fixture::{Fixture, SELLER, settings, until};
use super::receiver::Reply;
use crate::delivery::retain::sweep;
use crate::delivery::{DeliverySettings, Origin, stage_events};
use crate::domain::ids::SellerId;
use crate::domain::platform::delivery::DeliveryStatus::{Delivered, Failed, Pending};
use crate::domain::platform::webhook::Webhook;
use crate::tables::{DELIVERY_INDEX, EVENTS, EXPANDED, OPEN_DELIVERIES, ids};

const DAY: i64 = 24 * 3_600;

#[tokio::test(flavor = "multi_thread")]
async fn events_and_deliveries_are_deleted_together_after_their_days() {
    let fixture = Fixture::with(DeliverySettings { keep_days: 2, ..settings() }).await;
    let webhooks = [fixture.webhook(1, "/a"), fixture.webhook(2, "/b")];
    let old = fixture.emit(&webhooks, 600).await;
    fixture.until_status(&old, Delivered).await;
    until(|| fixture.cursor() == 600).await;
    fixture.push_seconds(DAY);
    let late = fixture.emit(&webhooks, 3).await;
    fixture.until_status(&late, Delivered).await;

    fixture.push_seconds(DAY - 1);
    sweep(&fixture.pool.pool).await;
    assert_eq!((fixture.count_events(), fixture.count_deliveries()), (603, 1_206));
    fixture.push_seconds(2);
    // The pool's own sweeper may be at it too; of what one has claimed, the other leaves the rest.
    sweep(&fixture.pool.pool).await;
    until(|| (fixture.count_events(), fixture.count_deliveries()) == (3, 6)).await;
    assert_eq!(fixture.store.scan(DELIVERY_INDEX, Scan::all()).count(), 6);
    assert!(late.iter().all(|id| fixture.find(*id).is_some()));

    // The sequence goes on where it was.
    fixture.emit(&webhooks, 1).await;
    let last = fixture.store.scan(EVENTS, Scan::all().reverse()).next().unwrap().unwrap();
    assert_eq!(last.0, (SELLER, 604));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_still_waits_ends_before_it_is_deleted() {
    let fixture = Fixture::with(DeliverySettings { keep_days: 1, ..settings() }).await;
    let webhook = fixture.webhook(1, "/hook");
    fixture.set_open(false);
    let ids = fixture.emit(&[webhook], 2).await;
    fixture.until_status(&ids, Pending).await;
    until(|| fixture.cursor() == 2).await;
    fixture.push_seconds(2 * DAY);
    sweep(&fixture.pool.pool).await;
    fixture.until_status(&ids[..1], Failed).await;
    assert_eq!(fixture.row(ids[0]).last_error.as_deref(), Some("the event is no longer kept"));
    until(|| fixture.pool.counts().held == 0).await;
    for _ in 0..2 {
        sweep(&fixture.pool.pool).await;
        until(|| fixture.pool.counts().held == 0).await;
    }
    assert_eq!((fixture.count_events(), fixture.count_deliveries()), (0, 0));
    assert_eq!(fixture.store.scan(OPEN_DELIVERIES, Scan::all()).count(), 0);
    assert_eq!(fixture.receiver.count("/hook"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_cannot_be_read_keeps_no_events_of_others() {
    let fixture = Fixture::with(DeliverySettings { keep_days: 1, ..settings() }).await;
    let heard = fixture.emit(&[fixture.webhook(1, "/hook")], 3).await;
    fixture.until_status(&heard, Delivered).await;
    until(|| fixture.cursor() == 3).await;
    // Of a seller in the shard before.
    let raw: Table<(SellerId, u64), Vec<u8>> = Table::new(EVENTS.tag(), EVENTS.name());
    let mut batch = Batch::new();
    batch.put(raw, &(SellerId(1_024), 1), &vec![0xFF, 0xFF]);
    fixture.store.write(batch).await.unwrap();
    fixture.push_seconds(2 * DAY);
    sweep(&fixture.pool.pool).await;
    until(|| fixture.count_deliveries() == 0).await;
    assert_eq!(fixture.count_events(), 1, "it is left for who looks at it");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_restored_stays_until_somebody_has_looked_at_it() {
    let fixture = Fixture::with(DeliverySettings { keep_days: 1, ..settings() }).await;
    let heard = fixture.emit(&[fixture.webhook(1, "/hook")], 3).await;
    fixture.until_status(&heard, Delivered).await;
    until(|| fixture.cursor() == 3).await;
    fixture.store.hold_as_restored();
    fixture.push_seconds(2 * DAY);
    assert!(sweep(&fixture.pool.pool).await, "it is looked for again soon");
    assert_eq!((fixture.count_events(), fixture.count_deliveries()), (3, 3));
    assert_eq!(fixture.store.resume(), Ok(true));
    sweep(&fixture.pool.pool).await;
    until(|| (fixture.count_events(), fixture.count_deliveries()) == (0, 0)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_of_a_seller_who_is_not_active_wait() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    fixture.set_open(false);
    let ids = fixture.emit(&[webhook], 50).await;
    fixture.until_status(&ids, Pending).await;
    fixture.push_seconds(3_600);
    fixture.at_rest().await;
    assert_eq!(fixture.receiver.count("/hook"), 0);
    assert!(ids.iter().all(|id| fixture.row(*id).attempts == 0));
    fixture.set_open(true);
    fixture.push_seconds(10);
    fixture.until_status(&ids, Delivered).await;
    assert_eq!(fixture.receiver.count("/hook"), 50);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_before_the_cursor_is_written_makes_no_delivery_twice() {
    let mut fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    let ids = fixture.emit(&[webhook], 100).await;
    fixture.until_status(&ids, Delivered).await;
    fixture.kill().await;
    // As if none of the cursors had come to the disk.
    let mut batch = Batch::new();
    batch.delete(EXPANDED, &SELLER);
    fixture.store.write(batch).await.unwrap();
    fixture.restart();
    until(|| fixture.cursor() == 100).await;
    fixture.at_rest().await;
    assert_eq!((fixture.receiver.count("/hook"), fixture.count_deliveries()), (100, 100));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_webhooks_of_one_seller_keep_no_other_waiting() {
    let small = DeliverySettings { held: 64, ..settings() };
    let fixture = Fixture::with(small).await;
    fixture.receiver.reply("/dead", Reply::Never);
    let dead: Vec<_> = (1..=100).map(|id| fixture.webhook(id, "/dead")).collect();
    fixture.emit(&dead, 40).await;

    let other = SellerId(2);
    let prompt = fixture.webhook(120, "/prompt");
    let prompt = [Arc::new(Webhook { seller: other, ..(*prompt).clone() })];
    let mut batch = Batch::new();
    let origin = Origin { seller: other, ..fixture.origin() };
    let next = || fixture.store.next_id_in(ids::EVENT, SELLER.shard());
    let staged = stage_events(&mut batch, &origin, &prompt, &fixture.events(200), next);
    fixture.store.write(batch).await.unwrap();
    fixture.pool.notify(&staged.unwrap());
    until(|| fixture.receiver.count("/prompt") == 200).await;
    let mut times: HashMap<_, usize> = HashMap::new();
    for taken in fixture.receiver.taken() {
        *times.entry((taken.path, taken.body)).or_default() += 1;
    }
    let twice = |((path, _), count): (&(String, _), &usize)| path == "/prompt" && *count > 1;
    assert!(!times.iter().any(twice));
    // A few for each endpoint, however full the memory is.
    let held = fixture.pool.counts().held;
    assert!(held <= 64 + 101 * 16, "{held}");
    until(|| fixture.count_deliveries() >= 4_000).await;
}
