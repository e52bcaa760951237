//! The usage events of one call: a function of the call's number alone, so that any call can be
//! made again later, word by word.

use std::fmt::Write as _;

use actors::domain::time::Timestamp;
use bytes::Bytes;

use super::mix::Dice;

/// One batch in this many has its first event twice.
const REPEATS: u64 = 8;
/// How far back events lie, in seconds.
const SPAN_SECONDS: u64 = 3600;
/// How many different users the events name: more than are counted.
pub(super) const USERS: u64 = 1_200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Metric {
    /// Quantities add up.
    Units,
    /// The largest quantity stays.
    Peak,
    /// Events are counted.
    Requests,
    /// Distinct users are counted.
    Users,
}

impl Metric {
    pub(super) const ALL: [Self; 4] = [Self::Units, Self::Peak, Self::Requests, Self::Users];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Units => "load.units",
            Self::Peak => "load.peak",
            Self::Requests => "load.requests",
            Self::Users => "load.users",
        }
    }

    pub(super) fn aggregation(self) -> &'static str {
        match self {
            Self::Units => "sum",
            Self::Peak => "max",
            Self::Requests => "count",
            Self::Users => "count_unique",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// The contract, by its place in the list.
    pub(super) place: u32,
    pub(super) metric: Metric,
    /// The quantity, in thousandths.
    pub(super) thousandths: u64,
    pub(super) user: u64,
    seconds_ago: u64,
    key: (u64, u32),
}

#[derive(Clone, Debug)]
pub(super) struct Batches {
    /// Part of every key.
    pub(super) run: String,
    /// No event happened later.
    pub(super) until: Timestamp,
    pub(super) contracts: Vec<u64>,
    /// Events of a call.
    pub(super) size: u32,
    /// Whether the events of a call go to contracts of their own.
    pub(super) scatter: bool,
}

impl Batches {
    /// The events of one call, repeated ones too.
    pub(super) fn events(&self, number: u64) -> impl Iterator<Item = Event> + '_ {
        let fresh = self.fresh(number);
        (0..self.size).map(move |nth| self.event(number, nth % fresh))
    }

    /// How many different events a call has; the rest are repetitions of its first.
    pub(super) fn fresh(&self, number: u64) -> u32 {
        let repeats = self.size > 1 && number.is_multiple_of(REPEATS);
        self.size - u32::from(repeats)
    }

    pub(super) fn fresh_events(&self, number: u64) -> impl Iterator<Item = Event> + '_ {
        (0..self.fresh(number)).map(move |nth| self.event(number, nth))
    }

    fn event(&self, number: u64, nth: u32) -> Event {
        let seed = number.wrapping_mul(0xd134_2543_de82_ef95);
        let mut dice = Dice::new(seed ^ u64::from(nth).wrapping_mul(0xaf25_1af3_b0f0_25b5));
        let contracts = self.contracts.len() as u64;
        let place = match self.scatter {
            true => dice.below(contracts),
            false => Dice::new(seed).below(contracts),
        };
        let metric = match dice.below(10) {
            0..=5 => Metric::Units,
            6 => Metric::Peak,
            7 | 8 => Metric::Requests,
            _ => Metric::Users,
        };
        Event {
            place: place as u32,
            metric,
            thousandths: 1 + dice.below(100_000),
            user: dice.below(USERS),
            seconds_ago: dice.below(SPAN_SECONDS),
            key: (number, nth),
        }
    }

    pub(super) fn path(&self) -> &'static str {
        match self.size {
            1 => "/billing-api/v1/usage/events",
            _ => "/billing-api/v1/usage/events:batch",
        }
    }

    /// The body of a call with these events: one event, or a batch of them.
    pub(super) fn body(&self, number: u64) -> Bytes {
        let mut text = String::with_capacity(200 * self.size as usize);
        if self.size == 1 {
            self.put(&mut text, &self.event(number, 0));
            return Bytes::from(text);
        }
        let mut glue = "{\"events\":[";
        for event in self.events(number) {
            text.push_str(glue);
            self.put(&mut text, &event);
            glue = ",";
        }
        text.push_str("]}");
        Bytes::from(text)
    }

    /// The first event of a call with its own key and another quantity.
    pub(super) fn contradiction(&self, number: u64) -> Bytes {
        let mut event = self.event(number, 0);
        event.thousandths += 1;
        let mut text = String::new();
        self.put(&mut text, &event);
        Bytes::from(text)
    }

    fn put(&self, text: &mut String, event: &Event) {
        let Event { place, metric, thousandths, user, seconds_ago, key: (number, nth) } = event;
        let (contract, metric_name) = (self.contracts[*place as usize], metric.name());
        let (whole, part) = (thousandths / 1000, thousandths % 1000);
        let at = self.until.plus_seconds(-(*seconds_ago as i64));
        let run = &self.run;
        let written = write!(
            text,
            r#"{{"contractId":"{contract}","metric":"{metric_name}","quantity":"{whole}.{part:03}","occurredAt":"{at}","idempotencyKey":"load:{run}:{number}.{nth}""#
        );
        written.expect("a string takes any text");
        if *metric == Metric::Users {
            write!(text, r#","metadata":{{"user":"u{user}"}}"#).expect("a string takes any text");
        }
        text.push('}');
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    fn batches(size: u32, scatter: bool) -> Batches {
        let until = Timestamp::parse("2026-11-21T12:00:00Z").expect("a time");
        let contracts = vec![11, 12, 13, 14, 15, 16, 17];
        Batches { run: "r".to_owned(), until, contracts, size, scatter }
    }

    #[test]
    fn a_batch_is_the_same_every_time_and_its_keys_are_its_own() {
        let batches = batches(10, false);
        let mut keys = BTreeSet::new();
        for number in 1..=80 {
            assert_eq!(batches.body(number), batches.body(number));
            let body: Value = serde_json::from_slice(&batches.body(number)).expect("JSON");
            let events = body["events"].as_array().expect("events");
            assert_eq!(events.len(), 10);
            let fresh = usize::from(!number.is_multiple_of(8));
            assert_eq!(batches.fresh_events(number).count(), 9 + fresh);
            assert!(events.iter().all(|event| event["contractId"] == events[0]["contractId"]));
            for event in events {
                keys.insert(event["idempotencyKey"].to_string());
                assert_eq!(event["metric"] == "load.users", event.get("metadata").is_some());
            }
        }
        assert_eq!(keys.len(), 80 * 10 - 10);
    }

    #[test]
    fn a_scattered_batch_reaches_many_contracts() {
        let batches = batches(50, true);
        let places: BTreeSet<u32> = batches.events(3).map(|event| event.place).collect();
        assert!(places.len() > 3, "{places:?}");
    }

    #[test]
    fn a_contradiction_differs_in_its_quantity_alone() {
        let batches = batches(1, false);
        let mut one: Value = serde_json::from_slice(&batches.body(5)).expect("JSON");
        let other: Value = serde_json::from_slice(&batches.contradiction(5)).expect("JSON");
        assert_ne!(one, other);
        one["quantity"] = other["quantity"].clone();
        assert_eq!(one, other);
    }
}
