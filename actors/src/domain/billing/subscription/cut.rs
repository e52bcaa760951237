//! What a prorated cancel makes of the running term: cut where the cancel ends it, and whole again
//! once that is taken back.
//!
//! A day of a term costs the term's own price, or nothing where that is charged for fewer days, and
//! what each change of plan makes of it. Changes that nobody has taken yet are cut with the term;
//! what else the unused days cost is given back.

use super::draft::Draft;
use super::price::Price;
use super::proration::{Legs, Proration, ProrationLot, Prorations};
use super::schedule::Span;
use super::term::{Charge, CutReason, Ends, Term};
use crate::domain::ids::ProrationId;
use crate::domain::time::Date;

/// Unused days that cost the same.
#[derive(Clone, Copy)]
struct Stretch {
    days: Span,
    /// What they cost, as far as somebody has taken that.
    price: Price,
    /// What of it the term still charges by itself, until it is cut.
    own: Price,
}

/// A change of plan that nobody has taken yet; one that is made just now has no id.
type Untaken = (Option<ProrationId>, Proration);

impl Price {
    fn nothing(self) -> Self {
        Self { price_minor: 0, ..self }
    }
}

/// Gives the days from `day` on back, that day counted: what the term charges for them is cut off, or
/// of a billed one becomes a credit lot. `open` holds the open prorations of the subscription.
pub(super) fn settle_unused(draft: &mut Draft, day: Date, open: &Prorations) {
    let Some(mut term) = draft.sub.terms.pop() else { return };
    let served = draft.sub.served_in(&term).filter(|served| served.contains(day));
    let Some(served) = served else {
        draft.sub.terms.push(term);
        return;
    };
    let mut untaken = draft.untaken(&term, open);
    untaken.retain(|(_, record)| record.days.end > day);
    let (stretches, cut) = undo(untaken, &term, Span { start: day, end: served.end });
    cut.iter().for_each(|(_, record)| term.forget(record));
    // The new ones among them are the newest there are.
    let new = cut.iter().filter(|(id, _)| id.is_none()).count();
    draft.prorations.truncate(draft.prorations.len() - new);
    draft.give_back(&mut term, &stretches);
    let (from, of) = (served.start, term.full_days());
    let until = term.charged_days().end.min(day);
    term.charge = Charge::Days { from, until, of, reason: CutReason::Cancel };
    term.end = day;
    draft.recut(&mut term, cut, |end| end.min(day));
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
    draft.sub.canceled_on = None;
    let Some(day) = settled else { return };
    let ends = Ends { served: draft.sub.expires_on(), settled: None };
    let whole_of =
        |term: &Term| Term::begin(term.uncut(), term.charged_days().start, ends, term.price());
    let was_settled = |term: &mut Term| whole_of(term).charged_days().contains(day);
    let Some(mut term) = draft.sub.terms.pop_if(was_settled) else { return };
    let ahead = term.price_ahead();
    // One that was billed, or was when it was settled and whose document has been voided since, has
    // given the days back. So has one whose own charge had ended before them.
    let was_cut = term.charged_days().end == day;
    let own = if was_cut && term.billed_by.is_none() { term.price() } else { ahead.nothing() };
    // One that goes on behind the day was carried when it was settled, and given back by another.
    let ended = |(_, record): &Untaken| record.days.end <= day;
    let untouched = draft.untouched_prorations(&term, open).filter(|all| all.iter().all(ended));
    let whole = whole_of(&term);
    if was_cut {
        term.charge = whole.charge;
    }
    term.end = whole.end;
    let end = term.end;
    match untouched {
        Some(cut) => {
            cut.iter().for_each(|(_, record)| term.forget(record));
            draft.recut(&mut term, cut, |until| if until == day { end } else { until });
        }
        None if own != ahead => {
            let legs = Legs { old: own, new: ahead, credit_limit: term.creditable_minor() };
            let back = Span { start: day, end };
            let charged_anew = legs.over(back, &mut term, &draft.sub, draft.moment);
            draft.prorations.push(charged_anew);
        }
        None => {}
    }
    draft.sub.current_period_end = Some(end);
    if let Some(change) = draft.sub.pending_change.as_mut().filter(|c| c.effective_date == day) {
        change.effective_date = end;
    }
    draft.sub.terms.push(term);
}

/// Undoes changes of `term` over its `unused` days, the newest first, as far as they lead to what
/// the days cost: what these cost without them, and which they are, oldest first.
fn undo(mut untaken: Vec<Untaken>, term: &Term, unused: Span) -> (Vec<Stretch>, Vec<Untaken>) {
    let mut stretches = stretches_of(&untaken, term, unused);
    let mut is_undone = |record: &Proration| {
        let covers = |one: &&mut Stretch| record.days.contains(one.days.start);
        let mut covered: Vec<_> = stretches.iter_mut().filter(covers).collect();
        let leads_there = covered.iter().all(|one| one.price == record.new);
        if leads_there {
            covered.iter_mut().for_each(|one| one.price = record.old);
        }
        leads_there
    };
    let linked = untaken.iter().rev().take_while(|(_, record)| is_undone(record)).count();
    let cut = untaken.split_off(untaken.len() - linked);
    let alike = |a: &Stretch, b: &Stretch| (a.price, a.own) == (b.price, b.own);
    let joined = stretches.chunk_by(alike).map(|same| {
        let days = Span { start: same[0].days.start, end: same[same.len() - 1].days.end };
        Stretch { days, ..same[0] }
    });
    (joined.collect(), cut)
}

