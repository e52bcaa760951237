//! Changing the plan of a subscription: at once and prorated, or with the next term.

use super::Subscription;
use super::change::Change;
use super::draft::{Draft, LifecycleEvent, Note};
use super::names::{ChangeTiming, Frequency, SubscriptionStatus};
use super::price::{PendingChange, Plan, check_price};
use super::proration::{Legs, Proration, ProrationKind};
use super::refusal::{Action, SubscriptionRefusal};
use super::schedule::Span;
use crate::domain::billing::test_clock::Moment;
use crate::domain::money::PRICE_LIMIT;
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::time::Date;

/// What a change of plan asks for. What it does not state stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanChange {
    /// The new price, 0 to 10^12 minor units.
    pub price_minor: Option<i64>,
    pub quantity: Option<Quantity>,
    pub frequency: Option<Frequency>,
    pub tax_rate: Option<TaxRate>,
    /// `immediately` by default.
    pub effective: ChangeTiming,
    /// Whether an immediate change prorates the running term; it does by default.
    pub prorate: bool,
}

impl Default for PlanChange {
    fn default() -> Self {
        Self {
            price_minor: None,
            quantity: None,
            frequency: None,
            tax_rate: None,
            effective: ChangeTiming::Immediately,
            prorate: true,
        }
    }
}

impl PlanChange {
    /// Checks what can be checked without knowing the subscription.
    pub fn check(&self) -> Result<(), SubscriptionRefusal> {
        if self.price_minor.is_some_and(|price| !(0..=PRICE_LIMIT).contains(&price)) {
            return Err(SubscriptionRefusal::PriceOutOfRange);
        }
        Ok(())
    }

    fn waiting_for(&self, effective_date: Date) -> PendingChange {
        PendingChange {
            price_minor: self.price_minor,
            quantity: self.quantity,
            frequency: self.frequency,
            tax_rate: self.tax_rate,
            effective_date,
        }
    }
}

/// Changes the plan at once, with a proration record of the running term, or puts it off to the
/// next one. Before the first paid term there is nothing to prorate and everything may change;
/// while paused the change waits for the next term. A change to the present plan writes nothing,
/// but clears one that waits if it was to take its place.
pub fn change_plan(
    sub: &Subscription,
    request: &PlanChange,
    moment: Moment,
) -> Result<Change, SubscriptionRefusal> {
    request.check()?;
    let today = moment.today();
    let after = request.waiting_for(today).applied_to(sub.plan());
    check_price(after.price)?;
    if sub.status.is_final() {
        return Err(SubscriptionRefusal::DoesNotApply {
            action: Action::ChangePlan,
            status: sub.status,
        });
    }
    if let Some(pending) = sub.pending_change {
        check_price(pending.applied_to(after).price)?;
    }
    let mut draft = Draft::of(sub, moment);
    if matches!(sub.status, SubscriptionStatus::Scheduled | SubscriptionStatus::Trialing) {
        draft.apply_pending(request.waiting_for(today), moment.done_at());
        return Ok(draft.finish(sub));
    }
    let at_once = request.effective == ChangeTiming::Immediately;
    if at_once && after.frequency != sub.frequency {
        return Err(SubscriptionRefusal::FrequencyWithinTerm);
    }
    let running = sub.current_period_end.filter(|end| *end > today);
    let paused = sub.status == SubscriptionStatus::Paused;
    match running {
        Some(_) if at_once && !paused => change_within_term(&mut draft, request, after),
        Some(end) => put_off(&mut draft, request, after, end),
        None if paused => change_between_terms(&mut draft, request),
        None => put_off(&mut draft, request, after, next_boundary(sub, today)),
    }
    Ok(draft.finish(sub))
}

/// The first day from `today` on with which a term begins by the schedule.
fn next_boundary(sub: &Subscription, today: Date) -> Date {
    sub.schedules.last().map_or(today, |schedule| schedule.boundary_from(today))
}

fn change_within_term(draft: &mut Draft, request: &PlanChange, after: Plan) {
    if after == draft.sub.plan() {
        return;
    }
    let proration = if request.prorate { prorate(draft, after) } else { None };
    let note = Note {
        amount_minor: proration.as_ref().map(|record| match record.kind {
            ProrationKind::Charge => record.amount_minor,
            ProrationKind::Credit => -record.amount_minor,
        }),
        detail: proration.as_ref().map(Proration::description),
    };
    draft.prorations.extend(proration);
    draft.sub.price_minor = after.price.price_minor;
    draft.sub.quantity = after.price.quantity;
    draft.sub.tax_rate = after.price.tax_rate;
    draft.record(LifecycleEvent::PlanChanged, draft.moment.done_at(), note);
}

/// The record of a change in the running term, whose days left are at the new price from now on.
fn prorate(draft: &mut Draft, after: Plan) -> Option<Proration> {
    // Days that a cancel has given back are not served, whatever the term is to be billed for.
    let days = Span { start: draft.moment.today(), end: draft.sub.current_period_end? };
    let mut term = draft.sub.terms.pop()?;
    // A change that was not prorated has charged nothing for them.
    let old = term.price_ahead();
    let legs = Legs { old, new: after.price, credit_limit: term.creditable_minor() };
    let record = legs.over(days, &mut term, &draft.sub, draft.moment);
    term.carried = Some(after.price);
    draft.sub.terms.push(term);
    Some(record)
}

fn put_off(draft: &mut Draft, request: &PlanChange, after: Plan, day: Date) {
    let changes = after != draft.sub.plan();
    draft.sub.pending_change = changes.then(|| request.waiting_for(day));
}

/// Changes the plan of a paused subscription whose last term is over: nothing runs that it would
/// have to wait for.
fn change_between_terms(draft: &mut Draft, request: &PlanChange) {
    let (today, at) = (draft.moment.today(), draft.moment.done_at());
    if let Some(overdue) = draft.sub.pending_change {
        draft.apply_pending(overdue, at);
    }
    draft.apply_pending(request.waiting_for(today), at);
}
