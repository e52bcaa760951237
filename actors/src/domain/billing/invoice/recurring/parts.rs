//! What the recurring invoice is composed of, and what it takes.

use crate::domain::ids::{ProrationId, SubscriptionId};
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::time::Date;

/// A term that is due: begun, and claimed by no document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurringLine {
    /// Whose term it is.
    pub subscription: SubscriptionId,
    /// What the customer reads.
    pub description: String,
    /// First day of the term.
    pub period_start: Date,
    /// First day after the term, or after its part that is served.
    pub period_end: Date,
    /// In force on the term's first day.
    pub quantity: Quantity,
    /// Price of one for the whole term, in minor units.
    pub price_minor: i64,
    /// Where not all of the term is charged.
    pub cut: Option<CutTerm>,
    /// The subscription's rate; the seller's default when it has none.
    pub tax_rate: Option<TaxRate>,
}

/// A term of which some days are charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutTerm {
    /// Days charged.
    pub days: i64,
    /// Days in the whole term.
    pub term_days: i64,
    /// What they cost together, rounded half up, in minor units.
    pub amount_minor: i64,
}

/// Which of the two legs of a plan change a proration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProrationLeg {
    /// The new price for the days left: a line of its own.
    Charge,
    /// The old price for the days left: a discount on the subscription's recurring line.
    Credit,
}

/// An open proration of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProrationLine {
    /// Which proration.
    pub id: ProrationId,
    /// Whose plan changed.
    pub subscription: SubscriptionId,
    /// Charge or credit.
    pub leg: ProrationLeg,
    /// What the customer reads on the line of a charge.
    pub description: String,
    /// The part that no document took yet, in minor units, 0 or more.
    pub open_minor: i64,
    /// Price of one for the whole term, in minor units.
    pub price_minor: i64,
    /// How many.
    pub quantity: Quantity,
    /// The rate of the plan; the seller's default when it has none.
    pub tax_rate: Option<TaxRate>,
    /// The day of the change.
    pub period_start: Date,
    /// First day after the term.
    pub period_end: Date,
    /// Days left of the term.
    pub days: i64,
    /// Days in the whole term.
    pub term_days: i64,
}

/// What a document takes from one proration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsumedProration {
    /// Which proration.
    pub proration: ProrationId,
    /// The part taken, in minor units.
    pub amount_minor: i64,
    /// The part that stays open; 0 closes the record.
    pub left_minor: i64,
}
