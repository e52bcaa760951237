//! Proration records that no document carries in full yet, and what is left of their credits.

use std::collections::{BTreeMap, BTreeSet};

use super::changes::Changes;
use crate::domain::billing::invoice::{
    Composed, CreditLeft, InvoiceLine, MAX_DUE_TERMS, ProrationLine, credits_left,
};
use crate::domain::billing::subscription::{
    Proration, ProrationKind, Prorations, Subscription, Term,
};
use crate::domain::billing::tax::StatedTax;
use crate::domain::ids::{ProrationId, SubscriptionId};
use crate::domain::quantity::TaxRate;
use crate::domain::refusal::Refusal;
use crate::domain::time::Date;
use crate::tables::TERM_CLAIMS;

#[derive(Clone, Debug, Default)]
pub(super) struct OpenProrations {
    by_id: Prorations,
    by_subscription: BTreeMap<SubscriptionId, BTreeSet<ProrationId>>,
    /// Those of which a line is still to come.
    charges: BTreeSet<ProrationId>,
}

impl OpenProrations {
    /// Takes note of a record, for as long as it is open.
    pub(super) fn keep(&mut self, id: ProrationId, record: Proration) {
        self.charges.remove(&id);
        if record.has_line_to_come() {
            self.charges.insert(id);
        }
        let of_subscription = self.by_subscription.entry(record.subscription).or_default();
        if record.is_open() {
            of_subscription.insert(id);
            self.by_id.insert(id, record);
            return;
        }
        of_subscription.remove(&id);
        if of_subscription.is_empty() {
            self.by_subscription.remove(&record.subscription);
        }
        self.by_id.remove(&id);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(super) fn get(&self, id: ProrationId) -> Option<&Proration> {
        self.by_id.get(&id)
    }

    /// What a document may carry that bills terms of these subscriptions: theirs, the oldest
    /// charges of whomever, and what lowers those.
    pub(super) fn for_document(
        &self,
        billed: impl Iterator<Item = SubscriptionId>,
    ) -> BTreeSet<ProrationId> {
        let charges = self.charges.iter().take(MAX_DUE_TERMS).filter_map(|id| self.get(*id));
        let subscriptions: BTreeSet<_> =
            charges.map(|record| record.subscription).chain(billed).collect();
        subscriptions.into_iter().flat_map(|id| self.ids_of(id)).collect()
    }

    pub(super) fn of(&self, subscription: SubscriptionId) -> Prorations {
        self.ids_of(subscription).filter_map(|id| Some((id, self.get(id)?.clone()))).collect()
    }

    /// The days from which what is still to be charged of a subscription's prorations, or else
    /// to be credited, is due by itself, if there is any: credits wait for whatever they may lower.
    pub(super) fn due_by_themselves(
        &self,
        subscription: &Subscription,
    ) -> (Option<Date>, Option<Date>) {
        let Some(end) = subscription.ends_on() else { return (None, None) };
        let records = || self.ids_of(subscription.id).filter_map(|id| self.get(id));
        if records().any(Proration::has_open_charge) {
            return (Some(end), None);
        }
        let billed = subscription.next_unbilled_due().is_none();
        let credits = billed && records().any(|record| record.open_credits().next().is_some());
        (None, credits.then_some(end))
    }

    fn ids_of(&self, subscription: SubscriptionId) -> impl Iterator<Item = ProrationId> {
        self.by_subscription.get(&subscription).into_iter().flatten().copied()
    }
}

impl Changes<'_> {
    /// The same, each credit of a plan without a tax rate of its own with the tax with which the
    /// term was billed whose days it gives back.
    pub(super) fn with_billed_taxes(
        &self,
        mut bound: Vec<ProrationLine>,
    ) -> Result<Vec<ProrationLine>, Refusal> {
        let credits = bound.iter_mut().filter(|line| line.kind == ProrationKind::Credit);
        for credit in credits.filter(|credit| credit.tax_rate.is_none()) {
            let record = self.proration_now(credit.breakdown.proration);
            credit.billed_tax = self.billed_tax(record.ok_or_else(Refusal::fault)?)?;
        }
        Ok(bound)
    }

    /// How the term of a plan change was taxed, if it was billed.
    fn billed_tax(&self, of: &Proration) -> Result<Option<StatedTax>, Refusal> {
        let (subscription, start) = (of.subscription, of.term_start);
        let known = self.subscription_now(subscription);
        let term = known.and_then(|known| known.terms.iter().find(|term| term.start == start));
        if let Some(tax) = term.and_then(Term::billed_tax) {
            return Ok(Some(tax));
        }
        let claim = self.cx.get(TERM_CLAIMS, &(self.room.seller, subscription, start))?;
        Ok(claim.and_then(|claim| claim.term.billed_tax()))
    }

    /// What is left of the credits that may be bound to a document, each with the rate of its tax.
    pub(super) fn rests_of(
        &self,
        bound: &[ProrationLine],
        composed: &Composed,
    ) -> Result<Vec<(CreditLeft, TaxRate)>, Refusal> {
        let rests = credits_left(bound, &composed.lines, &composed.prorations).into_iter();
        let taxed = |rest: CreditLeft| {
            let rate = self.rate_of_rest(&rest, &composed.lines)?;
            Ok((rest, rate))
        };
        rests.map(taxed).collect()
    }

    /// The rate at which the rest of a credit is taxed: that of its plan, else the one at which
    /// the term was billed whose days it gives back, on the document of these `lines` or before.
    pub(super) fn rate_of_rest(
        &self,
        rest: &CreditLeft,
        lines: &[InvoiceLine],
    ) -> Result<TaxRate, Refusal> {
        if let Some(own) = rest.tax_rate {
            return Ok(own);
        }
        let record = self.proration_now(rest.proration).ok_or_else(Refusal::fault)?;
        let bills = |line: &&InvoiceLine| line.bills_term(record.subscription, record.term_start);
        if let Some(line) = lines.iter().find(bills) {
            return Ok(line.tax_rate);
        }
        match self.billed_tax(record)?.and_then(|tax| tax.rate) {
            Some(rate) => Ok(rate),
            None => self.rate_now(),
        }
    }

    /// The rate of what states none and of which it is not known how it was billed.
    pub(super) fn rate_now(&self) -> Result<TaxRate, Refusal> {
        let prior = self.room.continues_from.as_ref();
        let rules = self.rules_after(self.room.contract()?, prior)?;
        Ok(rules.treat(StatedTax::default()).rate)
    }
}
