//! The next invoice of a contract, as things stand.

mod notes;

use std::collections::BTreeMap;

use super::Contracts;
use super::changes::Changes;
use super::room::{Context, ContractRoom, Decision};
use crate::domain::billing::contract::Contract;
use crate::domain::billing::invoice::{
    CollectionMethod, Composed, DueTerms, InvoiceRefusal, Terms, UsageDue, compose_recurring,
    open_prorations,
};
use crate::domain::billing::projection::{ProjectedLine, Projection, next_due};
use crate::domain::billing::subscription::Subscription;
use crate::domain::billing::test_clock::{Moment, TestClock};
use crate::domain::billing::usage::UsageLine;
use crate::domain::ids::{ContractId, SellerId, SubscriptionId};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::domain::time::{Date, Timestamp};
use crate::kernel::AskError;

/// So many things that come later are told one by one.
const MAX_LATER: usize = 20;

impl Contracts {
    /// What the next invoice would be at an instant, by default that of the contract's clock.
    /// Nothing is written.
    pub async fn upcoming_invoice(
        &self,
        seller: SellerId,
        contract: ContractId,
        at: Option<Timestamp>,
    ) -> Result<Projection, AskError> {
        let show = move |room: &ContractRoom, cx: &Context| {
            let of = room.contract()?;
            let mut changes = Changes::begin(room, cx)?;
            let engine = at.unwrap_or(changes.moment.engine);
            changes.moment = Moment { engine, ..changes.moment };
            Ok(Decision::unchanged(changes.project(of)?))
        };
        self.rooms.command((seller, contract), show).await
    }
}

/// Subscriptions as they will be when their next terms are due.
type Ahead = BTreeMap<SubscriptionId, (Date, Subscription)>;

