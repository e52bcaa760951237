//! Aggregates of parts are the aggregate of the whole.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::json;

use super::events::{AGGREGATIONS, Fact, facts};
use crate::domain::billing::usage::{
    Aggregation, DistinctValues, Measured, UsageDay, UsageTotal, ValueFingerprint, hour_of,
};
use crate::domain::time::Date;

/// The same aggregation for all versions: what a seller gets who only changes the unit.
fn same(aggregation: Aggregation) -> impl Fn(u32) -> Aggregation {
    move |_| aggregation
}

/// The quantity in billionths, straight from the facts.
fn recount(facts: &[Fact], aggregation: impl Fn(u32) -> Aggregation) -> u128 {
    let versions: BTreeSet<u32> = facts.iter().map(|fact| fact.version).collect();
    let (mut sum, mut distinct) = (0, 0);
    for version in versions {
        let own = || facts.iter().filter(move |fact| fact.version == version);
        let quantities = || own().map(|fact| u128::from(fact.billionths));
        match aggregation(version) {
            Aggregation::Sum => sum += quantities().sum::<u128>(),
            Aggregation::Max => sum += quantities().max().unwrap_or_default(),
            Aggregation::Min => sum += quantities().min().unwrap_or_default(),
            Aggregation::Last => {
                // Of equal instants `max_by_key` answers the last one: the later arrival.
                let last = own().max_by_key(|fact| fact.micros);
                sum += last.map_or(0, |fact| u128::from(fact.billionths));
            }
            Aggregation::Count => sum += own().count() as u128 * 1_000_000_000,
            Aggregation::CountUnique => {
                distinct += own().map(|fact| fact.value).collect::<BTreeSet<_>>().len() as u128;
            }
        }
    }
    sum + distinct.min(1_000) * 1_000_000_000
}

/// The same by way of days, in the order of the days.
fn by_days(facts: &[Fact], aggregation: impl Fn(u32) -> Aggregation) -> UsageTotal {
    let mut days: BTreeMap<Date, (UsageDay, BTreeMap<u32, DistinctValues>)> = BTreeMap::new();
    for fact in facts {
        let event = fact.measured(aggregation(fact.version));
        let (day, values) = days.entry(fact.at().date()).or_default();
        day.count(event);
        if let Some(value) = event.value {
            values.entry(fact.version).or_default().add(value, hour_of(event.at));
        }
    }
    let mut total = UsageTotal::default();
    for (day, values) in days.values() {
        day.add_to(&mut total, |version| values.get(&version));
    }
    total
}

proptest! {
    #[test]
    fn days_add_up_to_the_recount(facts in facts()) {
        for aggregation in AGGREGATIONS {
            let total = by_days(&facts, same(aggregation));
            prop_assert_eq!(total.value().billionths(), recount(&facts, same(aggregation)));
            prop_assert_eq!(total.events(), facts.len() as u64);
        }
    }

    #[test]
    fn versions_with_other_definitions_are_added(facts in facts(), chosen in prop::array::uniform3(0..6_usize)) {
        let aggregation = |version: u32| AGGREGATIONS[chosen[version as usize - 1]];
        let total = by_days(&facts, aggregation);
        prop_assert_eq!(total.value().billionths(), recount(&facts, aggregation));
    }

    #[test]
    fn a_total_knows_what_one_more_event_makes_of_it(facts in facts(), extra in facts()) {
        for aggregation in AGGREGATIONS {
            let mut total = by_days(&facts, same(aggregation));
            let mut all = facts.clone();
            for fact in &extra {
                all.push(*fact);
                let event = fact.measured(aggregation);
                let with = total.value_with(event);
                total.add(event);
                prop_assert_eq!(total.value(), with);
                prop_assert_eq!(with.billionths(), recount(&all, same(aggregation)));
            }
        }
    }

    #[test]
    fn hours_and_days_tell_the_same(facts in facts()) {
        for aggregation in AGGREGATIONS {
            let (mut day, mut values) = (UsageDay::default(), BTreeMap::<u32, DistinctValues>::new());
            let of_day: Vec<_> = facts.iter().copied().filter(|fact| fact.at().date() == super::events::day(0)).collect();
            for fact in &of_day {
                let event = fact.measured(aggregation);
                day.count(event);
                if let Some(value) = event.value {
                    values.entry(fact.version).or_default().add(value, hour_of(event.at));
                }
            }
            for hour in 0..24 {
                let own: Vec<_> = of_day.iter().copied().filter(|fact| hour_of(fact.at()) == hour).collect();
                let found = day.hour(hour, |version| values.get(&version));
                prop_assert_eq!(found.is_some(), !own.is_empty());
                let found = found.unwrap_or_default();
                prop_assert_eq!(found.value().billionths(), recount(&own, same(aggregation)));
                prop_assert_eq!(found.events(), own.len() as u64);
            }
        }
    }
}

#[test]
fn more_than_a_thousand_values_are_a_floor() {
    let mut total = UsageTotal::default();
    let event = |value: u32| Measured {
        version: 1,
        aggregation: Aggregation::CountUnique,
        value: Some(ValueFingerprint::of(&json!(value))),
        ..Fact { version: 1, billionths: 7, micros: 0, value: 0 }.measured(Aggregation::Sum)
    };
    for value in 0..1_000 {
        total.add(event(value));
    }
    let used = total.used();
    assert_eq!((used.quantity.to_string().as_str(), used.overflowed), ("1000", false));
    assert_eq!(total.value_with(event(1_000)), total.value());
    for value in 1_000..1_100 {
        total.add(event(value));
    }
    let used = total.used();
    assert_eq!((used.quantity.to_string().as_str(), used.overflowed), ("1000", true));
    assert_eq!(used.events, 1_100);
}

#[test]
fn without_events_everything_is_zero() {
    for aggregation in AGGREGATIONS {
        let mut total = UsageTotal::default();
        total.version(1, aggregation);
        let used = total.used();
        assert_eq!((used.quantity.to_string().as_str(), used.events), ("0", 0));
    }
}
