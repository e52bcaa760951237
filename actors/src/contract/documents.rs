//! Composing documents: the caller's, and those that the passes issue.

use storage::{Record, Scan};

use super::changes::Changes;
use super::room::Prior;
use super::{InvoiceCounts, Issued};
use crate::domain::billing::contract::Contract;
use crate::domain::billing::customer::Customer;
use crate::domain::billing::invoice::{
    BilledTerm, CollectionMethod, Composed, ContractFacts, CreditLeft, DueAdjustment, DueLine,
    DueTerms, Invoice, InvoiceLine, InvoiceRefusal, MAX_USAGE_LINES, NewInvoice, Origin,
    ProrationLine, SellerFacts, Terms, UsageDue, compose_correction, compose_manual,
    compose_recurring, compose_usage, credits_left, digest_of, open_prorations,
};
use crate::domain::billing::tax::{StatedTax, TaxRules, TaxSubtotal, added};
use crate::domain::billing::usage::{MetricName, UsageLine};
use crate::domain::ids::{InvoiceId, SubscriptionId};
use crate::domain::platform::seller::TaxMode;
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::TaxRate;
use crate::domain::refusal::Refusal;
use crate::kernel::Drawn;
use crate::listing::Facet;
use crate::query;
use crate::tables::{PLACES, TERM_CLAIMS, ids};

/// From so many bytes of closed usage on a document takes no more of it: what it takes is written
/// again, and most of it into its lines too.
const MAX_USAGE_BYTES: usize = 512 * 1_024;

pub(super) struct Document {
    pub(super) composed: Composed,
    pub(super) billed: Vec<BilledTerm>,
    /// What becomes stored credit of the plan changes on it, each with the rate of its tax.
    pub(super) rests: Vec<(CreditLeft, TaxRate)>,
}

/// A document that is being issued.
pub(super) struct Issuing {
    pub(super) drawn: Drawn<Issued>,
    sent: bool,
}

/// A document of due terms, and the prorations that may be bound to it.
struct Due {
    composed: Composed,
    billed: Vec<BilledTerm>,
    bound: Vec<ProrationLine>,
}

fn nothing_due<T>(refusal: InvoiceRefusal) -> Result<Option<T>, Refusal> {
    match refusal {
        InvoiceRefusal::NothingDue(_) => Ok(None),
        refusal => Err(refusal.into()),
    }
}

impl From<Composed> for Document {
    fn from(composed: Composed) -> Self {
        Self { composed, billed: Vec::new(), rests: Vec::new() }
    }
}