impl Changes<'_> {
    fn project(&self, contract: &Contract) -> Result<Projection, Refusal> {
        let as_of = self.moment.engine;
        let mut shown = Projection {
            contract: contract.id,
            as_of,
            next_issue_date: None,
            currency: contract.currency,
            lines: Vec::new(),
            subtotal_minor: 0,
            credit_available_minor: 0,
            credit_applied_minor: 0,
            notes: Vec::new(),
        };
        let ahead = self.ahead(contract);
        let terms = ahead.values().map(|(day, _)| *day).min();
        let charge = self.room.agenda.first_charge().filter(|_| self.binds());
        let usage = self.next_usage_day();
        let days = [terms, charge, usage];
        let next = days.into_iter().flatten().min().map(|day| day.max(as_of.date()));
        shown.next_issue_date = next;
        let mut documents = Vec::new();
        if let Some(next) = next {
            let recurring = self.project_recurring(contract, &ahead, next, &mut shown.notes)?;
            documents.extend(recurring);
            let usage = self.project_usage(contract, next, documents.first(), &mut shown.notes)?;
            documents.extend(usage);
            self.note_later(&ahead, next, &mut shown.notes);
        } else {
            shown.notes.push("nothing is due, and no further term begins".to_owned());
        }
        let lines = documents.iter().flat_map(|document| &document.lines);
        shown.lines = lines.flat_map(ProjectedLine::all_of).collect();
        shown.notes.extend(self.room.unpriced(self.cx)?);
        self.note_credits(contract.currency, &mut shown.notes)?;
        shown.subtotal_minor = shown.lines.iter().map(|line| line.amount_minor).sum();
        self.estimate_credit(&mut shown, &documents);
        self.note_switches(&mut shown);
        shown.notes.push("tax is not projected".to_owned());
        Ok(shown)
    }

    fn binds(&self) -> bool {
        self.seller.switch(Switch::ProrationBinding)
    }

    fn ahead(&self, contract: &Contract) -> Ahead {
        let facts = self.facts(contract);
        let ahead = |(id, known): (&SubscriptionId, &Subscription)| {
            next_due(known, &facts, self.moment.wall).map(|due| (*id, due))
        };
        self.room.subscriptions.iter().filter_map(ahead).collect()
    }

    /// The first day on which something of usage asks for a document.
    fn next_usage_day(&self) -> Option<Date> {
        let closed = self.room.metering.ledger.asks_since().map(|_| self.moment.today());
        let ends = self.room.metering.next_close(&self.room.coverage);
        closed.into_iter().chain(ends.map(|end| self.closes_on(end))).min()
    }

    /// The document of the terms that are due by `next`, if there is one.
    fn project_recurring(
        &self,
        contract: &Contract,
        ahead: &Ahead,
        next: Date,
        notes: &mut Vec<String>,
    ) -> Result<Option<Composed>, Refusal> {
        let by_then = ahead.values().filter(|(day, _)| *day <= next).map(|(_, one)| one);
        let due = DueTerms::of(by_then, next)?;
        let subscription = |id: SubscriptionId| match ahead.get(&id) {
            Some((_, one)) => Some(one),
            None => self.room.subscriptions.get(&id),
        };
        let open = self.open_prorations(&due).filter(|_| self.binds());
        let bound = self.with_billed_taxes(open_prorations(open, &due, subscription))?;
        let prior = self.room.continues_from.as_ref();
        let terms = self.next_terms(contract, prior)?;
        let facts = self.continuing(contract, &terms)?;
        let (id, seller) = (self.invoice_id(), self.seller_facts());
        let moment = Moment { engine: next.start(), ..self.moment };
        let composed = compose_recurring(id, &facts, &seller, terms, &due.lines, &bound, moment);
        let composed = or_note(composed, notes);
        if composed.is_some() && prior.is_none() {
            notes.push(
                "the contract has no recurring invoice yet: the pass goes on from its first"
                    .to_owned(),
            );
        }
        if let Some(composed) = &composed {
            for left in due.lines.iter().filter(|term| !composed.bills(term)).take(MAX_LATER) {
                notes.push(format!(
                    "subscription {}: its term from {} waits for a document that can carry it",
                    left.subscription, left.period_start
                ));
            }
            for rest in self.rests_of(&bound, composed)? {
                notes.push(self.note_of_rest(&rest, contract.currency));
            }
        }
        Ok(composed)
    }

    /// The document of the usage that is closed, or closes by `next`, if there is one. It is made
    /// out and collected as that of the terms, which is issued before it.
    fn project_usage(
        &self,
        contract: &Contract,
        next: Date,
        recurring: Option<&Composed>,
        notes: &mut Vec<String>,
    ) -> Result<Option<Composed>, Refusal> {
        let open = self.usage_closing_by(next, notes)?;
        let mut lines: Vec<&UsageLine> = self.room.metering.ledger.unbilled.values().collect();
        lines.extend(&open);
        let due: UsageDue<'_> = self.usage_due(lines.into_iter());
        if due.asking() == 0 {
            return Ok(None);
        }
        let terms = match recurring {
            Some(before) => Terms::continued(&before.invoice),
            None => self.next_terms(contract, self.room.usage_follows.as_ref())?,
        };
        let facts = self.continuing(contract, &terms)?;
        let composed = self.compose_usage_of(self.invoice_id(), &facts, terms, &due);
        let composed = or_note(composed, notes);
        if let Some(Composed { usage, .. }) = &composed {
            let left = due.lines.iter().filter(|one| !usage.lines.contains(&one.line.id));
            notes.extend(left.take(MAX_LATER).map(|one| {
                let (metric, from) = (&one.line.metric, one.line.span.start);
                format!("{metric}: its usage from {from} waits for a document that can carry it")
            }));
        }
        Ok(composed)
    }

    fn estimate_credit(&self, shown: &mut Projection, documents: &[Composed]) {
        if !self.credits_on() {
            shown.notes.push("stored credits are off".to_owned());
            return;
        }
        let drawn_at = self.credit_drawn_at(shown.next_issue_date);
        let available_at = |at| self.room.credit.available(shown.currency, at).total();
        let available = available_at(drawn_at);
        let expiring = available_at(self.moment.wall) - available;
        if expiring > 0 {
            shown.notes.push(format!(
                "stored credit of {expiring} {} minor units has expired by then",
                shown.currency
            ));
        }
        let mut payable = 0;
        for Composed { invoice, .. } in documents {
            match invoice.collection_method {
                CollectionMethod::PaymentLink => {
                    payable += invoice.totals.subtotal_minor - invoice.totals.discount_minor;
                }
                CollectionMethod::BankTransfer => shown.notes.push(format!(
                    "the {} document is collected by bank transfer: no credit is drawn",
                    invoice.origin
                )),
            }
        }
        shown.credit_available_minor = available;
        shown.credit_applied_minor = available.min(payable).max(0);
    }

    /// When the documents draw on stored credit, which expires by the wall clock also where the
    /// contract has a test clock.
    fn credit_drawn_at(&self, next: Option<Date>) -> Timestamp {
        let Moment { wall, engine, .. } = self.moment;
        match self.room.clock.as_ref().and_then(TestClock::stands_at) {
            Some(_) => wall,
            None => wall.max(engine).max(next.map_or(engine, Date::start)),
        }
    }
}

/// A document that can be made; why one cannot is a note, unless there is nothing to bill.
fn or_note(
    composed: Result<Composed, InvoiceRefusal>,
    notes: &mut Vec<String>,
) -> Option<Composed> {
    match composed {
        Ok(composed) => Some(composed),
        Err(InvoiceRefusal::NothingDue(_)) => None,
        Err(refusal) => {
            notes.push(refusal.to_string());
            None
        }
    }
}
