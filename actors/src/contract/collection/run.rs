//! What is due of a contract's collections: who is charged, who waits, and what is given up.

use std::collections::BTreeSet;

use super::{CollectionCounts, LOOKED_AT};
use crate::contract::agenda::Due;
use crate::contract::changes::Changes;
use crate::contract::room::Change;
use crate::contract::strides::Stride;
use crate::domain::billing::collection::{Collection, Step};
use crate::domain::billing::invoice::{Invoice, collect};
use crate::domain::ids::{CustomerId, InvoiceId};
use crate::domain::money::Money;
use crate::domain::payments::saved_card::{SavedCard, SavedCharge};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::domain::time::{Date, Timestamp};
use crate::payment::{CardOrder, InvoiceOrder};
use crate::query;
use crate::tables::{NO_PAYMENT, OPEN_PAYMENTS, SAVED_CHARGES};

/// How many charges are ordered at once.
const ORDERS: usize = 16;

#[derive(Default)]
pub(in crate::contract) struct Collected {
    pub(in crate::contract) counts: CollectionCounts,
    pub(in crate::contract) orders: Vec<CardOrder>,
    /// The invoices that were looked at.
    pub(in crate::contract) seen: Seen,
}

/// What the strides of a run have looked at: a later one does not read it again.
#[derive(Clone, Debug, Default)]
pub(in crate::contract) struct Seen {
    /// Each is charged once in a run, whatever became of it.
    with_card: BTreeSet<InvoiceId>,
    /// While there was no card, under the day that it had: what has another since is looked at
    /// again.
    without: BTreeSet<Due>,
}

impl Seen {
    pub(in crate::contract) fn add(&mut self, more: Self) {
        if !more.with_card.is_empty() {
            // There is a card: once it is gone as well, all of them are to be looked at.
            self.without.clear();
        }
        self.with_card.extend(more.with_card);
        self.without.extend(more.without);
    }

    pub(in crate::contract) fn count(&self) -> usize {
        self.with_card.len() + self.without.len()
    }
}

impl Collected {
    /// Whether one command has read and ordered as much as it may.
    fn is_full(&self) -> bool {
        self.orders.len() >= ORDERS || self.seen.count() >= LOOKED_AT
    }
}

