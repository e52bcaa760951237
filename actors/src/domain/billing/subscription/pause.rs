//! Pausing and going on. The running term is finished, none begins
//! while paused, and the schedule keeps its anchor.

use super::Subscription;
use super::change::Change;
use super::cut::take_back;
use super::draft::{Draft, LifecycleEvent, Note};
use super::names::SubscriptionStatus;
use super::proration::Prorations;
use super::refusal::{Action, SubscriptionRefusal};
use crate::domain::billing::test_clock::Moment;
use crate::domain::time::{Date, Timestamp};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pause {
    /// First day served again, after today; without one it waits for a resume.
    pub resumes_at: Option<Date>,
}

pub fn pause(
    sub: &Subscription,
    request: Pause,
    moment: Moment,
) -> Result<Change, SubscriptionRefusal> {
    let today = moment.today();
    if request.resumes_at.is_some_and(|day| day <= today) {
        return Err(SubscriptionRefusal::ResumesTooEarly(today));
    }
    if sub.status != SubscriptionStatus::Active {
        return Err(SubscriptionRefusal::DoesNotApply {
            action: Action::Pause,
            status: sub.status,
        });
    }
    let mut draft = Draft::of(sub, moment);
    draft.sub.status = SubscriptionStatus::Paused;
    draft.sub.paused_at = Some(moment.engine);
    draft.sub.paused_from = sub.served_until_pause(moment);
    draft.sub.resumes_at = request.resumes_at;
    draft.record(LifecycleEvent::Paused, moment.engine, Note::default());
    Ok(draft.finish(sub))
}

/// Makes a paused subscription go on today, or takes back the scheduled cancel of one that is not
/// paused. A cancel that was scheduled for a paused one stays until it is taken back itself.
/// `open` holds the open prorations of the subscription.
pub fn resume(
    sub: &Subscription,
    open: &Prorations,
    moment: Moment,
) -> Result<Change, SubscriptionRefusal> {
    let mut draft = Draft::of(sub, moment);
    if sub.status == SubscriptionStatus::Paused {
        let today = moment.today();
        if let Some(last) = sub.end_date.filter(|last| *last < today) {
            return Err(SubscriptionRefusal::EndDatePassed(last));
        }
        sub.refuse_behind_cancel(today)?;
        resume_on(&mut draft, today, moment.engine);
    } else if sub.status.is_final() {
        return Err(SubscriptionRefusal::DoesNotApply {
            action: Action::Resume,
            status: sub.status,
        });
    } else if sub.scheduled_cancel.is_some() {
        take_back(&mut draft, open);
        draft.sub.cancel_reason = None;
    } else {
        return Err(SubscriptionRefusal::NothingToResume);
    }
    Ok(draft.finish(sub))
}

/// Goes on with `day`. If the term in which it was paused is over, the term that covers the day
/// begins now and is charged from that day on.
pub(super) fn resume_on(draft: &mut Draft, day: Date, at: Timestamp) {
    draft.sub.end_pause(draft.moment.latest_day());
    draft.sub.status = SubscriptionStatus::Active;
    let mut note = Note::default();
    if draft.sub.current_period_end.is_some_and(|end| end <= day) {
        if let Some(change) = draft.sub.pending_change.filter(|c| c.effective_date <= day) {
            draft.apply_pending(change, at);
        }
        draft.begin_term(day);
        note = draft.latest_term();
    }
    draft.record(LifecycleEvent::Resumed, at, note);
    // What could not be collected while it was paused is still owed.
    if !draft.sub.past_due_for.is_empty() {
        draft.sub.status = SubscriptionStatus::PastDue;
        draft.record(LifecycleEvent::PastDue, at, Note::default());
    }
}
