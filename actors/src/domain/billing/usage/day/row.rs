//! How a day is packed into its row.

use storage::{Record, RecordError};

use super::{DayVersion, UsageDay};
use crate::domain::billing::usage::aggregate::Tally;
use crate::domain::billing::usage::metric::Aggregation;
use crate::domain::billing::usage::pack::{Unpacker, damaged, put_long, put_number, put_signed};
use crate::domain::billing::usage::recorded::short;
use crate::domain::billing::usage::units::Units;

impl Record for UsageDay {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.tail.len() + 16 + 16 * 24);
        put_number(&mut out, self.versions.len() as u64);
        for part in &self.versions {
            put_number(&mut out, u64::from(part.version));
            out.push(number_of(part.aggregation));
            put_number(&mut out, part.hours.len() as u64);
            for (hour, tally) in &part.hours {
                out.push(*hour);
                put_number(&mut out, tally.events);
                put_long(&mut out, tally.value.0);
                if part.aggregation == Aggregation::Last {
                    put_signed(&mut out, tally.last_at);
                }
            }
        }
        put_number(&mut out, self.sealed);
        put_number(&mut out, self.waiting as u64);
        out.extend_from_slice(&self.tail);
        out
    }

    fn decode(_: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        let mut from = Unpacker::new(bytes);
        let mut versions = Vec::new();
        for _ in 0..from.number()? {
            let version = short(from.number()?)?;
            let aggregation = aggregation_of(from.byte()?)?;
            let mut hours = Vec::new();
            for _ in 0..from.number()? {
                let (hour, events) = (from.byte()?, from.number()?);
                let value = Units(from.long()?);
                let last_at = if aggregation == Aggregation::Last { from.signed()? } else { 0 };
                hours.push((hour, Tally { events, value, last_at }));
            }
            versions.push(DayVersion { version, aggregation, hours });
        }
        let (sealed, waiting) = (from.number()?, from.length()?);
        Ok(Self { versions, sealed, waiting, tail: from.rest().to_vec() })
    }
}

/// The aggregations as they stand in a row; the numbers are those of [`Aggregation`].
const AGGREGATIONS: [Aggregation; 6] = [
    Aggregation::Sum,
    Aggregation::Max,
    Aggregation::Min,
    Aggregation::Last,
    Aggregation::Count,
    Aggregation::CountUnique,
];

fn number_of(aggregation: Aggregation) -> u8 {
    match aggregation {
        Aggregation::Sum => 0,
        Aggregation::Max => 1,
        Aggregation::Min => 2,
        Aggregation::Last => 3,
        Aggregation::Count => 4,
        Aggregation::CountUnique => 5,
    }
}

fn aggregation_of(number: u8) -> Result<Aggregation, RecordError> {
    let known = AGGREGATIONS.get(usize::from(number)).copied();
    known.ok_or_else(|| damaged("an aggregation is not known"))
}
