use std::sync::Arc;

use serde_json::{Value, json};
use storage::{Batch, Scan};

use super::fixture::{Fixture, SELLER, until};
use crate::delivery::{Reserved, events_page, stage_events};
use crate::domain::platform::delivery::DeliveryStatus::Delivered;
use crate::domain::platform::event::{Event, EventType, NewEvent};
use crate::domain::platform::webhook::Webhook;
use crate::domain::platform::webhook::filter::EventFilter;
use crate::tables::{DELIVERY_INDEX, EVENTS, OPEN_DELIVERIES};

fn subscribing(webhook: &Webhook, names: &[&str]) -> Arc<Webhook> {
    let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
    Arc::new(Webhook { event_types: EventFilter::parse(&names).unwrap(), ..webhook.clone() })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_kept_once_whoever_subscribes() {
    let fixture = Fixture::new().await;
    let many: Vec<_> = (1..=100).map(|id| fixture.webhook(id, "/hook")).collect();
    let mut batch = Batch::new();
    let (_, ids) = fixture.stage(&mut batch, &fixture.origin(), &many, &fixture.events(3));
    fixture.store.write(batch).await.unwrap();
    assert_eq!((fixture.count_events(), fixture.count_deliveries(), ids.len()), (3, 0, 300));

    let mut batch = Batch::new();
    let next = || fixture.store.next_id_in(crate::tables::ids::EVENT, SELLER.shard());
    let none = stage_events(&mut batch, &fixture.origin(), &many, &[], next);
    assert!(none.is_none() && batch.is_empty(), "no event, no row");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_have_a_sequence_without_a_gap_whoever_writes_them() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    let writers = (0..20).map(|count| fixture.emit(std::slice::from_ref(&webhook), count % 4 + 1));
    let ids: Vec<_> = futures::future::join_all(writers).await.into_iter().flatten().collect();
    assert_eq!(ids.len(), 50);
    fixture.until_status(&ids, Delivered).await;
    let kept: Vec<_> =
        fixture.store.scan(EVENTS, Scan::all()).map(|row| row.unwrap().0.1).collect();
    assert_eq!(kept, (1..=50).collect::<Vec<_>>());
    let mut sent: Vec<_> = fixture
        .receiver
        .taken()
        .iter()
        .map(|taken| serde_json::from_slice::<Value>(&taken.body).unwrap()["sequence"].clone())
        .map(|sequence| sequence.as_u64().unwrap())
        .collect();
    sent.sort_unstable();
    assert_eq!(sent, kept);
    until(|| fixture.cursor() == 50).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_that_succeeds_at_once_is_written_once() {
    let fixture = Fixture::new().await;
    let webhook = fixture.webhook(1, "/hook");
    let ids = fixture.emit(&[webhook], 1).await;
    fixture.until_status(&ids, Delivered).await;
    assert_eq!(fixture.store.scan(OPEN_DELIVERIES, Scan::all()).count(), 0);
    assert_eq!(fixture.store.scan(DELIVERY_INDEX, Scan::all()).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_nobody_hears_are_passed_over() {
    let fixture = Fixture::new().await;
    let other = subscribing(&fixture.webhook(1, "/hook"), &["InvoiceVoided"]);
    fixture.emit(std::slice::from_ref(&other), 3).await;
    until(|| fixture.cursor() == 3).await;
    let all: Vec<_> = fixture.store.scan(EVENTS, Scan::all()).values().unwrap();
    assert!(all.iter().all(|event| event.webhooks.is_empty()));
    let heard = fixture.webhook(2, "/heard");
    let ids = fixture.emit(&[other, heard], 2).await;
    fixture.until_status(&ids, Delivered).await;
    assert_eq!((fixture.count_deliveries(), fixture.receiver.count("/heard")), (2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_listed_from_where_a_reader_stands() {
    let fixture = Fixture::new().await;
    let mut events = fixture.events(4_500);
    events[2_100].kind = EventType::InvoiceVoided;
    fixture.tell(&[], events, 1).await;
    let links = &fixture.pool.pool.links;
    let page = |after, kind: Option<EventType>, limit| {
        let shows = |event: &Event| kind.is_none_or(|kind| kind == event.kind);
        let page = events_page(&fixture.store, links, SELLER, after, shows, limit).unwrap();
        let sequences: Vec<_> = page.events.iter().map(|(sequence, _)| *sequence).collect();
        (sequences, page.has_more, page.next)
    };
    assert_eq!(page(0, None, 3), (vec![1, 2, 3], true, 3));
    assert_eq!(page(4_498, None, 2), (vec![4_499, 4_500], false, 4_500));
    assert_eq!(page(4_500, None, 2), (vec![], false, 4_500));
    let restored = page(9_000, None, 2);
    assert_eq!(restored, (vec![], false, 4_500), "nothing that comes is passed over");
    // A rare type is found in strides.
    let (mut after, mut found, mut strides) = (0, Vec::new(), 0);
    loop {
        let (sequences, has_more, next) = page(after, Some(EventType::InvoiceVoided), 10);
        assert!(next > after);
        (after, strides) = (next, strides + 1);
        found.extend(sequences);
        if !has_more {
            break;
        }
    }
    assert_eq!((found, after, strides), (vec![2_101], 4_500, 3));
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
async fn events_that_tell_of_drawn_numbers_are_made_by_the_committer() {
    let fixture = Fixture::new().await;
    let webhooks = vec![fixture.webhook(1, "/a"), fixture.webhook(2, "/b")];
    let mut batch = Batch::new();
    let number = batch.draw(&(SELLER,));
    let (origin, id) =
        (fixture.origin(), fixture.store.next_id_in(crate::tables::ids::EVENT, SELLER.shard()));
    let reserved = Reserved::draw(&mut batch, SELLER, 1).unwrap();
    let staged = reserved.staged();
    batch.with_numbers(move |numbers, batch| {
        let event = NewEvent {
            kind: EventType::InvoiceIssued,
            occurred_at: origin.now,
            payload: json!({ "number": numbers[number] }),
        };
        reserved.put(numbers, batch, vec![origin.event(id, &event, &webhooks)]);
    });
    fixture.store.write(batch).await.unwrap();
    fixture.pool.notify(&staged);
    until(|| fixture.receiver.taken().len() == 2).await;
    let body = fixture.receiver.taken()[0].body.clone();
    assert!(std::str::from_utf8(&body).unwrap().contains(r#""payload":{"number":1}"#));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reserved_place_that_is_not_filled_refuses_the_batch() {
    let fixture = Fixture::new().await;
    let mut batch = Batch::new();
    let reserved = Reserved::draw(&mut batch, SELLER, 2).unwrap();
    let (origin, events) = (fixture.origin(), fixture.events(1));
    batch.with_numbers(move |numbers, batch| {
        reserved.put(numbers, batch, vec![origin.event(1, &events[0], &[])]);
    });
    assert!(fixture.store.write(batch).await.is_err());
    assert_eq!(fixture.count_events(), 0);
}
