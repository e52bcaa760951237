//! The days that one subscription serves, those ahead as its plans stand.

use crate::domain::billing::subscription::{Schedule, Span, Subscription};
use crate::domain::ids::SubscriptionId;
use crate::domain::time::Date;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Served {
    pub(super) subscription: SubscriptionId,
    trial: Option<Span>,
    /// In order; each is in force up to the start of the next.
    schedules: Vec<Schedule>,
    /// Unbroken stretches of days, in order; at least one.
    runs: Vec<Span>,
    /// The first day not served any more, if that is known.
    pub(super) ends: Option<Date>,
}

impl Served {
    pub(super) fn of(sub: &Subscription) -> Option<Self> {
        let trial = sub.trial();
        let schedules = sub.planned_schedules();
        let first = trial.map(|days| days.start).or(schedules.first().map(|paid| paid.start))?;
        let unpaid = if schedules.is_empty() { trial.map(|days| days.end) } else { None };
        let ends = [sub.served_until(), unpaid].into_iter().flatten().min();
        let whole = Span { start: first, end: ends.unwrap_or(endless(first)) };
        let gaps = sub.gaps.iter().copied().chain(sub.gap_ahead());
        let runs = without(whole, gaps);
        let served = Self { subscription: sub.id, trial, schedules, runs, ends };
        (!served.runs.is_empty()).then_some(served)
    }

    pub(super) fn first_day(&self) -> Date {
        self.runs[0].start
    }

    /// Whether it serves every day from this one on, as things stand.
    pub(super) fn serves_on_from(&self, day: Date) -> bool {
        matches!(self.runs[..], [run] if run.start <= day && run.end == endless(run.start))
    }

    pub(super) fn covers(&self, day: Date) -> bool {
        self.runs.iter().any(|run| run.contains(day))
    }

    /// The latest day before `day`, or `day` itself, up to which it served. For days that it does
    /// not cover.
    pub(super) fn end_before(&self, day: Date) -> Option<Date> {
        self.runs.iter().map(|run| run.end).filter(|end| *end <= day).max()
    }

    /// The earliest day after `day` from which on it serves. For days that it does not cover.
    pub(super) fn start_after(&self, day: Date) -> Option<Date> {
        self.runs.iter().map(|run| run.start).find(|start| *start > day)
    }

    /// The uncut term of a day that it covers, and whether it is the trial.
    pub(super) fn term_of(&self, day: Date) -> (Span, bool) {
        let paid = self.schedules.iter().rev().find(|schedule| schedule.start <= day);
        match (paid, self.trial) {
            (Some(schedule), _) => (schedule.covering(day), false),
            (None, Some(trial)) => (trial, true),
            (None, None) => (Span { start: day, end: day.plus_days(1) }, false),
        }
    }

    /// The unbroken part of `term` that has `day` in it.
    pub(super) fn within(&self, term: Span, day: Date) -> Span {
        let run = self.runs.iter().find(|run| run.contains(day));
        run.map_or(term, |run| Span {
            start: term.start.max(run.start),
            end: term.end.min(run.end),
        })
    }
}

/// The end of days that have none.
fn endless(start: Date) -> Date {
    start.plus_days(i64::MAX)
}

/// What is left of `whole` without `gaps`, which are in order.
fn without(whole: Span, gaps: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut runs = Vec::new();
    let mut start = whole.start;
    for gap in gaps {
        runs.push(Span { start, end: gap.start.min(whole.end) });
        start = start.max(gap.end);
    }
    runs.push(Span { start, end: whole.end });
    runs.retain(|run| run.start < run.end);
    runs
}
