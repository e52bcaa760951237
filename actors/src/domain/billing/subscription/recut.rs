//! Prorations of a term that no document carries end where the term ends: a cancel that cuts the
//! term cuts them alike, and when it is taken back they are whole again.

use super::draft::Draft;
use super::proration::{Legs, Proration, Prorations};
use super::schedule::Span;
use super::term::Term;

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
