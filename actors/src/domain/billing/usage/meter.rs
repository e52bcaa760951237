//! What is kept of one metric of a contract beside its days.

use rust_decimal::Decimal;
use storage::CborRecord;

use super::blocked::Blocked;
use super::line::UsageLine;
use super::policy::UsageLimit;
use crate::domain::billing::subscription::Span;
use crate::domain::ids::SubscriptionId;
use crate::domain::quantity::Quantity;
use crate::domain::time::{Date, Timestamp};

/// So many spans of closed days stay in the row of a metric; older ones have rows of their own.
pub const CLOSED_IN_ROW: usize = 32;

#[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct MeterRow {
    /// The days that are closed, in order; spans that touch are one. In memory these are all, in
    /// the row the newest.
    #[n(0)]
    pub closed: Vec<Span>,
    #[n(1)]
    pub limit: Option<UsageLimit>,
    /// Allotments that closed periods have left for the period behind them, while that is open.
    #[n(2)]
    pub carried: Vec<Carried>,
    /// First day of the period of which it was told last that its soft limit is exceeded.
    #[n(3)]
    pub told_exceeded: Option<Date>,
    /// Whether an event of it was ever counted.
    #[n(4)]
    pub used: bool,
    /// Periods that are over and could not be closed, in order.
    #[n(5)]
    pub blocked: Vec<Blocked>,
    /// First days of other such periods that are not closed.
    #[n(6)]
    #[cbor(default)]
    pub told_exceeded_too: Vec<Date>,
}

/// An unused allotment on its way to the next period of the same subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Carried {
    #[n(0)]
    pub subscription: SubscriptionId,
    /// The first day of the period that may use it, and that alone.
    #[n(1)]
    pub into: Date,
    /// How much, above 0.
    #[n(2)]
    pub units: Quantity,
}

impl MeterRow {
    /// Whether a day is closed: what comes to be known of it counts to no period any more.
    pub fn is_closed(&self, day: Date) -> bool {
        self.closed.iter().any(|span| span.contains(day))
    }

    /// Whether it was told of the period that begins with a day that its soft limit is exceeded.
    pub fn is_told_exceeded(&self, period_start: Date) -> bool {
        self.told_exceeded == Some(period_start) || self.told_exceeded_too.contains(&period_start)
    }

    /// Takes note that it is told of a period.
    pub fn note_exceeded(&mut self, period_start: Date) {
        let closed = &self.closed;
        let is_open = |day: &Date| !closed.iter().any(|span| span.contains(*day));
        self.told_exceeded_too.retain(is_open);
        self.told_exceeded_too.extend(self.told_exceeded.filter(is_open));
        self.told_exceeded = Some(period_start);
    }

    /// That a period is known to stay open, for this reason.
    pub fn blocked_for(&self, span: Span, reason: &str) -> Option<&Blocked> {
        self.blocked.iter().find(|known| known.span == span && known.reason == reason)
    }

    /// When a period that stays open is tried again, if it waits for that.
    pub fn waits_until(&self, span: Span) -> Option<Timestamp> {
        self.blocked.iter().find(|known| known.span == span).and_then(|known| known.next_at)
    }

    /// Lets periods that stay open be tried at once, as something of them has changed. Whether any
    /// of them was waiting.
    pub fn retry_now(&mut self, concerns: impl Fn(&Span) -> bool) -> bool {
        let mut any = false;
        for known in self.blocked.iter_mut().filter(|known| concerns(&known.span)) {
            any |= known.next_at.take().is_some();
        }
        any
    }

    fn close(&mut self, span: Span) {
        if span.start >= span.end {
            return;
        }
        let apart = |other: &Span| other.end < span.start || span.end < other.start;
        let start = self.closed.iter().filter(|other| !apart(other)).map(|other| other.start);
        let start = start.fold(span.start, Date::min);
        let end = self.closed.iter().filter(|other| !apart(other)).map(|other| other.end);
        let end = end.fold(span.end, Date::max);
        self.closed.retain(apart);
        let place = self.closed.partition_point(|other| other.start < start);
        self.closed.insert(place, Span { start, end });
        let closed = &self.closed;
        self.carried.retain(|left| !closed.iter().any(|span| span.contains(left.into)));
    }

    /// The closed spans that have rows of their own.
    pub fn older(&self) -> &[Span] {
        &self.closed[..self.closed.len().saturating_sub(CLOSED_IN_ROW)]
    }

    /// The row, without those.
    pub fn to_store(&self) -> Self {
        Self { closed: self.closed[self.older().len()..].to_vec(), ..self.clone() }
    }

