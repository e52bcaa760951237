//! Issuing invoices: the caller's, and those of due terms.

use std::sync::Arc;

use parking_lot::Mutex;

use super::answers::Issued;
use super::command::{Answer, IssueOrder};
use super::record::InvoiceKey;
use super::room::{ContractRoom, Prior};
use super::write::{Write, unexpected};
use crate::domain::billing::invoice::{
    Composed, ContractFacts, Invoice, InvoiceRefusal, LineChunk, Origin, PaymentLink,
    ProrationLine, RecurringLine, SellerFacts, Terms, compose_manual, compose_recurring, issue,
};
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::{InvoiceId, SubscriptionId};
use crate::domain::platform::event::EventType;
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::domain::time::Date;
use crate::kernel::Once;
use crate::room::{Desk, Refused};
use crate::tables::{
    INVOICE_KEYS, INVOICE_LINES, INVOICE_NUMBERS, LINKS, PRORATIONS, TERM_CLAIMS, ids,
};

use super::record::LinkTarget;

/// A term that a document bills.
pub(super) struct Billed {
    subscription: SubscriptionId,
    start: Date,
    charged_minor: i64,
}

/// A document in the making with the terms that it bills.
pub(super) struct Document {
    pub(super) composed: Composed,
    billed: Vec<Billed>,
}

impl Document {
    /// A document that bills no terms.
    pub(super) fn of(composed: Composed) -> Self {
        Self { composed, billed: Vec::new() }
    }
}

