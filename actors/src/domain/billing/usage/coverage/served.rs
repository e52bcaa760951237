//! The days that one subscription serves, those ahead as its plans stand.

use crate::domain::billing::subscription::{
    Schedule, Span, Subscription, SubscriptionStatus, TrialEndBehavior,
};
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
        let trial = trial_of(sub);
        let schedules = schedules_of(sub);
        let first = trial.map(|days| days.start).or(schedules.first().map(|paid| paid.start))?;
        let unpaid = if schedules.is_empty() { trial.map(|days| days.end) } else { None };
        let ends = [ended_on(sub), unpaid].into_iter().flatten().min();
        let whole = Span { start: first, end: ends.unwrap_or(endless(first)) };
        let gaps = sub.gaps.iter().copied().chain(gap_ahead(sub));
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

fn trial_of(sub: &Subscription) -> Option<Span> {
    let planned = (sub.status == SubscriptionStatus::Scheduled).then_some(sub.start_date);
    let start = sub.trial_start.or(planned)?;
    sub.trial_end.filter(|end| *end > start).map(|end| Span { start, end })
}

fn schedules_of(sub: &Subscription) -> Vec<Schedule> {
    let mut schedules = sub.schedules.clone();
    let unpaid = matches!(sub.status, SubscriptionStatus::Scheduled | SubscriptionStatus::Trialing);
    let goes_on = sub.trial_end.is_none() || sub.trial_end_behavior == TrialEndBehavior::Activate;
    if unpaid && goes_on {
        let anchor = sub.trial_end.unwrap_or(sub.start_date);
        schedules.push(Schedule::anchored(anchor, sub.frequency));
    }
    if let Some(next) = schedules.last().and_then(|present| changed(sub, present)) {
        // A schedule that has no term of its own gives way.
        schedules.pop_if(|present| present.start == next.start);
        schedules.push(next);
    }
    schedules
}

/// What follows the present schedule, if the frequency is going to change.
fn changed(sub: &Subscription, present: &Schedule) -> Option<Schedule> {
    let change = sub.pending_change?;
    let frequency = change.frequency.filter(|frequency| *frequency != present.frequency)?;
    let from = match (sub.status, sub.current_period_end) {
        // Between terms nothing has to be waited for; a term that still runs is lived to its end.
        (SubscriptionStatus::Paused, Some(end)) => change.effective_date.max(end),
        (_, None) => change.effective_date,
        (_, Some(end)) => present.boundary_from(change.effective_date.max(end)),
    };
    // A last term that the end of the subscription cuts short is followed by none.
    if ended_on(sub).is_some_and(|end| from >= end) {
        return None;
    }
    Some(present.followed_by(present.covering(from).start, frequency))
}

/// The days of a pause that lasts, after the term in which it began.
fn gap_ahead(sub: &Subscription) -> Option<Span> {
    if sub.status != SubscriptionStatus::Paused {
        return None;
    }
    let start = sub.current_period_end?;
    let end = sub.resumes_at.unwrap_or(endless(start));
    (start < end).then_some(Span { start, end })
}

/// The first day that is not served any more, had it not been for pauses.
fn ended_on(sub: &Subscription) -> Option<Date> {
    let canceled = match sub.status {
        SubscriptionStatus::Canceled => sub.canceled_at.map(|at| ended_by_cancel(sub, at.date())),
        SubscriptionStatus::Expired => None,
        _ => sub.cancel_at(),
    };
    [canceled, sub.expires_on()].into_iter().flatten().min()
}

/// The first day that a cancel on `day` leaves unserved. One at once serves its own day to the
/// end: what was used before it was told to be metered.
fn ended_by_cancel(sub: &Subscription, day: Date) -> Date {
    let planned = sub.cancel_at() == Some(day);
    if planned { day } else { day.plus_days(1) }
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
