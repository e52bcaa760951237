//! What events add up to.
//!
//! A [`Tally`] is the count, the value and, for `last`, the instant of some events of one
//! definition; tallies of parts merge to the tally of the whole, whatever the order. An
//! [`Aggregate`] is a tally with what it needs to be a quantity: its aggregation and, for
//! `count_unique`, the values. A [`UsageTotal`] is a period, over all metric versions that its
//! events belong to.

use rust_decimal::Decimal;

use super::distinct::{COUNTED_VALUES, DistinctSet, ValueFingerprint};
use super::metric::Aggregation;
use super::units::Units;
use crate::domain::time::Timestamp;

/// An event as its metric measures it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    pub version: u32,
    pub aggregation: Aggregation,
    pub quantity: Units,
    pub at: Timestamp,
    /// What is counted, with `count_unique`.
    pub value: Option<ValueFingerprint>,
    /// How many events like this one it stands for; more than one only where usage is assumed.
    pub times: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub events: u64,
    /// What they come to, where the aggregation is of quantities.
    pub value: Units,
    /// Microseconds of the latest one, where the aggregation is `last`; else 0.
    pub(super) last_at: i64,
}

impl Tally {
    pub fn of(event: Measured) -> Self {
        let (value, last_at) = match event.aggregation {
            Aggregation::Count | Aggregation::CountUnique => (Units::ZERO, 0),
            Aggregation::Last => (event.quantity, event.at.micros()),
            Aggregation::Sum | Aggregation::Max | Aggregation::Min => (event.quantity, 0),
        };
        Self { events: event.times, value, last_at }
    }

    /// Adds other events of the same definition; of two that happened at one instant, those of
    /// `later` arrived last.
    pub fn merge(&mut self, aggregation: Aggregation, later: Self) {
        if later.events == 0 {
            return;
        }
        if self.events == 0 {
            *self = later;
            return;
        }
        self.events += later.events;
        match aggregation {
            Aggregation::Sum => self.value = self.value + later.value,
            Aggregation::Max => self.value = self.value.max(later.value),
            Aggregation::Min => self.value = self.value.min(later.value),
            Aggregation::Last if later.last_at >= self.last_at => {
                (self.value, self.last_at) = (later.value, later.last_at);
            }
            Aggregation::Last | Aggregation::Count | Aggregation::CountUnique => {}
        }
    }
}

/// What the events of one definition come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregate {
    aggregation: Aggregation,
    tally: Tally,
    distinct: DistinctSet,
}

impl Aggregate {
    pub fn empty(aggregation: Aggregation) -> Self {
        Self { aggregation, tally: Tally::default(), distinct: DistinctSet::default() }
    }

    /// Adds an event that arrived after those that are in it.
    pub fn add(&mut self, event: Measured) {
        self.tally.merge(self.aggregation, Tally::of(event));
        if let Some(value) = event.value {
            self.distinct.add(value);
        }
    }

    /// Adds events that are tallied by the same definition, with the values they are counted by.
    pub fn merge(&mut self, tally: Tally, values: impl IntoIterator<Item = ValueFingerprint>) {
        self.tally.merge(self.aggregation, tally);
        for value in values {
            self.distinct.add(value);
        }
    }

    pub fn events(&self) -> u64 {
        self.tally.events
    }

    /// The quantity; for `count_unique` one above 1,000 says that there are more.
    pub fn value(&self) -> Units {
        match self.aggregation {
            Aggregation::Count => Units::whole(self.tally.events),
            Aggregation::CountUnique => Units::whole(self.distinct.len() as u64),
            _ => self.tally.value,
        }
    }

    /// The quantity that there would be with one more event.
    fn value_with(&self, event: Measured) -> Units {
        match (self.aggregation, event.value) {
            (Aggregation::Count, _) => Units::whole(self.tally.events + event.times),
            (Aggregation::CountUnique, Some(value)) if self.distinct.lacks(value) => {
                Units::whole(self.distinct.len() as u64 + 1)
            }
            (Aggregation::CountUnique, _) => self.value(),
            (aggregation, _) => {
                let mut tally = self.tally;
                tally.merge(aggregation, Tally::of(event));
                tally.value
            }
        }
    }
}

/// A metric's events of some days. All versions of one definition are taken together: a new unit
/// leaves a maximum a maximum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageTotal {
    versions: Vec<u32>,
    /// One for each aggregation that there was, which is one.
    aggregates: Vec<Aggregate>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// The quantity; 0 without any event or seat.
    pub quantity: Decimal,
    /// Whether the quantity is a floor: there were more distinct values than count, or a sum
    /// longer than a decimal is.
    pub overflowed: bool,
    pub events: u64,
}

impl Used {
    /// Seats on so many days, which no event tells of.
    pub fn seat_days(days: i64) -> Self {
        Self { quantity: days.into(), overflowed: false, events: 0 }
    }

    pub fn is_any(self) -> bool {
        self.events > 0 || !self.quantity.is_zero()
    }
}

impl UsageTotal {
    /// Adds an event that arrived after those that are in it.
    pub fn add(&mut self, event: Measured) {
        self.version(event.version, event.aggregation).add(event);
    }

    /// What the events of a metric version belong to; begins with nothing.
    pub fn version(&mut self, version: u32, aggregation: Aggregation) -> &mut Aggregate {
        if !self.versions.contains(&version) {
            self.versions.push(version);
        }
        let known = self.aggregates.iter().position(|known| known.aggregation == aggregation);
        let place = known.unwrap_or_else(|| {
            self.aggregates.push(Aggregate::empty(aggregation));
            self.aggregates.len() - 1
        });
        &mut self.aggregates[place]
    }

    pub fn events(&self) -> u64 {
        self.aggregates.iter().map(Aggregate::events).sum()
    }

    pub fn versions(&self) -> impl Iterator<Item = u32> + '_ {
        self.versions.iter().copied()
    }

    pub fn used(&self) -> Used {
        let (quantity, cut) = self.value().decimal();
        let full = self.aggregates.iter().any(|one| one.distinct.len() > COUNTED_VALUES);
        Used { quantity, overflowed: cut || full, events: self.events() }
    }

    pub fn value(&self) -> Units {
        self.sum(Aggregate::value)
    }

    /// The quantity that there would be with one more event.
    pub fn value_with(&self, event: Measured) -> Units {
        if self.aggregates.iter().any(|one| one.aggregation == event.aggregation) {
            return self.sum(|one| {
                if one.aggregation == event.aggregation {
                    one.value_with(event)
                } else {
                    one.value()
                }
            });
        }
        let mut with = self.clone();
        with.add(event);
        with.value()
    }

    /// Adds up what there is; of distinct values 1,000 count.
    fn sum(&self, value: impl Fn(&Aggregate) -> Units) -> Units {
        let most = Units::whole(COUNTED_VALUES as u64);
        self.aggregates.iter().fold(Units::ZERO, |sum, one| match one.aggregation {
            Aggregation::CountUnique => sum + value(one).min(most),
            _ => sum + value(one),
        })
    }
}
