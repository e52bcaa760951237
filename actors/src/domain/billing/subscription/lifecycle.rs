//! What time does to a subscription, and the end of a trial before its time. Everything happens on
//! days of the contract's clock, one step after the other, however far the clock has moved: one
//! long advance does what many short ones do.

use super::Subscription;
use super::change::{Change, Facts};
use super::draft::{Draft, LifecycleEvent, Note};
use super::names::{CancelMode, SubscriptionStatus, TrialEndBehavior};
use super::pause::resume_on;
use super::price::PendingChange;
use super::refusal::{Action, SubscriptionRefusal};
use crate::domain::billing::test_clock::Moment;
use crate::domain::time::{Date, Timestamp};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub trials_activated: u64,
    /// Trials that ended in a cancel on their last day.
    pub trials_canceled: u64,
    /// Trials that ended without the card that is required.
    pub trials_past_due: u64,
    /// Terms begun after the first.
    pub renewed: u64,
    pub resumed: u64,
    pub canceled: u64,
    pub expired: u64,
    pub skipped: u64,
    /// Whether the lifecycle is switched off; then nothing was done.
    pub cron_disabled: bool,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.trials_activated += more.trials_activated;
        self.trials_canceled += more.trials_canceled;
        self.trials_past_due += more.trials_past_due;
        self.renewed += more.renewed;
        self.resumed += more.resumed;
        self.canceled += more.canceled;
        self.expired += more.expired;
        self.skipped += more.skipped;
        self.cron_disabled |= more.cron_disabled;
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Advance {
    /// The rows; empty when there was nothing to do.
    pub change: Change,
    pub counts: Counts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Cancel,
    Expire,
    Start,
    EndTrial,
    Renew,
    ChangePlan,
    Resume,
    NotifyOfTrialEnd,
}

/// Runs the lifecycle of `sub` up to the engine date of `until`, in order and over as many terms
/// as it takes.
pub fn advance(sub: &Subscription, until: Moment, facts: &Facts) -> Advance {
    let mut counts = Counts::default();
    if next_step(sub).is_none_or(|(day, _)| day > until.today()) {
        counts.skipped = 1;
        return Advance { change: Change::none(sub), counts };
    }
    let mut draft = Draft::of(sub, until);
    run(&mut draft, facts, &mut counts);
    Advance { change: draft.finish(sub), counts }
}

/// The next instant of the contract's clock at which [`advance`] does something, which may lie in
/// the past; nothing if no day brings anything any more.
pub fn next_wakeup(sub: &Subscription) -> Option<Timestamp> {
    next_step(sub).map(|(day, _)| day.start())
}

/// Ends the trial today: the first paid term begins, and a cancel at the period's end moves to
/// the end of that term.
pub fn end_trial(
    sub: &Subscription,
    facts: &Facts,
    moment: Moment,
) -> Result<Change, SubscriptionRefusal> {
    if sub.status != SubscriptionStatus::Trialing {
        return Err(SubscriptionRefusal::DoesNotApply {
            action: Action::EndTrial,
            status: sub.status,
        });
    }
    sub.refuse_behind_cancel(moment.today())?;
    if sub.require_payment_method && !facts.card_saved {
        return Err(SubscriptionRefusal::PaymentMethodRequired);
    }
    let mut draft = Draft::of(sub, moment);
    // A trial whose end the lifecycle has not reached yet was over on that day, not today.
    let first_paid = sub.trial_end.map_or(moment.today(), |end| end.min(moment.today()));
    draft.sub.trial_end = Some(first_paid);
    draft.begin_paid(first_paid, SubscriptionStatus::Active, LifecycleEvent::Activated);
    if let (Some(cancel), Some(end)) =
        (draft.sub.scheduled_cancel.as_mut(), draft.sub.current_period_end)
        && cancel.mode == CancelMode::PeriodEnd
    {
        cancel.at = end;
    }
    Ok(draft.finish(sub))
}

pub(super) fn run(draft: &mut Draft, facts: &Facts, counts: &mut Counts) {
    let today = draft.moment.today();
    while let Some((day, step)) = next_step(&draft.sub).filter(|(day, _)| *day <= today) {
        take(draft, step, day, facts, counts);
    }
}

