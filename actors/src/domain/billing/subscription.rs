//! Subscriptions: what a customer pays again and again.
//!
//! Every action is a function of its own file that answers a [`Change`] or a
//! [`SubscriptionRefusal`]; [`advance`] is what time does. All of them expect a subscription that
//! has been advanced to the contract's day; one that was not (the lifecycle is switched off) is
//! treated as having no running term. The days that it serves to usage follow its plans all the
//! same.

mod cancel;
mod change;
mod create;
mod cut;
mod draft;
mod lifecycle;
mod names;
mod owed;
mod pause;
mod plan;
mod price;
mod proration;
mod refusal;
mod schedule;
mod serving;
mod term;
#[cfg(test)]
mod tests;

use storage::CborRecord;

pub use self::cancel::{Cancel, cancel};
pub use self::change::{BY_BUYER, Change, Facts};
pub use self::create::{NewSubscription, create};
pub use self::lifecycle::{Advance, Counts, advance, end_trial, next_wakeup};
pub use self::names::{CancelMode, ChangeTiming, Frequency, SubscriptionStatus, TrialEndBehavior};
pub use self::owed::{fall_past_due, recover, recover_by_any, written_off};
pub use self::pause::{Pause, pause, resume};
pub use self::plan::{PlanChange, change_plan};
pub use self::price::{PendingChange, Plan, Price, RecurringMove};
pub use self::proration::{
    Proration, ProrationClaim, ProrationKind, ProrationLot, ProrationPart, ProrationRest,
    Prorations,
};
pub use self::refusal::{Action, SubscriptionRefusal};
pub use self::schedule::{Schedule, Span};
pub use self::term::{Charge, CutReason, Term, TermClaim, TermLine};

