//! What time does to a contract's subscriptions and invoices: terms begin and end, invoices fall
//! overdue, and their buyers are reminded.

use std::collections::BTreeSet;

use super::changes::Changes;
use super::room::{Context, ContractRoom};
use super::strides::{Decided, Stride};
use super::{Contracts, LifecycleCounts};
use crate::domain::billing::invoice::{Reminded, fall_overdue, remind};
use crate::domain::billing::subscription::{Subscription, advance, next_wakeup};
use crate::domain::billing::test_clock::Moment;
use crate::domain::ids::{ContractId, SellerId, SubscriptionId};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::AskError;

/// About how many rows a mail comes to.
const MAIL_ROWS: usize = 2;

/// How far subscriptions were brought.
#[derive(Default)]
pub(super) struct Lived {
    pub(super) counts: LifecycleCounts,
    /// The instant of what is left of it for the next batch, if something is.
    pub(super) left_at: Option<Timestamp>,
}

impl Contracts {
    pub async fn run_lifecycle(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<LifecycleCounts, AskError> {
        self.in_strides((seller, contract), ContractRoom::live).await
    }

    pub async fn run_overdue(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<u64, AskError> {
        self.in_strides((seller, contract), ContractRoom::fall_overdue).await
    }

    /// How many reminders went out.
    pub async fn run_reminders(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<u64, AskError> {
        self.in_strides((seller, contract), ContractRoom::remind).await
    }
}

impl ContractRoom {
    pub(super) fn live(&self, cx: &Context) -> Decided<LifecycleCounts> {
        let mut changes = Changes::begin(self, cx)?;
        let Lived { counts, left_at } = changes.live_until(changes.moment.engine);
        Ok(changes.finish().answer(Stride { done: counts, more: left_at.is_some() }))
    }

    pub(super) fn fall_overdue(&self, cx: &Context) -> Decided<u64> {
        let mut changes = Changes::begin(self, cx)?;
        let stride = changes.fall_overdue()?;
        Ok(changes.finish().answer(stride))
    }

    pub(super) fn remind(&self, cx: &Context) -> Decided<u64> {
        let mut changes = Changes::begin(self, cx)?;
        let stride = changes.remind()?;
        Ok(changes.finish().answer(stride))
    }
}

impl Changes<'_> {
    /// Lets the subscriptions do what they have to by `until`, in the order of its instants, as
    /// much of it as one batch takes.
    pub(super) fn live_until(&mut self, until: Timestamp) -> Lived {
        self.live(self.room.agenda.awake_by(until), until)
    }

    /// Lets one subscription do what it has to by the contract's day, as much of it as one batch
    /// takes; whether that was anything.
    pub(super) fn bring_to_today(&mut self, known: &Subscription) -> bool {
        let today = self.moment.engine;
        let due = next_wakeup(known).filter(|at| *at <= today).map(|at| (at, known.id));
        self.live(due.into_iter(), today);
        !self.subscriptions.is_empty()
    }

    /// `awake`: the subscriptions that have something to do by `until`, soonest first.
    fn live(
        &mut self,
        awake: impl Iterator<Item = (Timestamp, SubscriptionId)>,
        until: Timestamp,
    ) -> Lived {
        let mut lived = Lived::default();
        let room = self.room;
        let Some(contract) = &room.contract else { return lived };
        if !self.seller.switch(Switch::LifecycleCron) {
            lived.counts.cron_disabled = true;
            return lived;
        }
        let (facts, moment) = (self.facts(contract), self.moment);
        let mut awake = awake.peekable();
        // Those that were brought on here, and have more to do.
        let mut again = BTreeSet::new();
        loop {
            let first = awake.peek().into_iter().chain(again.first()).min().copied();
            let Some((at, id)) = first else { return lived };
            if self.is_full() {
                lived.left_at = Some(at);
                return lived;
            }
            if !again.remove(&(at, id)) {
                awake.next();
            }
            let Some(known) = self.subscription_now(id) else { continue };
            let advanced = advance(known, Moment { engine: at, ..moment }, &facts);
            lived.counts += advanced.counts;
            if !advanced.change.is_empty() {
                let next = next_wakeup(&advanced.change.subscription);
                again.extend(next.filter(|next| *next <= until).map(|next| (next, id)));
                self.subscription(advanced.change);
            }
        }
    }

    /// Moves the invoices whose due date has passed by the contract's clock, as many as one batch
    /// takes; says how many.
    pub(super) fn fall_overdue(&mut self) -> Result<Stride<u64>, Refusal> {
        let mut stride = Stride { done: 0, more: false };
        let room = self.room;
        for id in room.agenda.overdue.by(self.moment.today()) {
            if self.is_full() {
                stride.more = true;
                break;
            }
            // One that is being issued just now is not there yet; the next run finds it.
            let Some(invoice) = self.invoice_now(id)? else { continue };
            if let Some(change) = fall_overdue(&invoice, self.moment) {
                self.invoice(&invoice, change)?;
                stride.done += 1;
            }
        }
        Ok(stride)
    }

    /// Reminds the buyers whose day has come by the contract's clock, as many as one batch takes;
    /// says how many.
    pub(super) fn remind(&mut self) -> Result<Stride<u64>, Refusal> {
        let mut stride = Stride { done: 0, more: false };
        if !self.seller.switch(Switch::Reminders) {
            return Ok(stride);
        }
        let room = self.room;
        for id in room.agenda.reminders.by(self.moment.today()) {
            if self.is_full() {
                stride.more = true;
                break;
            }
            let Some(invoice) = self.invoice_now(id)? else { continue };
            let days = self.seller.seller.reminder_days();
            let Some(Reminded { change, mail }) = remind(&invoice, days, self.moment) else {
                continue;
            };
            if let Some(kind) = mail {
                self.mail(kind, &change.invoice);
                self.weigh(0, MAIL_ROWS);
                stride.done += 1;
            }
            self.invoice(&invoice, change)?;
        }
        Ok(stride)
    }
}
