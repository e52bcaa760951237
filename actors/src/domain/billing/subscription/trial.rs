use super::Subscription;
use super::change::{Change, Facts, Moment};
use super::draft::Draft;
use super::events::LifecycleEvent;
use super::names::{CancelMode, SubscriptionStatus, TrialEndBehavior};
use super::refusal::{Action, SubscriptionRefusal};

impl Subscription {
    /// Whether a charge begins with the end of the trial, as things stand.
    pub(super) fn trial_converts(&self) -> bool {
        let cancels = self.cancel_at().zip(self.trial_end).is_some_and(|(at, end)| at <= end);
        self.trial_end_behavior == TrialEndBehavior::Activate && !cancels
    }
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
