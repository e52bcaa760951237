//! Panics: wherever one falls, nothing is left undone.

use super::fixture::{Fixture, SELLER, until};
use super::receiver::Reply;
use crate::delivery::claims::Claims;
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::domain::platform::delivery::DeliveryStatus::{Delivered, Failed};
use crate::domain::platform::webhook::WebhookStatus;

#[tokio::test(flavor = "multi_thread")]
async fn wherever_a_panic_falls_each_event_is_delivered() {
    let fixture = Fixture::new().await;
    let webhook = [fixture.webhook(1, "/hook")];
    // The expander looks for the webhook, the attempt (for its host first), the retry, the fetch,
    // and the attempt again.
    for look_up in 1..=7 {
        fixture.receiver.reply("/hook", Reply::Status(500));
        fixture.panic_at(look_up);
        let id = fixture.emit(&webhook, 1).await[0];
        until(|| {
            fixture.push_seconds(1);
            fixture.find(id).is_some_and(|found| found.attempts >= 1)
        })
        .await;
        fixture.receiver.reply("/hook", Reply::Status(200));
        until(|| {
            fixture.push_seconds(1);
            fixture.row(id).status == Delivered
        })
        .await;
        assert!(fixture.has_panicked(), "{look_up}");
    }
    fixture.at_rest().await;
    until(|| fixture.cursor() == 7).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_webhook_that_ends_is_ended_although_ending_it_panics() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    fixture.receiver.reply("/hook", Reply::Status(500));
    let id = fixture.emit(&[webhook], 1).await[0];
    fixture.until_attempts(id, 1).await;
    fixture.at_rest().await;
    fixture.set_status(WebhookId(1), WebhookStatus::Disabled);
    fixture.panic_at(1);
    fixture.pool.webhook_ended(SELLER, WebhookId(1));
    fixture.until_status(&[id], Failed).await;
    assert!(fixture.has_panicked());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_claimed_is_given_back_unless_it_is_handed_on() {
    let fixture = Fixture::new().await;
    let (pool, key) = (&fixture.pool.pool, (SELLER, WebhookId(1)));
    for (id, is_handed_on) in [(DeliveryId(1), true), (DeliveryId(2), false)] {
        assert!(pool.claim(key, id));
        let mut claims = Claims::of(pool);
        claims.note(key, id, None);
        if is_handed_on {
            claims.keep();
        } else {
            drop(claims);
        }
        assert_eq!(pool.claim(key, id), !is_handed_on);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_recorder_was_given_is_recorded_although_it_panics() {
    let fixture = Fixture::new().await;
    let webhook = [fixture.webhook(1, "/hook")];
    for ordered in [false, true] {
        fixture.set_ordered(WebhookId(1), ordered);
        fixture.pool.pool.fail_recorder();
        let ids = fixture.emit(&webhook, 3).await;
        until(|| {
            fixture.push_seconds(1);
            let delivered = |id| fixture.find(id).is_some_and(|found| found.status == Delivered);
            ids.iter().all(|id| delivered(*id))
        })
        .await;
    }
    fixture.at_rest().await;
    until(|| fixture.cursor() == 6).await;
}
