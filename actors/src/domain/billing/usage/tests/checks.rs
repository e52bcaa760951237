//! What an event has to fulfil.

use serde_json::value::RawValue;

use super::events::day;
use crate::domain::billing::usage::{
    Aggregation, EventKey, EventRefusal, MAX_METADATA_BYTES, Metric, MetricName, NewEvent,
    UsageEvent, measure, measure_late,
};
use crate::domain::ids::{ContractId, UsageEventId};
use crate::domain::quantity::Quantity;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::domain::time::Timestamp;

fn metric(aggregation: Aggregation, unique_key: Option<&str>) -> Metric {
    Metric {
        name: MetricName::parse("m").expect("a name"),
        version: 4,
        unit: String::new(),
        aggregation,
        unique_key: unique_key.map(str::to_owned),
        description: None,
        created_at: now(),
    }
}

fn now() -> Timestamp {
    day(3).start()
}

fn event(name: &str, at: Timestamp, metadata: Option<&str>) -> NewEvent {
    let raw = |text: &str| RawValue::from_string(text.to_owned()).expect("JSON");
    NewEvent::new(
        ContractId(1),
        MetricName::parse(name).expect("a name"),
        Quantity::ONE,
        at,
        EventKey::parse("k").expect("a key"),
        metadata.map(|text| (raw(text), text)),
    )
}

#[test]
fn events_are_refused_with_the_field_at_fault() {
    let sum = metric(Aggregation::Sum, None);
    let unique = metric(Aggregation::CountUnique, Some("user"));
    let ahead = Timestamp::from_micros(now().micros() + 1);
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(MAX_METADATA_BYTES));
    for (event, metric, field) in [
        (event("m", now(), None), None, "metric"),
        (event("platform.seat.active", now(), None), Some(&sum), "metric"),
        (event("m", ahead, None), Some(&sum), "occurredAt"),
        (event("m", now(), Some(&long)), Some(&sum), "metadata"),
        (event("m", now(), None), Some(&unique), "metadata"),
        (event("m", now(), Some(r#"{"users":1}"#)), Some(&unique), "metadata"),
        (event("m", now(), Some(r#"{"a":{"user":1}}"#)), Some(&unique), "metadata"),
    ] {
        let refusal = Refusal::from(measure(&event, metric, now()).expect_err("refused"));
        assert_eq!(refusal.kind, RefusalKind::Invalid, "{refusal}");
        assert!(refusal.text.starts_with(field), "{refusal}");
    }
    assert_eq!(Refusal::from(EventRefusal::KeyReused).kind, RefusalKind::Conflict);
}

#[test]
fn values_are_compared_as_json() {
    let unique = metric(Aggregation::CountUnique, Some("user"));
    let value = |metadata: &str| {
        let measured = measure(&event("m", now(), Some(metadata)), Some(&unique), now());
        measured.expect("measured").value
    };
    assert_eq!(value(r#"{"user": "a b", "x": [1]}"#), value(r#"{"user":"\u0061 b"}"#));
    assert_ne!(value(r#"{"user": 1}"#), value(r#"{"user": "1"}"#));
    assert!(value(r#"{"user": null}"#).is_some());
}

#[test]
fn an_event_is_measured_alike_in_time_and_late() {
    for aggregation in Aggregation::ALL {
        let key = (*aggregation == Aggregation::CountUnique).then_some("user");
        let metric = metric(*aggregation, key);
        for metadata in [None, Some(r#"{"user": 1}"#), Some(r#"{"users": 1}"#)] {
            let event = event("m", now(), metadata);
            let late = UsageEvent::fresh(&event, UsageEventId(1), metric.version, now());
            let in_time = measure(&event, Some(&metric), now()).ok();
            assert_eq!(measure_late(&late, &metric), in_time, "{aggregation}");
        }
    }
}