impl ContractRoom {
    pub(super) fn issue(
        &mut self,
        desk: &Desk<Self>,
        order: IssueOrder,
        reply: Answer<Once<Issued>>,
    ) {
        let row = (self.seller, order.key.clone());
        let read = || desk.store().contains(INVOICE_KEYS, &row);
        let known = &self.invoice_keys;
        let Some(reply) = known.unless_there(desk, &order.key, read, Once::Before, reply) else {
            return;
        };
        let (mut write, document) = match self.compose(desk, &order) {
            Ok(composed) => composed,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let id = document.composed.invoice.id;
        let claim = InvoiceKey { invoice: id, intent: order.intent };
        write.batch.claim(INVOICE_KEYS, &row, &claim);
        self.invoice_keys.note(desk, order.key, ());
        let lines = document.composed.lines.clone();
        let issued = self.put_document(&mut write, desk, document);
        write.finish(self, desk, reply, move |result| match result {
            Ok(_) => issued
                .lock()
                .take()
                .map(|invoice| Once::Made(Issued { invoice, lines }))
                .ok_or_else(Refusal::fault),
            // Another contract's room was first with this key.
            Err(Refused::Claimed(_)) => Ok(Once::Before),
            Err(refused) => Err(unexpected(refused)),
        });
    }

    fn compose(&self, desk: &Desk<Self>, order: &IssueOrder) -> Result<(Write, Document), Refusal> {
        let contract = self.contract.as_ref().ok_or_else(Refusal::missing)?;
        let write = Write::new(self, desk)?;
        let moment = self.moment(write.now);
        let facts = ContractFacts::of(contract, &order.customer);
        let id = InvoiceId(desk.next_id(ids::INVOICE));
        let document = if order.request.origin == Origin::Recurring {
            order.request.check()?;
            let terms = Terms::requested(&order.request, &facts)?;
            self.compose_due(&write, id, &facts, terms, moment)?
        } else if order.request.origin == Origin::Usage {
            order.request.check()?;
            let terms = Terms::requested(&order.request, &facts)?;
            self.compose_unbilled(&write, id, &facts, terms, moment)?
        } else {
            let seller = SellerFacts::from(&write.snapshot.seller);
            let composed = compose_manual(id, &facts, &seller, &order.request, moment)?;
            Document::of(composed)
        };
        Ok((write, document))
    }

    /// The document that goes on from the last recurring one, if a term is due and there is a
    /// last one (decisions 4, 12).
    pub(super) fn compose_next(
        &mut self,
        write: &Write,
        desk: &Desk<Self>,
        moment: Moment,
    ) -> Result<Option<Document>, Refusal> {
        if self.contract.is_none() || self.agenda.due_by(moment.engine_date()).is_empty() {
            return Ok(None);
        }
        let Some(terms) = self.continued_terms(desk)? else { return Ok(None) };
        let Some(contract) = &self.contract else { return Ok(None) };
        let facts = ContractFacts {
            id: contract.id,
            number: contract.contract_number(),
            customer: contract.customer,
            currency: contract.currency,
            bill_to: terms.bill_to.clone(),
        };
        let id = InvoiceId(desk.next_id(ids::INVOICE));
        Ok(Some(self.compose_due(write, id, &facts, terms, moment)?))
    }

    /// The terms of the last recurring invoice, read once.
    fn continued_terms(&mut self, desk: &Desk<Self>) -> Result<Option<Terms>, Refusal> {
        let terms = self.terms_of(desk, self.continues_from.as_ref())?;
        let known = terms.clone().map(|terms| Prior::Known(Box::new(terms)));
        self.continues_from = known;
        Ok(terms)
    }

    /// The terms of the document that goes on from `prior`.
    pub(super) fn terms_of(
        &self,
        desk: &Desk<Self>,
        prior: Option<&Prior>,
    ) -> Result<Option<Terms>, Refusal> {
        let id = match prior {
            None => return Ok(None),
            Some(Prior::Known(terms)) => return Ok(Some(terms.as_ref().clone())),
            Some(Prior::OnDisk(id)) => *id,
        };
        let prior = self.invoice(desk, id).map_err(|error| {
            tracing::error!(%error, "a contract room cannot read its last invoice");
            Refusal::fault()
        })?;
        Ok(Some(Terms::continued(&prior.ok_or_else(Refusal::fault)?)))
    }

    /// Composes the oldest due term of every subscription, with the open prorations where they
    /// are bound to invoices.
    fn compose_due(
        &self,
        write: &Write,
        id: InvoiceId,
        facts: &ContractFacts,
        terms: Terms,
        moment: Moment,
    ) -> Result<Document, InvoiceRefusal> {
        let today = moment.engine_date();
        let mut due = Vec::new();
        let mut billed = Vec::new();
        for id in self.agenda.due_by(today) {
            let Some(subscription) = self.subscriptions.get(&id) else { continue };
            let Some(term) = subscription.due_terms(today).next() else { continue };
            let line = RecurringLine::of(subscription, term)?;
            let charged_minor = term.amount().map_err(InvoiceRefusal::from)?;
            billed.push(Billed { subscription: id, start: term.start, charged_minor });
            due.push(line);
        }
        let bound = write.snapshot.switch(Switch::ProrationBinding);
        let prorations: Vec<_> = self
            .prorations
            .iter()
            .filter(|_| bound)
            .flat_map(|(id, proration)| {
                let subscription = self.subscriptions.get(&proration.subscription);
                let words = subscription.and_then(|found| found.description.as_deref());
                ProrationLine::parts_of(*id, proration, words)
            })
            .collect();
        let seller = SellerFacts::from(&write.snapshot.seller);
        let composed = compose_recurring(id, facts, &seller, terms, &due, &prorations, moment)?;
        Ok(Document { composed, billed })
    }

    /// Puts a document and all that it claims. Its number is drawn in the commit; the issued
    /// document is found in what is answered here once that is durable.
    pub(super) fn put_document(
        &mut self,
        write: &mut Write,
        desk: &Desk<Self>,
        document: Document,
    ) -> Arc<Mutex<Option<Invoice>>> {
        let Document { composed, billed } = document;
        let (seller, id) = (self.seller, composed.invoice.id);
        for Billed { subscription, start, charged_minor } in billed {
            write.batch.claim(TERM_CLAIMS, &(seller, subscription, start), &id.0);
            if let Some(mut subscription) = self.subscriptions.get(&subscription).cloned() {
                subscription.mark_billed(start, id, charged_minor);
                write.put_subscription(self, subscription);
            }
        }
        for consumed in &composed.prorations {
            let Some(proration) = self.prorations.get_mut(&consumed.proration) else { continue };
            proration.claim(id, consumed.part, consumed.amount_minor);
            write.batch.put(PRORATIONS, &(seller, self.id, consumed.proration), proration);
            if !proration.is_open() {
                self.prorations.remove(&consumed.proration);
            }
        }
        self.put_billed_usage(write, id, &composed.usage);
        for (chunk, number) in LineChunk::of(&composed.lines).iter().zip(0_u16..) {
            write.batch.put(INVOICE_LINES, &(seller, id, number), chunk);
        }
        let link = composed
            .send
            .then(|| PaymentLink { id: desk.next_id(ids::LINK), token: desk.entropy().token() });
        if let Some(link) = &link {
            let target = LinkTarget { seller, contract: self.id, invoice: id };
            write.batch.put(LINKS, &link.token, &target);
        }
        self.remember(&composed);
        let later = write.later(
            self,
            desk,
            &[EventType::InvoiceIssued, EventType::InvoiceSent, EventType::InvoicePaid],
            2,
        );
        let series = composed.series;
        let draw = write.batch.draw(&series.sequence(seller));
        let slot = Arc::new(Mutex::new(None));
        let issued = Arc::clone(&slot);
        write.batch.with_numbers(move |numbers, rows| {
            let order = numbers[draw];
            let key = (seller, series.year, series.month, order);
            rows.put(INVOICE_NUMBERS, &key, &id.0);
            *issued.lock() = Some(later.write(rows, issue(composed, order, link)));
        });
        slot
    }

    /// What the room has to know of a document that is being issued.
    fn remember(&mut self, composed: &Composed) {
        let invoice = &composed.invoice;
        let waits = invoice.collectible_minor > 0;
        let overdue_at = invoice.due_date.filter(|_| waits).map(|due| due.plus_days(1));
        self.agenda.invoice(invoice.id, overdue_at);
        if Prior::may_follow(invoice) {
            self.continues_from = Some(Prior::Known(Box::new(Terms::continued(invoice))));
        }
        if Prior::is_followed_by_usage(invoice.origin, invoice.invoice_type, invoice.status) {
            self.usage_follows = Some(Prior::Known(Box::new(Terms::continued(invoice))));
        }
    }
}
