use std::sync::Arc;

use serde_json::json;
use storage::Batch;

use super::fixture::Fixture;
use crate::delivery::{StagedSlot, ids_needed, stage_events};
use crate::domain::platform::delivery::DeliveryStatus::Delivered;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::platform::webhook::Webhook;
use crate::domain::platform::webhook::filter::EventFilter;
use crate::tables::ids;

fn subscribing(webhook: &Webhook, names: &[&str]) -> Arc<Webhook> {
    let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
    Arc::new(Webhook { event_types: EventFilter::parse(&names).unwrap(), ..webhook.clone() })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_without_a_subscriber_writes_nothing_and_draws_no_id() {
    let fixture = Fixture::new().await;
    let other = subscribing(&fixture.webhook(1, "/hook"), &["InvoiceVoided"]);
    let mut batch = Batch::new();
    let staged = stage_events(&mut batch, &fixture.origin(), &[other], fixture.events(3), || {
        panic!("no id is needed")
    });
    assert!(staged.is_empty() && batch.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_event_has_one_id_and_one_body_for_all_webhooks() {
    let fixture = Fixture::new().await;
    let webhooks = [
        fixture.webhook(1, "/a"),
        subscribing(&fixture.webhook(2, "/b"), &["InvoicePaid"]),
        subscribing(&fixture.webhook(3, "/c"), &["InvoiceVoided"]),
    ];
    let ids = fixture.emit(&webhooks, 1).await;
    assert_eq!(ids.len(), 2);
    fixture.until_status(&ids, Delivered).await;
    assert_eq!(fixture.row(ids[0]).event, fixture.row(ids[1]).event);
    let taken = fixture.receiver.taken();
    assert_eq!(taken[0].body, taken[1].body);
    assert_eq!(fixture.receiver.count("/c"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_with_drawn_numbers_are_staged_by_the_committer() {
    let fixture = Fixture::new().await;
    let webhooks = vec![fixture.webhook(1, "/a"), fixture.webhook(2, "/b")];
    let needed = ids_needed(&webhooks, [EventType::InvoiceIssued]);
    assert_eq!(needed, 3);
    let mut ids = (0..needed).map(|_| fixture.store.next_id(ids::EVENT)).collect::<Vec<_>>();
    ids.reverse();

    let slot = StagedSlot::new();
    let mut batch = Batch::new();
    let number = batch.draw(&(fixture.origin().seller,));
    let (inner, origin) = (slot.clone(), fixture.origin());
    batch.with_numbers(move |numbers, batch| {
        let event = NewEvent {
            kind: EventType::InvoiceIssued,
            occurred_at: origin.now,
            payload: json!({ "number": numbers[number] }),
        };
        inner.put(stage_events(batch, &origin, &webhooks, vec![event], || {
            ids.pop().expect("enough ids were drawn")
        }));
    });
    let pool = fixture.pool.clone();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    fixture.store.commit(batch, move |result| {
        result.expect("durable");
        let staged = slot.take();
        let ids: Vec<_> = staged.deliveries.iter().map(|delivery| delivery.id).collect();
        pool.notify(staged);
        sender.send(ids).expect("the test waits");
    });
    let ids = receiver.await.unwrap();
    assert_eq!(ids.len(), 2);
    fixture.until_status(&ids, Delivered).await;
    let body = fixture.receiver.taken()[0].body.clone();
    assert!(std::str::from_utf8(&body).unwrap().contains(r#""payload":{"number":1}"#));
}
