//! What a rule of subscriptions is given beside the subscription, and what it makes of it.

use super::Subscription;
use super::proration::{Proration, ProrationLot, Prorations};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::money::Currency;
use crate::domain::platform::event::NewEvent;

/// How the timeline, and the reason of a cancel, name the buyer who did it.
pub const BY_BUYER: &str = "by the buyer, on the portal";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub currency: Currency,
    pub contract_closed: bool,
    pub card_saved: bool,
    pub credits_on: bool,
}

/// What an action or the passing of time does: rows to write, all of them or none.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub subscription: Subscription,
    /// New records.
    pub prorations: Vec<Proration>,
    /// Open records that cover other days from now on.
    pub recut: Prorations,
    /// Credit to be given back at once; only while credits are on.
    pub proration_lot: Option<ProrationLot>,
    /// Events for the webhooks, in order.
    pub events: Vec<NewEvent>,
    /// Entries for the contract's timeline, in order.
    pub timeline: Vec<TimelineEntry>,
    pub(super) written: bool,
}

impl Change {
    /// Nothing happened: the answer is the subscription as it was.
    pub(super) fn none(subscription: &Subscription) -> Self {
        Self {
            subscription: subscription.clone(),
            prorations: Vec::new(),
            recut: Prorations::new(),
            proration_lot: None,
            events: Vec::new(),
            timeline: Vec::new(),
            written: false,
        }
    }

    pub fn is_empty(&self) -> bool {
        !self.written
    }

    /// The same as the buyer did it to `before`: the timeline names the buyer, and tells of a
    /// cancel that is still to come or was taken back.
    #[must_use]
    pub fn by_buyer(mut self, before: &Subscription, moment: Moment) -> Self {
        let kind = match (before.cancel_at(), self.subscription.cancel_at()) {
            (before, Some(after)) if before != Some(after) => {
                Some(TimelineKind::SubscriptionCancelScheduled)
            }
            (Some(_), None) => Some(TimelineKind::SubscriptionCancelTakenBack),
            _ => None,
        };
        if let Some(kind) = kind.filter(|_| self.timeline.is_empty()) {
            self.timeline.push(TimelineEntry {
                kind,
                occurred_at: moment.done_at(),
                subscription: Some(before.id),
                invoice: None,
                amount_minor: None,
                currency: None,
                detail: None,
            });
        }
        for entry in &mut self.timeline {
            let told = entry.detail.take().map(|detail| format!("{detail}, "));
            entry.detail = Some(format!("{}{BY_BUYER}", told.unwrap_or_default()));
        }
        self
    }
}
