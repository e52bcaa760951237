//! One UTC day of a contract's metric: what its events come to, hour by hour, and the newest of
//! them.
//!
//! Events are counted from 0 within their day, in the order of arrival; that ordinal and the day
//! place an event for ever. Older ones lie sealed in chunks, the rest in the day's tail.

mod row;

use storage::RecordError;

use super::aggregate::{Measured, Tally, UsageTotal};
use super::chunk::ChunkWriter;
use super::distinct::DistinctValues;
use super::metric::Aggregation;
use super::pack::Unpacker;
use super::recorded::{Entry, UsageEvent};
use crate::domain::time::Timestamp;

/// Events that a tail takes before it is sealed.
pub const TAIL_EVENTS: usize = 32;
/// Bytes that a tail may have before it is sealed.
const TAIL_BYTES: usize = 2 * 1024;
/// Bytes that a tail may have at all, so that its row stays within what a row may have.
const LONGEST_TAIL_BYTES: usize = 32 * 1024;

const MICROS_A_DAY: i64 = 86_400_000_000;
const MICROS_AN_HOUR: i64 = 3_600_000_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageDay {
    versions: Vec<DayVersion>,
    sealed: u64,
    waiting: usize,
    tail: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayVersion {
    pub version: u32,
    pub aggregation: Aggregation,
    /// The hours that have events, in order, each with its tally.
    pub hours: Vec<(u8, Tally)>,
}

/// The UTC hour of an instant, 0 to 23.
pub fn hour_of(at: Timestamp) -> u8 {
    let hour = at.micros().rem_euclid(MICROS_A_DAY) / MICROS_AN_HOUR;
    u8::try_from(hour).unwrap_or_default()
}

impl UsageDay {
    pub fn events(&self) -> u64 {
        self.sealed + self.waiting as u64
    }

    pub fn sealed(&self) -> u64 {
        self.sealed
    }

    /// The metric versions that its events belong to, in order of their first event.
    pub fn versions(&self) -> &[DayVersion] {
        &self.versions
    }

    /// Counts an event in; that it is also kept is for [`keep`](Self::keep) or a chunk.
    pub fn count(&mut self, event: Measured) {
        let hour = hour_of(event.at);
        let hours = self.hours(event.version, event.aggregation);
        let place = match hours.binary_search_by_key(&hour, |(known, _)| *known) {
            Ok(place) => place,
            Err(place) => {
                hours.insert(place, (hour, Tally::default()));
                place
            }
        };
        hours[place].1.merge(event.aggregation, Tally::of(event));
    }

    fn hours(&mut self, version: u32, aggregation: Aggregation) -> &mut Vec<(u8, Tally)> {
        let known = self.versions.iter().position(|known| known.version == version);
        let place = known.unwrap_or_else(|| {
            self.versions.push(DayVersion { version, aggregation, hours: Vec::new() });
            self.versions.len() - 1
        });
        &mut self.versions[place].hours
    }

    /// Whether so many more events, of so many bytes at most, fit into the tail.
    pub fn has_room(&self, more: usize, bytes: usize) -> bool {
        self.waiting + more < TAIL_EVENTS
            && self.tail.len() < TAIL_BYTES
            && self.tail.len() + bytes <= LONGEST_TAIL_BYTES
    }

    pub fn keep(&mut self, event: Entry<'_>) {
        event.pack(&mut self.tail);
        self.waiting += 1;
    }

    /// Moves `tail`, which is what [`tail`](Self::tail) read, and then `fresh` into chunks: the
    /// ordinal of each one's first event, and the chunk.
    pub fn seal<'a>(
        &mut self,
        tail: &[UsageEvent],
        fresh: impl Iterator<Item = Entry<'a>>,
    ) -> Vec<(u64, super::chunk::EventChunk)> {
        let mut writer = ChunkWriter::default();
        let (mut chunks, mut first) = (Vec::new(), self.sealed);
        let mut push = |event: &Entry<'_>| {
            if !writer.has_room(event) {
                chunks.push((first, writer.finish()));
                first = self.sealed;
            }
            writer.push(event);
            self.sealed += 1;
        };
        tail.iter().for_each(|event| push(&Entry::kept(event)));
        fresh.for_each(|event| push(&event));
        if self.sealed > first {
            chunks.push((first, writer.finish()));
        }
        self.waiting = 0;
        // A long tail was an exception; its memory is not kept for the next.
        self.tail = Vec::new();
        chunks
    }

    /// The events that are not in chunks, in order.
    pub fn tail(&self) -> Result<Vec<UsageEvent>, RecordError> {
        let mut from = Unpacker::new(&self.tail);
        (0..self.waiting).map(|_| UsageEvent::unpack(&mut from)).collect()
    }

    /// Adds the day to a total. `values` finds the distinct values of a version.
    pub fn add_to<'v>(
        &self,
        total: &mut UsageTotal,
        values: impl Fn(u32) -> Option<&'v DistinctValues>,
    ) {
        for part in &self.versions {
            let aggregate = total.version(part.version, part.aggregation);
            for (_, tally) in &part.hours {
                aggregate.merge(*tally, None);
            }
            if let Some(values) = values(part.version) {
                aggregate.merge(Tally::default(), values.values());
            }
        }
    }
}

impl UsageDay {
    /// What an hour (0 to 23) comes to; `None` without events.
    pub fn hour<'v>(
        &self,
        hour: u8,
        values: impl Fn(u32) -> Option<&'v DistinctValues>,
    ) -> Option<UsageTotal> {
        let mut total = UsageTotal::default();
        for part in &self.versions {
            let tally = part.hours.iter().find(|(known, _)| *known == hour);
            let Some((_, tally)) = tally else { continue };
            let values = values(part.version).into_iter().flat_map(|values| values.in_hour(hour));
            total.version(part.version, part.aggregation).merge(*tally, values);
        }
        (total.events() > 0).then_some(total)
    }
}

impl DayVersion {
    pub fn has_values(&self) -> bool {
        self.aggregation == Aggregation::CountUnique
    }
}
