//! Composing documents: the caller's, and those that the passes issue.

use storage::Record;

use super::InvoiceCounts;
use super::changes::Changes;
use super::invoices::IssueOrder;
use crate::domain::billing::contract::Contract;
use crate::domain::billing::invoice::{
    BilledTerm, CollectionMethod, Composed, ContractFacts, DueAdjustment, DueLine, DueTerms,
    InvoiceRefusal, MAX_USAGE_LINES, Origin, SellerFacts, Terms, UsageDue, compose_manual,
    compose_recurring, compose_usage, open_prorations,
};
use crate::domain::billing::usage::MetricName;
use crate::domain::ids::{InvoiceId, SubscriptionId};
use crate::domain::platform::seller::TaxMode;
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::TaxRate;
use crate::domain::refusal::Refusal;
use crate::query;
use crate::tables::ids;

/// From so many bytes of closed usage on a document takes no more of it: what it takes is written
/// again, and most of it into its lines too.
const MAX_USAGE_BYTES: usize = 512 * 1_024;

pub(super) struct Document {
    pub(super) composed: Composed,
    pub(super) billed: Vec<BilledTerm>,
}

impl Changes<'_> {
    pub(super) fn compose(
        &self,
        contract: &Contract,
        order: &IssueOrder,
    ) -> Result<Document, InvoiceRefusal> {
        let facts = ContractFacts::of(contract, &order.customer);
        let request = &order.request;
        if !matches!(request.origin, Origin::Recurring | Origin::Usage) {
            let (id, seller) = (self.invoice_id(), self.seller_facts());
            let composed = compose_manual(id, &facts, &seller, request, self.moment)?;
            return Ok(Document { composed, billed: Vec::new() });
        }
        request.check()?;
        let terms = Terms::requested(request, &facts, &self.seller_facts())?;
        if request.origin == Origin::Recurring {
            self.compose_due(&facts, terms)
        } else {
            self.compose_unbilled(&facts, terms)
        }
    }

    /// Issues the invoice of the oldest due terms, if there is one to go on from.
    pub(super) fn issue_recurring(&mut self) -> InvoiceCounts {
        self.issue_next(Switch::RecurringInvoicePass, |changes, contract| {
            let today = changes.moment.engine_date();
            if changes.due_by(today).next().is_none() && !changes.has_charge_due_by(today) {
                return Ok(None);
            }
            let prior = changes.room.continues_from.as_ref();
            let terms = changes.room.terms_after(changes.cx, prior)?;
            let Some(terms) = terms else { return Ok(None) };
            let facts = changes.continuing(contract, &terms)?;
            Ok(Some(changes.compose_due(&facts, terms)?))
        })
    }

    /// Issues the invoice of closed usage, if anything asks for one: made out and collected as
    /// the last recurring or usage one, else to the contract's customer.
    pub(super) fn issue_usage(&mut self) -> InvoiceCounts {
        self.issue_next(Switch::UsageInvoicePass, |changes, contract| {
            if changes.room.metering.ledger.asks_since().is_none() {
                return Ok(None);
            }
            let (room, cx) = (changes.room, changes.cx);
            let mut terms = room.terms_after(cx, room.usage_follows.as_ref())?;
            if terms.is_none() {
                let customer = query::customer(cx.store(), room.seller, contract.customer);
                let customer = cx.read(customer)?;
                terms = customer.map(|found| Terms::first(&ContractFacts::of(contract, &found)));
            }
            let Some(terms) = terms else { return Ok(None) };
            let facts = changes.continuing(contract, &terms)?;
            Ok(Some(changes.compose_unbilled(&facts, terms)?))
        })
    }

    /// Issues what a pass composes, unless that pass is switched off.
    fn issue_next(
        &mut self,
        pass: Switch,
        compose: impl FnOnce(&Self, &Contract) -> Result<Option<Document>, Refusal>,
    ) -> InvoiceCounts {
        let nothing = InvoiceCounts { skipped: 1, ..InvoiceCounts::default() };
        if !self.seller.switch(pass) {
            return InvoiceCounts { pass_disabled: true, ..InvoiceCounts::default() };
        }
        let Some(contract) = &self.room.contract else { return nothing };
        match compose(self, contract) {
            Ok(None) => nothing,
            Ok(Some(document)) => {
                let sent = u64::from(document.composed.send);
                self.issue(document);
                InvoiceCounts { issued: 1, sent, ..InvoiceCounts::default() }
            }
            Err(refusal) => {
                let (seller, contract) = (self.room.seller.0, self.room.id.0);
                tracing::warn!(seller, contract, %refusal, "what is due could not be invoiced");
                InvoiceCounts { failed: 1, ..nothing }
            }
        }
    }

    /// Composes the oldest due term of every subscription, with the open prorations where they
    /// are bound to invoices.
    fn compose_due(&self, facts: &ContractFacts, terms: Terms) -> Result<Document, InvoiceRefusal> {
        let today = self.moment.engine_date();
        let due = DueTerms::of(self.due_by(today), today)?;
        let bound = self.seller.switch(Switch::ProrationBinding);
        let open = self.open_prorations(&due).filter(|_| bound);
        let prorations = open_prorations(open, &due, |id| self.subscription_now(id));
        let (id, seller) = (self.invoice_id(), self.seller_facts());
        let composed =
            compose_recurring(id, facts, &seller, terms, &due.lines, &prorations, self.moment)?;
        Ok(Document { composed, billed: due.billed })
    }

    /// Composes what is closed and not billed, and what waits to correct it.
    fn compose_unbilled(
        &self,
        facts: &ContractFacts,
        terms: Terms,
    ) -> Result<Document, InvoiceRefusal> {
        let words = |metric: &MetricName| {
            let known = self.seller.metric(metric);
            known.and_then(|known| known.description.as_deref()).filter(|text| !text.is_empty())
        };
        let ledger = &self.room.metering.ledger;
        let lines = bounded(ledger.unbilled.values()).map(|line| DueLine {
            line,
            words: match line.metric.is_seats() {
                true => "Seats",
                false => words(&line.metric).unwrap_or(line.metric.as_str()),
            },
            tax_rate: self.tax_rate_of(Some(line.subscription)),
            collection_method: self.collection_method_of(Some(line.subscription)),
        });
        let adjustments = bounded(ledger.adjustments.values()).map(|adjustment| DueAdjustment {
            adjustment,
            tax_rate: self.tax_rate_of(adjustment.subscription),
            collection_method: self.collection_method_of(adjustment.subscription),
        });
        let due = UsageDue { lines: lines.collect(), adjustments: adjustments.collect() };
        let (id, seller) = (self.invoice_id(), self.seller_facts());
        let composed = compose_usage(id, facts, &seller, terms, &due, self.moment)?;
        Ok(Document { composed, billed: Vec::new() })
    }

    fn tax_rate_of(&self, subscription: Option<SubscriptionId>) -> Option<TaxRate> {
        self.subscription_now(subscription?)?.tax_rate
    }

    fn collection_method_of(
        &self,
        subscription: Option<SubscriptionId>,
    ) -> Option<CollectionMethod> {
        Some(self.subscription_now(subscription?)?.collection_method)
    }

    fn invoice_id(&self) -> InvoiceId {
        InvoiceId(self.cx.id(ids::INVOICE))
    }

    fn seller_facts(&self) -> SellerFacts {
        SellerFacts::from(&self.seller.seller)
    }

    /// A contract whose next document is made out as these terms say. Its customer is read only
    /// where the tax depends on where that is.
    fn continuing(&self, contract: &Contract, terms: &Terms) -> Result<ContractFacts, Refusal> {
        let bill_to = &terms.bill_to;
        let known = bill_to.country.is_some() || bill_to.company_country.is_some();
        let customer = if known || self.seller.seller.tax_mode == TaxMode::Manual {
            None
        } else {
            let (store, seller) = (self.cx.store(), self.room.seller);
            self.cx.read(query::customer(store, seller, contract.customer))?
        };
        Ok(ContractFacts {
            id: contract.id,
            number: contract.contract_number(),
            customer: contract.customer,
            currency: contract.currency,
            bill_to: terms.bill_to.clone(),
            customer_country: customer.and_then(|customer| customer.company_country),
        })
    }
}

/// As many of these as one document takes, so that it is one batch of bounded size.
fn bounded<'a, T: Record + 'a>(all: impl Iterator<Item = &'a T>) -> impl Iterator<Item = &'a T> {
    let mut bytes = 0;
    all.take(MAX_USAGE_LINES).take_while(move |one| {
        let fits = bytes < MAX_USAGE_BYTES;
        bytes += one.encode().len();
        fits
    })
}
