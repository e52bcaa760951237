use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::domain::platform::event::NewEvent;
use crate::domain::testing::second as at;

fn pending() -> Delivery {
    Delivery {
        id: DeliveryId(2),
        seller: SellerId(1),
        webhook: WebhookId(3),
        event: EventId(1),
        event_type: EventType::InvoicePaid,
        body: Bytes::from_static(b"{}"),
        status: DeliveryStatus::Pending,
        attempts: 0,
        created_at: at(0),
        next_attempt_at: Some(at(0)),
        last_attempt_at: None,
        last_status: None,
        last_error: None,
        delivered_at: None,
    }
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
    assert_eq!((again.event, again.next_attempt_at), (EventId(1), Some(at(99))));
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
fn the_envelope_has_the_documented_fields() {
    let event = NewEvent {
        kind: EventType::InvoicePaid,
        occurred_at: at(1),
        payload: json!({"invoiceId": 4, "collectibleMinor": 1200}),
    };
    let body = render(EventId(7), Uuid::from_u128(5), &event);
    let expected = concat!(
        r#"{"eventId":7,"eventType":"InvoicePaid","#,
        r#""sellerAccountUuid":"00000000-0000-0000-0000-000000000005","#,
        r#""occurredAt":"1970-01-01T00:00:01Z","#,
        r#""payload":{"collectibleMinor":1200,"invoiceId":4}}"#
    );
    assert_eq!(std::str::from_utf8(&body).unwrap(), expected);
}
