//! Canceling. A begun term stays due in full unless the cancel is prorated: then it is cut where the
//! cancel ends it.

use super::change::{Change, Facts};
use super::cut::{settle_unused, take_back};
use super::draft::{Draft, LifecycleEvent, Note};
use super::names::{CancelMode, SubscriptionStatus};
use super::proration::Prorations;
use super::refusal::{Action, SubscriptionRefusal};
use super::{ScheduledCancel, Subscription};
use crate::domain::billing::test_clock::Moment;
use crate::domain::time::{Date, Timestamp};

const REASON_CHARACTERS: usize = 512;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancel {
    /// When it takes effect; `period_end` by default.
    pub mode: CancelMode,
    /// The first day not served; with [`CancelMode::AtDate`] only.
    pub at: Option<Date>,
    /// Why, at most 512 characters.
    pub reason: Option<String>,
    /// Whether unused days are given back; not by default.
    pub prorate: bool,
}

impl Default for Cancel {
    fn default() -> Self {
        Self { mode: CancelMode::PeriodEnd, at: None, reason: None, prorate: false }
    }
}

impl Cancel {
    /// Checks what can be checked without knowing the subscription.
    pub fn check(&self) -> Result<(), SubscriptionRefusal> {
        match (self.mode, self.at) {
            (CancelMode::AtDate, None) => return Err(SubscriptionRefusal::AtRequired),
            (CancelMode::PeriodEnd | CancelMode::Immediately, Some(_)) => {
                return Err(SubscriptionRefusal::AtNotAllowed);
            }
            _ => {}
        }
        let reason = self.reason.as_ref().map_or(0, |text| text.chars().count());
        if reason > REASON_CHARACTERS {
            return Err(SubscriptionRefusal::ReasonTooLong);
        }
        Ok(())
    }
}

/// Cancels at once or schedules the cancel for its day; a scheduled one is replaced. Asking for
/// what is scheduled already changes the reason alone, if it states one. `open` holds the open
/// prorations of the subscription.
pub fn cancel(
    sub: &Subscription,
    request: &Cancel,
    open: &Prorations,
    facts: &Facts,
    moment: Moment,
) -> Result<Change, SubscriptionRefusal> {
    request.check()?;
    let today = moment.today();
    if request.at.is_some_and(|at| at < today) {
        return Err(SubscriptionRefusal::AtInThePast(today));
    }
    if sub.status.is_final() {
        let action = Action::Cancel;
        return Err(SubscriptionRefusal::DoesNotApply { action, status: sub.status });
    }
    let mut draft = Draft::of(sub, moment);
    // With the running period nothing is left unused.
    let prorate = request.prorate && request.mode != CancelMode::PeriodEnd;
    let scheduled = |day| ScheduledCancel { at: day, mode: request.mode, prorate };
    if sub.scheduled_cancel == Some(scheduled(effective_day(sub, request, today))) {
        draft.sub.cancel_reason = request.reason.clone().or(draft.sub.cancel_reason.take());
        return Ok(draft.finish(sub));
    }
    draft.sub.cancel_reason.clone_from(&request.reason);
    take_back(&mut draft, open);
    draft.sub.canceled_on = Some(moment.wall.date());
    let day = effective_day(&draft.sub, request, today);
    if day > today {
        draft.sub.scheduled_cancel = Some(scheduled(day));
    }
    if prorate {
        if !facts.credits_on && billed_days_remain(&draft.sub, day) {
            return Err(SubscriptionRefusal::CreditsOff);
        }
        settle_unused(&mut draft, day, open);
    }
    if day <= today {
        draft.end_canceled(moment.done_at());
    }
    Ok(draft.finish(sub))
}

/// The first day not served, which is today for a cancel at once.
fn effective_day(sub: &Subscription, request: &Cancel, today: Date) -> Date {
    match request.mode {
        CancelMode::Immediately => today,
        CancelMode::AtDate => request.at.unwrap_or(today),
        CancelMode::PeriodEnd => match sub.status {
            SubscriptionStatus::Scheduled => today,
            _ => sub.current_period_end.map_or(today, |end| end.max(today)),
        },
    }
}

fn billed_days_remain(sub: &Subscription, day: Date) -> bool {
    sub.running_term(day)
        .is_some_and(|term| term.billed_by.is_some() && term.creditable_minor() > 0)
}

impl Subscription {
    /// Refuses to begin a term behind the day of a scheduled cancel to which the lifecycle has not
    /// come.
    pub(super) fn refuse_behind_cancel(&self, today: Date) -> Result<(), SubscriptionRefusal> {
        match self.cancel_at().filter(|at| *at <= today) {
            Some(at) => Err(SubscriptionRefusal::CancelPassed(at)),
            None => Ok(()),
        }
    }
}

impl Draft {
    /// Ends the subscription as canceled at the instant `at` of the contract's clock. A cancel
    /// that was scheduled stays readable.
    pub(super) fn end_canceled(&mut self, at: Timestamp) {
        self.sub.status = SubscriptionStatus::Canceled;
        self.sub.canceled_at = Some(at);
        self.sub.clear_plans_ahead();
        self.record(LifecycleEvent::Canceled, at, Note::default());
    }
}
