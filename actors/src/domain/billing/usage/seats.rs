//! Seats: how many a contract has, and what a period of them is charged for.
//!
//! Every UTC day counts the seats that it ends with. So a seat that is added on a day counts for
//! all of it, and one that is added and removed on the same day for nothing.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use storage::CborRecord;

use crate::domain::billing::subscription::Span;
use crate::domain::ids::SeatChangeId;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::{Date, Timestamp};

/// The most seats that a contract has, and that one change adds or removes.
const MAX_SEATS: i64 = 10_000_000;
const NOTE_CHARACTERS: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SeatChange {
    #[n(0)]
    pub id: SeatChangeId,
    /// From when on, by the wall clock.
    #[n(1)]
    pub at: Timestamp,
    /// How many more; fewer when negative.
    #[n(2)]
    pub delta: i64,
    /// The seller's words, at most 256 characters.
    #[n(3)]
    pub note: Option<String>,
    #[n(4)]
    pub recorded_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeSeats {
    pub delta: i64,
    /// From when on; now by default.
    pub at: Option<Timestamp>,
    pub note: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeatRefusal {
    #[error("delta must not be 0")]
    NoChange,
    #[error("seats are {0} then already")]
    AlreadySet(i64),
    #[error("seats must be 0 to {MAX_SEATS}")]
    OutOfRange,
    #[error("delta must leave the contract with at most {MAX_SEATS} seats")]
    TooMany,
    #[error("at must not be ahead of now")]
    Ahead,
    #[error("note must be at most {NOTE_CHARACTERS} characters")]
    LongNote,
    #[error("at must not be before {0}: seats up to then are closed")]
    Closed(Date),
    #[error("delta removes more seats than there are: {0} are left for it")]
    BelowZero(i64),
}

impl Refuse for SeatRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Closed(_) | Self::BelowZero(_) | Self::AlreadySet(_) => {
                RefusalKind::Unprocessable
            }
            _ => RefusalKind::Invalid,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seats {
    changes: BTreeMap<(Timestamp, SeatChangeId), i64>,
}

impl Seats {
    pub fn take(&mut self, change: &SeatChange) {
        self.changes.insert((change.at, change.id), change.delta);
    }

    /// Decides on the change after which there are so many seats from an instant on, now by
    /// default, until the next change behind it; and on the one that then leads back to what was
    /// said of the time from there on. `closed_until` is the first day of seats that may still
    /// change.
    pub fn set(
        &self,
        mut id: impl FnMut() -> SeatChangeId,
        (seats, at): (i64, Option<Timestamp>),
        closed_until: Option<Date>,
        now: Timestamp,
    ) -> Result<(SeatChange, Option<SeatChange>), SeatRefusal> {
        if !(0..=MAX_SEATS).contains(&seats) {
            return Err(SeatRefusal::OutOfRange);
        }
        let at = at.unwrap_or(now);
        let delta = seats - self.at(at);
        if delta == 0 {
            return Err(SeatRefusal::AlreadySet(seats));
        }
        check_time(at, closed_until, now)?;
        let set = SeatChange { id: id(), at, delta, note: None, recorded_at: now };
        let next = self.changes.keys().map(|(then, _)| *then).find(|then| *then > at);
        let back = next.map(|then| SeatChange { id: id(), at: then, delta: -delta, ..set.clone() });
        Ok((set, back))
    }

    /// Decides on a change. `closed_until` is the first day of seats that may still change.
    pub fn change(
        &self,
        id: SeatChangeId,
        request: ChangeSeats,
        closed_until: Option<Date>,
        now: Timestamp,
    ) -> Result<SeatChange, SeatRefusal> {
        let at = request.at.unwrap_or(now);
        if request.delta == 0 {
            return Err(SeatRefusal::NoChange);
        }
        if request.delta.unsigned_abs() > MAX_SEATS.unsigned_abs() {
            return Err(SeatRefusal::TooMany);
        }
        if request.note.as_ref().is_some_and(|note| note.chars().count() > NOTE_CHARACTERS) {
            return Err(SeatRefusal::LongNote);
        }
        check_time(at, closed_until, now)?;
        let (fewest, most) = self.bounds_from((at, id));
        if fewest + request.delta < 0 {
            return Err(SeatRefusal::BelowZero(fewest));
        }
        if most + request.delta > MAX_SEATS {
            return Err(SeatRefusal::TooMany);
        }
        let (delta, note) = (request.delta, request.note.filter(|note| !note.is_empty()));
        Ok(SeatChange { id, at, delta, note, recorded_at: now })
    }

    pub fn on(&self, day: Date) -> i64 {
        self.before(day.plus_days(1))
    }

    /// At an instant, with the changes of this very instant.
    pub fn at(&self, at: Timestamp) -> i64 {
        self.changes.iter().take_while(|((then, _), _)| *then <= at).map(|(_, delta)| delta).sum()
    }

    pub fn seat_days(&self, span: Span) -> i64 {
        let (start, end) = (span.start.start(), span.end.start());
        let there = self.before(span.start) * span.days();
        let within = self.changes.iter().filter(|((at, _), _)| (start..end).contains(at));
        // A change counts for its own day and those behind it.
        let changed: i64 =
            within.map(|((at, _), delta)| delta * span.end.days_since(at.date())).sum();
        there + changed
    }

    /// How many there are at the end of each day of a span.
    pub fn by_day(&self, span: Span) -> impl Iterator<Item = (Date, i64)> {
        let (mut changes, mut seats) = (self.changes.iter().peekable(), 0_i64);
        let days = (0..span.days()).map(move |number| span.start.plus_days(number));
        days.map(move |day| {
            let end = day.plus_days(1).start();
            while let Some((_, delta)) = changes.next_if(|((at, _), _)| *at < end) {
                seats += delta;
            }
            (day, seats)
        })
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    fn before(&self, day: Date) -> i64 {
        let end = day.start();
        self.changes.iter().take_while(|((at, _), _)| *at < end).map(|(_, delta)| delta).sum()
    }

    /// The fewest and the most seats there are from a place in time on. What several changes of
    /// one instant come to counts, and not the way there.
    fn bounds_from(&self, place: (Timestamp, SeatChangeId)) -> (i64, i64) {
        let before: i64 = self.changes.range(..place).map(|(_, delta)| delta).sum();
        let mut later = self.changes.range(place..).peekable();
        let (mut count, mut fewest, mut most) = (before, before, before);
        while let Some(((at, _), delta)) = later.next() {
            count += delta;
            if later.peek().is_none_or(|((next, _), _)| next > at) {
                (fewest, most) = (fewest.min(count), most.max(count));
            }
        }
        (fewest, most)
    }
}

fn check_time(
    at: Timestamp,
    closed_until: Option<Date>,
    now: Timestamp,
) -> Result<(), SeatRefusal> {
    if at > now {
        return Err(SeatRefusal::Ahead);
    }
    match closed_until.filter(|open| at.date() < *open) {
        Some(open) => Err(SeatRefusal::Closed(open)),
        None => Ok(()),
    }
}

impl CborRecord for SeatChange {}
