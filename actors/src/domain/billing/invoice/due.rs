//! Which terms and prorations a recurring invoice takes.

use std::collections::HashSet;

use super::{InvoiceRefusal, ProrationLine, RecurringLine};
use crate::domain::billing::subscription::{Proration, ProrationKind, Subscription};
use crate::domain::ids::{ProrationId, SubscriptionId};
use crate::domain::time::Date;

/// The most terms that one document bills, and the most charges and credits of plan changes, so
/// that it is one batch of bounded size; those that fell due later wait for the next.
pub const MAX_DUE_TERMS: usize = 1_000;
/// The most terms that their subscriptions may keep together, whose rows it writes.
const MAX_KEPT_TERMS: usize = 16_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BilledTerm {
    pub subscription: SubscriptionId,
    pub start: Date,
    /// Net of tax and before any proration, minor units.
    pub charged_minor: i64,
}

/// The terms that a document bills: of every subscription the oldest one that is due, as many as
/// one document bears.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DueTerms {
    /// In the order of the document: what fell due first comes first.
    pub lines: Vec<RecurringLine>,
    pub billed: Vec<BilledTerm>,
}

impl DueTerms {
    /// What is due of these subscriptions, in whatever order, on a day of the contract's clock.
    pub fn of<'a>(
        subscriptions: impl IntoIterator<Item = &'a Subscription>,
        today: Date,
    ) -> Result<Self, InvoiceRefusal> {
        let mut subscriptions: Vec<_> = subscriptions.into_iter().collect();
        subscriptions.sort_by_key(|one| (one.next_unbilled_due(), one.id));
        let (mut due, mut kept) = (Self::default(), 0);
        for subscription in subscriptions.into_iter().take(MAX_DUE_TERMS) {
            kept += subscription.terms.len();
            if kept > MAX_KEPT_TERMS && !due.billed.is_empty() {
                break;
            }
            let Some(term) = subscription.due_terms(today).next() else { continue };
            due.lines.push(RecurringLine::of(subscription, term)?);
            due.billed.push(BilledTerm {
                subscription: subscription.id,
                start: term.start,
                charged_minor: term.amount().map_err(InvoiceRefusal::from)?,
            });
        }
        Ok(due)
    }
}

/// What an invoice of `due` may carry of open prorations, oldest first: as many charges, and as
/// many credits that there is something to take off of, as one document bears. `subscription`
/// finds that of a proration.
pub fn open_prorations<'a>(
    prorations: impl IntoIterator<Item = (ProrationId, &'a Proration)>,
    due: &DueTerms,
    subscription: impl Fn(SubscriptionId) -> Option<&'a Subscription>,
) -> Vec<ProrationLine> {
    let mut prorations: Vec<_> = prorations.into_iter().collect();
    prorations.sort_by_key(|(id, _)| *id);
    let on_document: HashSet<_> = due.billed.iter().map(|term| term.subscription).collect();
    let last = |of: &Subscription| {
        let unbilled = of.terms.iter().filter(|term| term.billed_by.is_none()).count();
        of.ends_on().is_some() && unbilled <= usize::from(on_document.contains(&of.id))
    };
    let parts = prorations.into_iter().filter_map(|(id, proration)| {
        let of = subscription(proration.subscription)?;
        Some(ProrationLine::parts_of(id, proration, of, last(of)))
    });
    let (charges, credits): (Vec<_>, Vec<_>) =
        parts.flatten().partition(|part| part.kind == ProrationKind::Charge);
    let charges: Vec<_> = charges.into_iter().take(MAX_DUE_TERMS).collect();
    let charged: HashSet<_> = charges.iter().map(|part| part.subscription).collect();
    let lowers = |part: &ProrationLine| {
        on_document.contains(&part.subscription) || charged.contains(&part.subscription)
    };
    let credits: Vec<_> = credits.into_iter().filter(lowers).take(MAX_DUE_TERMS).collect();
    charges.into_iter().chain(credits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::billing::subscription::{NewSubscription, advance, create};
    use crate::domain::billing::tax::TaxTreatment;
    use crate::domain::billing::test_clock::Moment;
    use crate::domain::ids::{ContractId, CustomerId, InvoiceId};
    use crate::domain::quantity::TaxRate;
    use crate::domain::testing::{FACTS, day};

    fn subscription(id: u64, start: &str, today: &str) -> Subscription {
        let price_minor = 1_000 * i64::try_from(id).expect("small");
        let new = NewSubscription::monthly(start, price_minor);
        let at = |day: Date| Moment::of(None, day.start());
        let (id, start) = (SubscriptionId(id), at(day(start)));
        let made = create(id, ContractId(1), CustomerId(1), new, &FACTS, start).expect("made");
        advance(&made.subscription, at(day(today)), &FACTS).change.subscription
    }

    #[test]
    fn of_each_subscription_the_oldest_due_term_is_billed_and_the_oldest_of_all_comes_first() {
        let today = "2026-05-20";
        let (early, late) =
            (subscription(2, "2026-03-10", today), subscription(1, "2026-05-15", today));
        let ahead = subscription(3, "2026-06-01", today);
        let untaxed = TaxTreatment::of_rate(TaxRate::ZERO);
        let mut billed = early.clone();
        billed.mark_billed(day("2026-03-10"), InvoiceId(1), 2_000, untaxed).expect("waits");
        for (early, start) in [(&early, "2026-03-10"), (&billed, "2026-04-10")] {
            let due = DueTerms::of([&late, early, &ahead], day(today)).expect("due");
            let terms: Vec<_> = due
                .billed
                .iter()
                .map(|term| (term.subscription.0, term.start, term.charged_minor))
                .collect();
            assert_eq!(terms, [(2, day(start), 2_000), (1, day("2026-05-15"), 1_000)]);
            let lines: Vec<_> = due.lines.iter().map(|line| line.subscription.0).collect();
            assert_eq!(lines, [2, 1]);
        }
        let nothing = DueTerms::of([&ahead], day(today)).expect("nothing is refused");
        assert_eq!(nothing, DueTerms::default());
    }

    #[test]
    fn a_document_bills_so_many_terms_and_the_next_one_goes_on() {
        let one = subscription(1, "2026-05-15", "2026-05-20");
        let all: Vec<_> =
            (1..=1_500).map(|id| Subscription { id: SubscriptionId(id), ..one.clone() }).collect();
        let due = DueTerms::of(&all, day("2026-05-20")).expect("due");
        assert_eq!(due.billed.len(), MAX_DUE_TERMS);
        let billed: Vec<_> = due.billed.iter().map(|term| term.subscription.0).collect();
        assert!(billed.iter().copied().eq(1..=1_000));
    }
}
