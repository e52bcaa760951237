//! What a command has changed so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use storage::Batch;

use super::room::{Change, Context, ContractKey, ContractRoom, Effects};
use crate::directory::SellerSnapshot;
use crate::domain::billing::contract::Contract;
use crate::domain::billing::credit::{AutoTopup, CreditEntry};
use crate::domain::billing::invoice::{self, DueTerms, Invoice};
use crate::domain::billing::overview::contributions::of_invoice;
use crate::domain::billing::subscription::{self, Facts, Proration, RecurringMove, Subscription};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::{TimelineEntry, TimelineRow};
use crate::domain::chain::Link;
use crate::domain::ids::{CustomerId, InvoiceId, ProrationId, SubscriptionId, TimelineId};
use crate::domain::payments::saved_card::{SavedCard, default_card};
use crate::domain::platform::event::NewEvent;
use crate::domain::platform::seller::Mode;
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::domain::time::Date;
use crate::listing::relist;
use crate::query;
use crate::sums::resum;
use crate::tables::{RECURRING_MOVES, TIMELINE, ids};

/// What one batch of a long command comes to at most, in rows of about a KiB: so little that
/// whoever writes meanwhile hardly waits for it. One more step may go beyond it.
const STRIDE: usize = 1_000;

const TERMS_A_KIB: usize = 16;

const INVOICE_KIB: usize = 4;

/// The most timeline entries that one row keeps.
const ENTRIES_A_ROW: usize = 100;

/// What a command of one or several steps has changed so far: a later step sees what an earlier
/// one has changed, and each object is put once, as it is in the end.
pub(super) struct Changes<'a> {
    pub(super) room: &'a ContractRoom,
    pub(super) cx: &'a Context,
    pub(super) seller: Arc<SellerSnapshot>,
    /// Now, by the wall and by the contract's own clock.
    pub(super) moment: Moment,
    pub(super) effects: Effects,
    pub(super) subscriptions: BTreeMap<SubscriptionId, Subscription>,
    pub(super) prorations: BTreeMap<ProrationId, Proration>,
    invoices: BTreeMap<InvoiceId, Invoice>,
    /// The link of the last movement of stored credit.
    pub(super) credit_link: Option<Link>,
    /// The movements of stored credit so far.
    pub(super) credit_moved: Vec<CreditEntry>,
    pub(super) auto_topup: Option<AutoTopup>,
    pub(super) events: Vec<NewEvent>,
    pub(super) timeline: Vec<TimelineEntry>,
    /// What subscriptions bring a month from a day on, where that changed.
    moves: Vec<(Date, RecurringMove)>,
    /// About how many rows of a KiB all of this comes to.
    weight: usize,
}

impl<'a> Changes<'a> {
    pub(super) fn begin(room: &'a ContractRoom, cx: &'a Context) -> Result<Self, Refusal> {
        let mut changes = Self {
            room,
            cx,
            seller: cx.seller()?,
            moment: Moment::of(room.clock.as_ref(), cx.now()),
            effects: Effects::new(),
            subscriptions: BTreeMap::new(),
            prorations: BTreeMap::new(),
            invoices: BTreeMap::new(),
            credit_link: room.credit.last_link(),
            credit_moved: Vec::new(),
            auto_topup: room.auto_topup,
            events: Vec::new(),
            timeline: Vec::new(),
            moves: Vec::new(),
            weight: 0,
        };
        // It hears of that by a message; whoever comes first finds it so.
        if changes.seller.seller.mode == Mode::Live {
            changes.let_clock_go();
        }
        Ok(changes)
    }

    pub(super) fn facts(&self, contract: &Contract) -> Facts {
        let facts = ContractRoom::facts(contract, self.credits_on());
        // Where the cards cannot be read there is none, as far as is known.
        let card_saved = self.saved_card(contract.customer).is_ok_and(|card| card.is_some());
        Facts { card_saved, ..facts }
    }

    /// The card that is charged for what the customer owes.
    pub(super) fn saved_card(&self, customer: CustomerId) -> Result<Option<SavedCard>, Refusal> {
        let cards = query::saved_cards(self.cx.store(), self.room.seller, customer);
        let demo = self.seller.seller.mode == Mode::Demo;
        Ok(default_card(&self.cx.read(cards)?, demo).cloned())
    }

    pub(super) fn subscription(&mut self, change: subscription::Change) {
        self.note_move(&change);
        for proration in change.prorations {
            let id = ProrationId(self.cx.id(ids::PRORATION));
            self.prorations.insert(id, proration);
        }
        self.prorations.extend(change.recut);
        self.weigh(change.events.len(), change.subscription.terms.len() / TERMS_A_KIB);
        self.events.extend(change.events);
        self.timeline.extend(change.timeline);
        self.subscriptions.insert(change.subscription.id, change.subscription);
    }

    /// Takes note of what the subscription brings a month, on the day of the change.
    fn note_move(&mut self, change: &subscription::Change) {
        let after = &change.subscription;
        let before_minor = self.subscription_now(after.id).map_or(0, Subscription::recurring_minor);
        let after_minor = after.recurring_minor();
        if before_minor == after_minor {
            return;
        }
        let told = change.timeline.last().map(|entry| entry.occurred_at);
        let mut day = told.unwrap_or(self.moment.engine).date();
        let terms = self.moment.of_terms(self.room.clock.as_ref(), after.created_at);
        if terms.ran_ahead {
            // Behind what it has lived to, so that its moves stay in order.
            day = day.max(terms.today());
        }
        let (subscription, currency) = (after.id, after.currency);
        let moved = RecurringMove { subscription, currency, before_minor, after_minor };
        self.moves.push((day, moved));
    }

