//! Composing documents: the caller's, and those of due terms that the passes issue.

use storage::Scan;

use super::changes::Changes;
use super::invoice_rows::Prior;
use super::{InvoiceCounts, Issued};
use crate::domain::billing::contract::Contract;
use crate::domain::billing::customer::Customer;
use crate::domain::billing::invoice::{
    BilledTerm, Composed, ContractFacts, CreditLeft, DueTerms, Invoice, InvoiceRefusal, NewInvoice,
    Origin, ProrationLine, SellerFacts, Terms, compose_correction, compose_manual,
    compose_recurring, digest_of, open_prorations,
};
use crate::domain::billing::tax::{TaxRules, TaxSubtotal, added};
use crate::domain::ids::InvoiceId;
use crate::domain::platform::seller::TaxMode;
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::TaxRate;
use crate::domain::refusal::Refusal;
use crate::kernel::Drawn;
use crate::listing::Facet;
use crate::query;
use crate::tables::{PLACES, ids};

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

pub(super) fn nothing_due<T>(refusal: InvoiceRefusal) -> Result<Option<T>, Refusal> {
    match refusal {
        InvoiceRefusal::NothingDue(_) => Ok(None),
        refusal => Err(refusal.into()),
    }
}

impl Document {
    /// What its plan changes become as stored credit, minor units.
    pub(super) fn rests_minor(&self) -> i64 {
        self.rests.iter().map(|(rest, rate)| rest.gross_minor(*rate)).sum()
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
            let due = self.compose_due(id, &facts, terms)?;
            self.with_rests(due.ok_or(InvoiceRefusal::NothingDue(Origin::Recurring))?)
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
        let number = corrected.number_text();
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

    /// Issues the document of the oldest due terms, if there are any. `first`: also where no other
    /// one goes before it; then it is to the contract's customer.
    pub(super) fn issue_due_terms(&mut self, first: bool) -> Result<Option<Issuing>, Refusal> {
        let (room, today) = (self.room, self.moment.today());
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
        let due = self.compose_due(self.invoice_id(), &facts, terms)?;
        let document = due.map(|due| self.with_rests(due)).transpose()?;
        Ok(document.map(|document| self.issue_composed(document)))
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
    pub(super) fn counted(
        &mut self,
        pass: Switch,
        issue: impl FnOnce(&mut Self) -> Result<Option<Issuing>, Refusal>,
    ) -> InvoiceCounts {
        let nothing = InvoiceCounts { skipped: 1, ..InvoiceCounts::default() };
        if !self.seller.switch(pass) {
            return InvoiceCounts { pass_disabled: true, ..InvoiceCounts::default() };
        }
        let (cx, of) = (self.cx, (self.room.seller, self.room.id));
        match issue(self) {
            Ok(issuing) => {
                cx.tools().end(of, pass);
                let Some(issuing) = issuing else { return nothing };
                let sent = u64::from(issuing.sent);
                InvoiceCounts { issued: 1, sent, ..InvoiceCounts::default() }
            }
            Err(refusal) => {
                if cx.tools().note(of, pass, refusal.to_string()) {
                    let (seller, contract) = (of.0.0, of.1.0);
                    tracing::warn!(seller, contract, %refusal, "what is due could not be invoiced");
                }
                InvoiceCounts { failed: 1, ..nothing }
            }
        }
    }

    /// Composes the oldest due term of every subscription, with the open prorations where they
    /// are bound to invoices; `None` when nothing is due.
    fn compose_due(
        &self,
        id: InvoiceId,
        facts: &ContractFacts,
        terms: Terms,
    ) -> Result<Option<Due>, Refusal> {
        let today = self.moment.today();
        let due = match DueTerms::of(self.due_by(today), today) {
            Ok(due) => due,
            Err(refusal) => return nothing_due(refusal),
        };
        let bound = self.seller.switch(Switch::ProrationBinding);
        let open = self.open_prorations(&due).filter(|_| bound);
        let prorations = open_prorations(open, &due, |id| self.subscription_now(id));
        let bound = self.with_billed_taxes(prorations)?;
        let seller = self.seller_facts();
        match compose_recurring(id, facts, &seller, terms, &due.lines, &bound, self.moment) {
            Ok(composed) => Ok(Some(Due { composed, billed: due.billed, bound })),
            Err(refusal) => nothing_due(refusal),
        }
    }

    fn with_rests(&self, due: Due) -> Result<Document, Refusal> {
        let Due { composed, billed, bound } = due;
        let rests = match self.credits_on() {
            true => self.rests_of(&bound, &composed)?,
            false => Vec::new(),
        };
        Ok(Document { composed, billed, rests })
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
