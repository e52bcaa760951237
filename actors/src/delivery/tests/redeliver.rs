use std::time::Duration;

use storage::Batch;

use super::fixture::{Fixture, SELLER, settings, until};
use super::receiver::Reply;
use crate::delivery::list::ranges;
use crate::delivery::{DeliveryFilter, DeliverySettings, RedeliverError, deliveries_page, rows};
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::Delivery;
use crate::domain::platform::delivery::DeliveryStatus::{self, Delivered, Failed};
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::platform::webhook::WebhookStatus;
use crate::domain::refusal::{Refusal, RefusalKind};

/// A webhook whose deliveries have all failed.
async fn failed(fixture: &Fixture, count: usize) -> Vec<DeliveryId> {
    let webhook = fixture.webhook(1, "/hook");
    fixture.receiver.reply("/hook", Reply::Status(500));
    let ids = fixture.emit(&[webhook], count).await;
    for _ in 0..2 {
        let waits = |id: &DeliveryId| {
            let row = fixture.find(*id);
            row.is_some_and(|row| {
                row.attempts > 0 && row.next_attempt_at > Some(fixture.clock.now())
            })
        };
        until(|| ids.iter().all(waits)).await;
        fixture.push_seconds(66);
    }
    fixture.until_status(&ids, Failed).await;
    fixture.receiver.reply("/hook", Reply::Status(200));
    ids
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redelivery_keeps_event_and_body() {
    let fixture = Fixture::new().await;
    let id = failed(&fixture, 1).await[0];
    let before = fixture.row(id);
    let again = fixture.redeliver(SELLER, id).await.unwrap();
    assert_eq!((again.status, again.attempts), (DeliveryStatus::Pending, 0));
    fixture.until_status(&[id], Delivered).await;
    let after = fixture.row(id);
    assert_eq!((after.event, after.attempts), (before.event, 1));
    let bodies: Vec<_> = fixture.receiver.taken().into_iter().map(|taken| taken.body).collect();
    assert!(bodies.len() == 4 && bodies.iter().all(|body| *body == bodies[0]));

    fixture.redeliver(SELLER, id).await.unwrap();
    until(|| fixture.receiver.taken().len() == 5).await;
}

/// A pending delivery whose first attempt failed, to an endpoint that gives up soon.
async fn waiting() -> (Fixture, DeliveryId) {
    let timeout = Duration::from_millis(500);
    let fixture = Fixture::with(DeliverySettings { timeout, ..settings() }).await;
    let webhook = fixture.webhook(1, "/hook");
    fixture.receiver.reply("/hook", Reply::Status(500));
    let id = fixture.emit(&[webhook], 1).await[0];
    fixture.until_attempts(id, 1).await;
    (fixture, id)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redelivery_asked_for_during_an_attempt_begins_once_that_has_ended() {
    let (fixture, id) = waiting().await;
    fixture.receiver.reply("/hook", Reply::Never);
    fixture.push_seconds(11);
    until(|| fixture.receiver.count("/hook") == 2).await;
    // The request that hangs is not answered any more, the next one is.
    fixture.receiver.reply("/hook", Reply::Status(200));
    let again = fixture.redeliver(SELLER, id).await.unwrap();
    assert_eq!((again.status, again.attempts), (DeliveryStatus::Pending, 0));
    fixture.until_status(&[id], Delivered).await;
    assert_eq!((fixture.row(id).attempts, fixture.receiver.count("/hook")), (1, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redelivery_during_an_attempt_that_does_not_end_is_refused_and_may_be_asked_again() {
    let (fixture, id) = waiting().await;
    let key = (SELLER, WebhookId(1));
    // As a worker holds it whose endpoint is never done.
    until(|| fixture.pool.pool.claim(key, id)).await;
    let before = fixture.row(id);
    let Err(RedeliverError::Refused(refused)) = fixture.redeliver(SELLER, id).await else {
        panic!("refused")
    };
    assert_eq!(refused.kind, RefusalKind::Conflict);
    assert_eq!(fixture.row(id), before);
    fixture.pool.pool.with_queue(key, |queue| queue.release(id, before.next_attempt_at));
    let again = fixture.redeliver(SELLER, id).await.unwrap();
    assert_eq!((again.status, again.attempts), (DeliveryStatus::Pending, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redelivery_that_was_made_while_it_waited_is_not_made_again() {
    let (fixture, id) = waiting().await;
    let before = fixture.row(id);
    let answered = fixture.pool.redeliver(SELLER, id, || Ok(true)).await.unwrap();
    assert_eq!(answered, before);
    assert_eq!(fixture.row(id), before);
    assert_eq!(fixture.receiver.count("/hook"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redelivery_of_nothing_or_to_nobody_is_refused() {
    let fixture = Fixture::new().await;
    let id = failed(&fixture, 1).await[0];
    let missing = Err(RedeliverError::Refused(Refusal::missing()));
    assert_eq!(fixture.redeliver(SELLER, DeliveryId(99_999)).await, missing);
    assert_eq!(fixture.redeliver(SellerId(2), id).await, missing);
    fixture.set_status(WebhookId(1), WebhookStatus::Disabled);
    let Err(RedeliverError::Refused(refused)) = fixture.redeliver(SELLER, id).await else {
        panic!("refused")
    };
    assert_eq!(refused.kind, RefusalKind::Conflict);
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_ones_since_an_instant_are_delivered_again() {
    let fixture = Fixture::new().await;
    let early = failed(&fixture, 3).await;
    fixture.push_seconds(3_600);
    let since = fixture.clock.now();
    let late = failed(&fixture, 5).await;
    let webhook = WebhookId(1);
    let count = fixture.pool.redeliver_failed(SELLER, webhook, since).await.unwrap();
    assert_eq!(count, 5);
    fixture.until_status(&late, Delivered).await;
    assert!(early.iter().all(|id| fixture.row(*id).status == Failed));
    until(|| fixture.pool.counts().held == 0).await;
    assert_eq!(fixture.pool.redeliver_failed(SELLER, webhook, since).await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_newest_first_and_narrowed_by_filters() {
    let fixture = Fixture::new().await;
    let webhooks = [fixture.webhook(1, "/a"), fixture.webhook(2, "/b")];
    let ids = fixture.emit(&webhooks, 3).await;
    fixture.until_status(&ids, Delivered).await;
    let list = |filter: DeliveryFilter, before, limit| {
        let page = deliveries_page(&fixture.store, SELLER, &filter, before, limit).unwrap();
        let ids: Vec<_> = page.deliveries.iter().map(|delivery| delivery.id).collect();
        (ids, page.next)
    };
    let newest: Vec<_> = ids.iter().rev().copied().collect();
    let all = DeliveryFilter::default();
    assert_eq!(list(all, None, 100), (newest.clone(), None));
    assert_eq!(list(all, None, 4), (newest[..4].to_vec(), Some(newest[3])));
    assert_eq!(list(all, Some(newest[3]), 4), (newest[4..].to_vec(), None));
    let second = DeliveryFilter { webhook: Some(WebhookId(2)), ..all };
    assert_eq!(list(second, None, 100), (vec![newest[0], newest[2], newest[4]], None));
    let failed = DeliveryFilter { status: Some(Failed), ..all };
    assert_eq!(list(failed, None, 100), (Vec::new(), None));
    let paid = DeliveryFilter { event_type: Some(EventType::InvoicePaid), ..all };
    assert_eq!(list(paid, None, 100).0.len(), 6);
    let other = deliveries_page(&fixture.store, SellerId(2), &all, None, 100).unwrap();
    assert!(other.deliveries.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_reads_what_it_lets_through_and_little_else() {
    let fixture = Fixture::new().await;
    let webhooks = [fixture.webhook(1, "/a"), fixture.webhook(2, "/b")];
    // Rows as the pool leaves them: 3,000 that were delivered, and among them a few that were not.
    let mut batch = Batch::new();
    let mut rare = Vec::new();
    for (sequence, kind) in (1..=3_000).map(|sequence| match sequence {
        700 => (sequence, EventType::InvoiceVoided),
        _ => (sequence, EventType::InvoicePaid),
    }) {
        let event = NewEvent { kind, ..fixture.events(1)[0].clone() };
        let event = fixture.origin().event(sequence, &event, &webhooks);
        for place in 0..2 {
            let first = Delivery::first(SELLER, sequence, &event, place).unwrap();
            let status = if sequence % 1_000 == 5 { Failed } else { Delivered };
            let delivery = Delivery { status, next_attempt_at: None, ..first };
            rows::put(&mut batch, None, &delivery);
            rare.extend((status == Failed).then_some(delivery.id));
        }
    }
    fixture.store.write(batch).await.unwrap();
    rare.reverse();
    let all = DeliveryFilter::default();
    let list = |filter: &DeliveryFilter| {
        let page = deliveries_page(&fixture.store, SELLER, filter, None, 100).unwrap();
        (page.deliveries.iter().map(|delivery| delivery.id).collect::<Vec<_>>(), page.next)
    };
    let failed = DeliveryFilter { status: Some(Failed), ..all };
    assert_eq!(list(&failed), (rare.clone(), None));
    assert_eq!(ranges(&fixture.store, SELLER, &failed).unwrap().len(), 2);
    let of_one = DeliveryFilter { webhook: Some(WebhookId(2)), ..failed };
    let second: Vec<_> = rare.iter().copied().step_by(2).collect();
    assert_eq!(list(&of_one), (second, None));
    let voided = DeliveryFilter { event_type: Some(EventType::InvoiceVoided), ..all };
    assert_eq!((list(&voided).0.len(), list(&voided).1), (2, None));
    // Pages of a filter that lets everything through follow each other.
    let (mut before, mut found) = (None, Vec::new());
    let delivered = DeliveryFilter { status: Some(Delivered), ..all };
    loop {
        let page = deliveries_page(&fixture.store, SELLER, &delivered, before, 97).unwrap();
        found.extend(page.deliveries.iter().map(|delivery| delivery.id));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(found.len(), 6_000 - rare.len());
    assert!(found.is_sorted_by(|newer, older| newer > older));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_pool_forgets_nothing_it_needs() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    for round in 1..4 {
        let ids = fixture.emit(std::slice::from_ref(&webhook), 1).await;
        fixture.until_status(&ids, Delivered).await;
        fixture.at_rest().await;
        assert_eq!(fixture.receiver.count("/hook"), round);
    }
    let counts = fixture.pool.counts();
    assert_eq!((counts.waiting, counts.held), (0, 0));
    assert_eq!((counts.attempts, counts.delivered, counts.failed), (3, 3, 0));
}
