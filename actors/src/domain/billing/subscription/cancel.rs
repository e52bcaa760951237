//! Canceling. A begun term stays due in full unless the cancel is prorated; a scheduled cancel
//! settles its unused days when its day comes. Prorations of a term that no document carries end
//! where the term ends: a cancel that cuts the term cuts them alike, and when it is taken back they
//! are whole again.

use rust_decimal::Decimal;

use super::change::{Change, Facts};
use super::draft::{Draft, LifecycleEvent, Note};
use super::names::{CancelMode, SubscriptionStatus};
use super::price::Price;
use super::proration::{Legs, Proration, ProrationLot, Prorations};
use super::refusal::{Action, SubscriptionRefusal};
use super::schedule::Span;
use super::term::{Charge, CutReason, Ends, Term};
use super::{ScheduledCancel, Subscription};
use crate::domain::billing::test_clock::Moment;
use crate::domain::money::round_half_up;
use crate::domain::quantity::TaxRate;
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
/// what is scheduled already writes nothing. `open` holds the open prorations of the subscription.
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
    draft.sub.cancel_reason.clone_from(&request.reason);
    // With the running period nothing is left unused.
    let prorate = request.prorate && request.mode != CancelMode::PeriodEnd;
    let scheduled = |day| ScheduledCancel { at: day, mode: request.mode, prorate };
    if sub.scheduled_cancel == Some(scheduled(effective_day(sub, request, today))) {
        return Ok(draft.finish(sub));
    }
    take_back(&mut draft, open);
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
        draft.end_canceled(moment.engine);
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

impl Draft {
    /// Ends the subscription as canceled at the instant `at` of the contract's clock. A cancel
    /// that was scheduled stays readable.
    pub(super) fn end_canceled(&mut self, at: Timestamp) {
        self.sub.status = SubscriptionStatus::Canceled;
        self.sub.canceled_at = Some(at);
        self.sub.clear_plans_ahead(at.date());
        self.record(LifecycleEvent::Canceled, at, Note::default());
    }
}

impl Subscription {
    /// Drops what would have happened, had the subscription not ended with `day`. The days of a
    /// pause that it ended in, that day too, stay known as not served.
    pub(super) fn clear_plans_ahead(&mut self, day: Date) {
        self.pending_change = None;
        // A term that the cancel has cut was served up to it.
        let cut = self.terms.last().is_some_and(Term::is_cut_by_cancel);
        let served_until = self.current_period_end.filter(|_| self.paused_at.is_some() && !cut);
        if let Some(start) = served_until.filter(|start| *start <= day) {
            self.gaps.push(Span { start, end: day.plus_days(1) });
        }
        self.paused_at = None;
        self.resumes_at = None;
    }
}

/// Gives the days from `day` on back, that day counted: a term not billed is cut there with its
/// prorations, for a billed one a credit lot is made.
fn settle_unused(draft: &mut Draft, day: Date, open: &Prorations) {
    let Some(mut term) = draft.sub.terms.pop() else { return };
    let served = term.charged_days();
    if !served.contains(day) {
        draft.sub.terms.push(term);
        return;
    }
    let unused = Span { start: day, end: served.end };
    let ahead = term.price_ahead();
    let untouched = draft.untouched_prorations(&term, open);
    if term.billed_by.is_some() {
        let none = Price { price_minor: 0, ..ahead };
        let legs = Legs { old: ahead, new: none, credit_limit: term.creditable_minor() };
        let given_back = legs.over(unused, &mut term, &draft.sub, draft.moment);
        let rate = term.rate_back(ahead.tax_rate).unwrap_or(TaxRate::ZERO);
        draft.proration_lot = lot(&given_back, rate);
    } else if untouched.is_none() && ahead != term.price() {
        // A document carries some of the term's prorations already: the days that they moved to
        // another price go back to the term's own, so that the cut takes off what they cost.
        let legs = Legs { old: ahead, new: term.price(), credit_limit: term.creditable_minor() };
        let put_back = legs.over(unused, &mut term, &draft.sub, draft.moment);
        draft.prorations.push(put_back);
    }
    let (from, of) = (served.start, term.full_days());
    term.charge = Charge::Days { from, until: day, of, reason: CutReason::Cancel };
    term.end = day;
    draft.recut(&mut term, untouched);
    if day > served.start {
        draft.sub.current_period_end = Some(day);
    } else if term.billed_by.is_none() {
        // Canceled on its first day: the term has nothing to bill.
        return;
    }
    draft.sub.terms.push(term);
}

