use super::Subscription;
use super::proration::{Proration, ProrationLot, Prorations};
use crate::domain::billing::timeline::TimelineEntry;
use crate::domain::platform::event::NewEvent;

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
}
