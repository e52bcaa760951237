//! What a rule about subscriptions is told, and what it answers.

use super::Subscription;
use super::proration::{Proration, ProrationLot};
use crate::domain::billing::timeline::TimelineEntry;
use crate::domain::money::Currency;
use crate::domain::platform::event::NewEvent;
use crate::domain::quantity::TaxRate;
use crate::domain::time::{Date, Timestamp};

/// The instant at which something is done, by two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Wall time.
    pub now: Timestamp,
    /// The contract's clock: its test clock if it has one, else the wall clock.
    pub engine: Timestamp,
}

/// What a rule has to know of the world around the subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub currency: Currency,
    pub contract_closed: bool,
    pub card_saved: bool,
    pub credits_on: bool,
    /// The seller's default tax rate, for credit that is given back at once.
    pub default_tax_rate: TaxRate,
}

/// What an action or the passing of time does: rows to write, all of them or none.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The subscription afterwards.
    pub subscription: Subscription,
    pub prorations: Vec<Proration>,
    /// Credit to be given back at once; only while credits are on.
    pub proration_lot: Option<ProrationLot>,
    /// Events for the webhooks, in order.
    pub events: Vec<NewEvent>,
    /// Entries for the contract's timeline, in order.
    pub timeline: Vec<TimelineEntry>,
    pub(super) written: bool,
}

impl Moment {
    pub fn today(&self) -> Date {
        self.engine.date()
    }
}

impl Change {
    /// Nothing happened: the answer is the subscription as it was.
    pub(super) fn none(subscription: &Subscription) -> Self {
        Self {
            subscription: subscription.clone(),
            prorations: Vec::new(),
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
