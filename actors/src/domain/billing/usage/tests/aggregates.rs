//! Aggregates of parts are the aggregate of the whole.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::events::{AGGREGATIONS, Fact, facts};
use crate::domain::billing::usage::{
    Aggregation, DistinctValues, Measured, UsageDay, UsageTotal, ValueFingerprint, hour_of,
};
use crate::domain::time::Date;

/// The quantity in billionths, straight from the facts, whatever version each came under.
fn recount(facts: &[Fact], aggregation: Aggregation) -> u128 {
    let quantities = || facts.iter().map(|fact| u128::from(fact.billionths));
    match aggregation {
        Aggregation::Sum => quantities().sum::<u128>(),
        Aggregation::Max => quantities().max().unwrap_or_default(),
        Aggregation::Min => quantities().min().unwrap_or_default(),
        Aggregation::Last => {
            // Of equal instants `max_by_key` answers the last one: the later arrival.
            let last = facts.iter().max_by_key(|fact| fact.micros);
            last.map_or(0, |fact| u128::from(fact.billionths))
        }
        Aggregation::Count => facts.len() as u128 * 1_000_000_000,
        Aggregation::CountUnique => {
            let values: BTreeSet<_> = facts.iter().map(|fact| fact.value).collect();
            values.len().min(1_000) as u128 * 1_000_000_000
        }
    }
}

/// The facts as metrics make them: a version that has followed another never comes again.
fn in_versions(mut facts: Vec<Fact>) -> Vec<Fact> {
    facts.sort_by_key(|fact| fact.version);
    facts
}

/// The same by way of days, in the order of the days.
fn by_days(facts: &[Fact], aggregation: Aggregation) -> UsageTotal {
    let mut days: BTreeMap<Date, (UsageDay, BTreeMap<u32, DistinctValues>)> = BTreeMap::new();
    for fact in facts {
        let event = fact.measured(aggregation);
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
    fn days_add_up_to_the_recount_over_all_versions(facts in facts()) {
        let facts = in_versions(facts);
        for aggregation in AGGREGATIONS {
            let total = by_days(&facts, aggregation);
            prop_assert_eq!(total.value().billionths(), recount(&facts, aggregation));
            prop_assert_eq!(total.events(), facts.len() as u64);
        }
    }

    #[test]
    fn a_total_knows_what_one_more_event_makes_of_it(facts in facts(), extra in facts()) {
        for aggregation in AGGREGATIONS {
            let facts = in_versions(facts.clone());
            let mut total = by_days(&facts, aggregation);
            let mut all = facts;
            for fact in &extra {
                all.push(*fact);
                let event = fact.measured(aggregation);
                let with = total.value_with(event);
                total.add(event);
                prop_assert_eq!(total.value(), with);
                prop_assert_eq!(with.billionths(), recount(&all, aggregation));
            }
        }
    }

    #[test]
    fn hours_and_days_tell_the_same(facts in facts()) {
        for aggregation in AGGREGATIONS {
            let (mut day, mut values) = (UsageDay::default(), BTreeMap::<u32, DistinctValues>::new());
            let of_day: Vec<_> = facts.iter().copied().filter(|fact| fact.at().date() == super::events::day(0)).collect();
            let of_day = in_versions(of_day);
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
                prop_assert_eq!(found.value().billionths(), recount(&own, aggregation));
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
        value: Some(ValueFingerprint::of(&value.to_string())),
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

#[test]
fn a_new_version_of_a_metric_goes_on_where_the_one_before_it_was() {
    let day = |version, units: u64, value| Fact {
        version,
        billionths: units * 1_000_000_000,
        micros: i64::from(value) * 1_000_000,
        value,
    };
    let facts = [day(1, 100, 1), day(2, 100, 1), day(2, 40, 2)];
    for (aggregation, quantity) in [
        (Aggregation::Max, "100"),
        (Aggregation::Min, "40"),
        (Aggregation::Last, "40"),
        (Aggregation::CountUnique, "2"),
        (Aggregation::Sum, "240"),
        (Aggregation::Count, "3"),
    ] {
        let total = by_days(&facts, aggregation);
        assert_eq!(total.used().quantity.to_string(), quantity, "{aggregation}");
        assert_eq!(total.versions().collect::<Vec<_>>(), [1, 2]);
    }
}