    /// Moves an invoice on from how it stood `before`.
    pub(super) fn invoice(
        &mut self,
        before: &Invoice,
        change: invoice::Change,
    ) -> Result<(), Refusal> {
        let (rows, seller, after) = (&mut self.effects.rows, self.room.seller, &change.invoice);
        relist(rows, seller, Some(before), after);
        let [was, is] = [before, after].map(|one| of_invoice(one, one.status));
        resum(rows, seller, &was, &is);
        self.weigh(change.events.len(), INVOICE_KIB);
        self.events.extend(change.events);
        self.timeline.extend(change.timeline);
        self.invoices.insert(before.id, change.invoice.clone());
        let after = change.invoice.clone();
        self.effects.change(Change::Invoice(Box::new(change.invoice)));
        self.recover(before, &after)?;
        self.end_pack(before, &after)
    }

    /// An invoice as the steps before have left it. One that is being issued just now is not there
    /// yet.
    pub(super) fn invoice_now(&self, id: InvoiceId) -> Result<Option<Invoice>, Refusal> {
        match self.invoices.get(&id) {
            Some(changed) => Ok(Some(changed.clone())),
            None => self.room.invoice(self.cx, id),
        }
    }

    /// Each event is a row, and two more for each webhook that it may go to.
    pub(super) fn weigh(&mut self, events: usize, rows: usize) {
        self.weight += 1 + rows + events * (1 + 2 * self.seller.webhooks.len());
    }

    /// Whether what was changed so far is enough for one batch: the rest is for the next.
    pub(super) fn is_full(&self) -> bool {
        self.weight >= STRIDE
    }

    pub(super) fn subscription_now(&self, id: SubscriptionId) -> Option<&Subscription> {
        self.subscriptions.get(&id).or_else(|| self.room.subscriptions.get(&id))
    }

    pub(super) fn proration_now(&self, id: ProrationId) -> Option<&Proration> {
        self.prorations.get(&id).or_else(|| self.room.prorations.get(id))
    }

    /// The subscriptions with an unbilled term due by `day`, in no order.
    pub(super) fn due_by(&self, day: Date) -> impl Iterator<Item = &Subscription> {
        let unchanged = |id: &SubscriptionId| !self.subscriptions.contains_key(id);
        let known = self.room.agenda.due_by(day).filter(unchanged);
        let is_due =
            move |one: &&Subscription| one.next_unbilled_due().is_some_and(|due| due <= day);
        known
            .filter_map(|id| self.room.subscriptions.get(&id))
            .chain(self.subscriptions.values().filter(is_due))
    }

    /// Whether a subscription that ends has a proration charge that fell due by itself, and goes
    /// on invoices.
    pub(super) fn has_charge_due_by(&self, day: Date) -> bool {
        let due_of = |one: &Subscription| self.room.prorations.due_by_themselves(one).0;
        let has_charge = |one: &Subscription| due_of(one).is_some_and(|due| due <= day);
        self.seller.switch(Switch::ProrationBinding)
            && (self.room.agenda.has_charge_by(day) || self.subscriptions.values().any(has_charge))
    }

    /// The subscriptions that end and whose credits are due by themselves by `day`.
    pub(super) fn with_credits_due_by(&self, day: Date) -> Vec<SubscriptionId> {
        let unchanged = |id: &SubscriptionId| !self.subscriptions.contains_key(id);
        let known = self.room.agenda.credits_by(day).filter(unchanged);
        let due_of = |one: &Subscription| self.room.prorations.due_by_themselves(one).1;
        let is_due = |one: &&Subscription| due_of(one).is_some_and(|due| due <= day);
        known.chain(self.subscriptions.values().filter(is_due).map(|one| one.id)).collect()
    }

    /// The open prorations that a document of these terms may carry.
    pub(super) fn open_prorations(
        &self,
        due: &DueTerms,
    ) -> impl Iterator<Item = (ProrationId, &Proration)> {
        let room = &self.room.prorations;
        let known = room.for_document(due.billed.iter().map(|term| term.subscription));
        let unchanged = known.into_iter().filter(|id| !self.prorations.contains_key(id));
        let known = unchanged.filter_map(|id| room.get(id).map(|one| (id, one)));
        let changed = self.prorations.iter().filter(|(_, one)| one.is_open());
        known.chain(changed.map(|(id, one)| (*id, one)))
    }

    pub(super) fn finish(mut self) -> Effects {
        for after in self.subscriptions.into_values() {
            self.effects.change(Change::Subscription(Box::new(after)));
        }
        for (id, after) in self.prorations {
            self.effects.change(Change::Proration(id, Box::new(after)));
        }
        let (room, told) = (self.room, self.cx.ids(ids::TIMELINE, self.timeline.len()));
        put_timeline(&mut self.effects.rows, (room.seller, room.id), told, self.timeline);
        let drawn = self.cx.ids(ids::TIMELINE, self.moves.len());
        for (id, (day, moved)) in drawn.into_iter().zip(self.moves) {
            self.effects.put(RECURRING_MOVES, &(room.seller, day, TimelineId(id)), &moved);
        }
        self.effects.emit(&self.seller, self.events);
        self.effects
    }
}

/// Puts timeline entries in order; `ids` rise and are as many or more.
pub(super) fn put_timeline(
    rows: &mut Batch,
    (seller, contract): ContractKey,
    ids: Vec<u64>,
    entries: Vec<TimelineEntry>,
) {
    let entries: Vec<_> = ids.into_iter().map(TimelineId).zip(entries).collect();
    for row in entries.chunks(ENTRIES_A_ROW) {
        rows.put(TIMELINE, &(seller, contract, row[0].0), &TimelineRow(row.to_vec()));
    }
}