/// Takes a scheduled cancel back, and with it what a prorated one has settled already: the term
/// is whole again with its prorations, and days that were given back in money are charged anew.
pub(super) fn take_back(draft: &mut Draft, open: &Prorations) {
    let settled = draft.sub.settled_cancel();
    draft.sub.scheduled_cancel = None;
    let (Some(day), Some(schedule)) = (settled, draft.sub.schedules.last()) else { return };
    let was_settled =
        |term: &mut Term| term.is_cut_by_cancel() || term.charged_days().contains(day);
    let Some(mut term) = draft.sub.terms.pop_if(was_settled) else { return };
    // One that is not cut was billed when it was settled, and its document has been voided since.
    let given_back = term.billed_by.is_some() || !term.is_cut_by_cancel();
    let ends = Ends { served: draft.sub.expires_on(), settled: None };
    let from = term.charged_days().start;
    let whole = Term::begin(schedule.covering(term.start), from, ends, term.price());
    (term.charge, term.end) = (whole.charge, whole.end);
    let ahead = term.price_ahead();
    let untouched = draft.untouched_prorations(&term, open);
    let cut_at = if given_back { Price { price_minor: 0, ..ahead } } else { term.price() };
    if untouched.is_none() && cut_at != ahead {
        let legs = Legs { old: cut_at, new: ahead, credit_limit: term.creditable_minor() };
        let back = Span { start: day, end: term.end };
        let charged_anew = legs.over(back, &mut term, &draft.sub, draft.moment);
        draft.prorations.push(charged_anew);
    }
    draft.recut(&mut term, untouched);
    draft.sub.current_period_end = Some(term.end);
    if let Some(change) = draft.sub.pending_change.as_mut().filter(|c| c.effective_date == day) {
        change.effective_date = term.end;
    }
    draft.sub.terms.push(term);
}

fn lot(given_back: &Proration, rate: TaxRate) -> Option<ProrationLot> {
    let net_minor = given_back.credit_minor;
    let exact_tax = Decimal::from(net_minor) * rate.percent() / Decimal::ONE_HUNDRED;
    (net_minor > 0).then(|| ProrationLot {
        term_start: given_back.term_start,
        days_left: given_back.days_left,
        days_in_term: given_back.days_in_term,
        net_minor,
        // Tax is at most as much again as the net part, which is within the limit.
        tax_minor: round_half_up(exact_tax).unwrap_or(net_minor),
        currency: given_back.currency,
    })
}

impl Draft {
    /// The prorations of `term`, if neither it nor any of them is carried by a document. `open`
    /// holds the open ones of the subscription.
    pub(super) fn untouched_prorations(
        &self,
        term: &Term,
        open: &Prorations,
    ) -> Option<Prorations> {
        let present = open.iter().map(|(id, known)| (*id, self.recut.get(id).unwrap_or(known)));
        let untouched: Prorations = present
            .filter(|(_, one)| one.subscription == self.sub.id && one.term_start == term.start)
            .filter(|(_, one)| one.is_untouched())
            .map(|(id, one)| (id, one.clone()))
            .collect();
        let all = u64::try_from(untouched.len()) == Ok(term.prorations);
        (term.billed_by.is_none() && all).then_some(untouched)
    }

    /// Computes `prorations`, which are all of `term`, anew for the days that it is charged.
    pub(super) fn recut(&mut self, term: &mut Term, prorations: Option<Prorations>) {
        let Some(prorations) = prorations else { return };
        (term.added_minor, term.credited_minor, term.prorations) = (0, 0, 0);
        let end = term.charged_days().end;
        for (id, known) in prorations {
            let days = Span { start: known.days.start, end: end.max(known.days.start) };
            let credit_limit = term.creditable_minor();
            let legs = Legs { old: known.old, new: known.new, credit_limit };
            let recut = legs.over(days, term, &self.sub, self.moment);
            let (on, created_at) = (known.on, known.created_at);
            self.recut.insert(id, Proration { on, created_at, ..recut });
        }
    }
}
