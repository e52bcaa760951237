//! The collection loop's verdicts: no caller's action.

use super::Subscription;
use super::change::{Change, Moment};
use super::draft::{Draft, Remark};
use super::names::SubscriptionStatus;
use super::news::News;
use super::refusal::{Action, SubscriptionRefusal};

/// Notes that money for an active subscription did not come. Twice is once.
///
/// # Errors
/// Any status but `active` and `past_due`.
pub fn mark_past_due(sub: &Subscription, moment: Moment) -> Result<Change, SubscriptionRefusal> {
    let (from, to) = (SubscriptionStatus::Active, SubscriptionStatus::PastDue);
    turn(sub, moment, from, to, News::PastDue, Action::MarkPastDue)
}

/// Notes that the money of a past-due subscription came after all. Twice is once.
///
/// # Errors
/// Any status but `past_due` and `active`.
pub fn mark_recovered(sub: &Subscription, moment: Moment) -> Result<Change, SubscriptionRefusal> {
    let (from, to) = (SubscriptionStatus::PastDue, SubscriptionStatus::Active);
    turn(sub, moment, from, to, News::Recovered, Action::MarkRecovered)
}

fn turn(
    sub: &Subscription,
    moment: Moment,
    from: SubscriptionStatus,
    to: SubscriptionStatus,
    news: News,
    action: Action,
) -> Result<Change, SubscriptionRefusal> {
    if sub.status == to {
        return Ok(Change::none(sub));
    }
    if sub.status != from {
        return Err(SubscriptionRefusal::DoesNotApply { action, status: sub.status });
    }
    let mut draft = Draft::of(sub, moment);
    draft.sub.status = to;
    draft.tell(news, moment.engine, Remark::default());
    Ok(draft.finish(sub))
}