pub use crate::domain::billing::invoice::CollectionMethod;
use crate::domain::ids::{ContractId, CustomerId, InvoiceId, SubscriptionId};
use crate::domain::money::Currency;
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::time::{Date, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Subscription {
    #[n(0)]
    pub id: SubscriptionId,
    #[n(1)]
    pub contract: ContractId,
    #[n(2)]
    pub customer: CustomerId,
    #[n(3)]
    pub status: SubscriptionStatus,
    #[n(4)]
    pub frequency: Frequency,
    /// Minor units for one unit and term, 0 to 10^12.
    #[n(5)]
    pub price_minor: i64,
    #[n(6)]
    pub quantity: Quantity,
    #[n(7)]
    pub currency: Currency,
    /// The seller's words, at most 256 characters.
    #[n(8)]
    pub description: Option<String>,
    /// First day, of the trial if there is one.
    #[n(9)]
    pub start_date: Date,
    /// Last day served.
    #[n(10)]
    pub end_date: Option<Date>,
    #[n(11)]
    pub trial_start: Option<Date>,
    /// First paid day after the trial.
    #[n(12)]
    pub trial_end: Option<Date>,
    #[n(13)]
    pub trial_end_behavior: TrialEndBehavior,
    #[n(14)]
    pub trial_notice_sent: bool,
    /// Whether a trial may only convert with a saved card.
    #[n(15)]
    pub require_payment_method: bool,
    /// The tax rate of its own, if it states one.
    #[n(16)]
    pub tax_rate: Option<TaxRate>,
    #[n(17)]
    pub collection_method: CollectionMethod,
    /// First day of the running period: the trial, or the latest begun term.
    #[n(18)]
    pub current_period_start: Option<Date>,
    /// First day after that period.
    #[n(19)]
    pub current_period_end: Option<Date>,
    #[n(20)]
    pub scheduled_cancel: Option<ScheduledCancel>,
    /// When it was canceled, by the contract's clock.
    #[n(21)]
    pub canceled_at: Option<Timestamp>,
    /// Why, in the seller's words; known from the moment a cancel is scheduled.
    #[n(22)]
    pub cancel_reason: Option<String>,
    /// When it was paused, by the contract's clock; only while paused.
    #[n(23)]
    pub paused_at: Option<Timestamp>,
    /// First day served again, if that is known; only while paused.
    #[n(24)]
    pub resumes_at: Option<Date>,
    #[n(25)]
    pub pending_change: Option<PendingChange>,
    /// The schedules so far, the one in force last; empty until the first paid term. The first
    /// one's start is the anchor; each later one begins where a change of frequency took effect.
    /// Once it has ended also those that the lifecycle had not come to by then.
    #[n(26)]
    pub schedules: Vec<Schedule>,
    /// Spans within the schedules that were not served: from the end of the term in which it was
    /// paused to the day it was resumed, by the clock that usage follows. Metering takes none
    /// there.
    #[n(27)]
    pub gaps: Vec<Span>,
    /// Begun terms that are not billed, oldest first, and the latest begun one in any case.
    #[n(28)]
    pub terms: Vec<Term>,
    /// Wall time of creation.
    #[n(29)]
    pub created_at: Timestamp,
    /// The invoices that could not be collected, for which it is past due, or will be once it goes
    /// on.
    #[n(34)]
    #[cbor(default)]
    pub past_due_for: Vec<InvoiceId>,
    /// The first day that the pause leaves unserved; only while paused, and not in rows from
    /// before it was kept.
    #[n(35)]
    pub paused_from: Option<Date>,
    /// The day, by the wall clock, on which the cancel was asked for that is scheduled or has
    /// ended it.
    #[n(36)]
    pub canceled_on: Option<Date>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ScheduledCancel {
    /// First day not served (`cancelAt`).
    #[n(0)]
    pub at: Date,
    /// How it was asked for: a `period_end` cancel moves with the period.
    #[n(1)]
    pub mode: CancelMode,
    /// Whether unused days of the last term are given back.
    #[n(2)]
    pub prorate: bool,
}

/// What an idempotency key of `POST …/subscriptions` made, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SubscriptionKey {
    /// The contract in the path of the first request.
    #[n(0)]
    pub contract: ContractId,
    #[n(1)]
    pub subscription: SubscriptionId,
}

impl CborRecord for Subscription {}

impl CborRecord for SubscriptionKey {}

impl CborRecord for Proration {}

impl Subscription {
    pub fn price(&self) -> Price {
        Price { price_minor: self.price_minor, quantity: self.quantity, tax_rate: self.tax_rate }
    }

    pub fn plan(&self) -> Plan {
        Plan { price: self.price(), frequency: self.frequency }
    }

    /// The plan that the pending change leads to, as things stand, and its first day.
    pub fn pending_plan(&self) -> Option<(Plan, Date)> {
        self.pending_change.map(|change| (change.applied_to(self.plan()), change.effective_date))
    }

    /// The day of the first paid term, once it has begun.
    pub fn anchor(&self) -> Option<Date> {
        self.schedules.first().map(|schedule| schedule.start)
    }

    /// The day on which the scheduled cancel takes effect (`cancelAt`).
    pub fn cancel_at(&self) -> Option<Date> {
        self.scheduled_cancel.map(|cancel| cancel.at)
    }

    /// The day after the last one served, if that is fixed.
    pub fn expires_on(&self) -> Option<Date> {
        self.end_date.map(|last| last.plus_days(1))
    }

    /// The day up to which terms are charged because of a prorated cancel.
    fn settled_cancel(&self) -> Option<Date> {
        self.scheduled_cancel.filter(|cancel| cancel.prorate).map(|cancel| cancel.at)
    }

    /// Forgets the terms that are billed and over; their claims and invoices keep them.
    fn drop_settled_terms(&mut self) {
        let latest = self.terms.len().saturating_sub(1);
        let mut position = 0;
        self.terms.retain(|term| {
            let keep = position == latest || term.billed_by.is_none();
            position += 1;
            keep
        });
    }
}