impl Changes<'_> {
    /// Composes what a request asks for.
    pub(super) fn compose(
        &self,
        id: InvoiceId,
        contract: &Contract,
        request: &NewInvoice,
        customer: &Customer,
        corrected: Option<&Invoice>,
    ) -> Result<Document, Refusal> {
        let (facts, seller) = (ContractFacts::of(contract, customer), self.seller_facts());
        if let Some(corrected) = corrected {
            let composed =
                compose_correction(id, corrected, &facts, &seller, request, self.moment)?;
            return Ok(composed.into());
        }
        if request.is_correction() {
            return Err(InvoiceRefusal::CorrectsUnknown.into());
        }
        if !matches!(request.origin, Origin::Recurring | Origin::Usage) {
            return Ok(compose_manual(id, &facts, &seller, request, self.moment)?.into());
        }
        request.check()?;
        let terms = Terms::requested(request, &facts, &seller)?;
        if request.origin == Origin::Recurring {
            self.with_rests(self.compose_due(id, &facts, terms)?)
        } else {
            Ok(self.compose_unbilled(id, &facts, terms)?)
        }
    }

    /// The document that a request corrects, if it does.
    pub(super) fn corrected(&self, id: Option<InvoiceId>) -> Result<Option<Invoice>, Refusal> {
        let Some(id) = id else { return Ok(None) };
        let mut invoice = self.room.invoice(self.cx, id)?.ok_or_else(Refusal::missing)?;
        if invoice.credited_minor > 0 && invoice.credited_taxes.is_empty() {
            invoice.credited_taxes = self.taxes_of_notes(&invoice)?;
        }
        Ok(Some(invoice))
    }

    /// What the credit notes of an invoice take off it: of one from before that was kept with it.
    fn taxes_of_notes(&self, corrected: &Invoice) -> Result<Vec<TaxSubtotal>, Refusal> {
        let number = corrected.number.map(|number| number.to_string()).unwrap_or_default();
        let notes = (self.room.seller, Facet::InvoiceCorrects as u8, digest_of(&number));
        let mut taxes = Vec::new();
        for key in self.cx.store().scan(PLACES, Scan::prefix(&notes)).keys() {
            let id = InvoiceId(self.cx.read(key)?.3);
            let note = self.room.invoice(self.cx, id)?;
            let note =
                note.filter(|note| note.is_credit_note() && note.corrects == corrected.number);
            for of in note.iter().flat_map(|note| &note.tax_summary) {
                taxes = added(&taxes, &[of.negated()]).map_err(InvoiceRefusal::from)?;
            }
        }
        Ok(taxes)
    }

    /// Issues the invoice of the oldest due terms, if there is one to go on from.
    pub(super) fn issue_recurring(&mut self) -> InvoiceCounts {
        self.counted(Switch::RecurringInvoicePass, |changes| changes.issue_due_terms(false))
    }

    /// Issues the invoice of closed usage, if anything asks for one.
    pub(super) fn issue_usage(&mut self) -> InvoiceCounts {
        self.counted(Switch::UsageInvoicePass, Self::issue_closed_usage)
    }

    /// Issues the document of the oldest due terms, if there are any. `first`: also where no other
    /// one goes before it; then it is to the contract's customer.
    pub(super) fn issue_due_terms(&mut self, first: bool) -> Result<Option<Issuing>, Refusal> {
        let (room, today) = (self.room, self.moment.engine_date());
        let Some(contract) = &room.contract else { return Ok(None) };
        if self.due_by(today).next().is_none() && !self.has_charge_due_by(today) {
            return Ok(None);
        }
        let prior = room.continues_from.as_ref();
        let terms = match first {
            true => Some(self.next_terms(contract, prior)?),
            false => room.terms_after(self.cx, prior)?,
        };
        let Some(terms) = terms else { return Ok(None) };
        let facts = self.continuing(contract, &terms)?;
        match self.compose_due(self.invoice_id(), &facts, terms) {
            Ok(due) => Ok(Some(self.issue_composed(self.with_rests(due)?))),
            Err(refusal) => nothing_due(refusal),
        }
    }

    /// Issues the document of closed usage, if anything asks for one: made out and collected as
    /// the last recurring or usage one, else to the contract's customer.
    pub(super) fn issue_closed_usage(&mut self) -> Result<Option<Issuing>, Refusal> {
        let room = self.room;
        let Some(contract) = &room.contract else { return Ok(None) };
        if room.metering.ledger.asks_since().is_none() {
            return Ok(None);
        }
        let terms = self.next_terms(contract, room.usage_follows.as_ref())?;
        let facts = self.continuing(contract, &terms)?;
        match self.compose_unbilled(self.invoice_id(), &facts, terms) {
            Ok(document) => Ok(Some(self.issue_composed(document))),
            Err(refusal) => nothing_due(refusal),
        }
    }

    pub(super) fn issue_composed(&mut self, document: Document) -> Issuing {
        let document = self.paid_by_credit(document);
        let sent = document.composed.send;
        Issuing { drawn: self.issue(document), sent }
    }

    /// The terms of the document that goes on from `prior`, else to the contract's customer.
    pub(super) fn next_terms(
        &self,
        contract: &Contract,
        prior: Option<&Prior>,
    ) -> Result<Terms, Refusal> {
        if let Some(terms) = self.room.terms_after(self.cx, prior)? {
            return Ok(terms);
        }
        let customer = query::customer(self.cx.store(), self.room.seller, contract.customer);
        let customer = self.cx.read(customer)?.ok_or_else(Refusal::fault)?;
        Ok(Terms::first(&ContractFacts::of(contract, &customer)))
    }

    /// Lets a pass issue a document, unless it is switched off.
    fn counted(
        &mut self,
        pass: Switch,
        issue: impl FnOnce(&mut Self) -> Result<Option<Issuing>, Refusal>,
    ) -> InvoiceCounts {
        let nothing = InvoiceCounts { skipped: 1, ..InvoiceCounts::default() };
        if !self.seller.switch(pass) {
            return InvoiceCounts { pass_disabled: true, ..InvoiceCounts::default() };
        }
        match issue(self) {
            Ok(None) => nothing,
            Ok(Some(issuing)) => {
                let sent = u64::from(issuing.sent);
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
    fn compose_due(
        &self,
        id: InvoiceId,
        facts: &ContractFacts,
        terms: Terms,
    ) -> Result<Due, InvoiceRefusal> {
        let today = self.moment.engine_date();
        let due = DueTerms::of(self.due_by(today), today)?;
        let bound = self.seller.switch(Switch::ProrationBinding);
        let open = self.open_prorations(&due).filter(|_| bound);
        let prorations = open_prorations(open, &due, |id| self.subscription_now(id));
        let seller = self.seller_facts();
        let composed =
            compose_recurring(id, facts, &seller, terms, &due.lines, &prorations, self.moment)?;
        Ok(Due { composed, billed: due.billed, bound: prorations })
    }

    fn with_rests(&self, due: Due) -> Result<Document, Refusal> {
        let Due { composed, billed, bound } = due;
        let rests = match self.credits_on() {
            true => self.rests_of(&bound, &composed)?,
            false => Vec::new(),
        };
        Ok(Document { composed, billed, rests })
    }

    /// What is left of the credits that may be bound to a document, each with the rate of its tax.
    pub(super) fn rests_of(
        &self,
        bound: &[ProrationLine],
        composed: &Composed,
    ) -> Result<Vec<(CreditLeft, TaxRate)>, Refusal> {
        let rests = credits_left(bound, &composed.prorations).into_iter();
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
        let (subscription, start) = (record.subscription, record.term_start);
        let bills = |line: &&InvoiceLine| line.bills_term(subscription, start);
        if let Some(line) = lines.iter().find(bills) {
            return Ok(line.tax_rate);
        }
        let known = self.subscription_now(subscription);
        let term = known.and_then(|known| known.terms.iter().find(|term| term.start == start));
        if let Some(rate) = term.and_then(|term| term.billed_rate) {
            return Ok(rate);
        }
        let claim = self.cx.get(TERM_CLAIMS, &(self.room.seller, subscription, start))?;
        match claim.and_then(|claim| claim.term.billed_rate) {
            Some(rate) => Ok(rate),
            None => {
                let prior = self.room.continues_from.as_ref();
                let rules = self.rules_after(self.room.contract()?, prior)?;
                Ok(rules.treat(StatedTax::default()).rate)
            }
        }
    }

    /// How the lines of the document are taxed that goes on from `prior`.
    pub(super) fn rules_after(
        &self,
        contract: &Contract,
        prior: Option<&Prior>,
    ) -> Result<TaxRules, Refusal> {
        let seller = self.seller_facts();
        if seller.taxed_from.is_none() {
            return Ok(TaxRules::manual(seller.default_tax_rate));
        }
        let terms = self.next_terms(contract, prior)?;
        let facts = self.continuing(contract, &terms)?;
        Ok(seller.tax_rules(&facts, &terms.bill_to, self.moment))
    }

    /// Composes what is closed and not billed, and what waits to correct it.
    fn compose_unbilled(
        &self,
        id: InvoiceId,
        facts: &ContractFacts,
        terms: Terms,
    ) -> Result<Document, InvoiceRefusal> {
        let due = self.usage_due(self.room.metering.ledger.unbilled.values());
        Ok(self.compose_usage_of(id, facts, terms, &due)?.into())
    }

    /// These lines with the corrections that wait, as much as one document takes.
    pub(super) fn usage_due<'u>(
        &'u self,
        lines: impl Iterator<Item = &'u UsageLine>,
    ) -> UsageDue<'u> {
        let words = |metric: &'u MetricName| {
            let known = self.seller.metric(metric);
            known.and_then(|known| known.description.as_deref()).filter(|text| !text.is_empty())
        };
        let lines = bounded(lines).map(|line| DueLine {
            line,
            words: match line.metric.is_seats() {
                true => "Seats",
                false => words(&line.metric).unwrap_or(line.metric.as_str()),
            },
            tax_rate: self.tax_rate_of(Some(line.subscription)),
            collection_method: self.collection_method_of(Some(line.subscription)),
        });
        let adjustments = self.room.metering.ledger.adjustments.values();
        let adjustments = bounded(adjustments).map(|adjustment| DueAdjustment {
            adjustment,
            tax_rate: self.tax_rate_of(adjustment.subscription),
            collection_method: self.collection_method_of(adjustment.subscription),
        });
        UsageDue { lines: lines.collect(), adjustments: adjustments.collect() }
    }

    pub(super) fn compose_usage_of(
        &self,
        id: InvoiceId,
        facts: &ContractFacts,
        terms: Terms,
        due: &UsageDue<'_>,
    ) -> Result<Composed, InvoiceRefusal> {
        compose_usage(id, facts, &self.seller_facts(), terms, due, self.moment)
    }

    pub(super) fn tax_rate_of(&self, subscription: Option<SubscriptionId>) -> Option<TaxRate> {
        self.subscription_now(subscription?)?.tax_rate
    }

    fn collection_method_of(
        &self,
        subscription: Option<SubscriptionId>,
    ) -> Option<CollectionMethod> {
        Some(self.subscription_now(subscription?)?.collection_method)
    }

    pub(super) fn invoice_id(&self) -> InvoiceId {
        InvoiceId(self.cx.id(ids::INVOICE))
    }

    pub(super) fn seller_facts(&self) -> SellerFacts {
        SellerFacts::from(&self.seller.seller)
    }

    /// A contract whose next document is made out as these terms say. Its customer is read only
    /// where the tax depends on where that is.
    pub(super) fn continuing(
        &self,
        contract: &Contract,
        terms: &Terms,
    ) -> Result<ContractFacts, Refusal> {
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
