//! Usage by day: what is kept of a day's events adds up to what the day says, and the key of each
//! event is taken for it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{Found, Run};
use crate::domain::billing::usage::{
    Aggregation, DistinctValues, KeyUse, Metric, MetricName, Units, UsageDay, UsageEvent,
    ValueFingerprint, counted_value, hour_of,
};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::time::{Date, Timestamp};
use crate::query::usage::unreadable;
use crate::tables::{METRICS, USAGE_CHUNKS, USAGE_DAYS, USAGE_KEYS, USAGE_METERS, USAGE_VALUES};

type DayKey = (SellerId, ContractId, MetricName, Date);

/// Keys that are looked up together.
const KEYS_AT_ONCE: usize = 512;

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    let metrics = Metrics::default();
    run.each(USAGE_DAYS, all(), |reading, key, row, found| {
        day(reading, key, row, &metrics, found)
    })?;
    run.no_others(USAGE_CHUNKS, all(), |reading, (seller, contract, metric, day, first), _| {
        let known = reading.get(USAGE_DAYS, &(*seller, *contract, metric.clone(), *day))?;
        Ok(known.is_some_and(|known| *first < known.sealed()))
    })?;
    run.no_others(USAGE_VALUES, all(), |reading, (seller, contract, metric, day, version), _| {
        let known = reading.get(USAGE_DAYS, &(*seller, *contract, metric.clone(), *day))?;
        let versions = known.iter().flat_map(UsageDay::versions);
        Ok(versions.into_iter().any(|of| of.has_values() && of.version == *version))
    })
}

/// Definitions of metrics, which never change.
#[derive(Default)]
struct Metrics(RefCell<BTreeMap<(MetricName, u32), Option<Metric>>>);

impl Metrics {
    fn get(
        &self,
        reading: &Reading,
        seller: SellerId,
        name: &MetricName,
        version: u32,
    ) -> Result<Option<Metric>, ReadError> {
        let key = (name.clone(), version);
        if let Some(known) = self.0.borrow().get(&key) {
            return Ok(known.clone());
        }
        let metric = reading.get(METRICS, &(seller, name.clone(), version))?;
        self.0.borrow_mut().insert(key, metric.clone());
        Ok(metric)
    }
}

/// What the events of an hour come to, of one version of their metric.
#[derive(Default)]
struct Hour {
    events: u64,
    sum: u128,
    most: Option<u128>,
    least: Option<u128>,
    last: Option<(Timestamp, u128)>,
}

impl Hour {
    fn count(&mut self, event: &UsageEvent) {
        let quantity = Units::from(event.quantity).billionths();
        self.events += 1;
        self.sum = self.sum.saturating_add(quantity);
        self.most = self.most.max(Some(quantity));
        self.least = Some(self.least.map_or(quantity, |least| least.min(quantity)));
        // Of two at one instant the one that arrived last counts.
        if self.last.is_none_or(|(at, _)| event.occurred_at >= at) {
            self.last = Some((event.occurred_at, quantity));
        }
    }

    fn value(&self, aggregation: Aggregation) -> u128 {
        match aggregation {
            Aggregation::Sum => self.sum,
            Aggregation::Max => self.most.unwrap_or(0),
            Aggregation::Min => self.least.unwrap_or(0),
            Aggregation::Last => self.last.map_or(0, |(_, quantity)| quantity),
            Aggregation::Count | Aggregation::CountUnique => 0,
        }
    }
}

/// A day counted anew.
#[derive(Default)]
struct Recount {
    hours: BTreeMap<(u32, u8), Hour>,
    values: BTreeMap<u32, DistinctValues>,
}

fn day(
    reading: &Reading,
    key: &DayKey,
    row: &UsageDay,
    metrics: &Metrics,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let (seller, contract, metric, date) = key;
    let meter = reading.get(USAGE_METERS, &(*seller, *contract, metric.clone()))?;
    found.holds("day of a metric that was used", meter.is_some_and(|meter| meter.used), metric);
    let mut recount = Recount::default();
    let mut count = |events: &[UsageEvent], found: &mut Found<'_>| -> Result<(), ReadError> {
        for event in events {
            found.same("event of its day", *date, event.occurred_at.date());
            recount
                .hours
                .entry((event.version, hour_of(event.occurred_at)))
                .or_default()
                .count(event);
            let definition = metrics.get(reading, *seller, metric, event.version)?;
            let unique = definition.as_ref().and_then(|metric| metric.unique_key.as_ref());
            if let Some(value) = unique.and_then(|name| value_of(event, name)) {
                let values = recount.values.entry(event.version).or_default();
                values.add(value, hour_of(event.occurred_at));
            }
        }
        keys(reading, *seller, events, found)
    };
    let mut sealed = 0;
    for chunk in reading.scan(USAGE_CHUNKS, Scan::prefix(key)) {
        let ((.., first), chunk) = chunk?;
        found.has(USAGE_CHUNKS, 1);
        found.same("events of a day without a gap", sealed, first);
        let events = chunk.events().map_err(|error| unreadable(USAGE_CHUNKS.name(), error))?;
        sealed = first + events.len() as u64;
        count(&events, found)?;
    }
    found.same("sealed events of a day", sealed, row.sealed());
    let tail = row.tail().map_err(|error| unreadable(USAGE_DAYS.name(), error))?;
    count(&tail, found)?;

    let mut stated = BTreeMap::new();
    for part in row.versions() {
        let definition = metrics.get(reading, *seller, metric, part.version)?;
        let aggregation = definition.map(|metric| metric.aggregation);
        found.same("aggregation of a metric", aggregation, Some(part.aggregation));
        for (hour, tally) in &part.hours {
            stated.insert((part.version, *hour), (tally.events, tally.value.billionths()));
        }
        if part.has_values() {
            let values = recount.values.remove(&part.version).unwrap_or_default();
            let place = (*seller, *contract, metric.clone(), *date, part.version);
            found.wants(reading, USAGE_VALUES, &place, &values)?;
        }
    }
    let aggregation = |version| {
        row.versions().iter().find(|part| part.version == version).map(|part| part.aggregation)
    };
    let counted: BTreeMap<_, _> = recount
        .hours
        .iter()
        .map(|(of, hour)| {
            let value = aggregation(of.0).map_or(0, |aggregation| hour.value(aggregation));
            (*of, (hour.events, value))
        })
        .collect();
    found.same("events that add up to their day", counted, stated);
    Ok(())
}

fn value_of(event: &UsageEvent, name: &str) -> Option<ValueFingerprint> {
    let metadata = serde_json::value::RawValue::from_string(event.metadata.clone()?).ok()?;
    counted_value(Some(&metadata), name).ok()
}

/// The key of each event is taken for it.
pub(super) fn keys(
    reading: &Reading,
    seller: SellerId,
    events: &[UsageEvent],
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    for some in events.chunks(KEYS_AT_ONCE) {
        let wanted: Vec<_> = some.iter().map(|event| event.key.fingerprint()).collect();
        let taken = reading.taken(USAGE_KEYS, seller.0, &wanted)?;
        for (event, taken) in some.iter().zip(taken) {
            let of = taken.map(|taken| KeyUse::of_taken(taken).event);
            found.same("key of a usage event", Some(event.id), of);
        }
    }
    Ok(())
}
