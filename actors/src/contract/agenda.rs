//! What lies ahead of a contract, kept in order so that the next thing is found at once however
//! many subscriptions and invoices there are.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use crate::domain::billing::subscription::{Subscription, next_wakeup};
use crate::domain::ids::{InvoiceId, SubscriptionId};
use crate::domain::time::{Date, Timestamp};
use crate::timers::TimerKind;

#[derive(Clone, Debug, Default)]
pub(super) struct Agenda {
    wakeups: BTreeSet<(Timestamp, SubscriptionId)>,
    due: BTreeSet<(Date, SubscriptionId)>,
    /// Ended subscriptions with an open proration charge, by the first day not served.
    charges: ByDay,
    /// Those with nothing open but credits, likewise.
    credits: ByDay,
    /// Invoices by the first day on which they are overdue.
    pub(super) overdue: InvoiceDays,
    /// Invoices by the next day on which their buyers are reminded.
    pub(super) reminders: InvoiceDays,
    /// Invoices by the next day on which their collection goes on.
    pub(super) collections: InvoiceDays,
    /// Subscriptions that are past due, or will be once they go on.
    pub(super) past_due: BTreeSet<SubscriptionId>,
}

/// An invoice under its day.
pub(super) type Due = (Date, InvoiceId);

/// Invoices, each under a day.
#[derive(Clone, Debug, Default)]
pub(super) struct InvoiceDays {
    days: BTreeSet<Due>,
    day_of: BTreeMap<InvoiceId, Date>,
}

impl InvoiceDays {
    /// Takes note of the day of an invoice, if it has one any more. Answers the one that was known.
    pub(super) fn note(&mut self, id: InvoiceId, day: Option<Date>) -> Option<Date> {
        let before = self.day_of.remove(&id);
        if let Some(day) = before {
            self.days.remove(&(day, id));
        }
        if let Some(day) = day {
            self.days.insert((day, id));
            self.day_of.insert(id, day);
        }
        before
    }

    pub(super) fn is_empty(&self) -> bool {
        self.days.is_empty()
    }

    /// Those that are due by `day`, the earliest first.
    pub(super) fn by(&self, day: Date) -> impl Iterator<Item = InvoiceId> {
        self.days.iter().take_while(move |(due, _)| *due <= day).map(|(_, id)| *id)
    }

    /// Those whose day is behind `day`, the earliest first; of these the ones behind `last`.
    pub(super) fn behind(&self, day: Date, last: Option<Due>) -> impl Iterator<Item = Due> {
        let first = (day, InvoiceId(u64::MAX));
        let first = last.map_or(first, |last| last.max(first));
        self.days.range((Bound::Excluded(first), Bound::Unbounded)).copied()
    }

    /// All of them, the earliest first.
    pub(super) fn all(&self) -> impl Iterator<Item = Due> {
        self.days.iter().copied()
    }

    /// The first of their days behind `day`.
    pub(super) fn first_behind(&self, day: Date) -> Option<Date> {
        self.days.iter().map(|(due, _)| *due).find(|due| *due > day)
    }

    fn first(&self) -> Option<Timestamp> {
        self.days.first().map(|(day, _)| day.start())
    }
}

impl Agenda {
    pub(super) fn subscription(&mut self, before: Option<&Subscription>, after: &Subscription) {
        if let Some(before) = before {
            if let Some(at) = next_wakeup(before) {
                self.wakeups.remove(&(at, before.id));
            }
            if let Some(day) = before.next_unbilled_due() {
                self.due.remove(&(day, before.id));
            }
        }
        if after.is_behind() {
            self.past_due.insert(after.id);
        } else {
            self.past_due.remove(&after.id);
        }
        if let Some(at) = next_wakeup(after) {
            self.wakeups.insert((at, after.id));
        }
        if let Some(day) = after.next_unbilled_due() {
            self.due.insert((day, after.id));
        }
    }

    /// Takes note of the days from which a subscription's proration charges, or else its credits,
    /// are due by themselves, if there are any.
    pub(super) fn prorations(
        &mut self,
        subscription: SubscriptionId,
        (charge, credit): (Option<Date>, Option<Date>),
    ) {
        self.charges.set(subscription, charge);
        self.credits.set(subscription, credit);
    }

