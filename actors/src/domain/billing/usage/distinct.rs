//! The distinct values of a `count_unique` metric.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};
use storage::{Record, RecordError};

use super::pack::{Unpacker, damaged};

/// Distinct values that count for a contract and period.
pub const COUNTED_VALUES: usize = 1_000;

/// Distinct values that are remembered: one more than count tells that there were more.
const KEPT_VALUES: usize = COUNTED_VALUES + 1;

const HOURS_BYTES: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueFingerprint([u8; 16]);

impl ValueFingerprint {
    /// Of a value in the notation that all equal values have.
    pub fn of(canonical: &str) -> Self {
        let mut first = [0; 16];
        first.copy_from_slice(&Sha256::digest(canonical.as_bytes())[..16]);
        Self(first)
    }
}

/// The values of one day and metric version, each with the hours in which it was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistinctValues {
    values: BTreeMap<ValueFingerprint, u32>,
}

impl DistinctValues {
    /// Notes a value of an hour (0 to 23); says whether that changed anything. Beyond 1,001
    /// values new ones are not kept: they can change no count.
    pub fn add(&mut self, value: ValueFingerprint, hour: u8) -> bool {
        let bit = 1 << hour;
        if let Some(hours) = self.values.get_mut(&value) {
            let news = *hours & bit == 0;
            *hours |= bit;
            return news;
        }
        let room = self.values.len() < KEPT_VALUES;
        if room {
            self.values.insert(value, bit);
        }
        room
    }

    /// How many values were seen, at most 1,001.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub fn in_hour(&self, hour: u8) -> impl Iterator<Item = ValueFingerprint> + '_ {
        let seen = self.values.iter().filter(move |(_, hours)| **hours & (1 << hour) != 0);
        seen.map(|(value, _)| *value)
    }

    pub fn values(&self) -> impl Iterator<Item = ValueFingerprint> + '_ {
        self.values.keys().copied()
    }
}

impl Record for DistinctValues {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.values.len() * (16 + HOURS_BYTES));
        for (value, hours) in &self.values {
            out.extend_from_slice(&value.0);
            out.extend_from_slice(&hours.to_le_bytes()[..HOURS_BYTES]);
        }
        out
    }

    fn decode(_: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        let mut from = Unpacker::new(bytes);
        let mut values = BTreeMap::new();
        while !from.is_done() {
            let value = from.take(16)?.try_into().map_err(|_| damaged("a value is cut short"))?;
            let mut hours = [0; 4];
            hours[..HOURS_BYTES].copy_from_slice(from.take(HOURS_BYTES)?);
            values.insert(ValueFingerprint(value), u32::from_le_bytes(hours));
        }
        Ok(Self { values })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistinctSet {
    values: BTreeSet<ValueFingerprint>,
}

impl DistinctSet {
    /// Takes in a value, unless so many are known that it changes nothing.
    pub fn add(&mut self, value: ValueFingerprint) {
        if self.values.len() < KEPT_VALUES {
            self.values.insert(value);
        }
    }

    /// Whether a further event with this value would raise the count.
    pub fn lacks(&self, value: ValueFingerprint) -> bool {
        self.values.len() < KEPT_VALUES && !self.values.contains(&value)
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_keeps_one_value_more_than_counts() {
        let mut day = DistinctValues::default();
        let value = |n: u32| ValueFingerprint::of(&n.to_string());
        for n in 0..1_001 {
            assert!(day.add(value(n), 3));
            assert!(!day.add(value(n), 3));
        }
        assert!(!day.add(value(5_000), 3));
        assert!(day.add(value(7), 23));
        assert_eq!((day.len(), day.in_hour(3).count(), day.in_hour(23).count()), (1_001, 1_001, 1));
        assert_eq!(DistinctValues::decode(1, &day.encode()), Ok(day.clone()));
        assert!(day.encode().len() < 20_000);
    }
}
