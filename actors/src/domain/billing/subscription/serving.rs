//! The days that a subscription serves, those ahead as its plans stand. Usage goes by them, by the
//! wall clock and also where the lifecycle has not run: what is done to a subscription leaves out
//! days that are ahead by that clock too, and none that usage may have come for.

use super::Subscription;
use super::names::{SubscriptionStatus, TrialEndBehavior};
use super::schedule::{Schedule, Span};
use super::term::Term;
use crate::domain::billing::test_clock::Moment;
use crate::domain::time::Date;

impl Subscription {
    /// The trial, whether the lifecycle has come to it or not.
    pub fn trial(&self) -> Option<Span> {
        let start = self.trial_start.unwrap_or(self.start_date);
        self.trial_end.filter(|end| *end > start).map(|end| Span { start, end })
    }

    /// The schedules so far and those that are planned, in order; each is in force up to the start
    /// of the next.
    pub fn planned_schedules(&self) -> Vec<Schedule> {
        let mut schedules = self.schedules.clone();
        let goes_on =
            self.trial_end.is_none() || self.trial_end_behavior == TrialEndBehavior::Activate;
        if schedules.is_empty() && goes_on {
            let anchor = self.trial_end.unwrap_or(self.start_date);
            schedules.push(Schedule::anchored(anchor, self.frequency));
        }
        if let Some(next) = schedules.last().and_then(|present| self.schedule_after(present)) {
            // A schedule that has no term of its own gives way.
            schedules.pop_if(|present| present.start == next.start);
            schedules.push(next);
        }
        schedules
    }

    /// What follows the present schedule, if the frequency is going to change.
    fn schedule_after(&self, present: &Schedule) -> Option<Schedule> {
        let change = self.pending_change?;
        let frequency = change.frequency.filter(|frequency| *frequency != present.frequency)?;
        let from = match (self.paused_at, self.current_period_end) {
            // Between terms nothing has to be waited for; a term that still runs is lived to its
            // end.
            (Some(_), Some(end)) => change.effective_date.max(end),
            (_, None) => change.effective_date,
            (None, Some(end)) => present.boundary_from(change.effective_date.max(end)),
        };
        // A last term that the end of the subscription cuts short is followed by none.
        if self.served_until().is_some_and(|end| from >= end) {
            return None;
        }
        Some(present.followed_by(present.covering(from).start, frequency))
    }

    /// The first day that is not served any more, if that is known and had it not been for pauses.
    /// A cancel ends what is ahead of the day on which it was asked for.
    pub fn served_until(&self) -> Option<Date> {
        let canceled = match self.status {
            SubscriptionStatus::Canceled => {
                self.canceled_at.map(|at| self.served_until_cancel(at.date()))
            }
            SubscriptionStatus::Expired => None,
            _ => self.cancel_at(),
        };
        let asked_for = self.canceled_on.map(|day| day.plus_days(1));
        let canceled = canceled.map(|end| asked_for.map_or(end, |day| end.max(day)));
        [canceled, self.expires_on()].into_iter().flatten().min()
    }

    /// The first day that a cancel on `day` leaves unserved. One at once serves its own day to the
    /// end: what was used before it was told to be metered.
    fn served_until_cancel(&self, day: Date) -> Date {
        let planned = self.cancel_at() == Some(day);
        if planned { day } else { day.plus_days(1) }
    }

    /// The first day that a pause leaves unserved: behind the term that covers the day on which it
    /// begins. Terms that began ahead of it, on a test clock that was let go since, wait with it.
    pub(super) fn served_until_pause(&self, moment: Moment) -> Option<Date> {
        let day = moment.latest_day();
        let planned = self.planned_schedules();
        let running = planned.iter().rev().find(|schedule| schedule.start <= day);
        let covering = running.map(|schedule| schedule.covering(day).end);
        if self.current_period_start.is_some_and(|start| start > day) {
            return covering.or(planned.first().map(|schedule| schedule.start));
        }
        covering.max(self.current_period_end)
    }

    /// The days that the pause leaves unserved as it stands; without end where none is known.
    pub fn gap_ahead(&self) -> Option<Span> {
        self.paused_at?;
        let start = self.paused_from.or_else(|| self.end_of_begun_term())?;
        let end = self.resumes_at.unwrap_or(start.plus_days(i64::MAX));
        (start < end).then_some(Span { start, end })
    }

    /// Where a pause began before that was kept with it. A term that a cancel has cut was served up
    /// to it.
    fn end_of_begun_term(&self) -> Option<Date> {
        let cut = self.terms.last().is_some_and(Term::is_cut_by_cancel);
        self.current_period_end.filter(|_| !cut)
    }

    /// Ends the pause. The days that it has left unserved before `until` stay known as such.
    pub(super) fn end_pause(&mut self, until: Date) {
        let gap = self.gap_ahead().map(|gap| Span { end: gap.end.min(until), ..gap });
        self.gaps.extend(gap.filter(|gap| gap.start < gap.end));
        self.paused_at = None;
        self.paused_from = None;
        self.resumes_at = None;
    }

    /// Drops what would have happened, had the subscription not ended: what was planned for days
    /// that it has served stays.
    pub(super) fn clear_plans_ahead(&mut self) {
        let mut planned = self.planned_schedules();
        if let Some(until) = self.served_until() {
            planned.retain(|schedule| schedule.start < until);
            self.end_pause(until);
        }
        self.schedules = planned;
        self.pending_change = None;
    }
}