    /// The subscriptions with something to do by `until`, each with when, soonest first.
    pub(super) fn awake_by(
        &self,
        until: Timestamp,
    ) -> impl Iterator<Item = (Timestamp, SubscriptionId)> {
        self.wakeups.iter().copied().take_while(move |(at, _)| *at <= until)
    }

    /// The subscriptions with an unbilled term due by `day`, oldest term first.
    pub(super) fn due_by(&self, day: Date) -> impl Iterator<Item = SubscriptionId> {
        self.due.iter().take_while(move |(due, _)| *due <= day).map(|(_, id)| *id)
    }

    pub(super) fn has_charge_by(&self, day: Date) -> bool {
        self.first_charge().is_some_and(|due| due <= day)
    }

    /// The first day on which a proration charge is due by itself.
    pub(super) fn first_charge(&self) -> Option<Date> {
        self.charges.first()
    }

    /// The subscriptions that end and whose credits are or will be due by themselves, the earliest
    /// first.
    pub(super) fn credits(&self) -> impl Iterator<Item = SubscriptionId> {
        self.credits.days.iter().map(|(_, id)| *id)
    }

    /// The ended subscriptions whose credits are due by themselves by `day`.
    pub(super) fn credits_by(&self, day: Date) -> impl Iterator<Item = SubscriptionId> {
        self.credits.days.iter().take_while(move |(due, _)| *due <= day).map(|(_, id)| *id)
    }

    /// The timer of what is collected from a saved card, likewise.
    pub(super) fn collection_timer(
        &self,
        simulated: Option<Timestamp>,
    ) -> Option<(TimerKind, Timestamp)> {
        let first = self.collections.first()?;
        match simulated {
            None => Some((TimerKind::Collection, first)),
            Some(now) => (first <= now).then_some((TimerKind::HeldCollection, first)),
        }
    }

    /// The timers that a contract wants now. `continues`: it has an invoice that the recurring
    /// pass goes on from. On a test clock only what is due already waits, for an operator's run.
    pub(super) fn timers(
        &self,
        simulated: Option<Timestamp>,
        continues: bool,
    ) -> BTreeMap<TimerKind, Timestamp> {
        let mut timers = BTreeMap::new();
        let lifecycle = self.wakeups.first().map(|(at, _)| *at);
        let recurring = self.due.first().map(|(day, _)| day.start()).filter(|_| continues);
        // A document of terms carries what is to be charged besides.
        let charge = self.charges.first().map(Date::start).filter(|_| continues);
        let charge = charge.filter(|at| recurring.is_none_or(|due| *at < due));
        let credit = self.credits.first().map(Date::start);
        match simulated {
            None => {
                timers.extend(lifecycle.map(|at| (TimerKind::Lifecycle, at)));
                timers.extend(recurring.map(|at| (TimerKind::Recurring, at)));
                timers.extend(charge.map(|at| (TimerKind::LastCharge, at)));
                timers.extend(credit.map(|at| (TimerKind::LastCredit, at)));
                timers.extend(self.overdue.first().map(|at| (TimerKind::Overdue, at)));
                timers.extend(self.reminders.first().map(|at| (TimerKind::Reminder, at)));
            }
            Some(now) => {
                let held = |at: &Timestamp| *at <= now;
                timers.extend(lifecycle.filter(held).map(|at| (TimerKind::HeldLifecycle, at)));
                timers.extend(recurring.filter(held).map(|at| (TimerKind::HeldRecurring, at)));
                timers.extend(charge.filter(held).map(|at| (TimerKind::HeldLastCharge, at)));
                timers.extend(credit.filter(held).map(|at| (TimerKind::HeldLastCredit, at)));
            }
        }
        timers
    }
}

/// Subscriptions by a day, at most one of each.
#[derive(Clone, Debug, Default)]
struct ByDay {
    days: BTreeSet<(Date, SubscriptionId)>,
    of: BTreeMap<SubscriptionId, Date>,
}

impl ByDay {
    fn set(&mut self, subscription: SubscriptionId, day: Option<Date>) {
        if let Some(before) = self.of.remove(&subscription) {
            self.days.remove(&(before, subscription));
        }
        if let Some(day) = day {
            self.days.insert((day, subscription));
            self.of.insert(subscription, day);
        }
    }

    fn first(&self) -> Option<Date> {
        self.days.first().map(|(day, _)| *day)
    }
}
