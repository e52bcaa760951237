//! What the counters of the contracts must say, by the answers that the workers got.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rust_decimal::Decimal;
use serde_json::Value;

use super::batches::{Batches, Event, Metric, USERS};

/// The most distinct values that are counted.
const COUNTED_VALUES: u64 = 1_000;
/// Words of a set of users, a bit each.
const WORDS: usize = USERS.div_ceil(64) as usize;

#[derive(Clone, Debug, Default)]
pub(super) struct Usage {
    /// By the contract's place, what was acknowledged of it.
    pub(super) tallies: HashMap<u32, Tally>,
    /// Calls of which not every event is known to be there.
    pub(super) unsure: BTreeSet<u64>,
    /// Calls that several workers made at the same time.
    pub(super) raced: BTreeMap<u64, Raced>,
    pub(super) ingested: u64,
    /// Of these, those that were acknowledged in the time that is measured, and as new.
    pub(super) measured: u64,
    pub(super) duplicates: u64,
    /// Events refused since their key had another payload.
    pub(super) conflicts: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    units: u64,
    peak: u64,
    requests: u64,
    users: [u64; WORDS],
}

/// The answers to one call that several workers made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Raced {
    /// Events acknowledged as new, over all answers.
    pub(super) ingested: u64,
    /// Whether one of the calls had no answer.
    pub(super) unsure: bool,
}

impl Usage {
    pub(super) fn take(&mut self, batches: &Batches, number: u64) {
        for event in batches.fresh_events(number) {
            self.tallies.entry(event.place).or_default().take(&event);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (place, tally) in other.tallies {
            self.tallies.entry(place).or_default().merge(&tally);
        }
        self.unsure.extend(other.unsure);
        for (number, raced) in other.raced {
            let own = self.raced.entry(number).or_default();
            own.ingested += raced.ingested;
            own.unsure |= raced.unsure;
        }
        self.ingested += other.ingested;
        self.measured += other.measured;
        self.duplicates += other.duplicates;
        self.conflicts += other.conflicts;
    }
}

impl Tally {
    fn take(&mut self, event: &Event) {
        match event.metric {
            Metric::Units => self.units += event.thousandths,
            Metric::Peak => self.peak = self.peak.max(event.thousandths),
            Metric::Requests => self.requests += 1,
            Metric::Users => self.users[(event.user / 64) as usize] |= 1 << (event.user % 64),
        }
    }

    fn merge(&mut self, other: &Self) {
        self.units += other.units;
        self.peak = self.peak.max(other.peak);
        self.requests += other.requests;
        for (own, others) in self.users.iter_mut().zip(other.users) {
            *own |= others;
        }
    }

    /// What the snapshot must say of a metric, and whether more values came than are counted.
    pub(super) fn expected(&self, metric: Metric) -> (Decimal, bool) {
        let thousandths = |number: u64| Decimal::from_i128_with_scale(i128::from(number), 3);
        match metric {
            Metric::Units => (thousandths(self.units), false),
            Metric::Peak => (thousandths(self.peak), false),
            Metric::Requests => (Decimal::from(self.requests), false),
            Metric::Users => {
                let users: u32 = self.users.iter().map(|word| word.count_ones()).sum();
                let users = u64::from(users);
                (Decimal::from(users.min(COUNTED_VALUES)), users > COUNTED_VALUES)
            }
        }
    }
}

pub(super) fn shown(snapshot: &Value, metric: Metric) -> Option<&Value> {
    let metrics = snapshot["metrics"].as_array()?;
    metrics.iter().find(|found| found["metricName"] == metric.name())
}

#[cfg(test)]
mod tests {
    use actors::domain::time::Timestamp;

    use super::*;

    #[test]
    fn tallies_of_two_workers_add_up_to_one() {
        let until = Timestamp::parse("2026-11-21T12:00:00Z").expect("a time");
        let batches =
            Batches { run: "r".to_owned(), until, contracts: vec![1, 2], size: 7, scatter: true };
        let (mut one, mut other, mut all) = (Usage::default(), Usage::default(), Usage::default());
        for number in 0..4_000 {
            let worker = if number % 3 == 0 { &mut one } else { &mut other };
            worker.take(&batches, number);
            all.take(&batches, number);
        }
        one.merge(other);
        for place in 0..2 {
            for metric in Metric::ALL {
                let found = one.tallies[&place].expected(metric);
                assert_eq!(found, all.tallies[&place].expected(metric), "{metric:?}");
            }
            let (users, over) = one.tallies[&place].expected(Metric::Users);
            assert!(users <= Decimal::from(COUNTED_VALUES));
            assert_eq!(users == Decimal::from(COUNTED_VALUES), over);
        }
    }

    #[test]
    fn a_raced_call_is_one_call() {
        let raced = |ingested, unsure| {
            let one = BTreeMap::from([(7, Raced { ingested, unsure })]);
            Usage { raced: one, ..Usage::default() }
        };
        let mut usage = raced(3, false);
        usage.merge(raced(2, false));
        assert_eq!(usage.raced[&7], Raced { ingested: 5, unsure: false });
        usage.merge(raced(0, true));
        assert!(usage.raced[&7].unsure);
    }
}
