//! What a subscription owes: the terms that wait to be billed, and what the collection of an
//! invoice makes of it. Nobody else says that one is past due, but for a trial that ends without
//! the card that it requires.

use std::collections::BTreeSet;

use super::Subscription;
use super::change::Change;
use super::draft::{Draft, LifecycleEvent, Note};
use super::names::SubscriptionStatus;
use super::schedule::Span;
use super::term::Term;
use crate::domain::billing::tax::TaxTreatment;
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::InvoiceId;
use crate::domain::time::Date;

impl Subscription {
    /// The begun terms that no invoice carries and whose first charged day has come by
    /// `engine_date`, oldest first.
    pub fn due_terms(&self, engine_date: Date) -> impl Iterator<Item = &Term> {
        self.terms.iter().filter(move |term| {
            term.billed_by.is_none() && term.charged_days().start <= engine_date
        })
    }

    /// The day on which the oldest begun term that no invoice carries fell due.
    pub fn next_unbilled_due(&self) -> Option<Date> {
        let unbilled = self.terms.iter().find(|term| term.billed_by.is_none());
        unbilled.map(|term| term.charged_days().start)
    }

    /// Notes that `invoice` carries the term of first day `start` and charged `charged_minor` for
    /// it, net of tax and before any proration on the same invoice, taxed as `tax` says. Answers the
    /// term as billed, for its claim; nothing if no such term waits to be billed. Terms that are
    /// billed and over leave the record.
    pub fn mark_billed(
        &mut self,
        start: Date,
        invoice: InvoiceId,
        charged_minor: i64,
        tax: TaxTreatment,
    ) -> Option<Term> {
        let waiting = |term: &&mut Term| term.start == start && term.billed_by.is_none();
        let term = self.terms.iter_mut().find(waiting)?;
        term.billed_by = Some(invoice);
        term.charged_minor = charged_minor;
        term.billed_rate = Some(tax.rate);
        term.billed_category = Some(tax.category);
        let billed = term.clone();
        self.drop_settled_terms();
        Some(billed)
    }

    /// Takes back that `invoice` carries a term, which waits to be billed again for the days that it
    /// was billed for: also for those that were given back since, and not for those that it has
    /// come to be served for since, which prorations charge. Nothing if the term stands otherwise in
    /// the record.
    pub fn release_term(&mut self, invoice: InvoiceId, claimed: &Term) {
        let unbilled = |term: &Term| Term {
            billed_by: None,
            charged_minor: 0,
            billed_rate: None,
            billed_category: None,
            charge: claimed.charge,
            end: term.end.max(claimed.end),
            ..term.clone()
        };
        match self.terms.iter_mut().find(|term| term.start == claimed.start) {
            Some(known) if known.billed_by == Some(invoice) => *known = unbilled(known),
            Some(_) => {}
            None => {
                let place = self.terms.partition_point(|term| term.start < claimed.start);
                self.terms.insert(place, unbilled(claimed));
            }
        }
    }

    /// The first day not served of a subscription that ends before another term begins: what is
    /// still to be charged of its prorations is then due by itself. The day of a cancel at once
    /// is served to its end.
    pub fn ends_on(&self) -> Option<Date> {
        match self.status {
            SubscriptionStatus::Scheduled | SubscriptionStatus::Trialing => None,
            SubscriptionStatus::Canceled => {
                let at_once = || self.canceled_at.map(|at| at.date().plus_days(1));
                self.cancel_at().or_else(at_once)
            }
            SubscriptionStatus::Expired => self.expires_on(),
            SubscriptionStatus::Active
            | SubscriptionStatus::PastDue
            | SubscriptionStatus::Paused => {
                let end = [self.cancel_at(), self.expires_on()].into_iter().flatten().min();
                end.filter(|end| self.current_period_end.is_some_and(|next| *end <= next))
            }
        }
    }

    pub fn is_past_due_for(&self, invoice: InvoiceId) -> bool {
        self.status == SubscriptionStatus::PastDue && self.past_due_for.contains(&invoice)
    }

    /// Whether it is past due, or will be once it goes on.
    pub fn is_behind(&self) -> bool {
        match self.status {
            SubscriptionStatus::PastDue => true,
            SubscriptionStatus::Paused => !self.past_due_for.is_empty(),
            _ => false,
        }
    }

    /// The latest begun term, if `day` is one of those served in it.
    pub fn running_term(&self, day: Date) -> Option<&Term> {
        let is_served = |term: &&Term| self.served_in(term).is_some_and(|days| days.contains(day));
        self.terms.last().filter(is_served)
    }

    /// The days served in the latest begun term, whoever charges them.
    pub(super) fn served_in(&self, latest: &Term) -> Option<Span> {
        let start = latest.charged_days().start;
        self.current_period_end.map(|end| Span { start, end })
    }
}

/// The invoice could not be collected: a running subscription is past due, until all such invoices
/// are settled. One that is paused is so as soon as it goes on.
pub fn fall_past_due(sub: &Subscription, invoice: InvoiceId, moment: Moment) -> Change {
    let mut draft = Draft::of(sub, moment);
    let goes_on = matches!(
        sub.status,
        SubscriptionStatus::Active | SubscriptionStatus::PastDue | SubscriptionStatus::Paused
    );
    if goes_on && !sub.past_due_for.contains(&invoice) {
        draft.sub.past_due_for.push(invoice);
    }
    if sub.status == SubscriptionStatus::Active {
        draft.sub.status = SubscriptionStatus::PastDue;
        draft.record(LifecycleEvent::PastDue, moment.engine, Note::default());
    }
    draft.finish(sub)
}

/// Nobody waits for the invoice any more. A subscription that was past due for nothing else stays
/// so until the next invoice of its terms is paid.
pub fn written_off(sub: &Subscription, invoice: InvoiceId, moment: Moment) -> Change {
    let mut draft = Draft::of(sub, moment);
    draft.sub.past_due_for.retain(|of| *of != invoice);
    draft.finish(sub)
}

/// The invoice is settled, however that came: a subscription that was past due for nothing else is
/// active again.
pub fn recover(sub: &Subscription, invoice: InvoiceId, moment: Moment) -> Change {
    stay_past_due(sub, |of| of != invoice, moment)
}

/// One of its invoices is paid. It stays past due for those that are `owed` alone; without any it
/// is active again, also where it was so for no invoice in particular: its trial had ended without
/// its card, or its invoice was written off.
pub fn recover_by_any(sub: &Subscription, owed: &BTreeSet<InvoiceId>, moment: Moment) -> Change {
    stay_past_due(sub, |of| owed.contains(&of), moment)
}

fn stay_past_due(sub: &Subscription, keeps: impl Fn(InvoiceId) -> bool, moment: Moment) -> Change {
    let mut draft = Draft::of(sub, moment);
    draft.sub.past_due_for.retain(|of| keeps(*of));
    if sub.status == SubscriptionStatus::PastDue && draft.sub.past_due_for.is_empty() {
        draft.sub.status = SubscriptionStatus::Active;
        draft.record(LifecycleEvent::Recovered, moment.engine, Note::default());
    }
    draft.finish(sub)
}