/// The unused days of a term, parted where a change begins or ends and where its own charge does.
fn stretches_of(untaken: &[Untaken], term: &Term, unused: Span) -> Vec<Stretch> {
    let charged_until = term.charged_days().end;
    let ahead = term.price_ahead();
    let changes = untaken.iter().flat_map(|(_, record)| [record.days.start, record.days.end]);
    let mut days: Vec<_> = changes.chain([charged_until]).collect();
    days.retain(|day| unused.start < *day && *day < unused.end);
    days.extend([unused.start, unused.end]);
    days.sort_unstable();
    days.dedup();
    let stretch = |between: &[Date]| {
        let days = Span { start: between[0], end: between[1] };
        let charges = term.billed_by.is_none() && days.start < charged_until;
        let own = if charges { term.price() } else { ahead.nothing() };
        Stretch { days, price: ahead, own }
    };
    days.windows(2).map(stretch).collect()
}

impl Term {
    /// Takes back what was noted of a record.
    fn forget(&mut self, record: &Proration) {
        self.added_minor -= record.charge_minor;
        self.credited_minor -= record.credit_minor;
        self.prorations = self.prorations.saturating_sub(1);
    }
}

impl Draft {
    /// Gives back what is left of the price of unused days once the term is cut: of a billed one as
    /// a lot; of another one, some changes of which a document carries, by the way to its own price.
    fn give_back(&mut self, term: &mut Term, stretches: &[Stretch]) {
        for Stretch { days, price, own } in stretches {
            let is_free = price.price_minor == 0 && own.price_minor == 0;
            if price == own || is_free {
                continue;
            }
            let legs = Legs { old: *price, new: *own, credit_limit: term.creditable_minor() };
            let record = legs.over(*days, term, &self.sub, self.moment);
            match term.billed_by {
                Some(_) => self.add_to_lot(&record, term),
                None => self.prorations.push(record),
            }
        }
    }

    fn add_to_lot(&mut self, given_back: &Proration, term: &Term) {
        let net_minor = given_back.credit_minor;
        if net_minor == 0 {
            return;
        }
        match &mut self.proration_lot {
            Some(lot) => {
                lot.days_left += given_back.days_left;
                lot.net_minor += net_minor;
            }
            none => {
                *none = Some(ProrationLot {
                    term_start: given_back.term_start,
                    days_left: given_back.days_left,
                    days_in_term: given_back.days_in_term,
                    net_minor,
                    tax_rate: term.rate_back(given_back.old.tax_rate),
                    currency: given_back.currency,
                });
            }
        }
    }

    /// The prorations of a term that neither a document nor stored credit has taken of, oldest first.
    fn untaken(&self, term: &Term, open: &Prorations) -> Vec<Untaken> {
        let present = open.iter().map(|(id, known)| (*id, self.recut.get(id).unwrap_or(known)));
        let present = present.map(|(id, record)| (Some(id), record));
        let new = self.prorations.iter().map(|record| (None, record));
        let of_term = |(_, record): &(_, &Proration)| {
            let term_of = (record.subscription, record.term_start);
            term_of == (self.sub.id, term.start) && record.is_untouched()
        };
        let untaken = present.chain(new).filter(of_term);
        untaken.map(|(id, record)| (id, record.clone())).collect()
    }

    /// The prorations of `term`, if neither it nor any of them is carried by a document.
    fn untouched_prorations(&self, term: &Term, open: &Prorations) -> Option<Vec<Untaken>> {
        let untouched = self.untaken(term, open);
        let all = u64::try_from(untouched.len()) == Ok(term.prorations);
        (term.billed_by.is_none() && all).then_some(untouched)
    }

    /// Computes prorations, which `term` has forgotten, anew up to the day that `end_of` says for the
    /// one on which each had ended. A new one of which no day is left is none.
    fn recut(&mut self, term: &mut Term, cut: Vec<Untaken>, end_of: impl Fn(Date) -> Date) {
        for (id, known) in cut {
            let Span { start, end } = known.days;
            let days = Span { start, end: end_of(end).max(start) };
            if id.is_none() && days.days() == 0 {
                continue;
            }
            let legs =
                Legs { old: known.old, new: known.new, credit_limit: term.creditable_minor() };
            let recut = legs.over(days, term, &self.sub, self.moment);
            let recut = Proration { on: known.on, created_at: known.created_at, ..recut };
            match id {
                Some(id) => {
                    self.recut.insert(id, recut);
                }
                None => self.prorations.push(recut),
            }
        }
    }
}
