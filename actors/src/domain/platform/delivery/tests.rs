use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::domain::platform::event::{NewEvent, ObjectKind};
use crate::domain::testing::second as at;

fn event() -> Event {
    let event = NewEvent {
        kind: EventType::InvoicePaid,
        occurred_at: at(1),
        payload: json!({"invoiceId": 4, "collectibleMinor": 1200}),
    };
    let object = EventObject { kind: ObjectKind::Contract, id: 9 };
    let kept = Event::new(EventId(7), object, &event, &[], (at(0), None));
    Event { webhooks: vec![WebhookId(8), WebhookId(3)], ..kept }
}

fn pending() -> Delivery {
    Delivery::first(SellerId(1), 12, &event(), 1).expect("a webhook")
}

#[test]
fn only_200_is_a_success() {
    for status in [100, 201, 202, 204, 301, 302, 307, 400, 404, 500, 503] {
        let after = pending().attempted(Outcome::Answered(status), Some(at(10)), at(1));
        assert_eq!((after.status, after.attempts), (DeliveryStatus::Pending, 1), "{status}");
        assert_eq!(after.last_status, Some(status));
        assert_eq!(after.next_attempt_at, Some(at(10)));
    }
    let after = pending().attempted(Outcome::Answered(200), Some(at(10)), at(1));
    assert_eq!((after.status, after.delivered_at), (DeliveryStatus::Delivered, Some(at(1))));
    assert_eq!((after.last_error, after.next_attempt_at), (None, None));
}

#[test]
fn a_series_has_three_attempts() {
    let mut delivery = pending();
    let mut now = at(0);
    for expected in [at(10), at(70)] {
        let retry = RetryDelays::DEMO.next(delivery.attempts + 1, 0, now);
        delivery = delivery.attempted(Outcome::Unanswered("timed out".into()), retry, now);
        assert_eq!(delivery.next_attempt_at, Some(expected));
        now = expected;
    }
    let retry = RetryDelays::DEMO.next(delivery.attempts + 1, 0, now);
    let failed = delivery.attempted(Outcome::Answered(500), retry, now);
    assert_eq!((failed.status, failed.attempts), (DeliveryStatus::Failed, 3));
    assert_eq!((failed.next_attempt_at, failed.last_status), (None, Some(500)));

    let again = failed.again(at(99));
    assert_eq!((again.status, again.attempts), (DeliveryStatus::Pending, 0));
    assert_eq!((again.event, again.next_attempt_at), (EventId(7), Some(at(99))));
}

#[test]
fn a_delivery_that_is_sent_again_is_delivered_only_once_the_new_series_is_received() {
    let received = pending().attempted(Outcome::Answered(RECEIVED), None, at(1));
    let again = received.again(at(5));
    assert_eq!(again.delivered_at, None);
    let failed = again.clone().attempted(Outcome::Answered(500), None, at(6));
    assert_eq!((failed.status, failed.delivered_at), (DeliveryStatus::Failed, None));
    let delivered = again.attempted(Outcome::Answered(RECEIVED), None, at(7));
    assert_eq!(delivered.delivered_at, Some(at(7)));
}

#[test]
fn jitter_adds_at_most_a_tenth() {
    let longest = RetryDelays::LIVE.next(2, u16::MAX, at(0)).unwrap();
    assert!(at(1_979) < longest && longest <= at(1_980));
    assert_eq!(RetryDelays::LIVE.next(1, 0, at(0)), Some(at(60)));
    assert_eq!(RetryDelays::LIVE.next(3, 0, at(0)), None);
}

#[test]
fn a_webhook_that_takes_nothing_ends_its_deliveries_without_an_attempt() {
    let ended = pending().attempted(Outcome::Ended("off"), Some(at(10)), at(1));
    assert_eq!((ended.status, ended.attempts), (DeliveryStatus::Failed, 0));
    assert_eq!(ended.last_error.as_deref(), Some("off"));
}

#[test]
fn rows_come_back_as_they_were() {
    let delivery = pending().attempted(Outcome::Answered(503), Some(at(10)), at(1));
    let row = storage::Record::encode(&delivery);
    assert_eq!(<Delivery as storage::Record>::decode(1, &row).unwrap(), delivery);
}

#[test]
fn an_event_comes_back_as_it_was() {
    let event = event();
    let row = storage::Record::encode(&event);
    assert_eq!(<Event as storage::Record>::decode(1, &row).unwrap(), event);
}

#[test]
fn a_delivery_has_an_id_of_its_event_and_its_place() {
    let ids: Vec<_> = (0..3)
        .flat_map(|event| [0, MAX_WEBHOOKS - 1].map(|place| delivery_id(EventId(event), place).0))
        .collect();
    assert_eq!(ids, [0, 99, 128, 227, 256, 355]);
    assert_eq!((pending().id, pending().webhook), (DeliveryId(7 * 128 + 1), WebhookId(3)));
    assert_eq!(Delivery::first(SellerId(1), 12, &event(), 2), None);
}

#[test]
fn what_has_ended_keeps_no_order_when_it_is_sent_again() {
    let line = Some(event().object);
    let held = Delivery { line, next_attempt_at: None, ..pending() };
    assert!(held.is_held_back() && !pending().is_held_back());
    assert_eq!(held.clone().again(at(9)).line, line);
    let delivered = held.attempted(Outcome::Answered(200), None, at(1));
    assert_eq!(delivered.again(at(9)).line, None);
}

#[test]
fn vendors_are_objects_beside_their_payees_and_links_are_of_the_seller() {
    use ObjectKind::{Contract, Payee, Seller, Vendor};
    for (room, event, kind, id) in [
        (Payee, EventType::PayoutFailed, Payee, 5),
        (Payee, EventType::MarketplaceVendorBlocked, Vendor, 5),
        (Contract, EventType::InvoicePaid, Contract, 5),
        (Contract, EventType::PaymentLinkPaid, Seller, 1),
    ] {
        let object = EventObject::of(SellerId(1), EventObject { kind: room, id: 5 }, event);
        assert_eq!(object, EventObject { kind, id }, "{event:?}");
    }
}

#[test]
fn the_envelope_has_the_documented_fields() {
    let body = render(12, Uuid::from_u128(5), &event()).expect("JSON");
    let expected = concat!(
        r#"{"eventId":7,"sequence":12,"eventType":"InvoicePaid","#,
        r#""sellerAccountUuid":"00000000-0000-0000-0000-000000000005","#,
        r#""occurredAt":"1970-01-01T00:00:01Z","#,
        r#""payload":{"collectibleMinor":1200,"invoiceId":4}}"#
    );
    assert_eq!(std::str::from_utf8(&body).unwrap(), expected);
}