/// The earliest thing that lies ahead of `sub`. On one day, what ends a subscription comes before
/// what carries it on, and a new plan before the term that has it.
fn next_step(sub: &Subscription) -> Option<(Date, Step)> {
    let steps = match sub.status {
        SubscriptionStatus::Scheduled => [Some((sub.start_date, Step::Start)), None, None],
        SubscriptionStatus::Trialing => {
            let notice = sub.trial_end.filter(|_| !sub.trial_notice_sent && sub.trial_converts());
            [
                sub.trial_end.map(|end| (end, Step::EndTrial)),
                notice.map(|end| (end.plus_days(-1), Step::NotifyOfTrialEnd)),
                None,
            ]
        }
        SubscriptionStatus::Active | SubscriptionStatus::PastDue => [
            sub.expires_on().map(|day| (day, Step::Expire)),
            sub.current_period_end.map(|end| (end, Step::Renew)),
            None,
        ],
        SubscriptionStatus::Paused => [
            sub.expires_on().map(|day| (day, Step::Expire)),
            sub.pending_change.map(|change| (change.effective_date, Step::ChangePlan)),
            sub.resumes_at.map(|day| (day, Step::Resume)),
        ],
        SubscriptionStatus::Canceled | SubscriptionStatus::Expired => return None,
    };
    let cancel = sub.cancel_at().map(|at| (at, Step::Cancel));
    // The first of equals is the minimum.
    std::iter::once(cancel).chain(steps).flatten().min_by_key(|(day, _)| *day)
}

fn take(draft: &mut Draft, step: Step, day: Date, facts: &Facts, counts: &mut Counts) {
    match step {
        Step::Cancel => cancel_on(draft, day, counts),
        Step::Expire => expire(draft, day, counts),
        Step::Start => start(draft, day),
        Step::EndTrial => end_trial_on(draft, day, facts, counts),
        Step::Renew => renew(draft, day, counts),
        Step::ChangePlan => change_plan_on(draft, day),
        Step::Resume => resume_by_date(draft, day, counts),
        Step::NotifyOfTrialEnd => notify(draft),
    }
}

fn cancel_on(draft: &mut Draft, day: Date, counts: &mut Counts) {
    let ends_trial =
        draft.sub.status == SubscriptionStatus::Trialing && draft.sub.trial_end == Some(day);
    if ends_trial {
        counts.trials_canceled += 1;
    } else {
        counts.canceled += 1;
    }
    let at = draft.instant(day);
    draft.end_canceled(at);
}

fn expire(draft: &mut Draft, day: Date, counts: &mut Counts) {
    counts.expired += 1;
    draft.sub.status = SubscriptionStatus::Expired;
    draft.sub.scheduled_cancel = None;
    draft.sub.clear_plans_ahead();
    draft.record(LifecycleEvent::Expired, draft.instant(day), Note::default());
}

fn start(draft: &mut Draft, day: Date) {
    match draft.sub.trial_end {
        Some(end) => {
            draft.sub.status = SubscriptionStatus::Trialing;
            draft.sub.trial_start = Some(day);
            draft.sub.current_period_start = Some(day);
            draft.sub.current_period_end = Some(end);
        }
        None => draft.begin_paid(day, SubscriptionStatus::Active, LifecycleEvent::Activated),
    }
}

fn end_trial_on(draft: &mut Draft, day: Date, facts: &Facts, counts: &mut Counts) {
    if draft.sub.trial_end_behavior == TrialEndBehavior::Cancel {
        counts.trials_canceled += 1;
        draft.sub.scheduled_cancel = None;
        let at = draft.instant(day);
        draft.end_canceled(at);
    } else if draft.sub.require_payment_method && !facts.card_saved {
        counts.trials_past_due += 1;
        draft.begin_paid(day, SubscriptionStatus::PastDue, LifecycleEvent::PastDue);
    } else {
        counts.trials_activated += 1;
        draft.begin_paid(day, SubscriptionStatus::Active, LifecycleEvent::Activated);
    }
}

fn renew(draft: &mut Draft, day: Date, counts: &mut Counts) {
    if let Some(change) = draft.sub.pending_change.filter(|change| change.effective_date <= day) {
        let with_this_term = PendingChange { effective_date: day, ..change };
        draft.apply_pending(with_this_term, draft.instant(day));
    }
    counts.renewed += 1;
    draft.begin_term(day);
    draft.record(LifecycleEvent::Renewed, draft.instant(day), draft.latest_term());
}

fn change_plan_on(draft: &mut Draft, day: Date) {
    if let Some(change) = draft.sub.pending_change {
        draft.apply_pending(change, draft.instant(day));
    }
}

fn resume_by_date(draft: &mut Draft, day: Date, counts: &mut Counts) {
    counts.resumed += 1;
    resume_on(draft, day, draft.instant(day));
}

fn notify(draft: &mut Draft) {
    if let Some(end) = draft.sub.trial_end {
        draft.notify_of_trial_end(end);
    }
}

impl Subscription {
    /// Whether a charge begins with the end of the trial, as things stand.
    pub(super) fn trial_converts(&self) -> bool {
        let cancels = self.cancel_at().zip(self.trial_end).is_some_and(|(at, end)| at <= end);
        self.trial_end_behavior == TrialEndBehavior::Activate && !cancels
    }
}