    /// The parts of `span` that are not closed, in order.
    pub fn open_parts(&self, span: Span) -> Vec<Span> {
        let mut parts = Vec::new();
        let mut start = span.start;
        for closed in self.closed.iter().filter(|closed| closed.end > span.start) {
            parts.push(Span { start, end: closed.start.min(span.end) });
            start = start.max(closed.end);
        }
        parts.push(Span { start, end: span.end });
        parts.retain(|part| part.start < part.end);
        parts
    }

    /// The end of the closed days that `day` is one of.
    pub fn closed_until(&self, day: Date) -> Option<Date> {
        self.closed.iter().find(|span| span.contains(day)).map(|span| span.end)
    }

    /// Takes in a closed line: its days, and what it leaves to the period behind it. What was left
    /// to a period that never came, as in a pause, is dropped: the oldest period is closed first.
    pub fn take(&mut self, line: &UsageLine) {
        self.close(line.span);
        let (blocked, start) = (&self.blocked, line.span.start);
        let waits = |left: &Carried| blocked.iter().any(|open| open.span.start == left.into);
        self.carried.retain(|left| left.into >= start || waits(left));
        let (subscription, into, units) = (line.subscription, line.span.end, line.left_over());
        if units > Quantity::ZERO && !self.is_closed(into) {
            self.carried.push(Carried { subscription, into, units });
        }
    }

    /// Takes units that late events of a closed period use off what it has left to the period
    /// behind it, as far as they are still there. Whether there was any.
    pub fn use_carried(&mut self, line: &UsageLine, units: Decimal) -> bool {
        let of_line =
            |left: &Carried| left.subscription == line.subscription && left.into == line.span.end;
        let left = self.carried.iter_mut().find(|left| of_line(left));
        let Some(left) = left.filter(|_| units > Decimal::ZERO) else { return false };
        left.units = Quantity::measured(left.units.value() - units);
        self.carried.retain(|left| left.units > Quantity::ZERO);
        true
    }

    /// What a period of `subscription` that begins with `day` was left by the one before it.
    pub fn carried_into(&self, subscription: SubscriptionId, day: Date) -> Quantity {
        let mine = |left: &&Carried| left.subscription == subscription && left.into == day;
        self.carried.iter().find(mine).map_or(Quantity::ZERO, |left| left.units)
    }
}

impl CborRecord for MeterRow {}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32, end: u32) -> Span {
        let day = |n| Date::new(2026, 3, n).expect("a day");
        Span { start: day(start), end: day(end) }
    }

    #[test]
    fn closed_spans_that_touch_are_one() {
        let mut row = MeterRow::default();
        for (closed, expected) in [
            (span(10, 12), vec![span(10, 12)]),
            (span(3, 5), vec![span(3, 5), span(10, 12)]),
            (span(12, 15), vec![span(3, 5), span(10, 15)]),
            (span(20, 20), vec![span(3, 5), span(10, 15)]),
            (span(5, 10), vec![span(3, 15)]),
            (span(4, 6), vec![span(3, 15)]),
        ] {
            row.close(closed);
            assert_eq!(row.closed, expected);
        }
        assert!(row.is_closed(span(3, 4).start) && row.is_closed(span(14, 15).start));
        assert!(!row.is_closed(span(2, 3).start) && !row.is_closed(span(15, 16).start));
        assert_eq!(row.closed_until(span(7, 8).start), Some(span(14, 15).end));
    }

    #[test]
    fn what_is_open_of_a_span_is_around_the_closed_parts() {
        let mut row = MeterRow::default();
        for closed in [span(5, 8), span(10, 12)] {
            row.close(closed);
        }
        for (of, parts) in [
            (span(1, 5), vec![span(1, 5)]),
            (span(1, 20), vec![span(1, 5), span(8, 10), span(12, 20)]),
            (span(6, 11), vec![span(8, 10)]),
            (span(5, 8), vec![]),
            (span(12, 20), vec![span(12, 20)]),
        ] {
            assert_eq!(row.open_parts(of), parts);
        }
    }

    #[test]
    fn the_row_has_the_newest_closed_spans_alone() {
        let first = Date::new(2020, 1, 1).expect("a day");
        let mut row = MeterRow::default();
        for n in 0..100 {
            let start = first.plus_days(3 * n);
            row.close(Span { start, end: start.plus_days(2) });
        }
        let stored = row.to_store();
        assert_eq!((row.older().len(), stored.closed.len()), (68, CLOSED_IN_ROW));
        assert_eq!([row.older(), &stored.closed[..]].concat(), row.closed);
        assert_eq!((stored.older(), stored.to_store()), (&[][..], stored.clone()));
    }
}