impl Changes<'_> {
    /// Decides what is due by the contract's clock, as much as one batch takes, but for the
    /// invoices that were `seen` before.
    pub(in crate::contract) fn collect(
        &mut self,
        seen: &Seen,
    ) -> Result<Stride<Collected>, Refusal> {
        let mut stride = Stride { done: Collected::default(), more: false };
        let (room, today) = (self.room, self.moment.today());
        stride.done.counts.pass_disabled = !self.seller.switch(Switch::AutoCharge);
        let (Some(contract), false) = (&room.contract, stride.done.counts.pass_disabled) else {
            return Ok(stride);
        };
        let due = room.agenda.collections.by(today);
        let mut due = due.filter(|id| !seen.with_card.contains(id)).peekable();
        let goes_on = due.peek().is_some() || !seen.without.is_empty();
        if !room.card_on_file || !goes_on {
            return Ok(stride);
        }
        let Some(card) = self.saved_card(contract.customer)? else {
            self.card_is_gone(seen, &mut stride)?;
            return Ok(stride);
        };
        for id in due {
            if self.is_full() || stride.done.is_full() {
                stride.more = true;
                break;
            }
            stride.done.seen.with_card.insert(id);
            // One that is being issued just now is not there yet; the next run finds it.
            let Some(invoice) = self.invoice_now(id)? else { continue };
            self.go_on(&invoice, Some(&card), &mut stride.done)?;
        }
        Ok(stride)
    }

    /// Without a card nothing that was tried goes on, and nothing else begins.
    fn card_is_gone(&mut self, seen: &Seen, stride: &mut Stride<Collected>) -> Result<(), Refusal> {
        let room = self.room;
        for due in room.agenda.collections.all().filter(|due| !seen.without.contains(due)) {
            if self.is_full() || stride.done.is_full() {
                stride.more = true;
                return Ok(());
            }
            stride.done.seen.without.insert(due);
            let (_, id) = due;
            let Some(invoice) = self.invoice_now(id)? else { continue };
            self.go_on(&invoice, None, &mut stride.done)?;
            // What was called off just now may have been tried before.
            if is_begun(&invoice)
                && let Some(after) = self.invoice_now(id)?
                && !is_begun(&after)
            {
                self.go_on(&after, None, &mut stride.done)?;
            }
        }
        self.effects.change(Change::CardOnFile(false));
        Ok(())
    }

    fn go_on(
        &mut self,
        invoice: &Invoice,
        card: Option<&SavedCard>,
        done: &mut Collected,
    ) -> Result<(), Refusal> {
        let Some(collection) = &invoice.collection else { return Ok(()) };
        match collection.step(card.map(|card| card.id), self.moment.today()) {
            Step::Charge(charge) => self.order(invoice, charge, card, done),
            Step::NoCard => Ok(()),
            Step::Wait(day) => {
                self.step(invoice, |before| Collection { next_on: Some(day), ..before })
            }
            Step::GiveUp => {
                done.counts.past_due += self.give_up(invoice)?;
                Ok(())
            }
        }
    }

    pub(in crate::contract) fn order(
        &mut self,
        invoice: &Invoice,
        charge: SavedCharge,
        default: Option<&SavedCard>,
        done: &mut Collected,
    ) -> Result<(), Refusal> {
        let (seller, cx) = (self.room.seller, self.cx);
        let row = (seller, invoice.id, charge.attempt);
        let made = cx.contains(SAVED_CHARGES, &row)?;
        if !made && cx.read(cx.store().contains(OPEN_PAYMENTS, &(seller, invoice.id)))? {
            done.counts.skipped += 1;
            return Ok(());
        }
        let card = match default.filter(|card| card.id == charge.card) {
            Some(card) => Some(card.clone()),
            None => {
                let known = query::saved_card(cx.store(), seller, invoice.customer, charge.card);
                cx.read(known)?
            }
        };
        // Somebody may be about to make what was ordered before its card went: the number is taken
        // from them.
        if card.is_none() && !made {
            self.effects.claim(SAVED_CHARGES, &row, &NO_PAYMENT);
            return self.step(invoice, Collection::called_off);
        }
        self.step(invoice, |before| before.begun(charge))?;
        let of = InvoiceOrder {
            seller,
            contract: self.room.id,
            invoice: invoice.id,
            number: invoice.number_text(),
            amount: Money { minor: invoice.outstanding_minor, currency: invoice.currency },
            saves_for: None,
        };
        done.orders.push(CardOrder { invoice: of, charge, card });
        Ok(())
    }

    pub(super) fn step(
        &mut self,
        invoice: &Invoice,
        step: impl FnOnce(Collection) -> Collection,
    ) -> Result<(), Refusal> {
        match collect(invoice, step) {
            Some(change) => self.invoice(invoice, change),
            None => Ok(()),
        }
    }

    /// The next instant at which an advance stops to charge a card: at once where that is due
    /// already and the advance has not `begun`.
    pub(in crate::contract) fn next_collection(&self, begun: bool) -> Option<Timestamp> {
        if !self.room.card_on_file || !self.seller.switch(Switch::AutoCharge) {
            return None;
        }
        let (collections, today) = (&self.room.agenda.collections, self.moment.today());
        if !begun && collections.by(today).next().is_some() {
            return Some(self.moment.engine);
        }
        collections.first_behind(today).map(Date::start)
    }

    /// Takes note of a card that the customer has saved before: the invoice that goes out now can
    /// be charged to it.
    pub(in crate::contract) fn look_for_a_card(&mut self, customer: CustomerId) {
        let known = self.room.card_on_file;
        if !known && self.saved_card(customer).is_ok_and(|card| card.is_some()) {
            self.effects.change(Change::CardOnFile(true));
        }
    }
}

/// Whether an attempt at collecting an invoice is under way.
fn is_begun(invoice: &Invoice) -> bool {
    invoice.collection.as_ref().is_some_and(|collection| collection.under_way.is_some())
}
